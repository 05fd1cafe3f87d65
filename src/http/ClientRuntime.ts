import type { SchedulerLike } from 'rxjs'
import type { AnyEndpoint } from '../api/Endpoint.js'
import type { IO } from '../fp.js'
import type { Scheduler } from '../scheduler/index.js'
import type { ObservableEither } from '../stream/either/ObservableEither.js'
import type { Backoff, Millis } from '../stream/index.js'
import type { AttemptContext } from './AttemptContext.js'
import type { Codes } from './answer/errors.js'
import type { ResponseReader } from './answer/readAnswer.js'
import type { ClientEvent } from './ClientEvent.js'
import type { Failure } from './Failure.js'
import type { Priority, RateLimitKey } from './limits.js'
import type { Auth } from './login/Auth.js'
import type { LookUp } from './retry/Outcome.js'
import type { RetryBudget } from './retry/RetryBudget.js'
import type { ServiceClock } from './ServiceClock.js'
import type { KnownSecrets } from './secrets.js'
import type { Timeout, Transport } from './transport/Transport.js'

/** State and effects shared by a client and all clients that its `with` returns. */
export interface ClientRuntime {
  readonly transport: Transport
  readonly scheduler: Scheduler<RateLimitKey>
  /** Endless sequence of pauses between retries after faults. For a 429, the scheduler has its own. */
  readonly backoff: Backoff
  readonly retryBudget: RetryBudget
  readonly codes: Codes
  readonly authFor: (row: AnyEndpoint) => Auth
  readonly secrets: KnownSecrets
  /** The time at the service, derived from its responses. */
  readonly serviceClock: ServiceClock
  readonly emit: (event: ClientEvent) => void
  /** The context in which each request runs. */
  readonly attempts: AttemptContext
  /** Returns the number of the next call, for its events. */
  readonly nextCall: IO<number>
  /** Timers, and a clock for durations, which may differ from the time of day. */
  readonly timer: SchedulerLike
  /** Time of day, in ms since 1970. */
  readonly now: IO<Millis>
  readonly random: IO<number>
  readonly uuid: IO<string>
}

/** Settings of one client's calls, which `with` may change. */
export interface CallSettings {
  readonly baseUrl: string
  readonly timeout: Timeout
  readonly check: boolean
  readonly priority: Priority
  readonly apiVersion?: string
  readonly onBehalfOf?: string
  /** Headers to add to each request, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly retry: RetrySettings
  /** Time to keep looking up a write that may have succeeded, starting at the first look-up. */
  readonly lookUpFor: Millis
  /** Maximum time from subscription to the end of a call, including waits and retries. */
  readonly deadline: Millis
}

export interface RetrySettings {
  /** Maximum number of retries after a 429; by default that of the scheduler. */
  readonly throttled?: number
  /** Maximum number of retries after other faults. */
  readonly faults: number
  /** Time after its first request during which a call may be retried. */
  readonly patience: Millis
}

// calls

/** Executes one call of an endpoint. Cold: starts on subscription. Emits one value. */
export type Execute = <A>(
  params: unknown,
  read: ResponseReader<A>,
  options?: ExecuteOptions<A>,
) => ObservableEither<Failure, A>

export interface ExecuteOptions<A> {
  /** Finds out the outcome of a write that may have succeeded. */
  readonly lookUp?: LookUp<A> | undefined
  /** True if an earlier run may have sent the same write. A duplicate at the first attempt is then looked up as well. */
  readonly isRepeat?: boolean
}
