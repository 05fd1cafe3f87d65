import { concatMap, defer, map, Observable, of, Subscriber, Subscription, tap } from 'rxjs'
import type { AnyEndpoint } from '../api/Endpoint.js'
import { defined, E, O } from '../fp.js'
import { schedule } from '../scheduler/index.js'
import { keepContext } from '../stream/asyncContext.js'
import { concatChain, type Millis, mapLeft, type ObservableEither } from '../stream/index.js'
import { later } from '../stream/later.js'
import { knownCodes } from './answer/errors.js'
import {
  httpFailure,
  type RequestContext,
  transportFailure,
  withTraceId,
} from './answer/failureOf.js'
import { redactTransportFailure } from './ClientEvent.js'
import type { CallSettings, ClientRuntime } from './ClientRuntime.js'
import type { Failure } from './Failure.js'
import { httpRequest, secretHeaders } from './httpRequest.js'
import { rateLimitKey } from './limits.js'
import { SOURCE_FAILED } from './login/Auth.js'
import type { PreparedRequest } from './request/prepareRequest.js'
import type { AttemptResult, Attempts } from './retry/RetryPolicy.js'
import { scrubber } from './secrets.js'
import { type HttpResponse, isSuccess, retryAfterOf } from './transport/Transport.js'

// model

/** A 2xx response, not yet read. */
export interface Success {
  readonly context: RequestContext
  readonly response: HttpResponse
}

/** Stands for the result of a request whose token was refused while it was queued: it was not sent. */
const REVOKED = 'revoked'

// constructors

/**
 * Sends a request when it has a token and all limits have room for it; again after a 429 and, with a new token,
 * after one 401. Retries after faults are decided by `RetryPolicy`. Nothing is sent after the patience of the call:
 * it then ends with the last response.
 */
export const sendWithRetry =
  (runtime: ClientRuntime, settings: CallSettings) =>
  (row: AnyEndpoint) =>
  (request: PreparedRequest, attempts: Attempts): ObservableEither<Failure, Success> => {
    const { retryBudget, codes, emit, secrets, serviceClock, timer } = runtime
    const { patience, throttled } = settings.retry
    const auth = runtime.authFor(row)
    const endpoint = row.route
    const { call } = attempts
    const key = rateLimitKey(row, request)
    const onlyCodes = Object.values(request.headers).some(isCardNumber)
      ? knownCodes(row, codes)
      : undefined

    const isOver = (): boolean => attempts.last !== undefined && timer.now() > attempts.sendBy

    const emitResult = ({ context, response }: AttemptResult, sentAt: Millis): void => {
      const { attempts: attempt } = context
      const took = timer.now() - sentAt
      if (E.isRight(response)) {
        serviceClock.observe(response.right.header('date'), sentAt)
        emit({ _tag: 'Answered', call, endpoint, attempt, status: response.right.status, took })
      } else {
        const failure = redactTransportFailure(transportFailure(context, response.left))
        emit({ _tag: 'Unanswered', call, endpoint, attempt, failure, took })
      }
    }

    /** Sends one request, with the latest token, which may be newer than `header`. */
    const attempt = (header: string, onSent: () => void): Observable<AttemptResult> =>
      defer(() => {
        if (attempts.last !== undefined && isOver()) return of(attempts.last)
        onSent()
        const number = ++attempts.count
        const sentAt = timer.now()
        if (number === 1) {
          retryBudget.earn()
          attempts.sendBy = sentAt + patience
        }
        const authorization = auth.latest(header)
        const generation = auth.generation()
        const scrub = scrubber([
          authorization.slice(authorization.indexOf(' ') + 1),
          ...Object.values(request.headers),
          ...secretHeaders(settings.headers),
        ])
        const resultOf = (response: AttemptResult['response']): AttemptResult => ({
          context: {
            endpoint,
            isWrite: request.method === 'POST' && row.auth !== 'none', // a login moves nothing
            attempts: number,
            scrub: (text) => scrub(secrets.scrub(text)),
            ...defined({ onlyCodes }),
          },
          generation,
          response,
        })
        const waited = Math.max(0, sentAt - attempts.queuedAt) // a timer may fire early
        emit({ _tag: 'Sent', call, endpoint, attempt: number, waited })
        const sent = runtime.transport(httpRequest(settings, row)(request, authorization))
        return runtime.attempts.wrap(call, sent).pipe(
          map(resultOf),
          tap((result) => {
            attempts.last = result
            attempts.retryAfter = E.isRight(result.response)
              ? retryAfterOf(result.response.right, runtime.now())
              : 0
            emitResult(result, sentAt)
          }),
        )
      })

    /** Queues the request in the scheduler, which retries it after a 429. `REVOKED` if its token is refused meanwhile. */
    const scheduled = (header: string): Observable<AttemptResult | typeof REVOKED> =>
      new Observable((subscriber) => {
        const queued = new Subscriber<AttemptResult>(subscriber)
        const leave = (result: AttemptResult | typeof REVOKED): void => {
          queued.unsubscribe() // first: a new token may be there at once, and be refused at once
          subscriber.next(result)
          subscriber.complete()
        }
        const stopListening = auth.onRevoked(() => leave(REVOKED))
        queued.add(stopListening)
        let waiting = Subscription.EMPTY
        const waitUntilSendBy = (): void => {
          if (attempts.sendBy === Number.POSITIVE_INFINITY) return
          waiting = later(Math.max(0, attempts.sendBy - timer.now()), timer).subscribe(() => {
            if (attempts.last !== undefined) leave(attempts.last)
          })
          queued.add(waiting)
        }
        if (attempts.last !== undefined) waitUntilSendBy()
        const onSent = (): void => {
          waiting.unsubscribe()
          stopListening()
          auth.renewIfDue()
        }
        const refused = ({ response }: AttemptResult) => {
          if (E.isLeft(response) || response.right.status !== 429 || isOver()) return O.none
          waitUntilSendBy()
          const { retryAfter } = attempts
          // without one, the backoff of the interface applies
          return O.some(retryAfter > 0 ? { retryAfter } : {})
        }
        const onRetry = (pause: Millis): void => {
          attempts.queuedAt = timer.now() + pause
          emit({ _tag: 'Throttled', call, endpoint, attempt: attempts.count, pause })
        }
        attempts.queuedAt = timer.now()
        attempt(header, onSent)
          .pipe(
            schedule(runtime.scheduler, key, {
              lane: settings.priority,
              refused,
              onRetry,
              ...(throttled === undefined ? {} : { attempts: throttled + 1 }),
            }),
          )
          .subscribe(queued)
      })

    /**
     * Sends with a token, and once more with a new one after a 401, which is given before anything is done.
     * `revoked` is the token that the request was queued with: should no login succeed now, it is sent with that.
     */
    const authorized = (mayRetry: boolean, revoked?: string): ObservableEither<Failure, Success> =>
      auth.header.pipe(
        keepContext(), // a login may be one that another call has begun
        map((ea) => (revoked !== undefined && isLoginOutage(ea) ? E.right(revoked) : ea)),
        // attempts of this call, not of the login
        mapLeft((failure) => ({ ...failure, attempts: attempts.count })),
        concatChain((header) =>
          scheduled(header).pipe(
            concatMap((result) => {
              if (result === REVOKED) return authorized(mayRetry, header)
              const outcome = outcomeOf(result, codes.fault)
              return mayRetry && isUnauthorized(outcome) && auth.reject(result.generation)
                ? authorized(false)
                : of(outcome)
            }),
          ),
        ),
      )

    return authorized(true)
  }

/** Tests for at least as many digits as the number of a card has, in any groups. */
const isCardNumber = (text: string): boolean =>
  !/\p{L}/u.test(text) && text.replace(/\D/g, '').length >= 12

const outcomeOf = (
  { context, response }: AttemptResult,
  faultCodes: ReadonlyArray<string>,
): E.Either<Failure, Success> => {
  if (E.isLeft(response)) return E.left(transportFailure(context, response.left))
  return isSuccess(response.right)
    ? E.right({ context: withTraceId(context, response.right), response: response.right })
    : E.left(httpFailure(context, response.right, faultCodes))
}

/** Tells a login that failed, and may succeed later, from one that was refused. */
const isLoginOutage = (header: E.Either<Failure, string>): boolean =>
  E.isLeft(header) && (header.left._tag !== 'Unauthorized' || header.left.code === SOURCE_FAILED)

const isUnauthorized = (outcome: E.Either<Failure, Success>): boolean =>
  E.isLeft(outcome) && outcome.left._tag === 'Unauthorized'
