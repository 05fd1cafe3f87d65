import { Subscriber, Subscription, type Unsubscribable } from 'rxjs'
import { type IO, O } from '../fp.js'
import {
  type Checked,
  checkArgument,
  defaultsOf,
  is,
  type OptionsOf,
  withDefault,
} from '../options/index.js'
import { type AsyncContext, captureContext, runIn } from '../stream/asyncContext.js'
import { backoffDefaults, doubling } from '../stream/Backoff.js'
import type { Clock, Millis } from './Clock.js'
import type { Dispatcher } from './Dispatcher.js'
import type { InFlight, Sent } from './InFlight.js'
import type { FairKey, WaitingLine } from './KeyLines.js'
import type { QueuedRequest, RequestQueue } from './LimiterSet.js'
import type { SafeFairness } from './safeKey.js'

/** Options of one scheduled source. */
export interface ScheduleOptions<in A> {
  /** The lane. Default: the scheduler's default lane. */
  readonly lane?: string | undefined
  /**
   * Recognizes a value with which the server refuses a request because of its limits, such as HTTP 429; `retryAfter` is in ms.
   * It sees the first value of each attempt. After a refusal, the source is resubscribed later. The refusal itself is emitted
   * when all attempts are used up.
   */
  readonly refused?: ((value: A) => O.Option<{ readonly retryAfter?: Millis }>) | undefined
  /** Called before a refused source is resubscribed. `pause`: time until it is queued, in ms; 0 for immediately. */
  readonly onRetry?: ((pause: Millis) => void) | undefined
  /** Maximum number of subscriptions to the source: at least 1, or `Infinity`. Default: the scheduler's. */
  readonly attempts?: number | undefined
}

const table = {
  /** Maximum number of times that a request is sent, including the first. Default 8, enough for an outage of two minutes. */
  attempts: withDefault(is.positiveIntOrInfinity, 8),
  /** First backoff, in ms; each further backoff is twice as long. Default 1,000. */
  backoff: withDefault(is.millis, backoffDefaults.first),
  /** Longest backoff before jitter, in ms. Default 16,000. */
  maxBackoff: withDefault(is.millis, backoffDefaults.cap),
  /** Maximum random addition, as a share of the backoff. Default 0.5. */
  jitter: withDefault({ ...is.finiteMillis, expected: 'a finite number of at least 0' }, 0.5),
  /** Longest `Retry-After` that is honored, in ms. Default 60,000. */
  maxRetryAfter: withDefault(is.millis, 60_000),
  /**
   * Retries a request after its first refusal with the next free permit, ahead of the other requests in its queue, instead of
   * backing off. Default `true`: a single refusal is usually due to chance in the network, and a limit that refuses many
   * requests is slowed down as a whole.
   */
  retryAtOnce: withDefault(is.boolean, true),
}

/** Handling of a request that the server refuses because of its limits, for example with HTTP 429. */
export interface RefusalOptions extends OptionsOf<typeof table> {}

export const refusalDefaults: Required<Checked<RefusalOptions>> = defaultsOf(table)
export const refusalsRule = is.group<RefusalOptions>(table)

/** The parts of a scheduler that its tasks use. */
export interface SchedulerCore<in R> {
  readonly lanes: ReadonlyArray<string>
  /** True if a tier takes a key from requests. */
  readonly isKeyed: boolean
  readonly clock: Clock
  readonly random: IO<number>
  /** Keys that take turns; `undefined` for first in, first out. */
  readonly fair: SafeFairness<R> | undefined
  readonly refusals: Required<Checked<RefusalOptions>>
  readonly dispatcher: Dispatcher
  readonly inFlight: InFlight
  /** Returns true if limiters of resources may have changed the queue of a waiting request. */
  readonly hasResources: IO<boolean>
  /** Returns the queue of a request. Throws an `InvalidOption` for an unknown lane. */
  readonly queueOf: (request: R, lane: string | undefined) => RequestQueue
  /**
   * Maximum number of waiting requests of one operator: the number that the tightest limit admits at once, or `ahead` while the
   * limits have room for a key that is still to come.
   */
  readonly maxWaiting: (ahead: number) => number
  /** Registers a task until `left` is called. */
  readonly joined: IO<void>
  readonly left: IO<void>
  /** Called before a task waits. Throws the error of a limit that fails immediately. */
  readonly watch: IO<void>
}

/** Work of a task: an Observable, or a lighter object while the task waits for its turn. */
export interface TaskSource<A> {
  subscribe(subscriber: Subscriber<A>): unknown
}

const WAITING: Unsubscribable = Subscription.EMPTY

/** One subscription to a scheduled source. It waits, is in flight, or backs off. */
class Task<R, A> implements QueuedRequest, Unsubscribable {
  queue: RequestQueue
  readonly key: FairKey
  readonly weight: number
  line: WaitingLine<QueuedRequest> | undefined = undefined
  previous: QueuedRequest | undefined = undefined
  next: QueuedRequest | undefined = undefined
  readonly #core: SchedulerCore<R>
  readonly #request: R
  readonly #options: ScheduleOptions<A>
  readonly #source: TaskSource<A>
  readonly #subscriber: Subscriber<A>
  readonly #context: AsyncContext | undefined = captureContext()
  #refusals = 0
  /** The attempt in flight, the backoff, `WAITING` while it is queued, or `undefined` at the end. */
  #current: TaskAttempt<R, A> | Unsubscribable | undefined = undefined

  constructor(
    core: SchedulerCore<R>,
    request: R,
    options: ScheduleOptions<A>,
    source: TaskSource<A>,
    subscriber: Subscriber<A>,
  ) {
    this.#core = core
    this.#request = request
    this.key = core.fair?.keyOf(request)
    this.weight = core.fair?.weightOf(this.key) ?? 1
    this.queue = core.queueOf(request, options.lane)
    this.#options = options
    this.#source = source
    this.#subscriber = subscriber
  }

  queueNow(): RequestQueue {
    const core = this.#core
    const options = this.#options
    return core.hasResources() ? core.queueOf(this.#request, options.lane) : this.queue
  }

  enqueue(isRetry: boolean): void {
    this.#current = undefined
    try {
      this.#core.watch()
    } catch (error) {
      this.#subscriber.error(error)
    }
    if (this.#subscriber.closed) return
    this.#current = WAITING
    this.#core.dispatcher.enqueue(this, isRetry)
  }

  start(now: Millis): void {
    this.queue.started(this)
    const sent = this.#core.inFlight.send(this.#request, this.queue.set, now)
    const attempt = new TaskAttempt(this, sent)
    this.#current = attempt
    try {
      runIn(this.#context, () => this.#source.subscribe(attempt))
    } catch (error) {
      if (this.#current !== attempt) throw error // cancelled: no subscriber is left
      attempt.error(error)
    }
  }

  fail(error: unknown): void {
    if (this.#current !== WAITING) return
    this.#current = undefined
    this.#core.dispatcher.remove(this)
    this.#subscriber.error(error)
  }

  emitted(attempt: TaskAttempt<R, A>, value: A): void {
    if (attempt.sent.isAnswered) {
      this.#subscriber.next(value)
      return
    }
    try {
      const refusal = this.#options.refused?.(value) ?? O.none
      if (this.#current !== attempt) return // `refused` has cancelled the task
      if (O.isNone(refusal)) this.#core.inFlight.accepted(attempt.sent, this.#core.clock.now())
      const wait = O.isSome(refusal) ? this.#backoff(attempt, refusal.value.retryAfter) : undefined
      if (wait === undefined) {
        this.#subscriber.next(value)
        return
      }
      this.#options.onRetry?.(wait)
      attempt.unsubscribe()
      if (this.#current !== attempt) return // `onRetry` or a teardown of the source has cancelled the task
      this.#retry(wait)
      this.#ended(attempt, false)
    } catch (error) {
      if (this.#current !== attempt) throw error // cancelled: no subscriber is left
      try {
        attempt.unsubscribe()
      } finally {
        if (this.#current === attempt) this.finish(attempt, false, { error })
      }
    }
  }

  complete(attempt: TaskAttempt<R, A>): void {
    const { clock, inFlight } = this.#core
    if (!attempt.sent.isAnswered) inFlight.accepted(attempt.sent, clock.now())
    this.finish(attempt, true)
  }

  /** `isComplete`: the source has completed by itself. */
  finish(
    attempt: TaskAttempt<R, A>,
    isComplete: boolean,
    failure?: { readonly error: unknown },
  ): void {
    this.#current = undefined
    try {
      if (failure === undefined) this.#subscriber.complete()
      else this.#subscriber.error(failure.error)
    } finally {
      try {
        attempt.unsubscribe() // frees the resources of the source before the next request starts
      } finally {
        this.#ended(attempt, isComplete)
      }
    }
  }

  /** Called when the subscriber cancels, or the task is over. */
  unsubscribe(): void {
    const current = this.#current
    this.#current = undefined
    if (current === WAITING) this.#core.dispatcher.remove(this)
    try {
      current?.unsubscribe()
    } finally {
      if (current instanceof TaskAttempt) this.#ended(current, false)
      this.#core.left()
    }
  }

  #ended({ sent }: TaskAttempt<R, A>, isComplete: boolean): void {
    this.#core.inFlight.ended(sent, this.#core.clock.now(), isComplete)
  }

  /** Returns the time until the refused request is retried, in ms; `undefined` if all attempts are used up. */
  #backoff({ sent }: TaskAttempt<R, A>, serverDelay: Millis = 0): Millis | undefined {
    const { clock, inFlight, random, refusals: options } = this.#core
    const retryAfter = serverDelay > 0 ? Math.min(serverDelay, options.maxRetryAfter) : 0
    inFlight.refused(sent, clock.now(), retryAfter)
    this.#refusals++
    if (this.#refusals >= (this.#options.attempts ?? options.attempts)) return undefined
    if (retryAfter > 0) return retryAfter
    const attempt = options.retryAtOnce ? this.#refusals - 1 : this.#refusals
    const { backoff: first, maxBackoff: cap, jitter } = options
    return attempt === 0 ? 0 : doubling({ first, cap, jitter, random })(attempt)
  }

  #retry(wait: Millis): void {
    if (wait === 0) {
      this.enqueue(true)
      return
    }
    const { set } = this.queue
    set.backingOff++
    const backoff = new Subscription(() => {
      set.backingOff--
    })
    this.#current = backoff
    const again = (): void => {
      backoff.unsubscribe()
      this.enqueue(true)
    }
    backoff.add(this.#core.clock.after(wait, again))
  }
}

/** One subscription to the source of a task. Each is sent once. */
class TaskAttempt<R, A> extends Subscriber<A> {
  readonly sent: Sent
  readonly #task: Task<R, A>

  constructor(task: Task<R, A>, sent: Sent) {
    super()
    this.#task = task
    this.sent = sent
  }

  protected override _next(value: A): void {
    this.#task.emitted(this, value)
  }

  protected override _error(error: unknown): void {
    this.#task.finish(this, true, { error })
  }

  protected override _complete(): void {
    this.#task.complete(this)
  }
}

/** Schedules one subscription to `source`. */
export const runTask = <R, A>(
  core: SchedulerCore<R>,
  request: R,
  options: ScheduleOptions<A>,
  source: TaskSource<A>,
  subscriber: Subscriber<A>,
): void => {
  const { attempts } = options
  if (attempts !== undefined) checkArgument('attempts', attempts, is.positiveIntOrInfinity)
  core.joined()
  let task: Task<R, A>
  try {
    task = new Task(core, request, options, source, subscriber)
  } catch (error) {
    core.left()
    throw error
  }
  subscriber.add(task)
  if (!subscriber.closed) task.enqueue(false) // RxJS also subscribes to some sources that were already cancelled
}
