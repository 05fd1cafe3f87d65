import * as t from 'io-ts'
import { type Codec, described, patternOf } from './Codec.js'

/** The brand that distinguishes an `Instant` from other strings. */
export interface InstantBrand {
  /** Exists in types only. */
  readonly Instant: unique symbol
}

/**
 * A point in time, in the text that the service sent, so exports keep the original. `toDate` parses it. Accepts offsets
 * `+hhmm`, `+hh:mm` and `Z`, an optional fraction of a second, and plain dates (our assumption: not in the API description).
 */
export type Instant = t.Branded<string, InstantBrand>

/** Pattern of a date. Does not check that the month has this day. */
export const DATE = String.raw`\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])`

const TIME = String.raw`T([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(Z|[+-]\d\d:?\d\d)`

const shape = new RegExp(`^${DATE}(${TIME})?$`)

/**
 * Tests for the format in the API description, `YYYY-MM-DDThh:mm:ss+hhmm`. Nearly all times have it, and this test takes half
 * the time of the full expression.
 */
const usualShape =
  /^\d\d\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)[+-]\d\d\d\d$/

const isUsual = (text: string): boolean => usualShape.test(text)

export const Instant: Codec<Instant> = described(
  t.brand(t.string, (text): text is Instant => isUsual(text) || shape.test(text), 'Instant'),
  patternOf(shape),
)

// interop

/** Converts to a `Date`. A plain date becomes midnight UTC; a leap second becomes the second before. */
export const toDate = (instant: Instant): Date =>
  new Date(
    instant
      .replace(/:60(?=[.Z+-])/, ':59')
      .replace(/(\.\d{3})\d+/, '$1')
      .replace(/([+-]\d\d)(\d\d)$/, '$1:$2'), // no plain date has this ending
  )

/** Returns ms since 1970, in most cases without a `Date`; NaN for anything but an `Instant`. */
export const millisOf = (u: unknown): number => {
  if (typeof u !== 'string') return Number.NaN
  if (isUsual(u)) return parseCommon(u)
  return Instant.is(u) ? toDate(u).getTime() : Number.NaN
}

const parseCommon = (text: string): number => {
  const offset = two(text, 20) * 60 + two(text, 22)
  const minutes =
    (days(two(text, 0) * 100 + two(text, 2), two(text, 5), two(text, 8)) * 24 + two(text, 11)) *
      60 +
    two(text, 14) -
    (text[19] === '-' ? -offset : offset)
  return (minutes * 60 + Math.min(59, two(text, 17))) * 1_000
}

/** Returns two digits as a number. */
const two = (text: string, at: number): number =>
  (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48

/** Returns the days since 1970, by Howard Hinnant's `days_from_civil`: years begin in March. */
const days = (year: number, month: number, day: number): number => {
  const y = month > 2 ? year : year - 1
  const era = Math.floor(y / 400)
  const ofEra = y - era * 400
  const ofYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  return (
    era * 146_097 + ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + ofYear - 719_468
  )
}

/** Converts a `Date` to `YYYY-MM-DDThh:mm:ss+0000`, the format in the API description. */
export const fromDate = (date: Date): string => `${date.toISOString().slice(0, 19)}+0000`
