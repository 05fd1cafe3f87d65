import { map, type Observable, type SchedulerLike } from 'rxjs'
import { fieldsOf, isRecord } from '../../decode/unknown.js'
import type { Millis } from '../../stream/index.js'
import { later } from '../../stream/later.js'
import type { RequestProgress } from './connectionTracker.js'
import type { Timeout, TransportError } from './Transport.js'

// model

/** Thrown when a time limit has passed, so that it ends a request like a fault of the connection. */
class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
  readonly phase: keyof Timeout
  readonly limit: Millis

  constructor(phase: keyof Timeout, limit: Millis) {
    super(`no ${phase} within ${limit} ms`)
    this.phase = phase
    this.limit = limit
  }
}

const isTimeout = (u: unknown): u is TimeoutError =>
  isRecord(u) && u.name === 'TimeoutError' && 'phase' in u && 'limit' in u

/** Fields of an error. An error of another realm, such as a test runner makes, is no `instanceof Error` of ours. */
interface ErrorFields {
  readonly name: string
  readonly message: string
  readonly code: string | undefined
  readonly syscall: unknown
  /** Causes; of an `AggregateError`, its errors. */
  readonly causes: ReadonlyArray<unknown>
}

/** System calls that come before the request is written. */
const CONNECTING: ReadonlyArray<unknown> = ['connect', 'getaddrinfo']

/** Codes of connections that were not made, certificates that were not accepted, and handshakes that failed. */
const UNCONNECTED =
  /^(?:ECONNREFUSED|ConnectionRefused|FailedToOpenSocket|ENOTFOUND|EAI_\w+|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|UND_ERR_PRX_\w+|CRL_\w+|UNABLE_TO_\w+|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|ERR_SSL_\w*(?:WRONG_VERSION_NUMBER|HANDSHAKE_FAILURE|UNSUPPORTED_PROTOCOL))$|(?:^|_)CERT(?:_|$)/

/** In messages of a connection that was not made, by undici of a proxy, and by Deno, which sets no codes. */
const UNCONNECTED_TEXT = /^Proxy response \(\d+\) !== 200|: client error \(Connect\): /

/** Message of `fetch`, without a code, for a port that it blocks (WHATWG Fetch, "port blocking"). */
const BAD_PORT = 'bad port'

/** Our code for a blocked port, where retries are of no use. */
export const BLOCKED_PORT = 'BLOCKED_PORT'

/** Node's `fetch` gives no reason after a 407, and does not show the response. */
const UNEXPLAINED = 'fetch gives no reason: perhaps a proxy answered 407 and requires a login'

/** Time limits of Node's `fetch` itself, in ms. */
const FETCH_TIMEOUTS: ReadonlyMap<string, readonly ['connect' | 'headers' | 'body', Millis]> =
  new Map([
    ['UND_ERR_CONNECT_TIMEOUT', ['connect', 10_000]],
    ['UND_ERR_HEADERS_TIMEOUT', ['headers', 300_000]],
    ['UND_ERR_BODY_TIMEOUT', ['body', 300_000]],
  ])

// constructors

/** Fails with a `TimeoutError` after a time; emits nothing. */
export const timeoutAfter = (
  phase: keyof Timeout,
  limit: Millis,
  timer: SchedulerLike,
): Observable<never> =>
  later(limit, timer).pipe(
    map((): never => {
      throw new TimeoutError(phase, limit)
    }),
  )

/**
 * Makes the `TransportError` of an error thrown by `fetch`. The departure decides whether the request may have
 * arrived; if unknown, the code of the error does. `departure` is `undefined` for a `fetch` of the caller's own, which
 * may send in ways that are not tracked, with time limits that are not known.
 */
export const transportError = (
  error: unknown,
  timeout: Timeout,
  departure: RequestProgress | undefined,
): TransportError => {
  if (isTimeout(error)) return { _tag: 'TimedOut', phase: error.phase, limit: error.limit }
  const root = rootOf(causesOf(error))
  const isBlocked = root?.message === BAD_PORT
  const code = root?.code ?? (isBlocked ? BLOCKED_PORT : 'FETCH_FAILED')
  const fetchTimeout = FETCH_TIMEOUTS.get(code)
  if (fetchTimeout !== undefined && departure !== undefined) {
    const [phase, limit] = fetchTimeout
    return { _tag: 'TimedOut', phase, limit: Math.min(timeout[phase], limit) }
  }
  return {
    _tag: 'Unreachable',
    code,
    reason: root?.message || (departure === 'written' ? UNEXPLAINED : 'the connection failed'),
    mayHaveArrived:
      departure === undefined || departure === 'unknown'
        ? !(isBlocked || wasUnconnected(error))
        : departure === 'written',
  }
}

/** Tests for an error before there was a connection; of several attempts to connect, for each of them. */
const wasUnconnected = (error: unknown, depth = 0): boolean => {
  const { code, syscall, message, causes } = errorFields(error)
  if (depth === MAX_CAUSES) return false
  if (causes.length > 1) return causes.every((cause) => wasUnconnected(cause, depth + 1))
  return (
    CONNECTING.includes(syscall) ||
    (code !== undefined && UNCONNECTED.test(code)) ||
    UNCONNECTED_TEXT.test(message) ||
    causes.some((cause) => wasUnconnected(cause, depth + 1))
  )
}

/** Causes that are followed: an error may be its own cause. */
const MAX_CAUSES = 10

/** The innermost cause with a code, or else the innermost. */
const rootOf = (chain: ReadonlyArray<ErrorFields>): ErrorFields | undefined =>
  chain.findLast(({ code }) => code !== undefined) ?? chain.at(-1)

/** Follows causes from the outermost error; of several, the first. */
const causesOf = (error: unknown): ReadonlyArray<ErrorFields> => {
  const chain: Array<ErrorFields> = []
  let rest: unknown = error
  while (isRecord(rest) && chain.length < MAX_CAUSES) {
    const fields = errorFields(rest)
    chain.push(fields)
    rest = fields.causes[0]
  }
  return chain
}

const errorFields = (error: unknown): ErrorFields => {
  const { name, message, code, syscall, cause, errors } = fieldsOf(error)
  return {
    name: typeof name === 'string' ? name : 'an error',
    message: typeof message === 'string' ? message : '',
    code: typeof code === 'string' ? code : undefined,
    syscall,
    causes: Array.isArray(errors) ? errors : cause === undefined ? [] : [cause],
  }
}

// interop

/** Describes an error as `TypeError` or `TypeError, ECONNREFUSED`, without its message, which may repeat a secret. */
export const errorKind = (error: unknown): string => {
  const { name } = errorFields(error)
  const code = rootOf(causesOf(error))?.code
  return code !== undefined && /^[A-Z][A-Z0-9_]{1,40}$/.test(code) ? `${name}, ${code}` : name
}
