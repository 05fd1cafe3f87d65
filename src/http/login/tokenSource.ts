import {
  catchError,
  defaultIfEmpty,
  defer,
  from,
  map,
  type ObservableInput,
  race,
  type SchedulerLike,
  take,
} from 'rxjs'
import { login } from '../../api/authentication.js'
import { E } from '../../fp.js'
import { is } from '../../options/index.js'
import { left, type Millis, type ObservableEither } from '../../stream/index.js'
import { later } from '../../stream/later.js'
import type { Unauthorized } from '../Failure.js'
import { isHeaderValue } from '../request/headerText.js'
import { kindOf } from '../transport/transportError.js'
import { SOURCE_FAILED, type Token } from './Auth.js'
import { ASSUMED_LIFE } from './login.js'

// model

/** A token that somebody else obtained. */
export interface ForeignToken {
  /** Sent as `Authorization: Bearer`. */
  readonly token: string
  /** 25 minutes from now when left out. */
  readonly expiresAt?: Date
}

/**
 * Asked for a token when there is none, when it is about to end, and after a 401. It has as long as an
 * answer has to begin: `timeout.headers`.
 */
export type TokenSource = () => ObservableInput<ForeignToken>

// constructors

/**
 * A source that fails, takes longer than `limit`, or hands out what is no token, ends the call as
 * `Unauthorized`.
 */
export const tokenFromSource = (
  source: TokenSource,
  { limit, timer }: { readonly limit: Millis; readonly timer: SchedulerLike },
): ObservableEither<Unauthorized, Token> => race(given(source, timer), silence(limit, timer))

const silence = (limit: Millis, timer: SchedulerLike) =>
  later(limit, timer).pipe(map(() => E.left(unauthorized(`nothing within ${limit} ms`))))

const given = (source: TokenSource, timer: SchedulerLike): ObservableEither<Unauthorized, Token> =>
  defer(() => from(source())).pipe(
    take(1), // each token that came out would send the request once more
    map(({ token, expiresAt }) => {
      if (typeof token !== 'string' || !isHeaderValue(token))
        return E.left(unauthorized('no token'))
      if (expiresAt !== undefined && !is.date.accepts(expiresAt)) {
        return E.left(unauthorized('one with an expiresAt that is no Date'))
      }
      const validFor = expiresAt === undefined ? ASSUMED_LIFE : expiresAt.getTime() - timer.now()
      return validFor > 0
        ? E.right({ token, validFor })
        : E.left(unauthorized('a token that has expired'))
    }),
    defaultIfEmpty(E.left(unauthorized('nothing'))),
    // not its message: what fetches a secret may well repeat it
    catchError((error: unknown) => left(unauthorized(kindOf(error)))),
  )

const unauthorized = (came: string): Unauthorized => ({
  _tag: 'Unauthorized',
  endpoint: login.route,
  attempts: 0,
  code: SOURCE_FAILED,
  message: `credentials.token should give a token, and gave ${came}`,
})
