const isObject = (u: unknown): u is object =>
  (typeof u === 'object' && u !== null) || typeof u === 'function'

/** All objects that are part of a value. */
export const partsOf = (root: unknown): ReadonlySet<unknown> => {
  const seen = new Set<unknown>()
  const visit = (u: unknown): void => {
    if (!isObject(u) || seen.has(u)) return
    seen.add(u)
    for (const key of Reflect.ownKeys(u)) {
      const { value } = Object.getOwnPropertyDescriptor(u, key) ?? {}
      visit(value)
    }
    visit(Object.getPrototypeOf(u))
  }
  visit(root)
  return seen
}

/**
 * Tells if two answers to the same input cannot be told apart: what is part of the input is the very
 * same object in both; what was made anew has the same prototype and the same keys in the same order.
 */
export const same = (a: unknown, b: unknown, input: ReadonlySet<unknown>): boolean => {
  if (Object.is(a, b)) return true
  if (!isObject(a) || !isObject(b) || input.has(a) || input.has(b)) return false
  if (!same(Object.getPrototypeOf(a), Object.getPrototypeOf(b), input)) return false
  const [as, bs] = [Reflect.ownKeys(a), Reflect.ownKeys(b)]
  return (
    as.length === bs.length &&
    as.every((key, i) => key === bs[i] && same(Reflect.get(a, key), Reflect.get(b, key), input))
  )
}
