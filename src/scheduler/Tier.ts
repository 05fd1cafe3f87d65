import type { Observable } from 'rxjs'
import { withoutPrototype } from '../fp.js'
import { checkOptions, is, type OptionRule, type OptionsTable, required } from '../options/index.js'
import type { Millis } from './Clock.js'
import { type Guard, guardRule } from './limiters/RollingWindow.js'

interface TierOptions<in R> {
  /** Name in the state and in errors. */
  readonly name: string
  /**
   * Requests allowed for each key: a whole number of at least 1, or `Infinity` for no limit. An `Observable` changes the limit
   * while the scheduler runs; it may also emit 0, which means wait. It is subscribed to while requests wait or are in flight,
   * so use one that repeats its last value, such as a `BehaviorSubject`; a `Subject` may emit while nothing listens. Nothing is
   * sent before its first value, and its last value stays in effect. If it fails, emits anything else, or completes before its
   * first value, all waiting requests fail with that error, and the next request subscribes again.
   */
  readonly limit: number | Observable<number>
  /**
   * Returns the key under which a request is counted, or `undefined` for a request that is not counted. Without `key`, all
   * requests are counted together. Requests for which it throws are still sent, and counted together as one key; the first
   * error is reported on stderr.
   */
  readonly key?: ((request: R) => string | undefined) | undefined
  /** Share of the limit to use, above 0 and at most 1. Default: the scheduler's. */
  readonly share?: number | undefined
}

/** At most `limit` requests of one key within any `per` milliseconds, counted by their arrival at the server. */
export interface Rate<in R> extends TierOptions<R> {
  readonly _tag: 'Rate'
  /** Length of the rolling window, in ms. */
  readonly per: Millis
  /** How long to hold a permit beyond the window. Default: the scheduler's `guard`. */
  readonly guard?: Guard | undefined
}

/** At most `limit` concurrent requests of one key. */
export interface Concurrency<in R> extends TierOptions<R> {
  readonly _tag: 'Concurrency'
}

/** One limit of an API, created by `rate` or `concurrency`. */
export type Tier<R> = Rate<R> | Concurrency<R>

export const isLimiting = <R>({ limit }: Tier<R>): boolean => limit !== Number.POSITIVE_INFINITY

const limitRule: OptionRule = {
  ...is.positiveIntOrInfinity,
  accepts: (u) => is.positiveIntOrInfinity.accepts(u) || is.withMethods('', 'subscribe').accepts(u),
}

const common = {
  name: required(is.string),
  limit: required(limitRule),
  key: is.fn(),
  share: is.fraction,
}

const rateRules: OptionsTable<Omit<Rate<never>, '_tag'>> = {
  ...common,
  per: required({ ...is.positiveFinite, expected: 'more than 0 milliseconds' }),
  guard: guardRule,
}

const concurrencyRules: OptionsTable<Omit<Concurrency<never>, '_tag'>> = common

/** Adds the name of the tier to an error, and accepts a tier in place of its options. */
const named = (kind: string, options: unknown) => {
  const name: unknown = is.isObject(options) ? Reflect.get(options, 'name') : undefined
  return {
    context: typeof name === 'string' ? `${kind} '${name}': ` : `${kind}: `,
    allowUnknown: (option: string): boolean => option === '_tag',
  }
}

/** Creates a limit on requests within a rolling window. Throws an `InvalidOption` for an invalid option. */
export const rate = <R>(options: Omit<Rate<R>, '_tag'>): Rate<R> =>
  withoutPrototype({ ...checkOptions(options, rateRules, named('rate', options)), _tag: 'Rate' })

/** Creates a limit on concurrent requests. Throws an `InvalidOption` for an invalid option. */
export const concurrency = <R>(options: Omit<Concurrency<R>, '_tag'>): Concurrency<R> =>
  withoutPrototype({
    ...checkOptions(options, concurrencyRules, named('concurrency', options)),
    _tag: 'Concurrency',
  })

/** Checks a tier that may have been created without its constructor. Throws the constructor's errors. */
export const checkedTier = <R>(tier: Tier<R>): Tier<R> =>
  tier._tag === 'Rate' ? rate(tier) : concurrency(tier)

/** Checks only the kind, because the constructor has checked the rest. */
export const tiersRule: OptionRule = is.arrayOf(
  {
    accepts: (u) => is.isObject(u) && ['Rate', 'Concurrency'].includes(Reflect.get(u, '_tag')),
    expected: 'a tier from rate or concurrency',
  },
  'a list of tiers',
)
