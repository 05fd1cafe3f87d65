/** Obtains one token, by logging in to the platform or from a custom source. */
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
import { left, mapLeft, type ObservableEither } from '../../stream/either/ObservableEither.js'
import type { Millis } from '../../stream/index.js'
import { later } from '../../stream/later.js'
import { type ResponseReader, valueReader } from '../answer/readAnswer.js'
import type { Execute } from '../ClientRuntime.js'
import type { Failure, Unauthorized } from '../Failure.js'
import { isHeaderValue } from '../request/prepareRequest.js'
import { servedAt } from '../transport/Transport.js'
import { errorKind } from '../transport/transportError.js'
import { SOURCE_FAILED, type Token } from './Auth.js'

/** API keys of an account. They are sent only in the headers of the login. */
export interface Credentials {
  /** Sent as `x-client-id`. */
  readonly clientId: string
  /** Sent as `x-api-key`. A secret. */
  readonly apiKey: string
  /** The account to log in to, for keys that cover several accounts (our assumption: not in the API description). */
  readonly loginAs?: string
}

/** A token obtained outside the client. */
export interface ExternalToken {
  /** Sent as `Authorization: Bearer`. */
  readonly token: string
  /** When the token expires. Default: 25 minutes from now. */
  readonly expiresAt?: Date
}

/** Returns a token. Called if there is none, if it is about to expire, and after a 401. Must finish within `timeout.headers`. */
export type TokenSource = () => ObservableInput<ExternalToken>

/** Lifetime of a token without a readable `expires_at`, in ms (our assumption: not in the API description). */
const ASSUMED_LIFE: Millis = 25 * 60_000

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

/** Names the base URL as the cause, and not the keys, if the login endpoint does not exist. */
const nameBaseUrl = (failure: Failure, baseUrl: string): Failure => {
  if (failure._tag !== 'Refused' || failure.status !== 404) return failure
  const { pathname } = new URL(baseUrl)
  const why = /\/api(\/v\d+)?$/.test(pathname)
    ? `the base URL should not end with ${pathname}: the client adds /api/v1 itself`
    : 'is this the base URL of the platform?'
  return { ...failure, message: `${failure.message} (${why})` }
}

/** Converts a refused login of any status to `Unauthorized`, because the call that needs the login is not the cause. */
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

/** Gets a token. Fails with `Unauthorized` if the source fails, takes longer than `limit`, or returns no valid token. */
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
        return E.left(sourceFailure('one whose expiresAt is not a Date'))
      }
      const validFor = expiresAt === undefined ? ASSUMED_LIFE : expiresAt.getTime() - now()
      return validFor > 0
        ? E.right({ token, validFor })
        : E.left(sourceFailure('a token that has expired'))
    }),
    defaultIfEmpty(E.left(sourceFailure('nothing'))),
    // omits the message, which may contain the secret
    catchError((error: unknown) => left(sourceFailure(errorKind(error)))),
  )

const sourceFailure = (received: string): Unauthorized => ({
  _tag: 'Unauthorized',
  endpoint: login.route,
  attempts: 0,
  code: SOURCE_FAILED,
  message: `credentials.token should return a token, but returned ${received}`,
})
