/** Building blocks of resources and parameters. */
import * as t from 'io-ts'
import { exponentOf } from '../decode/minorUnits.js'
import { OpenType } from '../decode/open.js'
import { plural } from '../decode/plural.js'
import { amountShown } from '../decode/showValue.js'
import { E, O, withoutUndefined } from '../fp.js'
import { type Codec, described, matching, patternOf, type Rule } from './Codec.js'
import { JsonNumber } from './jsonText.js'

// single values of responses and parameters

// letter by letter: every row of every list has a currency, and a regular expression takes ten times as long
const isCapital = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  return code >= 65 && code <= 90
}

/** A 3-letter ISO 4217 code. */
export const Currency: Codec<string> = described(
  t.refinement(
    t.string,
    (text) => text.length === 3 && isCapital(text, 0) && isCapital(text, 1) && isCapital(text, 2),
    'a currency code of 3 capital letters',
  ),
  patternOf(/^[A-Z]{3}$/),
)

/** A count. */
export const Count: Codec<number> = described(
  t.refinement(t.number, (n) => Number.isSafeInteger(n) && n >= 0, 'a whole number from 0'),
  { type: 'integer', minimum: 0 },
)

// single values of parameters

/** Returns true if the text has `min` to `max` code points; a code point is one or two units of `length`. */
const isOfLength = (text: string, min: number, max: number): boolean => {
  const { length } = text
  if (length < min || length > 2 * max) return false
  if (length >= 2 * min && length <= max) return true
  const points = [...text].length
  return points >= min && points <= max
}

/** Creates the codec of strings of `min` to `max` characters (code points). */
export const textOf = (min: number, max: number): Codec<string> =>
  described(
    t.refinement(
      t.string,
      (text) => isOfLength(text, min, max),
      `a string of ${min} to ${max} characters`,
    ),
    { type: 'string', minLength: min, maxLength: max },
  )

/** A non-empty string. */
export const Filled: Codec<string> = described(
  t.refinement(t.string, (text) => text !== '', 'a non-empty string'),
  { type: 'string', minLength: 1 },
)

/** A 2-letter ISO 3166 code. */
export const Country: Codec<string> = matching(/^[A-Z]{2}$/, 'a country code of 2 capital letters')

/** A SWIFT code (BIC). Its length is our assumption: not in the API description. */
export const SwiftCode: Codec<string> = matching(
  /^[A-Za-z0-9]{8}([A-Za-z0-9]{3})?$/,
  'a SWIFT code of 8 or 11 letters and digits',
  { 'x-not-specified': ['pattern'] },
)

/** A string that is valid as a header value. */
export const HeaderText: Codec<string> = matching(/^[!-~]([ -~]*[!-~])?$/, 'a valid header value')

/** A finite number; JSON has no others. */
export const Finite: Codec<number> = described(
  t.refinement(t.number, Number.isFinite, 'a finite number'),
  { type: 'number' },
)

/** A whole number in a body. */
export const Whole: Codec<number> = described(
  t.refinement(t.number, Number.isSafeInteger, 'a whole number'),
  { type: 'integer' },
)

const decimal = /^\d+(\.\d+)?$/

const isDecimal = (u: unknown): u is number | string =>
  typeof u === 'number' ? decimal.test(plain(u)) : typeof u === 'string' && decimal.test(u)

/** Writes a number without an exponent: 1e-7 is `0.0000001`. */
const plain = (n: number): string => {
  const [, first, rest = '', exponent] = /^(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(String(n)) ?? []
  if (first === undefined) return String(n)
  const digits = first + rest
  const point = 1 + Number(exponent)
  return point > 0 ? digits.padEnd(point, '0') : `0.${'0'.repeat(-point)}${digits}`
}

const AMOUNT = 'a number of at least 0, or plain decimal text such as "9.99"'

const amountOf = <O>(encode: (amount: number | string) => O): t.Type<number | string, O, unknown> =>
  amountShown(
    new t.Type<number | string, O, unknown>(
      AMOUNT,
      isDecimal,
      (u, context) => (isDecimal(u) ? t.success(u) : t.failure(u, context)),
      encode,
    ),
  )

/** An amount of money to send, in major units of its currency: a plain decimal string, or a number. Sent as a string. */
export const Amount: Codec<number | string> = described(
  amountOf((amount) => (typeof amount === 'number' ? plain(amount) : amount)),
  patternOf(decimal),
)

/** An amount of money to send, like `Amount`. Sent as a number, with the digits of the string. */
export const NumberAmount: Codec<number | string> = described(
  amountOf((amount) =>
    typeof amount === 'string' && isDecimal(amount) ? new JsonNumber(amount) : amount,
  ),
  { type: 'number', minimum: 0 },
)

/**
 * Requires an amount to have no more decimals than its currency. If ISO 4217 does not list the currency, any number of decimals
 * is allowed. The field's own codec rejects values that are not amounts.
 */
export const heldBy = <A extends object>(
  amount: Extract<keyof A, string>,
  currency: Extract<keyof A, string>,
): Rule<A> => {
  const exponent = (a: A): number | undefined =>
    O.toUndefined(exponentOf(String(Reflect.get(a, currency))))
  return {
    field: amount,
    expected: `an amount with no more decimals than ${currency} allows`,
    explain: (a) =>
      `an amount with at most ${plural(exponent(a) ?? 0, 'decimal')}, the maximum for ${String(Reflect.get(a, currency))}`,
    broken: (a) => {
      const most = exponent(a)
      return most === undefined || decimalsOf(Reflect.get(a, amount)) <= most ? [] : [[amount]]
    },
  }
}

/** Returns the number of decimals of an amount, without trailing zeros; 0 for anything else. */
export const decimalsOf = (u: unknown): number => {
  if (!isDecimal(u)) return 0
  const [, fraction = ''] = (typeof u === 'number' ? plain(u) : u).split('.')
  return fraction.replace(/0+$/, '').length
}

/** An amount of money to send, in the smallest unit of its currency: 1050 is 10.50 EUR. */
export const MinorAmount: Codec<string> = matching(
  /^0*[1-9]\d*$/,
  'a positive whole number as text, in the smallest unit',
)

// values of a query: written as text, and read from it

/** Creates the codec of whole numbers from `min` to `max`; without `max`, of any size. */
export const intFrom = (min: number, max = Number.MAX_SAFE_INTEGER): Codec<number> => {
  const open = max === Number.MAX_SAFE_INTEGER
  const is = (u: unknown): u is number =>
    Number.isInteger(u) && Number(u) >= min && Number(u) <= max
  return described(
    new t.Type(
      `a whole number from ${min}${open ? '' : ` to ${max}`}`,
      is,
      (u, context) => {
        const n = typeof u === 'string' && /^-?\d+$/.test(u) ? Number(u) : u
        return is(n) ? t.success(n) : t.failure(u, context)
      },
      String,
    ),
    { type: 'integer', minimum: min, ...(open ? {} : { maximum: max }) },
  )
}

/** A boolean, sent as a string in a query. */
export const Flag: Codec<boolean> = described(
  new t.Type<boolean, unknown, unknown>(
    'boolean',
    t.boolean.is,
    (u, context) => {
      if (typeof u === 'boolean') return t.success(u)
      return u === 'true' || u === 'false' ? t.success(u === 'true') : t.failure(u, context)
    },
    String,
  ),
  { type: 'boolean' },
)

// objects, lists and enumerations

/** Creates the codec of a response value that may be null. */
export const nullable = <C extends t.Mixed>(codec: C): t.UnionC<[C, t.NullC]> =>
  t.union([codec, t.null])

/** Allows values that may be added to an enumeration, for responses. */
export const opened = <D extends { readonly [value: string]: unknown }>(
  codec: t.KeyofC<D>,
): OpenType<Extract<keyof D, string>> =>
  new OpenType(Object.keys(codec.keys) as Array<Extract<keyof D, string>>) // as in the type of `keyof`

export const isEmpty = (o: object): o is Readonly<Record<string, never>> =>
  Object.keys(o).length === 0

/** An object without fields. */
export const Empty: Codec<Readonly<Record<string, never>>> = described(
  t.refinement(t.type({}), isEmpty, 'an empty object'),
  { type: 'object', maxProperties: 0 },
)

/** Keys and values stored with a resource, which the service does not interpret. */
export const Metadata = t.UnknownRecord

interface ListBounds {
  readonly min: number
  readonly max?: number
  /** The noun for the items: singular if `min` is 1 and there is no `max`. */
  readonly noun: string
  readonly advice?: string
}

/**
 * Creates a codec of `min` to `max` items. Errors for more items include `advice`. The minimum is our assumption: not in the
 * API description.
 */
export const listOf = <A>(
  item: Codec<A>,
  { min, max, noun, advice }: ListBounds,
): Codec<ReadonlyArray<A>> =>
  described(
    t.refinement(
      t.readonlyArray(item),
      ({ length }) => length >= min && length <= (max ?? Number.POSITIVE_INFINITY),
      `a list of ${max === undefined ? `at least ${min}` : `${min} to ${max}`} ${noun}${advice === undefined ? '' : ` (${advice})`}`,
    ),
    {
      type: 'array',
      minItems: min,
      ...withoutUndefined({ maxItems: max }),
      'x-not-specified': ['minItems'],
    },
  )

/** A parameter that is repeated for each value (our assumption: not in the API description). */
export class RepeatedType<A> extends t.Type<ReadonlyArray<A>, unknown, unknown> {
  readonly _tag = 'RepeatedType'
  readonly type: Codec<A>

  constructor(type: Codec<A>) {
    const list = t.readonlyArray(type)
    super(
      `a list of ${type.name}`,
      list.is,
      (u, context) => {
        // so that a list of one value is still sent as a list
        const alone = typeof u === 'string' ? type.validate(u, context) : E.left([])
        return E.isRight(alone) ? t.success([alone.right]) : list.validate(u, context)
      },
      list.encode,
    )
    this.type = type
  }
}

export const repeated = <A>(type: Codec<A>): Codec<ReadonlyArray<A>> => new RepeatedType(type)
