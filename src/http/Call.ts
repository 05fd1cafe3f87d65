import {
  concatMap,
  defer,
  finalize,
  first,
  map,
  merge,
  type Observable,
  of,
  repeat,
  type SchedulerLike,
  Subscriber,
  Subscription,
  take,
  throwIfEmpty,
  type Unsubscribable,
} from 'rxjs'
import { type AnyEndpoint, method, template } from '../api/Endpoint.js'
import { plural } from '../decode/plural.js'
import { E, type IO, memoized, O, pipe, withoutUndefined } from '../fp.js'
import { left, type ObservableEither } from '../stream/either/ObservableEither.js'
import type { Millis } from '../stream/index.js'
import { later } from '../stream/later.js'
import { Attempt, type AttemptedCall, type RequestResult, type RequestSuccess } from './Attempt.js'
import { knownCodes } from './answer/errors.js'
import {
  httpFailure,
  isGarbledBody,
  isWithoutId,
  type RequestContext,
  transportFailure,
  withTraceId,
} from './answer/failureOf.js'
import type { ResponseReader } from './answer/readAnswer.js'
import {
  type ClientEvent,
  type FailureSummary,
  redactFailure,
  redactTransportFailure,
  summarize,
  type TransientFailure,
} from './ClientEvent.js'
import type { CallSettings, ClientRuntime, ExecuteOptions } from './ClientRuntime.js'
import type { Failure } from './Failure.js'
import { httpRequest, secretHeaders } from './httpRequest.js'
import { type RateLimitKey, rateLimitKey } from './limits.js'
import type { Auth } from './login/Auth.js'
import type { PreparedRequest } from './request/prepareRequest.js'
import { Outcome } from './retry/Outcome.js'
import { isCardNumber, scrubber } from './secrets.js'
import {
  type HttpResponse,
  isSuccess,
  retryAfterOf,
  type TransportError,
} from './transport/Transport.js'
import { isFinal } from './transport/transportError.js'

export interface CallReading<A> extends ExecuteOptions<A> {
  readonly read: ResponseReader<A>
}

/**
 * One subscription to a call: all its attempts, until its outcome is known.
 *
 *     token -> queue of the scheduler -> request -> response -> read -> value
 *       ^        ^                                      |
 *       |        +--- 429: the scheduler sends it again-+
 *       +--- 401, once: with a new token ---------------+
 *       +--- a fault, if sending again is harmless -----+
 *                                                       +-> look-up of a write that may have been done
 *
 * After a 429, any method is retried. After another fault, a GET, a call to a `repeatable` endpoint, and any request that
 * cannot have arrived are retried. Nothing is sent after the `patience` of the call. The known state of a write is kept in its
 * `Outcome`.
 */
export class Call<A> implements AttemptedCall, Unsubscribable {
  readonly runtime: ClientRuntime
  readonly settings: CallSettings
  readonly auth: Auth
  readonly key: RateLimitKey
  attempts = 0
  /** The last result. It is kept only until the call ends, because a longer-lived object would keep the body in memory. */
  last: RequestResult | undefined
  sendBy: Millis = Number.POSITIVE_INFINITY
  readonly #row: AnyEndpoint
  readonly #request: PreparedRequest
  readonly #options: CallReading<A>
  readonly #subscriber: Subscriber<E.Either<Failure, A>>
  /** The number of the call, for its events. */
  readonly #number: number
  readonly #startedAt: Millis
  /** The first attempt, until its result has been read. */
  #first: Attempt | undefined
  /** The deadline, and later the work after the first attempt. */
  #rest = Subscription.EMPTY
  #known: Outcome | undefined
  #isEnded = false
  /** The generation of the token with which the last request was sent. */
  #generation = 0
  #isTokenRenewed = false
  /** Number of retries after a fault. */
  #faults = 0
  /** Value of `#attempts` when the last permit was taken from the retry budget; 0 if none was taken. */
  #permitTakenAt = 0
  #isBudgetSpent = false
  /** Time at which the next request joined, or will join, the queue of the scheduler. */
  #queuedAt: Millis = 0
  /** `Retry-After` of the last response, in ms; 0 if it has none. */
  #retryAfter: Millis = 0
  #isUnderWay = false

  constructor(
    runtime: ClientRuntime,
    settings: CallSettings,
    row: AnyEndpoint,
    request: PreparedRequest,
    options: CallReading<A>,
    subscriber: Subscriber<E.Either<Failure, A>>,
  ) {
    const { authFor, nextCall, timer } = runtime
    this.runtime = runtime
    this.settings = settings
    this.#row = row
    this.#request = request
    this.#options = options
    this.#subscriber = subscriber
    this.auth = authFor(row)
    const account = request.headers['x-on-behalf-of'] ?? settings.onBehalfOf
    this.key = rateLimitKey(row, request, account)
    this.#number = nextCall()
    this.#startedAt = timer.now()
  }

  /** Emits the outcome to the subscriber. Call it once. `generated`: the `request_id` that was generated for the call. */
  run(generated: string | undefined): void {
    const { route } = this.#row
    const { baseUrl, deadline } = this.settings
    const { timer } = this.runtime
    this.#emit({ _tag: 'Started', method: method(route), template: template(route), baseUrl })
    if (generated !== undefined) this.#emit({ _tag: 'RequestIdGenerated', requestId: generated })
    this.#subscriber.add(this)
    if (this.#subscriber.closed) return
    if (deadline < Number.POSITIVE_INFINITY) {
      this.#rest = later(deadline, timer).subscribe(() => this.read())
    }
    this.#first = new Attempt(this)
    this.#first.begin()
  }

  /** Returns the outcome of the write, created on first use. */
  get #outcome(): Outcome {
    const { codes } = this.runtime
    const { sentParams } = this.#request
    const { isRepeat = false } = this.#options
    this.#known ??= new Outcome({ row: this.#row, codes, sentParams, isRepeat })
    return this.#known
  }

  /** Continues with the result of the first attempt. Gives up if it is called by the deadline. */
  read(): void {
    const { timer } = this.runtime
    const { read, lookUp } = this.#options
    const endsAt = this.#startedAt + this.settings.deadline
    const resolve = (last: Failure): ObservableEither<Failure, A> => {
      const failure = this.#explained(last)
      const outcome = this.#outcome
      if (lookUp === undefined || !outcome.mayHaveArrived) return left(outcome.conclude(failure))
      const { sentParams } = this.#request
      const write = { call: this.#number, outcome, failure, sentParams, sendBy: this.sendBy }
      return within(endsAt, timer, lookUp(write), () => outcome.conclude(failure))
    }
    const subscriber = this.#subscriber
    const rest = new Subscriber<E.Either<Failure, A>>({
      next: (value: E.Either<Failure, A>) => {
        if (E.isLeft(value)) this.#end('failed', summarize(value.left))
        else this.#end('succeeded')
        subscriber.next(value)
      },
      error: (error: unknown) => {
        this.#end('failed')
        subscriber.error(error)
      },
      complete: () => subscriber.complete(),
    })
    this.#rest.unsubscribe()
    this.#rest = rest
    within(endsAt, timer, this.#answer(read), () => this.#expired())
      .pipe(concatMap((ea) => (E.isLeft(ea) ? resolve(ea.left) : of(ea))))
      .subscribe(rest)
  }

  /** Called when the subscriber has unsubscribed, or the call is over. */
  unsubscribe(): void {
    try {
      this.#first?.unsubscribe()
      this.#rest.unsubscribe()
    } finally {
      this.last = undefined
      this.#end('cancelled')
    }
  }

  // attempts

  /** Sends until a response is final. */
  #answer(read: ResponseReader<A>): ObservableEither<Failure, A> {
    let pause: O.Option<Millis> = O.none
    return defer(() => {
      const attempt = this.#first ?? new Attempt(this)
      this.#first = undefined
      return attempt.results()
    }).pipe(
      take(1),
      throwIfEmpty(() => new TypeError('a transport should emit one response, but emitted none')),
      map((result) => {
        const value = pipe(result, E.chain(this.#read(read)))
        pause = E.isLeft(value) ? this.#pauseAfter(value.left) : O.none
        return value
      }),
      repeat({ delay: () => this.#wait(pause) }),
      first(() => O.isNone(pause)),
      finalize(() => this.#release()),
    )
  }

  refusal(result: RequestResult): O.Option<{ readonly retryAfter?: Millis }> {
    if (!isThrottled(result) || this.#isOver() || !this.#mayBeSentAgain()) return O.none
    // without one, the API's own backoff applies
    return O.some(this.#retryAfter > 0 ? { retryAfter: this.#retryAfter } : {})
  }

  queues(pause: Millis, isRetry: boolean): void {
    this.#queuedAt = this.runtime.timer.now() + pause
    if (isRetry) this.#emit({ _tag: 'Throttled', attempt: this.attempts, pause })
  }

  send(header: string): Observable<RequestResult> {
    if (this.last !== undefined && this.#isOver()) return of(this.last)
    const { attempts, retryBudget, timer, transport } = this.runtime
    this.auth.renewIfDue()
    const attempt = ++this.attempts
    const sentAt = timer.now()
    if (attempt === 1) {
      retryBudget.earn()
      this.sendBy = sentAt + this.settings.retry.patience
    }
    const authorization = this.auth.latest(header)
    this.#generation = this.auth.generation()
    this.#isUnderWay = true
    const context = this.#context(authorization)
    this.#emit({ _tag: 'Sent', attempt, waited: Math.max(0, sentAt - this.#queuedAt) }) // a timer may fire early
    const request = httpRequest(this.settings, this.#row)(this.#request, authorization)
    return attempts
      .wrap(this.#number, transport(request))
      .pipe(map((response) => this.#receive(context, response, sentAt)))
  }

  #receive(
    context: RequestContext,
    answer: E.Either<TransportError, HttpResponse>,
    sentAt: Millis,
  ): RequestResult {
    const { codes, now, serviceClock, timer } = this.runtime
    const result = resultOf(context, answer, codes.fault)
    const isUnsent = E.isRight(answer) && answer.right.unsent === true
    this.#isUnderWay = false
    this.last = result
    if (E.isLeft(result) && !isUnsent) this.#outcome.learn(result.left)
    const attempt = this.attempts
    const took = timer.now() - sentAt
    if (E.isRight(answer)) {
      const { header, status } = answer.right
      this.#retryAfter = retryAfterOf(answer.right, now())
      if (!isUnsent) serviceClock.observe(header('date'), sentAt)
      this.#emit({ _tag: 'Answered', attempt, status, took })
    } else {
      this.#retryAfter = 0
      const failure = redactTransportFailure(transportFailure(context, answer.left))
      this.#emit({ _tag: 'Unanswered', attempt, failure, took })
    }
    return result
  }

  #read<A>(read: ResponseReader<A>): (success: RequestSuccess) => E.Either<Failure, A> {
    return ({ context, response }) => {
      const { noContent } = this.#row
      const isAcknowledged = noContent !== undefined && response.status === 204
      const body = () => JSON.stringify({ ...this.#request.sentParams(), ...noContent })
      const value = read(context)(isAcknowledged ? { ...response, body: body() } : response)
      if (E.isLeft(value) && response.unsent !== true) this.#outcome.learn(value.left)
      return value
    }
  }

  #context(authorization: string): RequestContext {
    const { codes, secrets } = this.runtime
    const { method, headers } = this.#request
    const values = Object.values(headers)
    const scrub = memoized(() =>
      scrubber([
        authorization.slice(authorization.indexOf(' ') + 1),
        ...values,
        ...secretHeaders(this.settings.headers),
      ]),
    )
    return {
      endpoint: this.#row.route,
      isWrite: method === 'POST' && this.#row.auth !== 'none', // a login moves no money
      attempts: this.attempts,
      scrub: (text) => scrub()(secrets.scrub(text)),
      ...(values.some(isCardNumber) ? { onlyCodes: knownCodes(this.#row, codes) } : {}),
    }
  }

  // what comes after an attempt

  /** Returns the pause before the next attempt, if there is to be one. */
  #pauseAfter(failure: Failure): O.Option<Millis> {
    const { backoff, scheduler, timer } = this.runtime
    // a failed login has had its own retries, and does not affect the outcome of this call
    if (failure.endpoint !== this.#row.route || !this.#mayBeSentAgain()) return O.none
    if (failure._tag === 'Unauthorized') {
      if (this.#isTokenRenewed || !this.auth.reject(this.#generation)) return O.none
      this.#isTokenRenewed = true
      return O.some(0)
    }
    if (!isTransient(failure, this.#outcome)) return O.none
    this.#isTokenRenewed = false
    this.#faults++
    const pause = pipe(
      this.#faults > this.settings.retry.faults ? O.none : backoff(this.#faults),
      O.map((ms) =>
        Math.max(ms, Math.min(this.#retryAfter, scheduler.core.refusals.maxRetryAfter)),
      ),
      O.filter((ms) => timer.now() + ms <= this.sendBy),
      O.chain((ms) => this.#takePermit(ms)),
    )
    if (O.isSome(pause)) {
      const attempt = this.attempts
      this.#emit({ _tag: 'Retrying', attempt, failure: redactFailure(failure), pause: pause.value })
    }
    return pause
  }

  /** Returns true if a retry is safe: a write must be declared repeatable by its endpoint, or cannot have arrived. */
  #mayBeSentAgain(): boolean {
    return this.#outcome.isRepeatable || !this.#outcome.mayHaveArrived
  }

  /** Extends a pause until the budget has a permit. */
  #takePermit(pause: Millis): O.Option<Millis> {
    const wait = this.runtime.retryBudget.take()
    this.#isBudgetSpent = O.isNone(wait)
    if (!this.#isBudgetSpent) this.#permitTakenAt = this.attempts
    return O.map((ms: Millis) => Math.max(pause, ms))(wait)
  }

  #isOver(): boolean {
    return this.last !== undefined && this.runtime.timer.now() > this.sendBy
  }

  #wait(pause: O.Option<Millis>): Observable<unknown> {
    return O.isSome(pause) && pause.value > 0 ? later(pause.value, this.runtime.timer) : of(0)
  }

  /** Returns a permit that was taken for an attempt that is not made. Also drops the last response. */
  #release(): void {
    if (this.#permitTakenAt > 0 && this.#permitTakenAt === this.attempts) {
      this.runtime.retryBudget.refund()
    }
    this.last = undefined
  }

  /** Returns the failure of a call that missed its deadline. A request in flight may still be executed. */
  #expired(): Failure {
    if (this.#isUnderWay) this.#outcome.leave()
    const attempts = this.attempts
    const { deadline: limit } = this.settings
    const { route: endpoint } = this.#row
    const sent = attempts === 0 ? 'no request was sent' : `after ${plural(attempts, 'attempt')}`
    const message = `${endpoint}: not done within the deadline of ${limit} ms (${sent})`
    return { _tag: 'TimedOut', endpoint, attempts, phase: 'deadline', limit, message }
  }

  #explained(failure: Failure): Failure {
    const note = ' (not retried, because the retry budget is used up: see retry.budget)'
    return this.#isBudgetSpent ? { ...failure, message: `${failure.message}${note}` } : failure
  }

  // events

  #emit(event: OwnEvent): void {
    this.runtime.emit({ ...event, call: this.#number, endpoint: this.#row.route })
  }

  /** Emits the event for the end of a call, once. */
  #end(outcome: 'succeeded' | 'failed' | 'cancelled', failure?: FailureSummary): void {
    if (this.#isEnded) return
    this.#isEnded = true
    const { attempts } = this
    const took = this.runtime.timer.now() - this.#startedAt
    this.#emit({ _tag: 'Ended', outcome, attempts, ...withoutUndefined({ failure }), took })
  }
}

/** An event of a call, without the fields that identify the call. */
type OwnEvent = Without<Extract<ClientEvent, { readonly call: number }>, 'call' | 'endpoint'>

type Without<A, K extends PropertyKey> = A extends unknown ? Omit<A, K> : never

/** Emits a failure if the source has emitted nothing by `endsAt`, and unsubscribes from the source. */
const within = <A>(
  endsAt: Millis,
  timer: SchedulerLike,
  outcome: ObservableEither<Failure, A>,
  failure: IO<Failure>,
): ObservableEither<Failure, A> =>
  endsAt === Number.POSITIVE_INFINITY
    ? outcome
    : defer(() => {
        const rest = endsAt - timer.now()
        if (rest <= 0) return left(failure())
        const expiry = later(rest, timer).pipe(map(() => E.left(failure())))
        return merge(outcome, expiry).pipe(take(1))
      })

const resultOf = (
  context: RequestContext,
  answer: E.Either<TransportError, HttpResponse>,
  faultCodes: ReadonlyArray<string>,
): RequestResult => {
  if (E.isLeft(answer)) return E.left(transportFailure(context, answer.left))
  return isSuccess(answer.right)
    ? E.right({ context: withTraceId(context, answer.right), response: answer.right })
    : E.left(httpFailure(context, answer.right, faultCodes))
}

/** Returns true if another attempt can help. */
const isTransient = (failure: Failure, outcome: Outcome): failure is TransientFailure => {
  switch (failure._tag) {
    case 'Unreachable':
      return !isFinal(failure)
    case 'TimedOut':
    case 'ServerFault':
      return true
    case 'Undecodable':
      return isGarbledBody(failure) || (outcome.isReadById && isWithoutId(failure))
    case 'Refused':
      return outcome.isInProgress(failure)
    default:
      return false
  }
}

const isThrottled = (result: RequestResult): boolean =>
  E.isLeft(result) && result.left._tag === 'Throttled'
