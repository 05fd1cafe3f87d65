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

// letter by letter: every row of every list has one, and a regular expression takes ten times as long
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

/** Counts code points, each of which is one or two of the units that `length` counts. */
const isOfLength = (text: string, min: number, max: number): boolean => {
  const { length } = text
  if (length < min || length > 2 * max) return false
  if (length >= 2 * min && length <= max) return true
  const points = [...text].length
  return points >= min && points <= max
}

/** A text of `min` to `max` characters, as a person counts them (code points). */
export const textOf = (min: number, max: number): Codec<string> =>
  described(
    t.refinement(
      t.string,
      (text) => isOfLength(text, min, max),
      `a text of ${min} to ${max} characters`,
    ),
    { type: 'string', minLength: min, maxLength: max },
  )

/** A text that is not empty. */
export const Filled: Codec<string> = described(
  t.refinement(t.string, (text) => text !== '', 'a text that is not empty'),
  { type: 'string', minLength: 1 },
)

/** A 2-letter ISO 3166 code. */
export const Country: Codec<string> = matching(/^[A-Z]{2}$/, 'a country code of 2 capital letters')

/** A SWIFT code (BIC). Its length is a default, not specified by the interface document. */
export const SwiftCode: Codec<string> = matching(
  /^[A-Za-z0-9]{8}([A-Za-z0-9]{3})?$/,
  'a SWIFT code of 8 or 11 letters and digits',
  { 'x-not-specified': ['pattern'] },
)

/** A text that fits a header. */
export const HeaderText: Codec<string> = matching(
  /^[!-~]([ -~]*[!-~])?$/,
  'a text that fits a header',
)

/** A finite number, as JSON has only those. */
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

/**
 * An amount of money to send, in major units of its currency: plain decimal text, or a number,
 * which is written as such. Sent as text (interface, Charge).
 */
export const Amount: Codec<number | string> = described(
  amountOf((amount) => (typeof amount === 'number' ? plain(amount) : amount)),
  patternOf(decimal),
)

/** An amount of money to send, as `Amount`. Sent as a number, with the digits of its text. */
export const NumberAmount: Codec<number | string> = described(
  amountOf((amount) =>
    typeof amount === 'string' && isDecimal(amount) ? new JsonNumber(amount) : amount,
  ),
  { type: 'number', minimum: 0 },
)

/**
 * Requires that a currency can hold an amount: that it has no more decimals than the currency. One that ISO 4217 does not
 * know holds any. A value that is no amount is left to the codec of its field.
 */
export const heldBy = <A extends object>(
  amount: Extract<keyof A, string>,
  currency: Extract<keyof A, string>,
): Rule<A> => {
  const exponent = (a: A): number | undefined =>
    O.toUndefined(exponentOf(String(Reflect.get(a, currency))))
  return {
    field: amount,
    expected: `an amount with no more decimals than ${currency} has`,
    explain: (a) =>
      `an amount of ${plural(exponent(a) ?? 0, 'decimal')} at most, as ${String(Reflect.get(a, currency))} has`,
    broken: (a) => {
      const most = exponent(a)
      return most === undefined || decimalsOf(Reflect.get(a, amount)) <= most ? [] : [[amount]]
    },
  }
}

/** Returns the decimals of an amount, without zeros at its end; 0 for anything else. */
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

/** A whole number from `min` to `max`; without that, as large as there are. */
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

/** A boolean, as text in a query. */
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

/** A value that may be null in an answer. */
export const nullable = <C extends t.Mixed>(codec: C): t.UnionC<[C, t.NullC]> =>
  t.union([codec, t.null])

/** Opens an enumeration to values that may be added: for answers. */
export const opened = <D extends { readonly [value: string]: unknown }>(
  codec: t.KeyofC<D>,
): OpenType<Extract<keyof D, string>> =>
  new OpenType(Object.keys(codec.keys) as Array<Extract<keyof D, string>>) // what keyof says

export const isEmpty = (o: object): o is Readonly<Record<string, never>> =>
  Object.keys(o).length === 0

/** An object without fields, where one is sent for nothing. */
export const Empty: Codec<Readonly<Record<string, never>>> = described(
  t.refinement(t.type({}), isEmpty, 'an empty object'),
  { type: 'object', maxProperties: 0 },
)

/** Keys and values that are stored with a resource, and mean nothing to the service. */
export const Metadata = t.UnknownRecord

interface ListBounds {
  readonly min: number
  readonly max?: number
  /** The noun for the items; in the singular where `min` is 1 and there is no `max`. */
  readonly noun: string
  readonly advice?: string
}

/**
 * A list of `min` to `max` items, with `advice` if there are more. The minimum is a default, not specified by the
 * interface document.
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

/** A parameter that is repeated for each value (default, not specified by the interface document). */
export class RepeatedType<A> extends t.Type<ReadonlyArray<A>, unknown, unknown> {
  readonly _tag = 'RepeatedType'
  readonly type: Codec<A>

  constructor(type: Codec<A>) {
    const list = t.readonlyArray(type)
    super(
      `a list of ${type.name}`,
      list.is,
      (u, context) => {
        // one value alone does not show that it is a list
        const alone = typeof u === 'string' ? type.validate(u, context) : E.left([])
        return E.isRight(alone) ? t.success([alone.right]) : list.validate(u, context)
      },
      list.encode,
    )
    this.type = type
  }
}

export const repeated = <A>(type: Codec<A>): Codec<ReadonlyArray<A>> => new RepeatedType(type)
