import { invalid, is } from '../options/index.js'

/** Throws an `InvalidOption` unless `value` is a whole number of at least `least`, or Infinity. */
export const checkCount = (name: string, value: number, least: 0 | 1): void => {
  const rule = least === 0 ? is.most : is.bound
  if (!rule.fits(value)) throw invalid(name, value, rule)
}
