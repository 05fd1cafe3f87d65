/**
 * The rate limits of the API, which are checked when a request arrives. A refused request does not count against a limit (our
 * assumption: not in the API description).
 */
import { type Limits, MINUTE, SECOND } from '../api/limits.js'

/** The limit that refused a request. */
export type SandboxTier = 'concurrency' | 'logins' | 'endpoint' | 'global'

/** A request, as the limits see it. */
export type Arrival =
  | { readonly _tag: 'Call'; readonly endpoint: string }
  | { readonly _tag: 'Login'; readonly apiKey: string }
  | { readonly _tag: 'UnknownRoute' }

export class RateLimiter {
  readonly #limits: Limits
  readonly #global: ArrivalWindow
  readonly #endpoints = new Map<string, ArrivalWindow>()
  readonly #logins = new Map<string, ArrivalWindow>()
  #active = 0

  constructor(limits: Limits) {
    this.#limits = limits
    this.#global = new ArrivalWindow(limits.global, SECOND)
  }

  /** Number of admitted requests that have no response yet. */
  get concurrency(): number {
    return this.#active
  }

  /** Counts a request against every limit, or returns the limit that is exhausted. `now` is in ms. */
  enter(arrival: Arrival, now: number): SandboxTier | undefined {
    if (this.#active >= this.#limits.concurrency) return 'concurrency'
    const [tier, window] = this.#windowOf(arrival)
    if (window?.isFull(now) === true) return tier
    if (this.#global.isFull(now)) return 'global'
    this.#active++
    this.#global.add(now)
    window?.add(now)
    return undefined
  }

  /** Ends an admitted request. */
  leave(): void {
    this.#active--
  }

  #windowOf(arrival: Arrival): readonly [SandboxTier, ArrivalWindow | undefined] {
    const { endpoint, logins } = this.#limits
    switch (arrival._tag) {
      case 'Call':
        return ['endpoint', getOrAdd(this.#endpoints, arrival.endpoint, endpoint, SECOND)]
      case 'Login':
        return ['logins', getOrAdd(this.#logins, arrival.apiKey, logins, MINUTE)]
      case 'UnknownRoute':
        return ['global', undefined]
    }
  }
}

const getOrAdd = (
  windows: Map<string, ArrivalWindow>,
  key: string,
  limit: number,
  per: number,
): ArrivalWindow => {
  const window = windows.get(key) ?? new ArrivalWindow(limit, per)
  windows.set(key, window)
  return window
}

/** Counts arrivals in the last `per` ms. An arrival at `t` counts until just before `t + per`. */
class ArrivalWindow {
  readonly #limit: number
  readonly #per: number
  /** Arrival times, earliest first. */
  #arrivals: Array<number> = []
  /** Number of arrivals at the front that have left the window. */
  #expired = 0

  constructor(limit: number, per: number) {
    this.#limit = limit
    this.#per = per
  }

  isFull(now: number): boolean {
    while ((this.#arrivals[this.#expired] ?? Number.POSITIVE_INFINITY) <= now - this.#per) {
      this.#expired++
    }
    if (this.#expired > 1_000 && this.#expired * 2 > this.#arrivals.length) {
      this.#arrivals = this.#arrivals.slice(this.#expired)
      this.#expired = 0
    }
    return this.#arrivals.length - this.#expired >= this.#limit
  }

  add(now: number): void {
    if (this.#limit < Number.POSITIVE_INFINITY) this.#arrivals.push(now)
  }
}
