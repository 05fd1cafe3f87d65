/**
 * ```ts
 * interface RefusalOptions
 * ```
 *
 * What is done about a request that the server refused.
 */
import type { IO } from '../fp.js'
import { is, type Rule } from '../options/index.js'
import { doubling, PAUSES } from '../stream/Backoff.js'
import type { Blame } from './bucket/Bucket.js'
import type { Millis } from './Clock.js'

/**
 * What is done about a request that the server refused for its limits: how often it is sent, and how long
 * it waits in between.
 */
export interface RefusalOptions {
  /** How often a request is sent at most, the first time included. Default 8. */
  readonly attempts?: number
  /** The first backoff; each one after it is twice as long. Default 1,000 ms. */
  readonly backoff?: Millis
  /** Default 16,000 ms. */
  readonly maxBackoff?: Millis
  /** Added to a backoff by chance: up to this share of it. Default 0.5. */
  readonly jitter?: number
  /** The longest `Retry-After` that is waited for. Default 60,000 ms. */
  readonly maxRetryAfter?: Millis
  /**
   * A request that is refused alone, or with a few others, while all of a limit is in use, not more than
   * three times and without a `Retry-After`: bad luck of the network. `'resend'` (default): it goes first
   * when there is next room in all tiers. `'backoff'`: it waits like the others, which leaves a part of the
   * quota unused.
   */
  readonly lone?: 'resend' | 'backoff'
}

/** The interface recommends 1, 2, 4 ... up to 16 s, plus jitter. */
export const refusalDefaults: Required<RefusalOptions> = Object.freeze({
  attempts: 8,
  backoff: PAUSES.first,
  maxBackoff: PAUSES.cap,
  jitter: 0.5,
  maxRetryAfter: 60_000,
  lone: 'resend',
})

export const attemptsRule: Rule = is.positiveIntOrInfinity

export const refusalsRule: Rule = is.group<RefusalOptions>({
  attempts: attemptsRule,
  backoff: is.millis,
  maxBackoff: is.millis,
  maxRetryAfter: is.millis,
  jitter: { ...is.finiteMillis, expected: 'a finite number of at least 0' },
  lone: is.oneOf('resend', 'backoff'),
})

/** Who is refused more often has not had bad luck. */
const LONE = 3

export interface Refused {
  /** How often it has been sent. */
  readonly attempts: number
  /** How often it has waited before it was sent again. */
  readonly backoffs: number
  readonly blame: Blame
  /** What its `Retry-After` says, as far as it is believed; 0 without one. */
  readonly told: Millis
}

/** A `Retry-After` as far as it is believed; 0 for none. */
export const cap = (options: Required<RefusalOptions>, retryAfter: Millis = 0): Millis =>
  retryAfter > 0 ? Math.min(retryAfter, options.maxRetryAfter) : 0

/** How long until it may join the queue again. */
export const delay = (
  options: Required<RefusalOptions>,
  random: IO<number>,
  refused: Refused,
): Millis => {
  const { attempts, backoffs, blame, told } = refused
  if (told > 0) return told
  if (blame === 'luck') return 0
  if (attempts <= LONE && blame === 'chance' && options.lone === 'resend') return 0
  const { backoff, maxBackoff, jitter } = options
  return doubling({ first: backoff, cap: maxBackoff, jitter, random })(backoffs + 1)
}
