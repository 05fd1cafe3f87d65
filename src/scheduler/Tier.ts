/**
 * ```ts
 * type Tier<R> = Rate<R> | Concurrency<R> | Shared<R>
 * ```
 *
 * One limit of an API, as data. What a request is counted under is a function of the request.
 */
import type { Observable } from 'rxjs'
import type { Millis } from './Clock.js'
import type { Guard } from './Guard.js'

// model

/** At most `limit` requests whose key is the same arrive within any `per` milliseconds. */
export interface Rate<in R> {
  readonly _tag: 'Rate'
  readonly name: string
  readonly limit: number
  /** Length of the rolling window. */
  readonly per: Millis
  /** What a request is counted under. `undefined`: not counted. Without it, all are counted as one. */
  readonly key?: (request: R) => string | undefined
  /** Overrides the guard of the scheduler. */
  readonly guard?: Guard
  /** Overrides the share of the scheduler. */
  readonly share?: number
}

/** At most `limit` requests whose key is the same are under way at once. */
export interface Concurrency<in R> {
  readonly _tag: 'Concurrency'
  readonly name: string
  readonly limit: number
  readonly key?: (request: R) => string | undefined
  /** Overrides the share of the scheduler. */
  readonly share?: number
}

/** What a shared store lends. */
export interface Lent {
  /** How many may start. */
  readonly places: number
  /** When there are none: how long until it is worth asking again. Default 1,000 ms. */
  readonly wait?: Millis
  /** For how long they may be used. Default 1,000 ms. */
  readonly valid?: Millis
}

/** A limit that somebody else keeps, such as a store that several machines share. */
export interface Shared<in R> {
  readonly _tag: 'Shared'
  readonly name: string
  readonly key?: (request: R) => string | undefined
  /**
   * Borrows up to so many places. Asked only when somebody waits, and once at a time for a key. After an
   * error nobody starts, and it is asked again 1,000 ms later.
   */
  readonly take: (key: string, places: number) => Observable<Lent>
  /** How many are asked for at a time. Default 1. */
  readonly batch?: number
  /** Told of every error of `take`: those who wait for it know nothing of why they wait. */
  readonly failed?: (error: unknown) => void
}

/** One limit of an API: made by `rate`, `concurrency` or `shared`. */
export type Tier<R> = Rate<R> | Concurrency<R> | Shared<R>

// constructors

const count = (where: string, limit: number): void => {
  if (limit !== Number.POSITIVE_INFINITY && !(Number.isInteger(limit) && limit >= 1)) {
    throw new RangeError(`${where}: limit must be a whole number of at least 1, got ${limit}`)
  }
}

/** Throws a RangeError unless `value` is above 0 and at most 1. */
export const fraction = (where: string, value: number): void => {
  if (!(value > 0 && value <= 1)) {
    throw new RangeError(`${where}: share must be above 0 and at most 1, got ${value}`)
  }
}

/** Throws a RangeError unless `value` is a known guard or a span of time. */
export const spare = (where: string, value: Guard): void => {
  if (value === 'learned' || value === 'safe') return
  if (!(value >= 0 && value < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`${where}: guard must be 'learned', 'safe' or milliseconds, got ${value}`)
  }
}

/** A rolling window. Throws a RangeError when a number makes no sense. */
export const rate = <R>(options: Omit<Rate<R>, '_tag'>): Rate<R> => {
  const where = `rate '${options.name}'`
  count(where, options.limit)
  if (!(options.per > 0 && options.per < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`${where}: per must be milliseconds above 0, got ${options.per}`)
  }
  if (options.share !== undefined) fraction(where, options.share)
  if (options.guard !== undefined) spare(where, options.guard)
  return { ...options, _tag: 'Rate' }
}

/** A limit on how many run at once. Throws a RangeError when a number makes no sense. */
export const concurrency = <R>(options: Omit<Concurrency<R>, '_tag'>): Concurrency<R> => {
  const where = `concurrency '${options.name}'`
  count(where, options.limit)
  if (options.share !== undefined) fraction(where, options.share)
  return { ...options, _tag: 'Concurrency' }
}

/** A limit in a store that answers later. Throws a RangeError when `batch` makes no sense. */
export const shared = <R>(options: Omit<Shared<R>, '_tag'>): Shared<R> => {
  const { name, batch = 1 } = options
  if (!(Number.isInteger(batch) && batch >= 1)) {
    throw new RangeError(
      `shared '${name}': batch must be a whole number of at least 1, got ${batch}`,
    )
  }
  return { ...options, _tag: 'Shared' }
}

/** A tier that may have been made without its constructor; throws what that throws. */
export const checked = <R>(tier: Tier<R>): Tier<R> => {
  switch (tier._tag) {
    case 'Rate':
      return rate(tier)
    case 'Concurrency':
      return concurrency(tier)
    case 'Shared':
      return shared(tier)
  }
}
