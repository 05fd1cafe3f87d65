/** Numbers that were given: each throws an `InvalidOption` that names the option, before anything is done. */
import { InvalidOption } from '../options/index.js'
import type { Rotation } from './file/partsOf.js'

/** What was not given is left to its default. */
const check = (
  option: string,
  n: number | undefined,
  fits: (n: number) => boolean,
  expected: string,
): void => {
  if (n !== undefined && !fits(n)) throw new InvalidOption(option, expected)
}

const isCount = (n: number): boolean => Number.isSafeInteger(n) && n >= 1

/** How many rows are in a row group: none would never fill one. */
export const checkRowGroup = (rowGroup: number | undefined): void =>
  check('rowGroup', rowGroup, isCount, 'a whole number of at least 1')

/** Of no rows a file would be ended and another begun for ever. */
export const checkRotation = ({ rows, bytes }: Rotation): void => {
  const fits = (n: number): boolean => isCount(n) || n === Number.POSITIVE_INFINITY
  check('rotation.rows', rows, fits, 'a whole number of at least 1')
  check('rotation.bytes', bytes, fits, 'a whole number of at least 1')
}

export interface Paced {
  readonly every?: number
  readonly maxRejects?: number
  readonly perSecond?: number
}

/** How an export goes. */
export const checkPace = ({ every, maxRejects, perSecond }: Paced): void => {
  check('every', every, (ms) => ms >= 0, 'milliseconds')
  check('maxRejects', maxRejects, (n) => n <= Number.POSITIVE_INFINITY, 'a number')
  check('perSecond', perSecond, (n) => n > 0, 'a number above 0')
}
