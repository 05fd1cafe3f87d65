/** Decimal text and doubles as whole numbers of ten-thousandths: four places, as many as a currency has. */

/** Decimals of the column. */
export const SCALE = 4

/** Digits in all, of which `SCALE` are decimals: what 64 bits hold. */
export const PRECISION = 18

/** From a number to its ten-thousandths. */
const FACTOR = 10 ** SCALE

/** The first that has more digits than the column. */
const MOST = 10n ** BigInt(PRECISION)

/** As JSON and `String` write numbers: sign, whole part, fraction, power of ten. */
const decimal = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/

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

/** Undefined if it has more places or more digits than the column, or is no number. */
export const scaledText = (text: string): bigint | undefined => {
  const [, sign, whole, fraction = '', power = '0'] = decimal.exec(text) ?? []
  if (whole === undefined || text.length > 400) return undefined
  const digits = BigInt(`${whole}${fraction}`) * (sign === '-' ? -1n : 1n)
  const shift = SCALE - fraction.length + Number(power)
  const factor = 10n ** BigInt(Math.abs(shift))
  if (shift < 0 && digits % factor !== 0n) return undefined
  const scaled = shift < 0 ? digits / factor : digits * factor
  return scaled < MOST && scaled > -MOST ? scaled : undefined
}
