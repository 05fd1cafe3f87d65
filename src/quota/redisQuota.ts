import { redact } from '../decode/redact.js'
import {
  checkOptions,
  defaultsOf,
  is,
  type OptionsOf,
  required,
  withDefault,
} from '../options/index.js'
import type { SharedQuota } from '../scheduler/index.js'
import { Member } from './Member.js'
import type { MemberReport } from './rule.js'
import { decodeGrants, encodeReport, SCRIPT } from './script.js'

const ACCOUNT = 'a non-empty string without braces'

const table = {
  /** Sends one command to Redis, for example with ioredis: `([name, ...args]) => redis.call(name, ...args)`. */
  send: required(is.fn<(command: ReadonlyArray<string>) => Promise<unknown>>()),
  /** Processes with the same name share the limits. The name is part of the Redis keys: `payments-rx:{account}:...`. */
  account: required(is.stringThat((text) => /^[^{}]+$/.test(text), ACCOUNT)),
  /**
   * Time without a reply from Redis, in ms, after which a process gives up everything above an equal share, and after which the
   * share of a dead process goes to the others. Default 10,000.
   */
  lease: withDefault({ ...is.int(1_000), expected: 'at least 1,000 milliseconds' }, 10_000),
  /**
   * What to do after a lease without Redis: `'continue'` with an equal part of each limit, or `'stop'` until it is back.
   * Default `'continue'`.
   */
  onLost: withDefault(is.oneOf('continue', 'stop'), 'continue'),
  /** Generates the name of the process. Default `crypto.randomUUID`. */
  uuid: withDefault(is.fn<() => string>(), () => crypto.randomUUID()),
}

/** Options of `redisQuota`. */
export interface RedisQuotaOptions extends OptionsOf<typeof table> {}

/**
 * Divides one account's limits between all processes that use the same account name, through a Redis server. Each process
 * enforces its part locally and asks Redis only how large that part is, so no request except the very first waits for Redis.
 *
 *     const quota = redisQuota({ send: (command) => client.sendCommand([...command]), account: 'main' })
 *     const payments = createClient({ quota })
 *
 * Throws an `InvalidOption` for an invalid option.
 */
export const redisQuota = (given: RedisQuotaOptions): SharedQuota => {
  const options = { ...defaultsOf(table), ...checkOptions(given, table) }
  const { send, account } = options
  const run = scriptRunner(send)

  const exchange = async (report: MemberReport) => {
    const answer = await run(encodeReport(`payments-rx:{${account}}`, report))
    const grants = decodeGrants(answer, report.claims.length)
    if (grants === undefined) {
      const shown = Array.isArray(answer) ? 'a list of something else' : redact(answer)
      throw new Error(
        `send should resolve with Redis's reply, a list of numbers, but resolved with ${shown}`,
      )
    }
    return grants
  }
  return { join: (scheduler) => new Member(scheduler, { ...options, exchange }) }
}

/** Returns a function that runs the script by its hash. It sends the text of the script if Redis does not have it. */
const scriptRunner = (send: (command: ReadonlyArray<string>) => Promise<unknown>) => {
  let hash: Promise<string> | undefined
  return async (args: ReadonlyArray<string>): Promise<unknown> => {
    hash ??= sha1(SCRIPT)
    try {
      return await send(['EVALSHA', await hash, ...args])
    } catch (error) {
      if (!String(error).includes('NOSCRIPT')) throw error
      return await send(['EVAL', SCRIPT, ...args])
    }
  }
}

const sha1 = async (text: string): Promise<string> => {
  const digest = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
