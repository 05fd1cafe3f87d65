/** Throws a RangeError unless `value` is a whole number of at least `least`, or Infinity. */
export const checkCount = (name: string, value: number, least: 0 | 1): void => {
  if (value !== Number.POSITIVE_INFINITY && !(Number.isInteger(value) && value >= least)) {
    throw new RangeError(`${name} must be a whole number of at least ${least}, got ${shown(value)}`)
  }
}

/** A text that reads like a number is none. */
const shown = (u: unknown): string =>
  typeof u === 'string' ? `the text ${JSON.stringify(u)}` : String(u)
