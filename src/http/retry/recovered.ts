/** Marks what an earlier attempt had made, and a later one found. */
const mark: unique symbol = Symbol('payments-rx: recovered')

/** The same value, marked where neither JSON nor a copy shows it. */
export const recovered = <A>(value: A): A => {
  if (typeof value !== 'object' || value === null) return value
  return Object.isExtensible(value)
    ? Object.defineProperty(value, mark, { value: true })
    : Object.preventExtensions(Object.defineProperty(alike(value), mark, { value: true }))
}

/** Its fields as they are, frozen ones too, in an object of its class that takes a mark. */
const alike = <A extends object>(value: A): A =>
  Object.setPrototypeOf(
    Object.defineProperties(
      Array.isArray(value) ? [] : {},
      Object.getOwnPropertyDescriptors<object>(value),
    ),
    Object.getPrototypeOf(value),
  )

/**
 * Whether this value was found by its request_id: a call had no clear answer, and what it asked for
 * turned out to be done.
 */
export const wasRecovered = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && mark in value
