/** Decimal text and doubles as whole numbers of ten-thousandths, because currencies have at most four decimals. */
import { parseDecimal, unitsAt } from '../../decode/minorUnits.js'
import { O } from '../../fp.js'

/** 549,755,813,888. Above it, adjacent doubles are at least 0.0001 apart, the smallest unit of an ISO 4217 currency. */
const FOUR_DECIMALS_BELOW = 2 ** 39

/** Returns true if no other number with up to four decimals is stored as the same double. */
export const isExact = (n: number): boolean => n < FOUR_DECIMALS_BELOW && n > -FOUR_DECIMALS_BELOW

/** Number of decimals of a Parquet column. */
export const SCALE = 4

/** Number of digits of a Parquet column, including decimals: the most that fit in 64 bits. */
export const PRECISION = 18

const FACTOR = 10 ** SCALE

/** The smallest number with more digits than a column holds. */
const TOO_LARGE = 10n ** BigInt(PRECISION)

/** Longest text that is read as a number, in characters. */
const MAX_LENGTH = 400

const fitting = (units: bigint | undefined): bigint | undefined =>
  units !== undefined && units < TOO_LARGE && units > -TOO_LARGE ? units : undefined

/**
 * Returns the ten-thousandths of a whole number, or of any number below 2^39; `undefined` if it has more decimals. The product
 * may be off by one, so the candidate that divides back to the same double is chosen.
 */
export const scaledNumber = (n: number): bigint | undefined => {
  const near = Math.round(n * FACTOR)
  if (near / FACTOR === n && Number.isSafeInteger(near)) return BigInt(near)
  if (Number.isSafeInteger(n)) return fitting(BigInt(n) * BigInt(FACTOR))
  const scaled = [near - 1, near + 1].find((other) => other / FACTOR === n)
  return scaled === undefined ? undefined : BigInt(scaled)
}

/** Parses text in units of a scale; `undefined` if it has more decimals or is not a number. */
const unitsOf = (scale: number): ((text: string) => bigint | undefined) => {
  const toScale = unitsAt(scale)
  return (text) => {
    const read = parseDecimal(text, MAX_LENGTH) // called for each row, so without `pipe`, which would take five times as long
    return O.isSome(read) ? O.toUndefined(toScale(read.value)) : undefined
  }
}

const scaled = unitsOf(SCALE)
const whole = unitsOf(0)

/** Returns the ten-thousandths of a text; `undefined` if it is not a number that fits the column. */
export const scaledText = (text: string): bigint | undefined => fitting(scaled(text))

/** Parses a whole number; `undefined` if it is not a whole number that fits the column. */
export const wholeText = (text: string): bigint | undefined => fitting(whole(text))

export const isWhole = (text: string): boolean => whole(text) !== undefined
