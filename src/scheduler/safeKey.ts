/** Functions of the caller's that say what a request is counted under: one that throws ends no request. */
import { withoutPrototype } from '../fp.js'
import { warnOnce } from '../stream/warnOnce.js'
import type { Tier } from './Tier.js'

/** Stands for the request of an item whose key is unknown. */
export const KEYLESS: unique symbol = Symbol('payments-rx: no key')

/** Key of requests whose own is unknown: they are counted together, so no limit is exceeded. */
const NO_KEY = '(no key)'

/** Returns the tier with a `key` that never throws. Its first error is reported on stderr. */
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

/** Returns the resources of a request; none if `resources` throws, whose first error is reported on stderr. */
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
