/** What a `fetch` that failed was about: its reason stands at the end of a chain of causes. */
import { fieldsOf } from '../../decode/unknown.js'
import type { Millis } from '../../stream/index.js'
import type { Departure } from './connectionTracker.js'
import { TimeoutError } from './TimeoutError.js'
import type { Timeout, TransportError } from './Transport.js'

// model

/** The request cannot have left: there never was a connection. For where the line does not tell. */
const NEVER_LEFT: ReadonlySet<string> = new Set([
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

/** Nor here, unless the network broke under a connection: that is told when it is read from or written to. */
const UNROUTED: ReadonlySet<string> = new Set(['EHOSTUNREACH', 'ENETUNREACH'])

/** What Deno's `fetch`, which gives no codes, says of a connection that there never was. */
const UNCONNECTED = ': client error (Connect): '

/** What `fetch` says, without a code, of a port that it asks nothing of. */
const BLOCKED = 'bad port'

/** The code of that: it is so each time. */
export const BLOCKED_PORT = 'BLOCKED_PORT'

/** Node's `fetch` gives no reason where it was answered with a 407, and does not show the answer. */
const UNTOLD = 'fetch gives no reason: the answer was a 407, perhaps, of a proxy that wants a login'

/** Where Node's `fetch` gives up by itself, and after how many ms. */
const GIVEN_UP: ReadonlyMap<string, readonly ['connect' | 'headers' | 'body', Millis]> = new Map([
  ['UND_ERR_CONNECT_TIMEOUT', ['connect', 10_000]],
  ['UND_ERR_HEADERS_TIMEOUT', ['headers', 300_000]],
  ['UND_ERR_BODY_TIMEOUT', ['body', 300_000]],
])

// constructors

/**
 * Whether it left is what the line knows; where that tells nothing, the code of the fault does. `departure` is left
 * out for a `fetch` of the caller's own: it may send it in another way than the one that is watched, and has time limits
 * that nobody told us.
 */
export const transportError = (
  error: unknown,
  timeout: Timeout,
  departure: Departure | undefined,
): TransportError => {
  const chain = chainOf(error)
  const late = chain.find((cause) => cause instanceof TimeoutError)
  if (late !== undefined) return { _tag: 'TimedOut', phase: late.phase, limit: late.limit }
  const deepest = deepestOf(chain)
  const blocked = deepest?.message === BLOCKED
  const code = codeOf(deepest) ?? (blocked ? BLOCKED_PORT : 'FETCH_FAILED')
  const givenUp = GIVEN_UP.get(code)
  if (givenUp !== undefined && departure !== undefined) {
    const [phase, most] = givenUp
    return { _tag: 'TimedOut', phase, limit: Math.min(timeout[phase], most) }
  }
  return {
    _tag: 'Unreachable',
    code,
    reason: deepest?.message || (departure === 'written' ? UNTOLD : 'the connection failed'),
    mayHaveArrived:
      departure === undefined || departure === 'unknown'
        ? !(blocked || neverLeft(code, deepest))
        : departure === 'written',
  }
}

const neverLeft = (code: string, error: Error | undefined): boolean =>
  NEVER_LEFT.has(code) ||
  (UNROUTED.has(code) && fieldsOf(error).syscall === 'connect') ||
  (codeOf(error) === undefined && error?.message.includes(UNCONNECTED) === true)

const codeOf = (error: Error | undefined): string | undefined =>
  error !== undefined && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** The one that says most: the first cause that has a code. */
const deepestOf = (chain: ReadonlyArray<Error>): Error | undefined =>
  chain.findLast((cause) => codeOf(cause) !== undefined) ?? chain.at(-1)

/** From the outermost error to the first cause; several causes of one error stand side by side. */
const chainOf = (error: unknown): ReadonlyArray<Error> => {
  const chain: Array<Error> = []
  let rest: unknown = error
  while (rest instanceof Error && !chain.includes(rest)) {
    chain.push(rest)
    rest = rest instanceof AggregateError ? rest.errors[0] : rest.cause
  }
  return chain
}

// interop

/** Such as `TypeError` or `TypeError, ECONNREFUSED`: nothing of a message, which may repeat a secret. */
export const kindOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'an error'
  const code = codeOf(deepestOf(chainOf(error)))
  return code !== undefined && /^[A-Z][A-Z0-9_]{1,40}$/.test(code)
    ? `${error.name}, ${code}`
    : error.name
}
