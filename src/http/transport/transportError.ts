import { map, type Observable, type SchedulerLike } from 'rxjs'
import { fieldsOf } from '../../decode/unknown.js'
import type { Millis } from '../../stream/index.js'
import { later } from '../../stream/later.js'
import type { Departure } from './connectionTracker.js'
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

/** Codes of errors before there is a connection: the request cannot have left. For when no departure is known. */
const BEFORE_CONNECTION: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'ENOTFOUND',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

/** As those above if the system call is `connect`; of `read` or `write`, the network broke under a connection. */
const UNROUTED: ReadonlySet<string> = new Set(['EHOSTUNREACH', 'ENETUNREACH'])

/** In the message of Deno's `fetch`, which sets no codes, if there was no connection. */
const DENO_UNCONNECTED = ': client error (Connect): '

/** Message of `fetch`, without a code, for a port that it blocks (WHATWG Fetch, "port blocking"). */
const BAD_PORT = 'bad port'

/** Our code for a blocked port, where retries are of no use. */
export const BLOCKED_PORT = 'BLOCKED_PORT'

/** Node's `fetch` gives no reason after a 407, and does not show the response. */
const UNEXPLAINED =
  'fetch gives no reason: the answer was a 407, perhaps, of a proxy that wants a login'

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
  departure: Departure | undefined,
): TransportError => {
  const chain = causesOf(error)
  const ours = chain.find((cause) => cause instanceof TimeoutError)
  if (ours !== undefined) return { _tag: 'TimedOut', phase: ours.phase, limit: ours.limit }
  const root = rootOf(chain)
  const isBlocked = root?.message === BAD_PORT
  const code = codeOf(root) ?? (isBlocked ? BLOCKED_PORT : 'FETCH_FAILED')
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
        ? !(isBlocked || wasUnconnected(code, root))
        : departure === 'written',
  }
}

const wasUnconnected = (code: string, error: Error | undefined): boolean =>
  BEFORE_CONNECTION.has(code) ||
  (UNROUTED.has(code) && fieldsOf(error).syscall === 'connect') ||
  (codeOf(error) === undefined && error?.message.includes(DENO_UNCONNECTED) === true)

const codeOf = (error: Error | undefined): string | undefined =>
  error !== undefined && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** The innermost cause with a code, or else the innermost. */
const rootOf = (chain: ReadonlyArray<Error>): Error | undefined =>
  chain.findLast((cause) => codeOf(cause) !== undefined) ?? chain.at(-1)

/** Follows causes from the outermost error; of an `AggregateError`, the first of its errors. */
const causesOf = (error: unknown): ReadonlyArray<Error> => {
  const chain: Array<Error> = []
  let rest: unknown = error
  while (rest instanceof Error && !chain.includes(rest)) {
    chain.push(rest)
    rest = rest instanceof AggregateError ? rest.errors[0] : rest.cause
  }
  return chain
}

// interop

/** Describes an error as `TypeError` or `TypeError, ECONNREFUSED`, without its message, which may repeat a secret. */
export const errorKind = (error: unknown): string => {
  if (!(error instanceof Error)) return 'an error'
  const code = codeOf(rootOf(causesOf(error)))
  return code !== undefined && /^[A-Z][A-Z0-9_]{1,40}$/.test(code)
    ? `${error.name}, ${code}`
    : error.name
}
