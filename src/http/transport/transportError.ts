import { map, type Observable, type SchedulerLike } from 'rxjs'
import { fieldsOf, isRecord } from '../../decode/unknown.js'
import type { Millis } from '../../stream/index.js'
import { later } from '../../stream/later.js'
import type { RequestProgress } from './connectionTracker.js'
import type { Timeout, TransportError } from './Transport.js'

/** Thrown when a time limit has passed. It ends a request in the same way as a connection fault. */
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

/** Fields of an error. An error from another realm, such as a test runner's, is not an `instanceof Error` here. */
interface ErrorFields {
  readonly name: string
  readonly message: string
  readonly code: string | undefined
  readonly syscall: unknown
  /** The causes of an error; for an `AggregateError`, its errors. */
  readonly causes: ReadonlyArray<unknown>
}

type FailedConnection = Pick<
  Extract<TransportError, { readonly _tag: 'Unreachable' }>,
  'code' | 'mayHaveArrived'
>

/** System calls that happen before the request is written. */
const CONNECTING: ReadonlyArray<unknown> = ['connect', 'getaddrinfo']

/** Codes for failed connections, rejected certificates and failed handshakes. */
const UNCONNECTED =
  /^(?:ECONNREFUSED|ConnectionRefused|FailedToOpenSocket|ENOTFOUND|EAI_\w+|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|UND_ERR_PRX_\w+|CRL_\w+|UNABLE_TO_\w+|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|ERR_SSL_\w*(?:WRONG_VERSION_NUMBER|HANDSHAKE_FAILURE|UNSUPPORTED_PROTOCOL))$|(?:^|_)CERT(?:_|$)/

/** Messages about a failed connection: undici's messages about a proxy, and those of Deno, which sets no codes. */
const UNCONNECTED_TEXT = /^Proxy response \(\d+\) !== 200|: client error \(Connect\): /

/** The message, without a code, of a `fetch` to a port that it blocks (WHATWG Fetch, "port blocking"). */
const BAD_PORT = 'bad port'

/** Our code for a blocked port. Retries are useless. */
const BLOCKED_PORT = 'BLOCKED_PORT'

/** Our code for an argument that `fetch` rejects without a code. Retries are useless as well. */
const INVALID_ARGUMENT = 'INVALID_ARGUMENT'

/** undici's code for an invalid argument, such as the dispatcher of another version. */
const UNDICI_ARGUMENT = 'UND_ERR_INVALID_ARG'

/** Codes for an argument that the runtime's own `fetch` rejects. */
const ARGUMENT = /^(?:UND_ERR_INVALID_ARG|ERR_INVALID_(?:URL|ARG_TYPE|ARG_VALUE))$/

/** Messages about an invalid argument without a code, for example an `AbortSignal` of another realm. */
const ARGUMENT_TEXT = /^(?:RequestInit|Request constructor|Headers\.\w+): /

/** The reason to report if Node's `fetch` gives none. It does not show the response after a 407. */
const UNEXPLAINED = 'fetch gives no reason: perhaps a proxy answered 407 and requires a login'

/** Time limits of Node's own `fetch`, in ms. */
const FETCH_TIMEOUTS: ReadonlyMap<string, readonly ['connect' | 'headers' | 'body', Millis]> =
  new Map([
    ['UND_ERR_CONNECT_TIMEOUT', ['connect', 10_000]],
    ['UND_ERR_HEADERS_TIMEOUT', ['headers', 300_000]],
    ['UND_ERR_BODY_TIMEOUT', ['body', 300_000]],
  ])

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
 * Creates the `TransportError` for an error thrown by `fetch`. The departure decides whether the request may have arrived; if
 * that is unknown, the error decides. A custom `fetch` may send in untracked ways and with unknown time limits. For it, only
 * "no request was seen" is trusted, and only together with one of undici's own codes.
 */
export const transportError = (
  error: unknown,
  timeout: Timeout,
  departure: RequestProgress,
  isOwn: boolean,
): TransportError => {
  if (isTimeout(error)) return { _tag: 'TimedOut', phase: error.phase, limit: error.limit }
  const root = rootOf(causesOf(error))
  const isBlocked = root?.message === BAD_PORT
  const isArgument = departure === 'unseen' && isArgumentError(root, isOwn)
  const unnamed = isBlocked ? BLOCKED_PORT : isArgument ? INVALID_ARGUMENT : 'FETCH_FAILED'
  const code = root?.code ?? unnamed
  const fetchTimeout = FETCH_TIMEOUTS.get(code)
  if (fetchTimeout !== undefined && isOwn) {
    const [phase, limit] = fetchTimeout
    return { _tag: 'TimedOut', phase, limit: Math.min(timeout[phase], limit) }
  }
  const isTracked = isOwn && (departure === 'none' || departure === 'written')
  return {
    _tag: 'Unreachable',
    code,
    reason:
      root?.message ||
      (isTracked && departure === 'written' ? UNEXPLAINED : 'the connection failed'),
    mayHaveArrived: isTracked
      ? departure === 'written'
      : !(isBlocked || isArgument || wasUnconnected(error)),
  }
}

/** Returns true for an argument error, which occurs before anything is sent. */
const isArgumentError = (root: ErrorFields | undefined, isOwn: boolean): boolean =>
  root?.code === undefined
    ? isOwn && ARGUMENT_TEXT.test(root?.message ?? '')
    : root.code === UNDICI_ARGUMENT || (isOwn && ARGUMENT.test(root.code))

/** Returns true if a request failed before it was sent, and would fail again. */
export const isFinal = ({ code, mayHaveArrived }: FailedConnection): boolean =>
  code === BLOCKED_PORT || (!mayHaveArrived && (code === INVALID_ARGUMENT || ARGUMENT.test(code)))

/** Returns true for an error before there was a connection. After several attempts to connect, it must hold for each. */
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

/** Maximum number of causes to follow, because an error may be its own cause. */
const MAX_CAUSES = 10

/** Returns the innermost cause that has a code, or else the innermost cause. */
const rootOf = (chain: ReadonlyArray<ErrorFields>): ErrorFields | undefined =>
  chain.findLast(({ code }) => code !== undefined) ?? chain.at(-1)

/** Follows causes from the outermost error on. If an error has several causes, follows the first one. */
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

/** Describes an error as `TypeError` or `TypeError, ECONNREFUSED`. Omits its message, which may contain a secret. */
export const errorKind = (error: unknown): string => {
  const { name } = errorFields(error)
  const code = rootOf(causesOf(error))?.code
  return code !== undefined && /^[A-Z][A-Z0-9_]{1,40}$/.test(code) ? `${name}, ${code}` : name
}
