import { E, pipe } from '../../fp.js'
import { parseDecimal, unitsAt } from './Decimal.js'
import { exponentOf } from './exponents.js'

/** Why an amount is not a whole number of minor units. The amount itself is not told. */
export type MinorUnitsFailure =
  | { readonly _tag: 'UnknownCurrency'; readonly currency: string }
  | { readonly _tag: 'NotDecimal'; readonly currency: string }
  | {
      readonly _tag: 'FractionOfMinorUnit'
      /** The currency, as it was given. */
      readonly currency: string
      /** How many decimals the currency has. */
      readonly exponent: number
    }

/** Characters of an amount. */
const MOST = 100

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
          parseDecimal(amount, MOST),
          E.fromOption((): MinorUnitsFailure => ({ _tag: 'NotDecimal', currency })),
          E.chainOptionK(
            (): MinorUnitsFailure => ({ _tag: 'FractionOfMinorUnit', currency, exponent }),
          )(unitsAt(exponent)),
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
