import {
  concatMap,
  defer,
  finalize,
  first,
  map,
  merge,
  Observable,
  of,
  repeat,
  type SchedulerLike,
  Subscriber,
  Subscription,
  take,
  tap,
  throwIfEmpty,
} from 'rxjs'
import { type AnyEndpoint, method, template } from '../api/Endpoint.js'
import { plural } from '../decode/plural.js'
import { E, type IO, memoized, O, pipe, withoutUndefined } from '../fp.js'
import { schedule } from '../scheduler/index.js'
import { keepContext } from '../stream/asyncContext.js'
import { left, type Millis, type ObservableEither } from '../stream/index.js'
import { later } from '../stream/later.js'
import { knownCodes } from './answer/errors.js'
import {
  httpFailure,
  isGarbledBody,
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
import type { CallSettings, ClientRuntime } from './ClientRuntime.js'
import type { Failure } from './Failure.js'
import { httpRequest, secretHeaders } from './httpRequest.js'
import { type RateLimitKey, rateLimitKey } from './limits.js'
import { type Auth, SOURCE_FAILED } from './login/Auth.js'
import type { PreparedRequest } from './request/prepareRequest.js'
import { type LookUp, Outcome } from './retry/Outcome.js'
import { isCardNumber, scrubber } from './secrets.js'
import {
  type HttpResponse,
  isSuccess,
  retryAfterOf,
  type TransportError,
} from './transport/Transport.js'
import { BLOCKED_PORT } from './transport/transportError.js'

// model

/** A 2xx response, not yet read. */
interface RequestSuccess {
  readonly context: RequestContext
  readonly response: HttpResponse
}

/** The result of one request. */
type RequestResult = E.Either<Failure, RequestSuccess>

/** Stands for the result of a request whose token was refused while it was queued: it was not sent. */
const REVOKED = 'revoked'

/**
 * One subscription to a call: all its attempts, until its outcome is known.
 *
 *     token -> queue of the scheduler -> request -> response -> read -> value
 *       ^        ^                                      |
 *       |        +--- 429: the scheduler sends it again-+
 *       +--- 401, once: with a new token ---------------+
 *       +--- a fault, where sending again is harmless --+
 *                                                       +-> look-up of a write that may have been done
 *
 * A 429 is repeated in any method; after another fault a GET, a row that says how it is `repeatable`, or any request that
 * cannot have arrived. Nothing is sent after the patience of the call. The state of a write, as far as it is known, is kept in its `Outcome`.
 */
export class Call {
  readonly #runtime: ClientRuntime
  readonly #settings: CallSettings
  readonly #row: AnyEndpoint
  readonly #request: PreparedRequest
  readonly #auth: Auth
  readonly #key: RateLimitKey
  readonly #outcome: Outcome
  /** Number of the call, for its events. */
  readonly #number: number
  readonly #startedAt: Millis
  /** Requests sent so far. */
  #attempts = 0
  /** The result of the last, until the call ends: an old object that kept it would have each body live for longer. */
  #last: RequestResult | undefined
  /** The generation of the token that the last was sent with. */
  #generation = 0
  #isTokenRenewed = false
  /** Requests sent again after a fault. */
  #faults = 0
  /** `#attempts` when the last permit of the retry budget was taken; 0 if none was. */
  #permitTakenAt = 0
  #isBudgetSpent = false
  /** When the next request joined the queue of the scheduler, or will. */
  #queuedAt: Millis = 0
  /** Latest time at which another may be sent. */
  #sendBy: Millis = Number.POSITIVE_INFINITY
  /** `Retry-After` of the last response, in ms; 0 without one. */
  #retryAfter: Millis = 0
  #isUnderWay = false

  constructor(
    runtime: ClientRuntime,
    settings: CallSettings,
    row: AnyEndpoint,
    request: PreparedRequest,
    isRepeat: boolean,
  ) {
    const { authFor, codes, nextCall, timer } = runtime
    this.#runtime = runtime
    this.#settings = settings
    this.#row = row
    this.#request = request
    this.#outcome = new Outcome({ row, codes, sentParams: request.sentParams, isRepeat })
    this.#auth = authFor(row)
    const account = request.headers['x-on-behalf-of'] ?? settings.onBehalfOf
    this.#key = rateLimitKey(row, request, account)
    this.#number = nextCall()
    this.#startedAt = timer.now()
  }

  /** Emits the outcome. To be called once; `generated` is the `request_id` that was made for it. */
  run<A>(
    read: ResponseReader<A>,
    lookUp: LookUp<A> | undefined,
    generated: string | undefined,
  ): ObservableEither<Failure, A> {
    const { timer } = this.#runtime
    const outcome = this.#outcome
    const endsAt = this.#startedAt + this.#settings.deadline
    const ended = this.#start(generated)
    const resolve = (last: Failure): ObservableEither<Failure, A> => {
      const failure = this.#explained(last)
      if (lookUp === undefined || !outcome.mayHaveArrived) return left(outcome.conclude(failure))
      const { sentParams } = this.#request
      const write = { call: this.#number, outcome, failure, sentParams, sendBy: this.#sendBy }
      return within(endsAt, timer, lookUp(write), () => outcome.conclude(failure))
    }
    return within(endsAt, timer, this.#answer(read), () => this.#expired()).pipe(
      concatMap((ea) => (E.isLeft(ea) ? resolve(ea.left) : of(ea))),
      ended,
    )
  }

  // attempts

  /** Sends until there is an answer that stands. */
  #answer<A>(read: ResponseReader<A>): ObservableEither<Failure, A> {
    let pause: O.Option<Millis> = O.none
    return defer(() => this.#attempt()).pipe(
      take(1),
      throwIfEmpty(() => new TypeError('a transport should emit one response, and emitted none')),
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

  /** Sends once, with a token; `revoked` is one that was refused meanwhile: should no login succeed now, it is sent with that. */
  #attempt(revoked?: string): Observable<RequestResult> {
    return this.#auth.header.pipe(
      keepContext(), // a login may be one that another call has begun
      concatMap((login) => {
        const header = revoked !== undefined && isLoginOutage(login) ? E.right(revoked) : login
        // of this call, not of the login
        if (E.isLeft(header)) return left({ ...header.left, attempts: this.#attempts })
        return this.#queued(header.right).pipe(
          concatMap((result) => (result === REVOKED ? this.#attempt(header.right) : of(result))),
        )
      }),
    )
  }

  /** Queues the request in the scheduler, which retries it after a 429. `REVOKED` if its token is refused meanwhile. */
  #queued(header: string): Observable<RequestResult | typeof REVOKED> {
    const { scheduler, timer } = this.#runtime
    const { priority, retry } = this.#settings
    return new Observable((subscriber) => {
      const queued = new Subscriber<RequestResult>(subscriber)
      const leave = (result: RequestResult | typeof REVOKED): void => {
        queued.unsubscribe() // first: a new token may be there at once, and be refused at once
        subscriber.next(result)
        subscriber.complete()
      }
      const stopListening = this.#auth.onRevoked(() => leave(REVOKED))
      queued.add(stopListening)
      let waiting = Subscription.EMPTY
      const waitUntilSendBy = (): void => {
        if (this.#sendBy === Number.POSITIVE_INFINITY) return
        waiting = later(Math.max(0, this.#sendBy - timer.now()), timer).subscribe(() => {
          if (this.#last !== undefined) leave(this.#last)
        })
        queued.add(waiting)
      }
      if (this.#last !== undefined) waitUntilSendBy()
      const onSent = (): void => {
        waiting.unsubscribe()
        stopListening()
        this.#auth.renewIfDue()
      }
      const refused = (result: RequestResult): O.Option<{ readonly retryAfter?: Millis }> => {
        if (!isThrottled(result) || this.#isOver() || !this.#mayBeSentAgain()) return O.none
        waitUntilSendBy()
        // without one, the backoff of the interface applies
        return O.some(this.#retryAfter > 0 ? { retryAfter: this.#retryAfter } : {})
      }
      const onRetry = (pause: Millis): void => {
        this.#queuedAt = timer.now() + pause
        this.#emit({ _tag: 'Throttled', attempt: this.#attempts, pause })
      }
      this.#queuedAt = timer.now()
      defer(() => this.#send(header, onSent))
        .pipe(
          schedule(scheduler, this.#key, {
            lane: priority,
            refused,
            onRetry,
            ...(retry.throttled === undefined ? {} : { attempts: retry.throttled + 1 }),
          }),
        )
        .subscribe(queued)
    })
  }

  /** Sends one request, with the latest token, which may be newer than `header`. */
  #send(header: string, onSent: IO<void>): Observable<RequestResult> {
    if (this.#last !== undefined && this.#isOver()) return of(this.#last)
    onSent()
    const { attempts, retryBudget, timer, transport } = this.#runtime
    const attempt = ++this.#attempts
    const sentAt = timer.now()
    if (attempt === 1) {
      retryBudget.earn()
      this.#sendBy = sentAt + this.#settings.retry.patience
    }
    const authorization = this.#auth.latest(header)
    this.#generation = this.#auth.generation()
    this.#isUnderWay = true
    const context = this.#context(authorization)
    this.#emit({ _tag: 'Sent', attempt, waited: Math.max(0, sentAt - this.#queuedAt) }) // a timer may fire early
    const request = httpRequest(this.#settings, this.#row)(this.#request, authorization)
    return attempts
      .wrap(this.#number, transport(request))
      .pipe(map((response) => this.#receive(context, response, sentAt)))
  }

  #receive(
    context: RequestContext,
    answer: E.Either<TransportError, HttpResponse>,
    sentAt: Millis,
  ): RequestResult {
    const { codes, now, serviceClock, timer } = this.#runtime
    const result = resultOf(context, answer, codes.fault)
    this.#isUnderWay = false
    this.#last = result
    if (E.isLeft(result)) this.#outcome.learn(result.left)
    const attempt = this.#attempts
    const took = timer.now() - sentAt
    if (E.isRight(answer)) {
      const { header, status } = answer.right
      this.#retryAfter = retryAfterOf(answer.right, now())
      serviceClock.observe(header('date'), sentAt)
      this.#emit({ _tag: 'Answered', attempt, status, took })
    } else {
      this.#retryAfter = 0
      const failure = redactTransportFailure(transportFailure(context, answer.left))
      this.#emit({ _tag: 'Unanswered', attempt, failure, took })
    }
    return result
  }

  /** Reads a 2xx response. */
  #read<A>(read: ResponseReader<A>): (success: RequestSuccess) => E.Either<Failure, A> {
    return ({ context, response }) => {
      const { noContent } = this.#row
      const isAcknowledged = noContent !== undefined && response.status === 204
      const body = () => JSON.stringify({ ...this.#request.sentParams(), ...noContent })
      const value = read(context)(isAcknowledged ? { ...response, body: body() } : response)
      if (E.isLeft(value)) this.#outcome.learn(value.left)
      return value
    }
  }

  #context(authorization: string): RequestContext {
    const { codes, secrets } = this.#runtime
    const { method, headers } = this.#request
    const values = Object.values(headers)
    const scrub = memoized(() =>
      scrubber([
        authorization.slice(authorization.indexOf(' ') + 1),
        ...values,
        ...secretHeaders(this.#settings.headers),
      ]),
    )
    return {
      endpoint: this.#row.route,
      isWrite: method === 'POST' && this.#row.auth !== 'none', // a login moves nothing
      attempts: this.#attempts,
      scrub: (text) => scrub()(secrets.scrub(text)),
      ...(values.some(isCardNumber) ? { onlyCodes: knownCodes(this.#row, codes) } : {}),
    }
  }

  // what comes after an attempt

  /** Returns the pause before the next attempt, if there is to be one. */
  #pauseAfter(failure: Failure): O.Option<Millis> {
    const { backoff, scheduler, timer } = this.#runtime
    // a failed login was retried by itself, and does not concern the outcome of this call
    if (failure.endpoint !== this.#row.route || !this.#mayBeSentAgain()) return O.none
    if (failure._tag === 'Unauthorized') {
      if (this.#isTokenRenewed || !this.#auth.reject(this.#generation)) return O.none
      this.#isTokenRenewed = true
      return O.some(0)
    }
    if (!isTransient(failure, this.#outcome)) return O.none
    this.#isTokenRenewed = false
    this.#faults++
    const pause = pipe(
      this.#faults > this.#settings.retry.faults ? O.none : backoff(this.#faults),
      O.map((ms) =>
        Math.max(ms, Math.min(this.#retryAfter, scheduler.core.refusals.maxRetryAfter)),
      ),
      O.filter((ms) => timer.now() + ms <= this.#sendBy),
      O.chain((ms) => this.#takePermit(ms)),
    )
    if (O.isSome(pause)) {
      const attempt = this.#attempts
      this.#emit({ _tag: 'Retrying', attempt, failure: redactFailure(failure), pause: pause.value })
    }
    return pause
  }

  /** A write is sent again only if its row says that this is harmless, or if it cannot have arrived. */
  #mayBeSentAgain(): boolean {
    return this.#outcome.isRepeatable || !this.#outcome.mayHaveArrived
  }

  /** Extends a pause until the budget has a permit. */
  #takePermit(pause: Millis): O.Option<Millis> {
    const wait = this.#runtime.retryBudget.take()
    this.#isBudgetSpent = O.isNone(wait)
    if (!this.#isBudgetSpent) this.#permitTakenAt = this.#attempts
    return O.map((ms: Millis) => Math.max(pause, ms))(wait)
  }

  #isOver(): boolean {
    return this.#last !== undefined && this.#runtime.timer.now() > this.#sendBy
  }

  #wait(pause: O.Option<Millis>): Observable<unknown> {
    return O.isSome(pause) && pause.value > 0 ? later(pause.value, this.#runtime.timer) : of(0)
  }

  /** Gives back a permit of the budget that was taken for an attempt that is not made, and the last response. */
  #release(): void {
    if (this.#permitTakenAt > 0 && this.#permitTakenAt === this.#attempts) {
      this.#runtime.retryBudget.refund()
    }
    this.#last = undefined
  }

  /** Returns the failure of a call that has not ended within its deadline: a request under way may be executed. */
  #expired(): Failure {
    if (this.#isUnderWay) this.#outcome.leave()
    const attempts = this.#attempts
    const { deadline: limit } = this.#settings
    const { route: endpoint } = this.#row
    const sent = attempts === 0 ? 'no request was sent' : `after ${plural(attempts, 'attempt')}`
    const message = `${endpoint}: not done within the deadline of ${limit} ms (${sent})`
    return { _tag: 'TimedOut', endpoint, attempts, phase: 'deadline', limit, message }
  }

  #explained(failure: Failure): Failure {
    const note = ' (not tried again: too many others are, see retry.budget)'
    return this.#isBudgetSpent ? { ...failure, message: `${failure.message}${note}` } : failure
  }

  // events

  #emit(event: OwnEvent): void {
    this.#runtime.emit({ ...event, call: this.#number, endpoint: this.#row.route })
  }

  /** Emits that the call starts, and returns an operator that emits how it ended. */
  #start(generated: string | undefined) {
    const { route } = this.#row
    let isOver = false
    const end = (outcome: 'succeeded' | 'failed' | 'cancelled', failure?: FailureSummary): void => {
      if (isOver) return
      isOver = true
      const took = this.#runtime.timer.now() - this.#startedAt
      this.#emit({
        _tag: 'Ended',
        outcome,
        attempts: this.#attempts,
        ...withoutUndefined({ failure }),
        took,
      })
    }
    const { baseUrl } = this.#settings
    this.#emit({ _tag: 'Started', method: method(route), template: template(route), baseUrl })
    if (generated !== undefined) this.#emit({ _tag: 'RequestIdGenerated', requestId: generated })
    const observer = {
      next: E.match(
        (failure: Failure) => end('failed', summarize(failure)),
        () => end('succeeded'),
      ),
      error: () => end('failed'),
      finalize: () => end('cancelled'),
    }
    return <A>(source: ObservableEither<Failure, A>): ObservableEither<Failure, A> =>
      source.pipe(tap<E.Either<Failure, A>>(observer))
  }
}

/** An event of a call, without what says which call. */
type OwnEvent = Without<Extract<ClientEvent, { readonly call: number }>, 'call' | 'endpoint'>

type Without<A, K extends PropertyKey> = A extends unknown ? Omit<A, K> : never

// combinators

/** Emits a failure in place of what has not come by the time `endsAt`, and unsubscribes from it. */
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

/** Tests whether another attempt can help. */
const isTransient = (failure: Failure, outcome: Outcome): failure is TransientFailure => {
  switch (failure._tag) {
    case 'Unreachable':
      return failure.code !== BLOCKED_PORT
    case 'TimedOut':
    case 'ServerFault':
      return true
    case 'Undecodable':
      return isGarbledBody(failure)
    case 'Refused':
      return outcome.isInProgress(failure)
    default:
      return false
  }
}

const isThrottled = (result: RequestResult): boolean =>
  E.isLeft(result) && result.left._tag === 'Throttled'

/** Tells a login that failed, and may succeed later, from one that was refused. */
const isLoginOutage = (header: E.Either<Failure, string>): boolean =>
  E.isLeft(header) && (header.left._tag !== 'Unauthorized' || header.left.code === SOURCE_FAILED)
