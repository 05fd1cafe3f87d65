/** Logging in, as a stream of one token; who waits for it and how long it is kept is `auth.ts`. */
import { millisOf } from '../../codec/Instant.js'
import { Session } from '../../codec/Login.js'
import { compile } from '../../decode/index.js'
import { defined, E, type IO, pipe } from '../../fp.js'
import { type Millis, mapLeft, type ObservableEither } from '../../stream/index.js'
import { type ResponseReader, valueReader } from '../answer/readAnswer.js'
import type { Execute } from '../execute.js'
import type { Failure } from '../Failure.js'
import type { Token } from './Auth.js'

// model

/** The keys of an account. They appear in the headers of the login, and nowhere else. */
export interface Credentials {
  /** Sent as `x-client-id`. */
  readonly clientId: string
  /** Sent as `x-api-key`. A secret. */
  readonly apiKey: string
  /** An account id, for keys that cover several accounts (default, not specified by the interface). */
  readonly loginAs?: string
}

/**
 * How long a token is good, in ms, where `expires_at` is missing or unreadable (default, not specified by
 * the interface document).
 */
export const ASSUMED_LIFE: Millis = 25 * 60_000

// constructors

export const logIn = (
  ask: Execute,
  { clientId, apiKey, loginAs }: Credentials,
  now: IO<Millis>,
): ObservableEither<Failure, Token> =>
  ask(
    {
      client_id: clientId,
      api_key: apiKey,
      ...defined({ login_as: loginAs }),
    },
    readToken(now),
  ).pipe(mapLeft(unauthorized))

/** A login that was refused is no fault of the call that it was for, whatever the status. */
const unauthorized = (failure: Failure): Failure => {
  if (failure._tag !== 'Refused' || failure.status < 400) return failure
  const { endpoint, attempts, traceId, code, message } = failure
  return {
    _tag: 'Unauthorized',
    endpoint,
    attempts,
    ...defined({ traceId }),
    code,
    message,
  }
}

const readToken = (now: IO<Millis>): ResponseReader<Token> => {
  const read = valueReader(compile(Session))
  return (asking) => (answer) =>
    pipe(
      read(asking)(answer),
      E.map(({ token, expires_at }) => {
        // by the service's own clock where it shows it: ours may be wrong by hours
        const served = Date.parse(answer.header('date') ?? '')
        const validFor = millisOf(expires_at) - (Number.isNaN(served) ? now() : served)
        return { token, validFor: validFor > 0 ? validFor : ASSUMED_LIFE }
      }),
    )
}
