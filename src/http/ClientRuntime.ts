import type { SchedulerLike } from 'rxjs'
import type { AnyEndpoint } from '../api/Endpoint.js'
import type { IO } from '../fp.js'
import type { Scheduler } from '../scheduler/index.js'
import type { Backoff, Millis, ObservableEither } from '../stream/index.js'
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

/** State and effects shared by a client and all clients made of it by `with`. */
export interface ClientRuntime {
  readonly transport: Transport
  readonly scheduler: Scheduler<RateLimitKey>
  /** Pauses between retries after faults, without an end. The scheduler has its own for a 429. */
  readonly backoff: Backoff
  readonly retryBudget: RetryBudget
  readonly codes: Codes
  readonly authFor: (row: AnyEndpoint) => Auth
  readonly secrets: KnownSecrets
  /** The time at the service, as its answers tell it. */
  readonly serviceClock: ServiceClock
  readonly emit: (event: ClientEvent) => void
  /** The context in which each request runs. */
  readonly attempts: AttemptContext
  /** Numbers the calls, for their events. */
  readonly nextCall: IO<number>
  /** Timers, and a clock for durations, which may not be the time of day. */
  readonly timer: SchedulerLike
  /** Time of day, in ms since 1970. */
  readonly now: IO<Millis>
  readonly random: IO<number>
  readonly uuid: IO<string>
}

/** Settings of the calls of one client: those that `with` changes. */
export interface CallSettings {
  readonly baseUrl: string
  readonly timeout: Timeout
  readonly check: boolean
  readonly priority: Priority
  readonly apiVersion?: string
  readonly onBehalfOf?: string
  /** Headers that a caller adds to each request, by names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly retry: RetrySettings
  /** Time in which a write that may have been done is looked up again, from the first look. */
  readonly lookUpFor: Millis
  /** Time from the subscription to a call to its end, waits and retries included. */
  readonly deadline: Millis
}

export interface RetrySettings {
  /** Attempts after the first, after a 429; that of the scheduler if left out. */
  readonly throttled?: number
  /** Attempts after the first, after other faults. */
  readonly faults: number
  /** Time from the first request of a call in which others may follow. */
  readonly patience: Millis
}

// calls

/** Executes one call of a row. Cold; emits one value. */
export type Execute = <A>(
  params: unknown,
  read: ResponseReader<A>,
  options?: ExecuteOptions<A>,
) => ObservableEither<Failure, A>

export interface ExecuteOptions<A> {
  /** Finds out what became of a write that may have been done. */
  readonly lookUp?: LookUp<A> | undefined
  /** An earlier run may have sent the same write: a duplicate at the first attempt is looked up as well. */
  readonly isRepeat?: boolean
}
