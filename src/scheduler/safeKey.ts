/** The caller's functions that return the keys of requests. An exception in one of them does not end a request. */
import { withoutPrototype } from '../fp.js'
import { is, type OptionRule, required } from '../options/index.js'
import { warnOnce } from '../stream/warnOnce.js'
import type { FairKey } from './KeyLines.js'
import type { Tier } from './Tier.js'

/** Takes the place of the request for an item whose key is unknown. */
export const KEYLESS: unique symbol = Symbol('payments-rx: no key')

/** Key of requests whose own key is unknown. They are counted together, so no limit is exceeded. */
const NO_KEY = '(no key)'

/** A turn counts as `1 / weight`. Turns are added up, so the smallest must not be lost in the sum. */
export const weightRule: OptionRule<number> = {
  accepts: (u) => typeof u === 'number' && u >= 0.001 && u <= 1_000,
  expected: 'a weight from 0.001 to 1,000',
  type: 'number',
}

/** Keys that take turns while their requests wait for the same limits in one lane. */
export interface FairOptions<in R> {
  /**
   * Returns the key of a request, such as an account; `undefined` is a key as well. Requests for which it throws, or returns
   * anything else, are still sent, and take turns together as one key; the first error is reported on stderr.
   */
  readonly by: (request: R) => string | undefined
  /**
   * Number of turns for each turn of a key with weight 1, from 0.001 to 1,000. If it throws, or returns anything else, the weight
   * is 1, and the first error is reported on stderr. Default: 1 for all.
   */
  readonly weight?: ((key: string | undefined) => number) | undefined
}

const fields = { by: required(is.fn()), weight: is.fn() }

/** Accepts `FairOptions`, or `false`. */
export const fairRule: OptionRule = {
  accepts: (u) => u === false || is.isObject(u),
  expected: 'an object like { by, weight }, or false',
  fields,
}

/** `FairOptions` whose functions never throw. */
export interface SafeFairness<in R> {
  readonly keyOf: (request: R) => FairKey
  readonly weightOf: (key: FairKey) => number
}

/** Returns the tier with a `key` that never throws. Reports its first error on stderr. */
export const withSafeKey = <R>(tier: Tier<R>): Tier<R> => {
  const { name, key } = tier
  if (key === undefined) return tier
  const warn = warnOnce(`the key of tier '${name}'`)
  return withoutPrototype({
    ...tier,
    key: (request: R) => {
      if (request === KEYLESS) return NO_KEY
      try {
        return key(request)
      } catch (error) {
        warn(error)
        return NO_KEY
      }
    },
  })
}

/** Returns the resources of a request; none if `resources` throws. Reports its first error on stderr. */
export const safeResources = <R>(
  resources: (request: R) => ReadonlyArray<string>,
): ((request: R) => ReadonlyArray<string>) => {
  const warn = warnOnce('the option resources')
  return (request) => {
    if (request === KEYLESS) return []
    try {
      return resources(request)
    } catch (error) {
      warn(error)
      return []
    }
  }
}

/** Returns the keys of requests and their weights. Reports the first error of each function on stderr. */
export const safeFairness = <R>({ by, weight }: FairOptions<R>): SafeFairness<R> => {
  const warnOfKey = warnOnce('the option fair.by')
  const warnOfWeight = warnOnce('the option fair.weight')
  return {
    keyOf: (request) => {
      if (request === KEYLESS) return NO_KEY
      try {
        const key: unknown = by(request)
        if (key === undefined || typeof key === 'string') return key
        throw new TypeError(`it should return a string or undefined, but returned a ${typeof key}`)
      } catch (error) {
        warnOfKey(error)
        return NO_KEY
      }
    },
    weightOf: (key) => {
      if (weight === undefined) return 1
      try {
        const given = weight(key)
        if (weightRule.accepts(given)) return given
        throw new TypeError(`it should return ${weightRule.expected}`)
      } catch (error) {
        warnOfWeight(error)
        return 1
      }
    },
  }
}
