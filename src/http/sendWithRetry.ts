import { concatMap, defer, map, Observable, of, Subscriber, tap } from 'rxjs'
import type { AnyEndpoint } from '../api/Endpoint.js'
import { defined, E, O } from '../fp.js'
import { schedule } from '../scheduler/index.js'
import { concatChain, type Millis, mapLeft, type ObservableEither } from '../stream/index.js'
import { httpFailure, throttleOf, transportFailure } from './answer/failureOf.js'
import type { RequestContext } from './answer/RequestContext.js'
import type { CallSettings } from './CallSettings.js'
import type { ClientRuntime } from './ClientRuntime.js'
import type { Failure } from './Failure.js'
import { SOURCE_FAILED } from './login/Auth.js'
import type { RateLimitKey } from './RateLimitKey.js'
import { redactTransportFailure } from './redactFailure.js'
import type { PreparedRequest } from './request/prepareRequest.js'
import { scrubber } from './secrets/scrub.js'
import {
  type HttpRequest,
  type HttpResponse,
  isSuccess,
  type TransportError,
} from './transport/Transport.js'

// model

/** Counts the requests of one call. */
export interface Attempts {
  count: number
}

/** A success, not yet read. */
export interface Success {
  readonly asking: RequestContext
  readonly answer: HttpResponse
}

/** What one request came to. */
interface AttemptResult {
  readonly asking: RequestContext
  /** Of the token that it was sent with: see `Auth`. */
  readonly generation: number
  readonly answer: E.Either<TransportError, HttpResponse>
}

/** Instead: it was not sent. */
const DROPPED = 'dropped'

// constructors

/** Sends a request: logs in for it if it has to, and waits until all limits have room for it. */
export const sendWithRetry =
  (engine: ClientRuntime, settings: CallSettings) =>
  (row: AnyEndpoint, slotOf: (asked: PreparedRequest) => RateLimitKey) =>
  (asked: PreparedRequest, attempts: Attempts): ObservableEither<Failure, Success> => {
    const { budget, codes, emit, secrets, timer } = engine
    const auth = engine.auth(row)
    const endpoint = row.route
    const slot = slotOf(asked)

    const tell = ({ asking, answer }: AttemptResult, took: Millis): void => {
      const { attempts: attempt } = asking
      if (E.isRight(answer)) {
        emit({ _tag: 'Answered', endpoint, attempt, status: answer.right.status, took })
      } else {
        const failure = redactTransportFailure(transportFailure(asking, answer.left))
        emit({ _tag: 'Unanswered', endpoint, attempt, failure, took })
      }
    }

    /** One request. It leaves with the newest token there is, should `taken` be an older one. */
    const attempt = (taken: string, leaves: () => void): Observable<AttemptResult> =>
      defer(() => {
        leaves()
        const number = ++attempts.count
        if (number === 1) budget.earn()
        const departed = timer.now()
        const authorization = auth.newest(taken)
        const generation = auth.generation()
        const tried = (answer: AttemptResult['answer']): AttemptResult => ({
          asking: {
            endpoint,
            attempts: number,
            scrub: scrubber([
              ...secrets.all(),
              authorization.slice(authorization.indexOf(' ') + 1),
              ...Object.values(asked.headers),
            ]),
          },
          generation,
          answer,
        })
        emit({ _tag: 'Sent', endpoint, attempt: number })
        return engine.transport(httpRequest(settings, row)(asked, authorization)).pipe(
          map(tried),
          tap((one) => tell(one, timer.now() - departed)),
        )
      })

    /** Again after a 429, when there is room. `DROPPED` when its token is refused before it has been sent. */
    const scheduled = (header: string): Observable<AttemptResult | typeof DROPPED> =>
      new Observable((subscriber) => {
        const queued = new Subscriber<AttemptResult>(subscriber)
        const stay = auth.onDropped(() => {
          queued.unsubscribe() // first: another token may be there at once, and refused at once
          subscriber.next(DROPPED)
          subscriber.complete()
        })
        queued.add(stay)
        const leaves = (): void => {
          stay()
          auth.renew()
        }
        attempt(header, leaves)
          .pipe(
            schedule(engine.scheduler, slot, {
              lane: settings.priority,
              refused: ({ answer }) =>
                E.isRight(answer) ? throttleOf(timer.now())(answer.right) : O.none,
            }),
          )
          .subscribe(queued)
      })

    /**
     * Once more with a new token after a 401: it was refused before anything was done. `taken`: what a call waited
     * with that was not sent. If no login is to be had now, it goes on waiting with that.
     */
    const authorized = (again: boolean, taken?: string): ObservableEither<Failure, Success> =>
      auth.header.pipe(
        map((ea) => (taken !== undefined && isOutage(ea) ? E.right(taken) : ea)),
        // of this call: those of a login are not counted
        mapLeft((failure) => ({ ...failure, attempts: attempts.count })),
        concatChain((header) =>
          scheduled(header).pipe(
            concatMap((tried) => {
              if (tried === DROPPED) return authorized(again, header)
              const outcome = outcomeOf(tried, codes.fault)
              return again && isUnauthorized(outcome) && auth.refuse(tried.generation)
                ? authorized(false)
                : of(outcome)
            }),
          ),
        ),
      )

    return authorized(true)
  }

const outcomeOf = (
  { asking, answer }: AttemptResult,
  faults: ReadonlyArray<string>,
): E.Either<Failure, Success> => {
  if (E.isLeft(answer)) return E.left(transportFailure(asking, answer.left))
  return isSuccess(answer.right)
    ? E.right({ asking, answer: answer.right })
    : E.left(httpFailure(asking, answer.right, faults))
}

/** Whether the next login may do better. */
const isOutage = (header: E.Either<Failure, string>): boolean =>
  E.isLeft(header) && (header.left._tag !== 'Unauthorized' || header.left.code === SOURCE_FAILED)

const isUnauthorized = (outcome: E.Either<Failure, Success>): boolean =>
  E.isLeft(outcome) && outcome.left._tag === 'Unauthorized'

const httpRequest =
  ({ baseUrl, apiVersion, onBehalfOf, timeout }: CallSettings, { auth }: AnyEndpoint) =>
  ({ method, target, headers, body }: PreparedRequest, authorization: string): HttpRequest => ({
    method,
    url: `${baseUrl}${target}`,
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      ...(authorization === '' ? {} : { authorization }),
      ...(apiVersion === undefined || auth === 'basic' ? {} : { 'x-api-version': apiVersion }),
      ...(onBehalfOf === undefined || auth !== 'bearer' ? {} : { 'x-on-behalf-of': onBehalfOf }),
      ...headers,
    },
    ...defined({ body }),
    timeout,
  })
