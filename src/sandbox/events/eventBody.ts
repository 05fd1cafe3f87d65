/** Bodies of events in the API version of a webhook, with the documented fields. */
import { hash, hex8, hex32, subSeed } from '../data/hash.js'
import { timeText } from '../data/time.js'

// versions

/** Version that adds `account.dormant`, `account.closed`, `source_id`, `transacted_at` and `card_transaction_event_id`. */
const AUGUST = '2026-08-21'

/** Version that adds `card_transaction_data` and removes `lifecycle_id`. */
const JULY = '2026-07-17'

/** First version in which the names of batch events start with `payout.` (our assumption). */
const PAYOUT = '2024-09-27'

/** First version with keys in snake case (our assumption). */
const SNAKE_CASE = '2024-02-22'

/** Returns the reason why a version lacks an event; `undefined` if the version has the event. */
export const missingIn = (name: string, version: string): string | undefined =>
  (name === 'account.dormant' || name === 'account.closed') && version < AUGUST
    ? `is an event since version ${AUGUST}`
    : undefined

export const nameIn = (name: string, version: string): string =>
  version < PAYOUT ? name.replace(/^payout\.(?=batch_transfers\.)/, '') : name

// model

export interface EventFacts {
  /** Id of the event. Repeated deliveries have the same id. */
  readonly id: string
  readonly name: string
  /** The API version of the payload, as YYYY-MM-DD. */
  readonly version: string
  /** Time of the event, in ms since 1970. */
  readonly at: number
  /** Null for the events of an organization. */
  readonly account_id: string | null
  readonly org_id: string | null
  readonly data: unknown
}

// functions

/** Returns the JSON text of an event. The envelope is our assumption: not in the API description. */
export const eventBody = ({ at, name, version, data, ...facts }: EventFacts): string => {
  const { id, account_id, org_id } = facts
  const body = {
    id,
    name: nameIn(name, version),
    account_id,
    org_id,
    version,
    created_at: timeText(at),
    data,
  }
  return JSON.stringify(version < SNAKE_CASE ? camelKeys(body) : body)
}

/** Converts keys to camel case, except keys under `metadata`, which are the caller's own. */
const camelKeys = (u: unknown): unknown => {
  if (Array.isArray(u)) return u.map(camelKeys)
  if (typeof u !== 'object' || u === null) return u
  return Object.fromEntries(
    Object.entries(u).map(([key, value]) => [
      key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      key === 'metadata' ? value : camelKeys(value),
    ]),
  )
}

/** Returns the data of a documented event, with ids derived from `seed`. */
export const documentedData = (
  name: string,
  version: string,
  at: number,
  seed: number,
): unknown => {
  const id = (prefix: string, purpose: number): string =>
    `${prefix}_${hex8(hash(subSeed(seed, purpose)))}`
  const uuid = (purpose: number): string => hex32(hash(subSeed(seed, purpose)))
  const selection = version < AUGUST ? {} : { source_id: id('src', 41) }
  const lineItems = [{ id: id('lin', 42), accounting_field_selections: [selection] }]
  const cardData = {
    card_transaction_lifecycle_id: uuid(43),
    card_transaction_id: uuid(44),
    card_transaction_event_id: uuid(45),
  }
  const [family = '', kind = '', state = kind] = name.split('.')
  switch (
    kind === 'transaction_dispute' ? kind : family === 'account' ? family : `${family}.${kind}`
  ) {
    case 'account':
      return { id: id('acct', 46), status: accountStatus[kind] ?? 'ACTIVE' }
    case 'spend.bill':
      return { id: id('bill', 47), status: state.toUpperCase(), line_items: lineItems }
    case 'spend.expense':
      return {
        id: id('exp', 48),
        status: state.toUpperCase(),
        accounting_field_selections: [selection],
        line_items: lineItems,
      }
    case 'issuing.transaction':
      return {
        ...(version < JULY ? { lifecycle_id: uuid(43) } : { card_transaction_data: cardData }),
        ...(version < AUGUST
          ? { transaction_date_time: timeText(at) }
          : { transacted_at: timeText(at) }),
      }
    case 'transaction_dispute':
      return {
        ...(version < JULY ? {} : { card_transaction_data: cardData }),
        ...(version < AUGUST
          ? { transaction_id: uuid(44) }
          : { card_transaction_event_id: uuid(45) }),
      }
    default:
      return {}
  }
}

const accountStatus: Readonly<Record<string, string>> = {
  suspended: 'SUSPENDED',
  dormant: 'DORMANT',
  closed: 'CLOSED',
}

export const isOfOrganization = (name: string): boolean => /^(billing|spend)\./.test(name)
