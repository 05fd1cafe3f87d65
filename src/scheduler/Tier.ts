import type { Observable } from 'rxjs'
import { withoutPrototype } from '../fp.js'
import { checkOptions, is, type OptionRule, type OptionsTable, required } from '../options/index.js'
import type { Millis } from './Clock.js'
import { type Guard, guardRule } from './limiters/RollingWindow.js'

interface TierOptions<in R> {
  /** Name in the state and in errors. */
  readonly name: string
  /**
   * Requests allowed, for each key: a whole number of at least 1, or `Infinity` for no limit. An `Observable` changes
   * it while the scheduler runs, and may also emit 0: wait. It is subscribed to while requests wait or are under way,
   * so use one that repeats its last value, such as a `BehaviorSubject`: a `Subject` may speak while nothing listens.
   * Nothing is sent before its first value, and its last one stays in force. If it fails, emits something else, or
   * completes before its first value, all requests that wait fail with that error, and the next one subscribes again.
   */
  readonly limit: number | Observable<number>
  /**
   * Key that a request is counted under. `undefined`: not counted. Without `key`, all requests are counted as one. Requests
   * for which it throws are sent nevertheless, and counted together as one key: the first error is reported on stderr.
   */
  readonly key?: ((request: R) => string | undefined) | undefined
  /** Part of the limit that is ours, above 0 and at most 1. Default: that of the scheduler. */
  readonly share?: number | undefined
}

/** At most `limit` requests of one key within any `per` milliseconds, counted as they arrive at the server. */
export interface Rate<in R> extends TierOptions<R> {
  readonly _tag: 'Rate'
  /** Length of the rolling window, in ms. */
  readonly per: Millis
  /** Default: that of the scheduler. */
  readonly guard?: Guard | undefined
}

/** At most `limit` requests of one key under way at once. */
export interface Concurrency<in R> extends TierOptions<R> {
  readonly _tag: 'Concurrency'
}

/** One limit of an API, made by `rate` or `concurrency`. */
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
  per: required({ ...is.positiveFinite, expected: 'milliseconds above 0' }),
  guard: guardRule,
}

const concurrencyRules: OptionsTable<Omit<Concurrency<never>, '_tag'>> = common

/** Names the tier in an error, and accepts a tier in place of its options. */
const named = (kind: string, options: unknown) => {
  const name: unknown = is.isObject(options) ? Reflect.get(options, 'name') : undefined
  return {
    context: typeof name === 'string' ? `${kind} '${name}': ` : `${kind}: `,
    allowUnknown: (option: string): boolean => option === '_tag',
  }
}

/** Makes a limit over a rolling window. Throws an `InvalidOption`. */
export const rate = <R>(options: Omit<Rate<R>, '_tag'>): Rate<R> =>
  withoutPrototype({ ...checkOptions(options, rateRules, named('rate', options)), _tag: 'Rate' })

/** Makes a limit on requests under way at once. Throws an `InvalidOption`. */
export const concurrency = <R>(options: Omit<Concurrency<R>, '_tag'>): Concurrency<R> =>
  withoutPrototype({
    ...checkOptions(options, concurrencyRules, named('concurrency', options)),
    _tag: 'Concurrency',
  })

/** Checks a tier that may have been made without its constructor; throws what that throws. */
export const checkedTier = <R>(tier: Tier<R>): Tier<R> =>
  tier._tag === 'Rate' ? rate(tier) : concurrency(tier)

/** Looks at the kind only: a tier is checked by its constructor. */
export const tiersRule: OptionRule = is.arrayOf(
  {
    accepts: (u) => is.isObject(u) && ['Rate', 'Concurrency'].includes(Reflect.get(u, '_tag')),
    expected: 'a tier, made by rate or concurrency',
  },
  'a list of tiers',
)
