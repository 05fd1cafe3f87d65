import { Observable, Subscriber, Subscription, type Unsubscribable } from 'rxjs'
import { E, O } from '../fp.js'
import { runTask, type ScheduleOptions } from '../scheduler/Task.js'
import { captureContext, runIn } from '../stream/asyncContext.js'
import type { Millis } from '../stream/index.js'
import { later } from '../stream/later.js'
import type { RequestContext } from './answer/failureOf.js'
import type { CallSettings, ClientRuntime } from './ClientRuntime.js'
import type { Failure } from './Failure.js'
import type { RateLimitKey } from './limits.js'
import { type Auth, SOURCE_FAILED, type TokenHolder } from './login/Auth.js'
import type { HttpResponse } from './transport/Transport.js'

/** A 2xx response that has not been read yet. */
export interface RequestSuccess {
  readonly context: RequestContext
  readonly response: HttpResponse
}

export type RequestResult = E.Either<Failure, RequestSuccess>

/** A call, as seen by its attempts. */
export interface AttemptedCall {
  readonly runtime: ClientRuntime
  readonly settings: CallSettings
  readonly auth: Auth
  readonly key: RateLimitKey
  readonly attempts: number
  readonly last: RequestResult | undefined
  /** Latest time at which another request may be sent. */
  readonly sendBy: Millis
  /** Returns when a refused request may be retried; `none` if its result is final. */
  refusal(result: RequestResult): O.Option<{ readonly retryAfter?: Millis }>
  /** Called when the next request will join the queue after `pause`. `isRetry`: true after a 429. */
  queues(pause: Millis, isRetry: boolean): void
  send(header: string): Observable<RequestResult>
  /** Called by the first attempt once it has a result. Subscribes to the results of that attempt. */
  read(): void
}

/**
 * One attempt of a call. It waits for a token, and then in the queue of the scheduler, which retries it after a 429. Thousands
 * may be waiting, so objects that are needed only to read a result are created when there is one.
 */
export class Attempt implements Unsubscribable, TokenHolder, ScheduleOptions<RequestResult> {
  readonly #call: AttemptedCall
  #to: Subscriber<RequestResult> | undefined
  /** The subscription to the token or the queue. */
  #current = Subscription.EMPTY
  /** Ends the attempt when the time for retries is over. */
  #patience: Subscription | undefined
  #header = ''

  constructor(call: AttemptedCall) {
    this.#call = call
  }

  /** Starts on subscription, unless already started. Only one subscription is allowed. */
  results(): Observable<RequestResult> {
    return new Observable((subscriber) => {
      this.#to = subscriber
      if (this.#current === Subscription.EMPTY) this.begin()
      return this
    })
  }

  /** `revoked`: a token that has since been refused. If no new login succeeds, the request is sent with that token. */
  begin(revoked?: string): void {
    const { auth } = this.#call
    const ready = auth.ready()
    if (ready !== undefined) {
      this.#enqueue(ready)
      return
    }
    const login = new LoginSubscriber(this, revoked)
    this.#current = login
    auth.header.subscribe(login)
  }

  loggedIn(login: E.Either<Failure, string>, revoked: string | undefined): void {
    const header = revoked !== undefined && isLoginOutage(login) ? E.right(revoked) : login
    if (E.isRight(header)) this.#enqueue(header.right)
    // the attempts of this call, not of the login
    else this.next(E.left({ ...header.left, attempts: this.#call.attempts }))
  }

  #enqueue(header: string): void {
    const call = this.#call
    this.#header = header
    const queued = new QueuedSubscriber(this)
    this.#current = queued
    call.auth.watch(this)
    if (call.last !== undefined) this.#waitUntilSendBy()
    call.queues(0, false)
    try {
      runTask(call.runtime.scheduler.core, call.key, this, this, queued)
    } catch (error) {
      this.error(error)
    }
  }

  /** Sends the request with the latest token, which may be newer than it was at the time of queueing. */
  subscribe(sent: Subscriber<RequestResult>): void {
    this.#patience?.unsubscribe()
    this.#call.auth.unwatch(this)
    this.#call.send(this.#header).subscribe(sent)
  }

  #waitUntilSendBy(): void {
    const { runtime, sendBy } = this.#call
    if (sendBy === Number.POSITIVE_INFINITY) return
    const { timer } = runtime
    this.#patience = later(Math.max(0, sendBy - timer.now()), timer).subscribe(() => {
      const { last } = this.#call
      if (last === undefined) return
      this.unsubscribe()
      this.next(last)
    })
  }

  // the token

  revoked(): void {
    this.unsubscribe() // must come first, because a new token may arrive immediately and be refused immediately
    this.begin(this.#header)
  }

  // the queue

  get lane(): string {
    return this.#call.settings.priority
  }

  get attempts(): number | undefined {
    const { throttled } = this.#call.settings.retry
    return throttled === undefined ? undefined : throttled + 1
  }

  refused(result: RequestResult): O.Option<{ readonly retryAfter?: Millis }> {
    const refusal = this.#call.refusal(result)
    if (O.isSome(refusal)) this.#waitUntilSendBy()
    return refusal
  }

  onRetry(pause: Millis): void {
    this.#call.queues(pause, true)
  }

  // results

  next(result: RequestResult): void {
    const to = this.#receiver()
    to?.next(result)
    to?.complete()
  }

  error(error: unknown): void {
    this.#receiver()?.error(error)
  }

  complete(): void {
    this.#receiver()?.complete()
  }

  #receiver(): Subscriber<RequestResult> | undefined {
    if (this.#to === undefined) this.#call.read()
    return this.#to
  }

  unsubscribe(): void {
    this.#patience?.unsubscribe()
    this.#call.auth.unwatch(this)
    this.#current.unsubscribe()
  }
}

/** Waits for a login, which may have been started by another call. */
class LoginSubscriber extends Subscriber<E.Either<Failure, string>> {
  readonly #context = captureContext()
  readonly #attempt: Attempt
  readonly #revoked: string | undefined

  constructor(attempt: Attempt, revoked: string | undefined) {
    super()
    this.#attempt = attempt
    this.#revoked = revoked
  }

  protected override _next(login: E.Either<Failure, string>): void {
    this.unsubscribe()
    runIn(this.#context, () => this.#attempt.loggedIn(login, this.#revoked))
  }

  protected override _error(error: unknown): void {
    runIn(this.#context, () => this.#attempt.error(error))
  }

  protected override _complete(): void {
    runIn(this.#context, () => this.#attempt.complete())
  }
}

/** Waits in the queue, and then for the result. */
class QueuedSubscriber extends Subscriber<RequestResult> {
  readonly #attempt: Attempt

  constructor(attempt: Attempt) {
    super()
    this.#attempt = attempt
  }

  protected override _next(result: RequestResult): void {
    this.#attempt.next(result)
  }

  protected override _error(error: unknown): void {
    this.#attempt.error(error)
  }

  protected override _complete(): void {
    this.#attempt.complete()
  }
}

/** Returns true for a login that failed but may succeed later, and false for a refused login. */
const isLoginOutage = (header: E.Either<Failure, string>): boolean =>
  E.isLeft(header) && (header.left._tag !== 'Unauthorized' || header.left.code === SOURCE_FAILED)
