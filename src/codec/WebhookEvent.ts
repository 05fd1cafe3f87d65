/**
 * The body of a delivery to the URL of a webhook. Only `id`, `name` and `data` are required; the other
 * fields, and the older spelling in camel case, are defaults, not specified by the interface document.
 */
import * as t from 'io-ts'
import { defined, E, pipe } from '../fp.js'
import type { Codec } from './Codec.js'
import { EventName } from './EventName.js'
import { Instant } from './Instant.js'
import { nullable } from './shapes.js'

// model

/** An event, in either spelling of its envelope. */
export interface WebhookEvent {
  /** Identifies the event; it does not change when the event is sent again. */
  readonly id: string
  /** Its type, such as `account.active`. */
  readonly name: EventName
  /**
   * The resource of the event, or an object that holds it under `object`: see `payloadOf`. In
   * deliveries before version 2024-02-22, and in those without a version whose envelope is in camel case
   * (`accountId`), its keys are brought from camel to snake case.
   */
  readonly data: unknown
  /** Null for the events of an organization. */
  readonly account_id?: string | null
  /** The organization, for its events. */
  readonly org_id?: string | null
  /** The resource of the event. */
  readonly source_id?: string | null
  /** The time of the event. */
  readonly created_at?: Instant | null
  /** The API version of `data`, as YYYY-MM-DD. */
  readonly version?: string | null
  /** The delivery as it came, including fields that could not be read. */
  readonly raw: unknown
}

/** The fields that the interface does not show, in either spelling. */
const rest = t.partial({
  account_id: t.unknown,
  accountId: t.unknown,
  org_id: t.unknown,
  orgId: t.unknown,
  source_id: t.unknown,
  sourceId: t.unknown,
  created_at: t.unknown,
  createdAt: t.unknown,
  version: t.unknown,
})

const envelope = t.intersection([
  t.type({
    id: t.string,
    name: EventName,
    data: t.refinement(t.unknown, (u) => u !== undefined, 'any JSON'),
  }),
  rest,
])

type Envelope = t.TypeOf<typeof envelope>

const text = nullable(t.string)
const moment = nullable(Instant)

/** The first webhook version that has snake case throughout. */
const SNAKE_CASE_SINCE = '2024-02-22'

/** Under its own key or the older one: null counts, since it says something; what cannot be read does not. */
const first = <A>(codec: Codec<A>, values: ReadonlyArray<unknown>): A | undefined =>
  values.find((u): u is A => u !== undefined && codec.is(u))

const camelKeys = ['accountId', 'orgId', 'sourceId', 'createdAt'] as const

/** Tells if `data` may have the older spelling: its version says so, or else its envelope has it. */
const isOlder = (version: string | null | undefined, came: Envelope): boolean =>
  typeof version === 'string' && version !== ''
    ? version < SNAKE_CASE_SINCE
    : camelKeys.some((key) => came[key] !== undefined)

const normal = (came: Envelope, raw: unknown): WebhookEvent => {
  const { id, name } = came
  const account_id = first(text, [came.account_id, came.accountId])
  const org_id = first(text, [came.org_id, came.orgId])
  const source_id = first(text, [came.source_id, came.sourceId])
  const created_at = first(moment, [came.created_at, came.createdAt])
  const version = first(text, [came.version])
  return {
    id,
    name,
    data: isOlder(version, came) ? snakeKeys(came.data) : came.data,
    ...defined({ account_id, org_id, source_id, created_at, version }),
    raw,
  }
}

// constructors

/** Reads either spelling; writes what came. */
export const WebhookEvent: Codec<WebhookEvent> = new t.Type<WebhookEvent, unknown, unknown>(
  'WebhookEvent',
  (u): u is WebhookEvent => envelope.is(u) && 'raw' in u,
  (u, context) =>
    pipe(
      envelope.validate(u, context),
      E.map((came) => normal(came, u)),
    ),
  ({ raw }) => raw,
)

// keys in camel case

const snake = (key: string): string => key.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()

const isCamel = (key: string): boolean => /^[a-z][A-Za-z0-9]*$/.test(key) && /[A-Z]/.test(key)

/**
 * Converts keys such as `requestId` to `request_id`, at every depth. The keys under `metadata` are the caller's own
 * and stay. A key that is present in both spellings stays as well.
 */
const snakeKeys = (u: unknown): unknown => {
  if (Array.isArray(u)) return u.map(snakeKeys)
  if (typeof u !== 'object' || u === null) return u
  return Object.fromEntries(
    Object.entries(u).map(([key, value]) => [
      isCamel(key) && !Object.hasOwn(u, snake(key)) ? snake(key) : key,
      key === 'metadata' ? value : snakeKeys(value),
    ]),
  )
}
