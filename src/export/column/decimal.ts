/** Decimal text and doubles as whole numbers of ten-thousandths: four places, as many as a currency has. */
import { parseDecimal, unitsAt } from '../../decode/minorUnits.js'
import { O } from '../../fp.js'

/**
 * `exact` writes the digits of all numbers as they came, where they are kept beside them; `fast` those of numbers that
 * may have been rounded.
 */
export type Numbers = 'exact' | 'fast'

/** 549,755,813,888: above it, the neighbours of a double are 0.0001 away, the smallest unit of a currency of ISO 4217. */
const FOUR_DECIMALS_BELOW = 2 ** 39

/** Returns `true` for a number that no other number of up to four decimals is read as. */
export const isExact = (n: number): boolean => n < FOUR_DECIMALS_BELOW && n > -FOUR_DECIMALS_BELOW

/** Decimals of a Parquet column. */
export const SCALE = 4

/** Digits of a Parquet column, with its decimals: as many as 64 bits hold. */
export const PRECISION = 18

const FACTOR = 10 ** SCALE

/** The smallest number with more digits than a column holds. */
const TOO_LARGE = 10n ** BigInt(PRECISION)

/** Longest text that is read as a number, in characters. */
const MAX_LENGTH = 400

const fitting = (units: bigint | undefined): bigint | undefined =>
  units !== undefined && units < TOO_LARGE && units > -TOO_LARGE ? units : undefined

/**
 * Returns the ten-thousandths of a whole number, or of one below 2^39; `undefined` if it has more places. The product
 * may be off by one; the right one, divided, gives the double back, and no other does.
 */
export const scaledNumber = (n: number): bigint | undefined => {
  const near = Math.round(n * FACTOR)
  if (near / FACTOR === n && Number.isSafeInteger(near)) return BigInt(near)
  if (Number.isSafeInteger(n)) return fitting(BigInt(n) * BigInt(FACTOR))
  const scaled = [near - 1, near + 1].find((other) => other / FACTOR === n)
  return scaled === undefined ? undefined : BigInt(scaled)
}

/** Reads text in units of a scale; `undefined` for one with more places, and for what is no number. */
const unitsOf = (scale: number): ((text: string) => bigint | undefined) => {
  const toScale = unitsAt(scale)
  return (text) => {
    const read = parseDecimal(text, MAX_LENGTH) // of each row: without `pipe`, in a fifth of the time
    return O.isSome(read) ? O.toUndefined(toScale(read.value)) : undefined
  }
}

const scaled = unitsOf(SCALE)
const whole = unitsOf(0)

/** Returns the ten-thousandths of a text; `undefined` if it is no number that the column holds. */
export const scaledText = (text: string): bigint | undefined => fitting(scaled(text))

/** Returns the whole number of a text; `undefined` if it is none that the column holds. */
export const wholeText = (text: string): bigint | undefined => fitting(whole(text))

/** Accepts the text of any whole number. */
export const isWhole = (text: string): boolean => whole(text) !== undefined
