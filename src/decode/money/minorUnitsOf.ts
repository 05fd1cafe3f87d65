import { E, O, pipe } from '../../fp.js'
import { digitsOf } from '../digits.js'
import { fieldsOf } from '../unknown.js'
import { type MinorUnitsFailure, toMinorUnits } from './minorUnits.js'

/** There is no decimal text, and no number that still has the digits it came with: see `digitsOf`. */
export interface NoDigits {
  readonly _tag: 'NoDigits'
  /** Where the amount should be. */
  readonly key: string
  /** One line, fit for a log. */
  readonly message: string
}

const noDigits = (key: string): NoDigits => ({
  _tag: 'NoDigits',
  key,
  message: `${key} should be text, or a number with its digits, as a client with numbers: 'exact' reads it`,
})

/** The keys of an amount and its currency; the second is `currency` if left out. */
type Keys = readonly [amount: string, currency?: string]

type Holder<K extends Keys> = { readonly [Key in K[0]]?: unknown } & {
  readonly [Key in K extends readonly [string, infer C extends string] ? C : 'currency']?:
    | string
    | null
}

/**
 * What stands under `amount`, as a whole number of minor units of the currency under `currency`. Nothing is
 * rounded, and nothing goes through a float: a number is taken by its digits, as `parseExact` (of a client,
 * `numbers: 'exact'`) kept them, a text as it is.
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
