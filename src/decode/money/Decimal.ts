/** Decimal text as whole numbers, which lose no digit. */
import { O } from '../../fp.js'

// model

export interface Decimal {
  /** The value is `units` times ten to the power of minus `scale`. */
  readonly units: bigint
  readonly scale: number
}

/** As JSON and `String` write numbers: sign, whole part, fraction, power of ten. */
const shape = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/

// constructors

/** Text of at most so many characters: the time that its digits take grows faster than they do. */
export const parseDecimal = (text: string, most: number): O.Option<Decimal> => {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    (text.length <= most && shape.exec(text)) || []
  return whole === ''
    ? O.none
    : O.some({
        units: BigInt(`${whole}${fraction}`) * (sign === '-' ? -1n : 1n),
        scale: fraction.length - Number(power),
      })
}

// combinators

/** The units of another scale; none where they would be no whole number. */
export const unitsAt =
  (scale: number) =>
  (decimal: Decimal): O.Option<bigint> => {
    if (decimal.scale <= scale) return O.some(decimal.units * 10n ** BigInt(scale - decimal.scale))
    const parts = 10n ** BigInt(decimal.scale - scale)
    return decimal.units % parts === 0n ? O.some(decimal.units / parts) : O.none
  }
