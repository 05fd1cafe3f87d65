import { E, O, pipe } from '../../fp.js'
import { exponentOf } from './exponents.js'

/** Why an amount is not a whole number of minor units. The amount itself is not told. */
export type MinorUnitsFailure =
  | { readonly _tag: 'UnknownCurrency'; readonly currency: string }
  | { readonly _tag: 'NotDecimal'; readonly currency: string }
  | {
      readonly _tag: 'FractionOfMinorUnit'
      /** As it was given. */
      readonly currency: string
      /** How many decimals the currency has. */
      readonly exponent: number
    }

interface Decimal {
  /** The value is `units` times ten to the power of minus `scale`. */
  readonly units: bigint
  readonly scale: number
}

/** Plain decimal text, or with an exponent as JSON may write a number. */
const decimal = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/

const parse = (text: string): O.Option<Decimal> => {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    (text.length <= 100 && decimal.exec(text)) || []
  return whole === ''
    ? O.none
    : O.some({
        units: BigInt(`${whole}${fraction}`) * (sign === '-' ? -1n : 1n),
        scale: fraction.length - Number(power),
      })
}

const exponentFor = (currency: string): E.Either<MinorUnitsFailure, number> =>
  pipe(
    exponentOf(currency),
    E.fromOption(() => ({ _tag: 'UnknownCurrency', currency })),
  )

/**
 * A decimal text as a whole number of the currency's minor units. Nothing is rounded.
 *
 *     toMinorUnits('EUR')('12.5')   Right 1250n
 *     toMinorUnits('JPY')('12.5')   Left FractionOfMinorUnit
 *     toMinorUnits('JPY')('12.00')  Right 12n
 */
export const toMinorUnits =
  (currency: string) =>
  (amount: string): E.Either<MinorUnitsFailure, bigint> =>
    pipe(
      exponentFor(currency),
      E.chain((exponent) =>
        pipe(
          parse(amount),
          E.fromOption((): MinorUnitsFailure => ({ _tag: 'NotDecimal', currency })),
          E.chain(({ units, scale }) => {
            if (scale <= exponent) return E.right(units * 10n ** BigInt(exponent - scale))
            const parts = 10n ** BigInt(scale - exponent)
            return units % parts === 0n
              ? E.right(units / parts)
              : E.left({ _tag: 'FractionOfMinorUnit', currency, exponent })
          }),
        ),
      ),
    )

/**
 * A whole number of minor units as decimal text, with all decimals of the currency.
 *
 *     fromMinorUnits('EUR')(1250n)  Right '12.50'
 *     fromMinorUnits('JPY')(12n)    Right '12'
 */
export const fromMinorUnits =
  (currency: string) =>
  (minor: bigint): E.Either<MinorUnitsFailure, string> =>
    pipe(
      exponentFor(currency),
      E.map((exponent) => {
        const [sign, units] = minor < 0n ? ['-', -minor] : ['', minor]
        const all = units.toString().padStart(exponent + 1, '0')
        const point = all.length - exponent
        return exponent === 0
          ? `${sign}${all}`
          : `${sign}${all.slice(0, point)}.${all.slice(point)}`
      }),
    )
