/** Marks what an earlier attempt had made, and a later one found. */
const mark: unique symbol = Symbol('payments-rx: recovered')

/** The same value, marked where neither JSON nor a copy shows it. */
export const recovered = <A>(value: A): A =>
  typeof value === 'object' && value !== null
    ? Object.defineProperty(value, mark, { value: true })
    : value

/**
 * Whether this value was found by its request_id: a call had no clear answer, and what it asked for
 * turned out to be done.
 */
export const wasRecovered = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && mark in value
