/** Obtains one token: from the platform by logging in, or from a source of the caller's own. */
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
import { Session } from '../../codec/common.js'
import { millisOf } from '../../codec/Instant.js'
import { compile } from '../../decode/index.js'
import { E, type IO, pipe, withoutUndefined } from '../../fp.js'
import { is } from '../../options/index.js'
import { left, type Millis, mapLeft, type ObservableEither } from '../../stream/index.js'
import { later } from '../../stream/later.js'
import { type ResponseReader, valueReader } from '../answer/readAnswer.js'
import type { Execute } from '../ClientRuntime.js'
import type { Failure, Unauthorized } from '../Failure.js'
import { isHeaderValue } from '../request/prepareRequest.js'
import { servedAt } from '../transport/Transport.js'
import { errorKind } from '../transport/transportError.js'
import { SOURCE_FAILED, type Token } from './Auth.js'

// model

/** API keys of an account. They appear in the headers of the login, and nowhere else. */
export interface Credentials {
  /** Sent as `x-client-id`. */
  readonly clientId: string
  /** Sent as `x-api-key`. A secret. */
  readonly apiKey: string
  /** An account id, for keys that cover several accounts (default, not specified by the interface). */
  readonly loginAs?: string
}

/** A token obtained outside the client. */
export interface ForeignToken {
  /** Sent as `Authorization: Bearer`. */
  readonly token: string
  /** Default: 25 minutes from now. */
  readonly expiresAt?: Date
}

/**
 * Returns a token. Called when there is none, when it is about to end, and after a 401; it has as long as the
 * headers of a response: `timeout.headers`.
 */
export type TokenSource = () => ObservableInput<ForeignToken>

/** Life of a token without a readable `expires_at`, in ms (default, not specified by the interface document). */
const ASSUMED_LIFE: Millis = 25 * 60_000

// constructors

export const logIn = (
  execute: Execute,
  { clientId, apiKey, loginAs }: Credentials,
  { now, baseUrl }: { readonly now: IO<Millis>; readonly baseUrl: string },
): ObservableEither<Failure, Token> =>
  execute(
    {
      client_id: clientId,
      api_key: apiKey,
      ...withoutUndefined({ login_as: loginAs }),
    },
    readToken(now),
  ).pipe(mapLeft((failure) => toUnauthorized(nameBaseUrl(failure, baseUrl))))

/** Says of a login that does not exist that the base URL is to blame, and not the keys. */
const nameBaseUrl = (failure: Failure, baseUrl: string): Failure => {
  if (failure._tag !== 'Refused' || failure.status !== 404) return failure
  const { pathname } = new URL(baseUrl)
  const why = /\/api(\/v\d+)?$/.test(pathname)
    ? `the base URL should not end with ${pathname}: routes begin with /api/v1 themselves`
    : 'is the base URL that of the platform?'
  return { ...failure, message: `${failure.message} (${why})` }
}

/** The call that needs a login is not to blame if that is refused, whatever the status. */
const toUnauthorized = (failure: Failure): Failure => {
  if (failure._tag !== 'Refused' || failure.status < 400 || failure.status === 404) return failure
  const { endpoint, attempts, traceId, status, headers, code, message } = failure
  return {
    _tag: 'Unauthorized',
    endpoint,
    attempts,
    ...withoutUndefined({ traceId, status, headers }),
    code,
    message,
  }
}

const readToken = (now: IO<Millis>): ResponseReader<Token> => {
  const read = valueReader(compile(Session))
  return (context) => (response) =>
    pipe(
      read(context)(response),
      E.map(({ token, expires_at }) => {
        const validFor = millisOf(expires_at) - servedAt(response, now())
        return { token, validFor: validFor > 0 ? validFor : ASSUMED_LIFE }
      }),
    )
}

/** Fails as `Unauthorized` if the source fails, takes longer than `limit`, or returns no valid token. */
export const tokenFromSource = (
  source: TokenSource,
  {
    limit,
    timer,
    now,
  }: { readonly limit: Millis; readonly timer: SchedulerLike; readonly now: IO<Millis> },
): ObservableEither<Unauthorized, Token> =>
  race(
    askSource(source, now),
    later(limit, timer).pipe(map(() => E.left(sourceFailure(`nothing within ${limit} ms`)))),
  )

const askSource = (source: TokenSource, now: IO<Millis>): ObservableEither<Unauthorized, Token> =>
  defer(() => from(source())).pipe(
    take(1), // each further token would send the request again
    map(({ token, expiresAt }) => {
      if (typeof token !== 'string' || !isHeaderValue(token)) {
        return E.left(sourceFailure('no token'))
      }
      if (expiresAt !== undefined && !is.date.accepts(expiresAt)) {
        return E.left(sourceFailure('one with an expiresAt that is no Date'))
      }
      const validFor = expiresAt === undefined ? ASSUMED_LIFE : expiresAt.getTime() - now()
      return validFor > 0
        ? E.right({ token, validFor })
        : E.left(sourceFailure('a token that has expired'))
    }),
    defaultIfEmpty(E.left(sourceFailure('nothing'))),
    // without its message, which may well repeat the secret
    catchError((error: unknown) => left(sourceFailure(errorKind(error)))),
  )

const sourceFailure = (received: string): Unauthorized => ({
  _tag: 'Unauthorized',
  endpoint: login.route,
  attempts: 0,
  code: SOURCE_FAILED,
  message: `credentials.token should give a token, and gave ${received}`,
})
