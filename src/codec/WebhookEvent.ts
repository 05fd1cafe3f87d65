/**
 * What is sent to the URL of a webhook. Only `id`, `name` and `data` are sure to be there; the other
 * fields, and the older spelling in camel case, are defaults, not specified by the interface document.
 */
import * as t from 'io-ts'
import { E, pipe } from '../fp.js'
import type { Codec } from './Codec.js'
import { EventName } from './EventName.js'
import { Instant } from './Instant.js'
import { nullable } from './shapes.js'
import { snakeKeys } from './snakeKeys.js'

// model

/** An event, whichever way its envelope was spelt. */
export interface WebhookEvent {
  /** The same when the event is sent again. */
  readonly id: string
  readonly name: EventName
  /**
   * The resource that the event is about, or what holds it under `object`: see `payloadOf`. In
   * deliveries before version 2024-02-22, its keys are brought from camel to snake case.
   */
  readonly data: unknown
  /** Null for the events of an organization. */
  readonly account_id?: string | null
  readonly org_id?: string | null
  readonly source_id?: string | null
  readonly created_at?: Instant | null
  /** The API version of `data`, as YYYY-MM-DD. */
  readonly version?: string | null
  /** The delivery as it came, with what could not be read of the above. */
  readonly raw: unknown
}

const envelope = t.type({
  id: t.string,
  name: EventName,
  data: t.refinement(t.unknown, (u) => u !== undefined, 'any JSON'),
})

type Envelope = t.TypeOf<typeof envelope>

const text = nullable(t.string)
const moment = nullable(Instant)

/** The first webhook version that has snake case throughout. */
const SNAKE_CASE_SINCE = '2024-02-22'

/** Under its own key or the older one: null counts, since it says something; what cannot be read does not. */
const first = <A>(codec: Codec<A>, values: ReadonlyArray<unknown>): A | undefined =>
  values.find((u): u is A => u !== undefined && codec.is(u))

const normal = (came: Envelope, raw: unknown): WebhookEvent => {
  const { id, name } = came
  const more = Object(came)
  const account_id = first(text, [more.account_id, more.accountId])
  const org_id = first(text, [more.org_id, more.orgId])
  const source_id = first(text, [more.source_id, more.sourceId])
  const created_at = first(moment, [more.created_at, more.createdAt])
  const version = first(text, [more.version])
  return {
    id,
    name,
    data: (version ?? '') < SNAKE_CASE_SINCE ? snakeKeys(came.data) : came.data,
    ...(account_id === undefined ? {} : { account_id }),
    ...(org_id === undefined ? {} : { org_id }),
    ...(source_id === undefined ? {} : { source_id }),
    ...(created_at === undefined ? {} : { created_at }),
    ...(version === undefined ? {} : { version }),
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
