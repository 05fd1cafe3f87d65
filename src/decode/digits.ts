import { O } from '../fp.js'

/** The key of the digits of an object's numbers. Spread and `Object.assign` take them along. */
const digits = Symbol.for('payments-rx.digits')

type Digits = Record<string, string>

const keptDigits = (holder: object): Digits | undefined => {
  const own: unknown = Reflect.get(holder, digits)
  return typeof own === 'object' && own !== null ? (own as Digits) : undefined // only written below
}

function keep(this: object, key: string, value: unknown, context?: { readonly source?: string }) {
  if (typeof value === 'number' && context?.source !== undefined) {
    const own = keptDigits(this) ?? Object.create(null)
    own[key] = context.source
    Reflect.set(this, digits, own)
  }
  return value
}

/**
 * Parses JSON like `JSON.parse`, and keeps the digits of each number beside it: of `12.50`, or of one with more
 * digits than a number holds. Takes about eight times as long. Throws what `JSON.parse` throws, and the
 * `RangeError` of a full stack for what is nested thousands of levels deep.
 */
export const parseExact = (text: string): unknown => JSON.parse(text, keep)

/** Copies the digits that are kept beside `holder` to a new object; they count where the number is the same. */
export const withDigitsOf =
  (holder: object) =>
  <A extends object>(anew: A): A => {
    const own = keptDigits(holder)
    if (own !== undefined) Reflect.set(anew, digits, own)
    return anew
  }

/**
 * Returns the number under `key` as decimal text, digit by digit as it came, if `parseExact` read it. None
 * if the number was changed since, or if its object was made anew, as `strict` does to strip a key.
 */
export const digitsOf =
  <K extends string>(key: K) =>
  (holder: { readonly [Key in K]?: unknown }): O.Option<string> => {
    const text = keptDigits(holder)?.[key]
    return text !== undefined && Object.is(Number(text), holder[key]) ? O.some(text) : O.none
  }
