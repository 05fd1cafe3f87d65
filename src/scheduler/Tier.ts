/**
 * ```ts
 * type Tier<R> = Rate<R> | Concurrency<R> | Shared<R>
 * ```
 *
 * One limit of an API, as data. What a request is counted under is a function of the request.
 */
import type { Observable } from 'rxjs'
import { checkOptions, is, type OptionsTable, type Rule, required } from '../options/index.js'
import type { Millis } from './Clock.js'
import { type Guard, guardRule } from './Guard.js'

// model

/** What all tiers have. */
interface Keyed<in R> {
  /** Told by `state`. */
  readonly name: string
  /** What a request is counted under. `undefined`: not counted. Without it, all are counted as one. */
  readonly key?: (request: R) => string | undefined
}

/** At most `limit` requests whose key is the same arrive within any `per` milliseconds. */
export interface Rate<in R> extends Keyed<R> {
  readonly _tag: 'Rate'
  /** Requests within any `per`, for each key. */
  readonly limit: number
  /** Length of the rolling window. */
  readonly per: Millis
  /** Overrides the guard of the scheduler. */
  readonly guard?: Guard
  /** Overrides the share of the scheduler. */
  readonly share?: number
}

/** At most `limit` requests whose key is the same are under way at once. */
export interface Concurrency<in R> extends Keyed<R> {
  readonly _tag: 'Concurrency'
  /** Requests under way at once, for each key. */
  readonly limit: number
  /** Overrides the share of the scheduler. */
  readonly share?: number
}

/** What a shared store lends. */
export interface Lent {
  /** How many may start. */
  readonly places: number
  /** When there are none: how long until it is worth asking again. Default 1,000 ms; 100 ms if not above 0. */
  readonly wait?: Millis
  /**
   * For how long they may be used after they were asked for. Default 1,000 ms; better a little more than the store
   * ever takes, since it has to count each for so long and a window.
   */
  readonly valid?: Millis
}

/** A limit that somebody else keeps, such as a store that several machines share. */
export interface Shared<in R> extends Keyed<R> {
  readonly _tag: 'Shared'
  /**
   * Borrows up to so many places. Asked only when somebody waits who has room in all limits that are kept here, and
   * once at a time for a key. After an error nobody starts, and it is asked again 1,000 ms later.
   */
  readonly take: (key: string, places: number) => Observable<Lent>
  /** The most that is asked for at a time; less when fewer can be used. Default 1. */
  readonly batch?: number
  /** Told of every error of `take`: those who wait for it know nothing of why they wait. */
  readonly failed?: (error: unknown) => void
}

/** One limit of an API: made by `rate`, `concurrency` or `shared`. */
export type Tier<R> = Rate<R> | Concurrency<R> | Shared<R>

// constructors

/** Whose options they are, in an error; a tier that is made anew from another has a tag. */
const named = (kind: string, options: unknown) => {
  const name: unknown = is.isObject(options) ? Reflect.get(options, 'name') : undefined
  return {
    context: typeof name === 'string' ? `${kind} '${name}': ` : `${kind}: `,
    allowUnknown: (name: string): boolean => name === '_tag',
  }
}

const ofRates: OptionsTable<Omit<Rate<never>, '_tag'>> = {
  name: required(is.string),
  limit: required(is.positiveIntOrInfinity),
  per: required({ ...is.positiveFinite, expected: 'milliseconds above 0' }),
  key: is.fn(),
  guard: guardRule,
  share: is.fraction,
}

const ofConcurrencies: OptionsTable<Omit<Concurrency<never>, '_tag'>> = {
  name: required(is.string),
  limit: required(is.positiveIntOrInfinity),
  key: is.fn(),
  share: is.fraction,
}

const ofShared: OptionsTable<Omit<Shared<never>, '_tag'>> = {
  name: required(is.string),
  take: required(is.fn()),
  batch: is.int(1),
  key: is.fn(),
  failed: is.fn(),
}

/** A rolling window. Throws an `InvalidOption`. */
export const rate = <R>(options: Omit<Rate<R>, '_tag'>): Rate<R> => ({
  ...checkOptions(options, ofRates, named('rate', options)),
  _tag: 'Rate',
})

/** A limit on how many run at once. Throws an `InvalidOption`. */
export const concurrency = <R>(options: Omit<Concurrency<R>, '_tag'>): Concurrency<R> => ({
  ...checkOptions(options, ofConcurrencies, named('concurrency', options)),
  _tag: 'Concurrency',
})

/** A limit in a store that answers later. Throws an `InvalidOption`. */
export const shared = <R>(options: Omit<Shared<R>, '_tag'>): Shared<R> => ({
  ...checkOptions(options, ofShared, named('shared', options)),
  _tag: 'Shared',
})

/** A tier that may have been made without its constructor; throws what that throws. */
export const checkedTier = <R>(tier: Tier<R>): Tier<R> => {
  switch (tier._tag) {
    case 'Rate':
      return rate(tier)
    case 'Concurrency':
      return concurrency(tier)
    case 'Shared':
      return shared(tier)
  }
}

/** What `tiers` may be: what is in a tier is looked at by its constructor. */
export const tiersRule: Rule = is.arrayOf(
  {
    accepts: (u) =>
      is.isObject(u) && ['Rate', 'Concurrency', 'Shared'].includes(Reflect.get(u, '_tag')),
    expected: 'a tier, made by rate, concurrency or shared',
  },
  'a list of tiers',
)
