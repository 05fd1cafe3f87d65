/** Throws a RangeError unless `value` is a whole number of at least `least`, or Infinity. */
export const checkCount = (name: string, value: number, least: 0 | 1): void => {
  if (value !== Number.POSITIVE_INFINITY && !(Number.isInteger(value) && value >= least)) {
    throw new RangeError(`${name} must be a whole number of at least ${least}, got ${value}`)
  }
}
