/** Decimal text and doubles as whole numbers of ten-thousandths: four places, as many as a currency has. */
import { parseDecimal, unitsAt } from '../../decode/minorUnits.js'
import { O } from '../../fp.js'

/** Decimals of the column. */
export const SCALE = 4

/** Digits in all, of which `SCALE` are decimals: what 64 bits hold. */
export const PRECISION = 18

/** From a number to its ten-thousandths. */
const FACTOR = 10 ** SCALE

/** The first that has more digits than the column. */
const MOST = 10n ** BigInt(PRECISION)

/** Characters of a text that is read as a number. */
const LENGTH = 400

/**
 * Of a double below 2^39, undefined if it has more places. The product may be off by one; the right one,
 * divided, gives the double back, and no other does.
 */
export const scaledNumber = (n: number): bigint | undefined => {
  const near = Math.round(n * FACTOR)
  if (near / FACTOR === n) return BigInt(near)
  const scaled = [near - 1, near + 1].find((other) => other / FACTOR === n)
  return scaled === undefined ? undefined : BigInt(scaled)
}

/** In units of a scale, however many they are; undefined for what has more places, or is no number. */
const unitsOf = (scale: number): ((text: string) => bigint | undefined) => {
  const toScale = unitsAt(scale)
  return (text) => {
    const read = parseDecimal(text, LENGTH) // of each row: without `pipe`, in a fifth of the time
    return O.isSome(read) ? O.toUndefined(toScale(read.value)) : undefined
  }
}

const within = (units: bigint | undefined): bigint | undefined =>
  units !== undefined && units < MOST && units > -MOST ? units : undefined

const scaled = unitsOf(SCALE)
const whole = unitsOf(0)

/** Undefined if it has more places or more digits than the column, or is no number. */
export const scaledText = (text: string): bigint | undefined => within(scaled(text))

/** Undefined if it has a fraction or more digits than the column, or is no number. */
export const wholeText = (text: string): bigint | undefined => within(whole(text))

/** Whether it has no fraction, whatever it has of digits. */
export const isWhole = (text: string): boolean => whole(text) !== undefined
