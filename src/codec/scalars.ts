/** The single values that resources and parameters are made of. */
import * as t from 'io-ts'
import { E, pipe } from '../fp.js'
import type { Codec } from './Codec.js'
import { fromDate, Instant } from './Instant.js'

// responses and parameters

/** A 3-letter ISO 4217 code. */
export const Currency: Codec<string> = t.refinement(
  t.string,
  (text) => /^[A-Z]{3}$/.test(text),
  'a currency code of 3 capital letters',
)

// parameters

/** A text of `min` to `max` characters, as a person counts them (code points). */
export const textOf = (min: number, max: number): Codec<string> =>
  t.refinement(
    t.string,
    (text) => {
      const length = text.length <= max ? text.length : [...text].length
      return length >= min && length <= max
    },
    `a text of ${min} to ${max} characters`,
  )

/** A whole number from `min` to `max`; text where it is written into a query. */
export const intFrom = (min: number, max: number): Codec<number> => {
  const name = `a whole number from ${min}${max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`}`
  const is = (u: unknown): u is number =>
    Number.isInteger(u) && Number(u) >= min && Number(u) <= max
  return new t.Type(
    name,
    is,
    (u, context) => {
      const n = typeof u === 'string' && /^-?\d+$/.test(u) ? Number(u) : u
      return is(n) ? t.success(n) : t.failure(u, context)
    },
    String,
  )
}

/** A time to filter by: a `Date`, or ISO 8601 text, which is sent as it is. */
export const Time: Codec<Date | string> = new t.Type<Date | string, string, unknown>(
  'a Date or an ISO 8601 time',
  (u): u is Date | string => (u instanceof Date ? !Number.isNaN(u.getTime()) : Instant.is(u)),
  (u, context) =>
    u instanceof Date && !Number.isNaN(u.getTime())
      ? t.success(u)
      : pipe(
          Instant.validate(u, context),
          E.match(() => t.failure(u, context), t.success),
        ),
  (time) => (time instanceof Date ? fromDate(time) : time),
)

const decimal = /^\d+(\.\d+)?$/

/**
 * An amount of money to send, in whole units of its currency: plain decimal text, or a number that
 * prints as such. Sent as text (interface, Charge).
 */
export const Amount: Codec<number | string> = new t.Type<number | string, string, unknown>(
  'an amount as plain decimal text, such as "9.99"',
  (u): u is number | string =>
    (typeof u === 'string' || typeof u === 'number') && decimal.test(String(u)),
  (u, context) =>
    (typeof u === 'string' || typeof u === 'number') && decimal.test(String(u))
      ? t.success(u)
      : t.failure(u, context),
  (amount) => (typeof amount === 'number' ? String(amount) : amount),
)
