/** Bodies of events as the version of a webhook has them, with the fields that the interface gives (interface, Events). */
import { hash, hex8, hex32, subSeed } from '../data/hash.js'
import { timeText } from '../data/time.js'

// versions

/** Adds `account.dormant`, `account.closed`, `source_id`, `transacted_at` and `card_transaction_event_id`. */
const AUGUST = '2026-08-21'

/** Adds `card_transaction_data`, and removes `lifecycle_id`. */
const JULY = '2026-07-17'

/** The names of batch events begin with `payout.` from this version on (default, not specified). */
const PAYOUT = '2024-09-27'

/** Keys are in snake case from this version on (default, not specified). */
const SNAKE_CASE = '2024-02-22'

/** Returns why there is no such event in a version; `undefined` if there is one. */
export const missingIn = (name: string, version: string): string | undefined =>
  (name === 'account.dormant' || name === 'account.closed') && version < AUGUST
    ? `is an event from version ${AUGUST} on`
    : undefined

/** Returns the name that a version gives to an event. */
export const nameIn = (name: string, version: string): string =>
  version < PAYOUT ? name.replace(/^payout\.(?=batch_transfers\.)/, '') : name

// model

/** Everything that the body of an event says. */
export interface EventFacts {
  /** Stays the same when the event is sent again. */
  readonly id: string
  readonly name: string
  /** The API version of the payload, as YYYY-MM-DD. */
  readonly version: string
  /** When it happened, in ms since 1970. */
  readonly at: number
  /** Null for the events of an organization. */
  readonly account_id: string | null
  readonly org_id: string | null
  readonly data: unknown
}

// functions

/** Returns the JSON text of an event; the envelope is a default, not specified by the interface document. */
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

/** Keys under `metadata` are the caller's own. */
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

/** Returns the data of an event that the interface names, with ids that follow from `seed`. */
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

/** Returns true if an event is one of an organization, not of an account (interface, Partner webhooks). */
export const isOfOrganization = (name: string): boolean => /^(billing|spend)\./.test(name)
