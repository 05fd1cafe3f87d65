import type { SchedulerLike } from 'rxjs'
import type { AnyEndpoint } from '../api/Endpoint.js'
import type { IO } from '../fp.js'
import type { Scheduler } from '../scheduler/index.js'
import type { Backoff } from '../stream/index.js'
import type { ClientEvent } from './ClientEvent.js'
import type { Codes } from './codes.js'
import type { Auth } from './login/Auth.js'
import type { RateLimitKey } from './RateLimitKey.js'
import type { RetryBudget } from './retry/RetryBudget.js'
import type { KnownSecrets } from './secrets/KnownSecrets.js'
import type { Transport } from './transport/Transport.js'

/** What the calls of a client, and of all that `with` makes of it, are sent with. */
export interface ClientRuntime {
  readonly transport: Transport
  readonly scheduler: Scheduler<RateLimitKey>
  /** After a fault, in place of a 429's backoff, which the scheduler has. */
  readonly backoff: Backoff
  /** How much of that all calls may do together. */
  readonly budget: RetryBudget
  /** What the codes of refusals say. */
  readonly codes: Codes
  readonly auth: (row: AnyEndpoint) => Auth
  /** All that must not show, whatever the request. */
  readonly secrets: KnownSecrets
  readonly emit: (event: ClientEvent) => void
  readonly timer: SchedulerLike
  readonly random: IO<number>
  readonly uuid: IO<string>
}
