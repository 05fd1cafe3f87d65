import { concatMap, defer, map, of, tap } from 'rxjs'
import type { AnyEndpoint } from '../api/Endpoint.js'
import { defined, E, O } from '../fp.js'
import { schedule } from '../scheduler/index.js'
import { concatChain, type Millis, type ObservableEither } from '../stream/index.js'
import type { Failure } from './Failure.js'
import { redactedOutage } from './redacted.js'
import { type Asking, isSuccess, refused, throttling, unanswered } from './refusal.js'
import type { Asked } from './request.js'
import type { Session, Settings, Slot } from './Session.js'
import { scrubber } from './scrub.js'
import type { Answer, HttpRequest, Outage } from './Transport.js'

// model

/** Counts the requests of one call. */
export interface Attempts {
  count: number
}

/** A success, not yet read. */
export interface Success {
  readonly asking: Asking
  readonly answer: Answer
}

// constructors

/**
 * Sends a request when all limits have room for it. After a 401 it is sent once more with a new token:
 * it was refused before anything was done.
 */
export const send =
  (session: Session, settings: Settings, row: AnyEndpoint, slotOf: (asked: Asked) => Slot) =>
  (asked: Asked, attempts: Attempts): ObservableEither<Failure, Success> => {
    const { budget, codes, emit, timer } = session
    const auth = session.auth(row)
    const endpoint = row.route
    const slot = slotOf(asked)

    const once = (taken: string) => {
      let authorization = taken
      let generation = 0
      const attempt = defer(() => {
        const attempt = ++attempts.count
        if (attempt === 1) budget.earn()
        const departed = timer.now()
        authorization = auth.newest(taken)
        generation = auth.generation()
        emit({ _tag: 'Sent', endpoint, attempt })
        return session
          .transport(httpRequest(settings, row, asked, authorization))
          .pipe(tap((ea) => told(ea, attempt, timer.now() - departed)))
      })

      const asking = (): Asking => ({
        endpoint,
        attempts: attempts.count,
        scrub: scrubber([
          ...session.secrets.all(),
          authorization.slice(authorization.indexOf(' ') + 1),
          ...Object.values(asked.headers),
        ]),
      })

      const told = (ea: E.Either<Outage, Answer>, attempt: number, took: Millis): void =>
        emit(
          E.isRight(ea)
            ? { _tag: 'Answered', endpoint, attempt, status: ea.right.status, took }
            : {
                _tag: 'Unanswered',
                endpoint,
                attempt,
                failure: redactedOutage(unanswered(asking(), ea.left)),
                took,
              },
        )

      return attempt.pipe(
        schedule(session.scheduler, slot, {
          lane: settings.priority,
          refused: (ea) => (E.isRight(ea) ? throttling(timer.now())(ea.right) : O.none),
        }),
        map((ea): { readonly used: number; readonly outcome: E.Either<Failure, Success> } => ({
          used: generation,
          outcome: outcome(asking(), ea, codes.fault),
        })),
      )
    }

    const authorized = (again: boolean): ObservableEither<Failure, Success> =>
      auth.header.pipe(
        // of this call: those of a login are not counted
        map(E.mapLeft((failure) => ({ ...failure, attempts: attempts.count }))),
        concatChain((header) =>
          once(header).pipe(
            concatMap(({ used, outcome }) =>
              again && isUnauthorized(outcome) && auth.refuse(used)
                ? authorized(false)
                : of(outcome),
            ),
          ),
        ),
      )

    return authorized(true)
  }

const isUnauthorized = (outcome: E.Either<Failure, Success>): boolean =>
  E.isLeft(outcome) && outcome.left._tag === 'Unauthorized'

const outcome = (
  asking: Asking,
  ea: E.Either<Outage, Answer>,
  faults: ReadonlyArray<string>,
): E.Either<Failure, Success> => {
  if (E.isLeft(ea)) return E.left(unanswered(asking, ea.left))
  const answer = ea.right
  return isSuccess(answer) ? E.right({ asking, answer }) : E.left(refused(asking, answer, faults))
}

const httpRequest = (
  { baseUrl, apiVersion, onBehalfOf, timeout }: Settings,
  { auth }: AnyEndpoint,
  { method, target, headers, body }: Asked,
  authorization: string,
): HttpRequest => ({
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
