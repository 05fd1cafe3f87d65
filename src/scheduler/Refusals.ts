/**
 * ```ts
 * interface Refusals
 * ```
 *
 * What is done about a request that the server refused for its limits: how often it is sent, and how
 * long it waits in between.
 */
import type { IO } from '../fp.js'
import type { Millis } from './Clock.js'

export interface Refusals {
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
   * A request that is refused alone, not more than three times and without a `Retry-After`: bad luck
   * of the network. `'resend'` (default): it goes first when there is next room in all tiers. `'backoff'`: it
   * waits like the others, which leaves a part of the quota unused.
   */
  readonly lone?: 'resend' | 'backoff'
}

/** The interface recommends 1, 2, 4 ... up to 16 s, plus jitter. */
export const refusalDefaults: Required<Refusals> = {
  attempts: 8,
  backoff: 1_000,
  maxBackoff: 16_000,
  jitter: 0.5,
  maxRetryAfter: 60_000,
  lone: 'resend',
}

/** Fills in what is missing. Throws a RangeError when a number makes no sense. */
export const refusalsOf = (options: Refusals = {}): Required<Refusals> => {
  const { lone, ...all } = { ...refusalDefaults, ...options }
  for (const [name, value] of Object.entries(all)) {
    const most = name === 'jitter' ? Number.MAX_VALUE : Number.POSITIVE_INFINITY
    if (!(value >= (name === 'attempts' ? 1 : 0) && value <= most)) {
      throw new RangeError(`refusals: ${name} makes no sense, got ${value}`)
    }
  }
  return { ...all, lone }
}

/** Who is refused more often has not had bad luck. */
const LONE = 3

export interface Refused {
  /** How often it has been sent. */
  readonly attempt: number
  readonly burst: boolean
  readonly retryAfter: Millis | undefined
}

/** A `Retry-After` as far as it is believed. */
export const cap = (options: Required<Refusals>, retryAfter: Millis): Millis =>
  retryAfter > 0 ? Math.min(retryAfter, options.maxRetryAfter) : 0

/** How long until it may join the queue again. */
export const delay = (
  options: Required<Refusals>,
  random: IO<number>,
  refused: Refused,
): Millis => {
  const { attempt, burst, retryAfter } = refused
  if (retryAfter !== undefined) return cap(options, retryAfter)
  if (attempt <= LONE && !burst && options.lone === 'resend') return 0
  const backoff = Math.min(options.backoff * 2 ** (attempt - 1), options.maxBackoff)
  return backoff * (1 + random() * options.jitter)
}
