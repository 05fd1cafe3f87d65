/** Times and days to send. Text is sent as it is; a `Date` in the shape of the interface's examples. */
import * as t from 'io-ts'
import type { Codec } from './Codec.js'
import { fromDate, Instant, millisOf } from './Instant.js'
import { described } from './Schema.js'

const DAY = /^\d{4}-\d\d-\d\d$/

/** One that can be written: years have four digits. */
const isDate = (u: unknown): u is Date => {
  const year = u instanceof Date ? u.getUTCFullYear() : Number.NaN
  return year >= 0 && year <= 9_999
}

/** Whether the day that a text starts with is in the calendar: 29 February only in its years. */
const isDay = (text: string): boolean => {
  const day = text.slice(0, 10)
  const date = new Date(`${day}T00:00:00Z`)
  return isDate(date) && date.toISOString().startsWith(day)
}

const time = (name: string, fits: (text: string) => boolean): Codec<Date | string> => {
  const is = (u: unknown): u is Date | string => isDate(u) || (Instant.is(u) && isDay(u) && fits(u))
  return described(
    new t.Type<Date | string, string, unknown>(
      name,
      is,
      (u, context) => (is(u) ? t.success(u) : t.failure(u, context)),
      (time) => (time instanceof Date ? fromDate(time) : time),
    ),
    Instant.schema,
  )
}

/** A time to filter by: a `Date`, or ISO 8601 text. */
export const Time: Codec<Date | string> = time('a Date or an ISO 8601 time', () => true)

/** A moment: a `Date`, or ISO 8601 text with a time of day. */
export const DateTime: Codec<Date | string> = time('a Date or an ISO 8601 date and time', (text) =>
  text.includes('T'),
)

/** A day, or a time on it. Text only: which day a `Date` is on depends on where one stands. */
export const Day: Codec<string> = described(
  t.refinement(
    t.string,
    (text) => Instant.is(text) && isDay(text),
    'an ISO 8601 date, such as "2026-01-31"',
  ),
  Instant.schema,
)

/** A day without a time. */
export const PlainDate: Codec<string> = described(
  t.refinement(t.string, (text) => DAY.test(text) && isDay(text), 'a date as YYYY-MM-DD'),
  { type: 'string', pattern: DAY.source },
)

/** The moment that a time to send stands for, in ms since 1970; NaN for what is none. */
export const toMillis = (time: Date | string): number =>
  time instanceof Date ? time.getTime() : millisOf(time)
