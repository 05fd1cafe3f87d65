import { O } from '../fp.js'

/** The key under which an object stores the digits of its numbers. Spread and `Object.assign` copy it. */
const digits = Symbol.for('payments-rx.digits')

type Digits = Record<string, string>

const keptDigits = (holder: object): Digits | undefined => {
  const own: unknown = Reflect.get(holder, digits)
  return typeof own === 'object' && own !== null ? (own as Digits) : undefined // set only below
}

const keeping = (isKept: (source: string) => boolean) =>
  function keep(this: object, key: string, value: unknown, context?: { readonly source?: string }) {
    if (typeof value === 'number' && context?.source !== undefined && isKept(context.source)) {
      const own = keptDigits(this) ?? Object.create(null)
      own[key] = context.source
      Reflect.set(this, digits, own)
    }
    return value
  }

const keep = keeping(() => true)

/**
 * Parses JSON like `JSON.parse`, and keeps the original digits of each number, such as `12.50` or more digits than a double
 * holds. Takes about eight times as long. Throws like `JSON.parse`, and throws a `RangeError` if the JSON is nested thousands of
 * levels deep.
 */
export const parseExact = (text: string): unknown => JSON.parse(text, keep)

/** Matches a number of at least twelve characters or with a two-digit exponent. No other can be rounded or overflow. */
const LONG = /[:[,\s]-?(?:[\d.]{12}|\d[\d.]*[eE][+-]?\d\d)/

const keepLong = keeping((source) => source.length >= 12 || /e/i.test(source))

/** Parses JSON like `JSON.parse`, but keeps the digits of each number that could be rounded. */
export const parseWithDigits = (text: string): unknown =>
  JSON.parse(text, LONG.test(text) ? keepLong : undefined)

/** Returns true if the digits of a number are stored in this value or inside it. */
const keepsDigits = (u: unknown): boolean => {
  if (typeof u !== 'object' || u === null) return false
  if (keptDigits(u) !== undefined) return true
  for (const key in u) {
    const value: unknown = Reflect.get(u, key)
    if (typeof value === 'object' && keepsDigits(value)) return true
  }
  return false
}

/** Copies the stored digits of `holder` to a new object. They are valid as long as the number is unchanged. */
export const withDigitsOf =
  (holder: object) =>
  <A extends object>(anew: A): A => {
    const own = keptDigits(holder)
    if (own !== undefined) Reflect.set(anew, digits, own)
    return anew
  }

/**
 * Returns the number under `key` as a decimal string with its original digits, if `parseExact` read it. Returns `none` if the
 * number has changed since, or if its object was copied; `strict` copies an object to strip a key.
 */
export const digitsOf =
  <K extends string>(key: K) =>
  (holder: { readonly [Key in K]?: unknown }): O.Option<string> => {
    const text = keptDigits(holder)?.[key]
    return text !== undefined && Object.is(Number(text), holder[key]) ? O.some(text) : O.none
  }

/** `rawJSON` is part of ES2026. Node 22 has it, but the types do not have it yet. */
const json: JSON & { readonly rawJSON?: (text: string) => unknown } = JSON

function withDigits(this: unknown, key: string, value: unknown): unknown {
  if (typeof value !== 'number' || typeof this !== 'object' || this === null) return value
  if (json.rawJSON === undefined)
    throw new TypeError('payments-rx needs JSON.rawJSON, which Node has from 22.15 on')
  const digits = digitsOf(key)(this)
  return O.isSome(digits) ? json.rawJSON(digits.value) : value
}

/**
 * Writes a value as JSON like `JSON.stringify`, with the original digits of its numbers where kept: see `parseExact`. Writes
 * `null` for `undefined`.
 */
export const stringifyExact = (value: unknown): string =>
  JSON.stringify(value, keepsDigits(value) ? withDigits : undefined) ?? 'null'
