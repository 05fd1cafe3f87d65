import { E, O, pipe } from '../fp.js'
import { digitsOf } from './digits.js'
import { fieldsOf } from './unknown.js'

/** The reason why an amount is not a whole number of minor units. Does not repeat the amount. */
export type MinorUnitsFailure =
  | (AmountFailure & { readonly _tag: 'UnknownCurrency' })
  | (AmountFailure & { readonly _tag: 'NotDecimal' })
  | (AmountFailure & {
      readonly _tag: 'FractionOfMinorUnit'
      /** Number of decimals of the currency. */
      readonly exponent: number
    })

interface AmountFailure {
  /** The currency, as given. */
  readonly currency: string
  /** A one-line description, safe to log. */
  readonly message: string
}

/** The amount is neither a decimal string nor a number that still has its original digits: see `digitsOf`. */
export interface NoDigits {
  readonly _tag: 'NoDigits'
  /** The key of the amount. */
  readonly key: string
  /** A one-line description, safe to log. */
  readonly message: string
}

const unknownCurrency = (currency: string): MinorUnitsFailure => ({
  _tag: 'UnknownCurrency',
  currency,
  message: 'the currency should be an ISO 4217 code with a minor unit, such as EUR',
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

const noDigits = (key: string): NoDigits => ({
  _tag: 'NoDigits',
  key,
  message: `${key} should be text, or a number with its original digits (use a client with numbers: 'exact')`,
})

// currencies

/**
 * The currencies by the number of decimals of their minor unit, from ISO 4217 (list of 2024-06-25, and the later amendment
 * XCG). Keeps withdrawn codes that the API description still names (HRK, SLL). Metals, funds and test codes have no minor unit,
 * and are not listed.
 */
const byExponent: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2:
    'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN ' +
    'BZD CAD CDF CHE CHF CHW CNY COP COU CRC CUC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP ' +
    'GBP GEL GHS GIP GMD GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT ' +
    'LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO ' +
    'NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS ' +
    'SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD ' +
    'XCG YER ZAR ZMW ZWG',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
}

const exponents: ReadonlyMap<string, number> = new Map(
  Object.entries(byExponent).flatMap(([exponent, codes]) =>
    codes.split(' ').map((code) => [code, Number(exponent)] as const),
  ),
)

/** Returns the number of decimals in a currency's minor unit: 2 for EUR, 0 for JPY, none for an unknown code. */
export const exponentOf = (currency: string): O.Option<number> =>
  O.fromNullable(exponents.get(currency))

const exponentFor = (currency: string): E.Either<MinorUnitsFailure, number> =>
  pipe(
    exponentOf(currency),
    E.fromOption(() => unknownCurrency(currency)),
  )

// decimal text

/** An exact decimal number: `units` times ten to the power of minus `scale`. */
export interface Decimal {
  readonly units: bigint
  readonly scale: number
}

/** Matches sign, integer part, fraction and power of ten (at most four digits), as JSON and `String` write numbers. */
const decimalText = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?)0*(\d{1,4}))?$/

/** Parses a decimal string. Its length is limited to `maxLength` characters because parsing takes more than linear time. */
export const parseDecimal = (text: string, maxLength: number): O.Option<Decimal> => {
  const [, sign = '', integer = '', fraction = '', powerSign = '', power = '0'] =
    (text.length <= maxLength && decimalText.exec(text)) || []
  return integer === ''
    ? O.none
    : O.some({
        units: BigInt(`${integer}${fraction}`) * (sign === '-' ? -1n : 1n),
        scale: fraction.length - Number(`${powerSign}${power}`),
      })
}

/** Converts units to another scale. Returns none if the result is not a whole number. */
export const unitsAt =
  (scale: number) =>
  (decimal: Decimal): O.Option<bigint> => {
    if (decimal.scale <= scale) return O.some(decimal.units * 10n ** BigInt(scale - decimal.scale))
    const parts = 10n ** BigInt(decimal.scale - scale)
    return decimal.units % parts === 0n ? O.some(decimal.units / parts) : O.none
  }

// amounts

/** Maximum length of an amount that is parsed, in characters. */
export const MAX_AMOUNT_LENGTH = 1_000

/**
 * Converts a decimal string to a whole number of the currency's minor units. Nothing is rounded.
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
          parseDecimal(amount, MAX_AMOUNT_LENGTH),
          E.fromOption(() => notDecimal(currency)),
          E.chainOptionK(() => fractionOfMinorUnit(currency, exponent))(unitsAt(exponent)),
        ),
      ),
    )

/**
 * Converts a whole number of minor units to a decimal string, with all decimals of the currency.
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

/** The keys of an amount and its currency; the second is `currency` by default. */
type Keys = readonly [amount: string, currency?: string]

type Holder<K extends Keys> = { readonly [Key in K[0]]?: unknown } & {
  readonly [Key in K extends readonly [string, infer C extends string] ? C : 'currency']?:
    | string
    | null
}

/**
 * Reads the amount under `amount` as a whole number of minor units of the currency under `currency`. Nothing is rounded, and
 * nothing goes through a float: a number is read from the digits that `parseExact` kept (in a client, `numbers: 'exact'`), and a
 * string directly.
 *
 *     minorUnitsOf('amount')(charge)                            Right 1250n
 *     minorUnitsOf('source_amount', 'source_currency')(draft)   Right 99n
 */
export const minorUnitsOf =
  <const K extends Keys>(...[amount, currency = 'currency']: K) =>
  (holder: Holder<K>): E.Either<MinorUnitsFailure | NoDigits, bigint> => {
    const fields = fieldsOf(holder)
    const text = fields[amount]
    return pipe(
      typeof text === 'string' ? O.some(text) : digitsOf(amount)(fields),
      E.fromOption(() => noDigits(amount)),
      E.chainW(toMinorUnits(String(fields[currency] ?? ''))),
    )
  }
