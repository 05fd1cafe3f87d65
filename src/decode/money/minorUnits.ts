import { E, pipe } from '../../fp.js'
import { parseDecimal, unitsAt } from './Decimal.js'
import { exponentOf } from './exponents.js'

/** Why an amount is not a whole number of minor units. The amount itself is not told. */
export type MinorUnitsFailure =
  | (Common & { readonly _tag: 'UnknownCurrency' })
  | (Common & { readonly _tag: 'NotDecimal' })
  | (Common & {
      readonly _tag: 'FractionOfMinorUnit'
      /** How many decimals the currency has. */
      readonly exponent: number
    })

interface Common {
  /** The currency, as it was given. */
  readonly currency: string
  /** One line, fit for a log. */
  readonly message: string
}

const unknownCurrency = (currency: string): MinorUnitsFailure => ({
  _tag: 'UnknownCurrency',
  currency,
  message: 'the currency should be a code of ISO 4217 that has a minor unit, such as EUR',
})

const notDecimal = (currency: string): MinorUnitsFailure => ({
  _tag: 'NotDecimal',
  currency,
  message: 'the amount should be decimal text, such as 12.50',
})

const fractionOfMinorUnit = (currency: string, exponent: number): MinorUnitsFailure => ({
  _tag: 'FractionOfMinorUnit',
  currency,
  exponent,
  message: `the amount should be a whole number of minor units: ${currency} has ${exponent} decimals`,
})

/** Characters of an amount. */
const MOST = 100

const exponentFor = (currency: string): E.Either<MinorUnitsFailure, number> =>
  pipe(
    exponentOf(currency),
    E.fromOption(() => unknownCurrency(currency)),
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
          E.fromOption(() => notDecimal(currency)),
          E.chainOptionK(() => fractionOfMinorUnit(currency, exponent))(unitsAt(exponent)),
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
