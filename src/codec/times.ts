/** Times and days to send. Strings are sent unchanged; a `Date` is sent in the format of the API description's examples. */

import * as t from 'io-ts'
import { dated } from '../decode/showValue.js'
import { isDate } from '../decode/unknown.js'
import { type Codec, described, patternOf } from './Codec.js'
import { DATE, fromDate } from './Instant.js'

const HOUR = String.raw`([01]\d|2[0-3])`

const OFFSET = `(Z|[+-]${HOUR}(:?[0-5]\\d)?)`

/** Pattern of a time of day, to the minute, the second or a fraction of a second; `24:00` is the end of the day. */
const CLOCK = String.raw`T(${HOUR}:[0-5]\d(:([0-5]\d|60)([.,]\d+)?)?|24:00(:00([.,]0+)?)?)${OFFSET}?`

const DAY = /^\d{4}-\d\d-\d\d$/

const dateTime = new RegExp(`^${DATE}${CLOCK}$`)

const dateOrTime = new RegExp(`^${DATE}(${CLOCK})?$`)

/** Accepts dates whose year has four digits. */
const isWritable = (u: unknown): u is Date => {
  const year = isDate(u) ? u.getUTCFullYear() : Number.NaN
  return year >= 0 && year <= 9_999
}

/** Returns true if the day at the start of a string exists; 29 February exists only in leap years. */
const isDay = (text: string): boolean => {
  const day = text.slice(0, 10)
  const date = new Date(`${day}T00:00:00Z`)
  return isWritable(date) && date.toISOString().startsWith(day)
}

const time = (name: string, shape: RegExp): Codec<Date | string> => {
  const is = (u: unknown): u is Date | string =>
    isWritable(u) || (typeof u === 'string' && shape.test(u) && isDay(u))
  const codec = new t.Type<Date | string, string, unknown>(
    name,
    is,
    (u, context) => (is(u) ? t.success(u) : t.failure(u, context)),
    (time) => (isDate(time) ? fromDate(time) : time),
  )
  return dated(described(codec, patternOf(shape)))
}

/** A time to filter by: a `Date`, or an ISO 8601 string. */
export const Time: Codec<Date | string> = time('a Date or an ISO 8601 time', dateOrTime)

/** A date and time: a `Date`, or an ISO 8601 string with a time of day. */
export const DateTime: Codec<Date | string> = time('a Date or an ISO 8601 date and time', dateTime)

/**
 * A day, or a time on that day; empty for none. Only strings are accepted, because the day of a `Date` depends on the time
 * zone.
 */
export const Day: Codec<string> = dated(
  described(
    t.refinement(
      t.string,
      (text) => text === '' || (dateOrTime.test(text) && isDay(text)),
      'an ISO 8601 date, such as "2026-01-31"',
    ),
    { type: 'string', pattern: `^$|${dateOrTime.source}` },
  ),
)

/** A day without a time. */
export const PlainDate: Codec<string> = dated(
  described(
    t.refinement(
      t.string,
      (text) => DAY.test(text) && isDay(text),
      'a date in the form YYYY-MM-DD',
    ),
    patternOf(DAY),
  ),
)

/**
 * Converts a time parameter to ms since 1970, or to `NaN` if it is invalid. A time without an offset is in UTC. A plain date is
 * midnight UTC, and a leap second is the second before.
 */
export const toMillis = (time: Date | string): number => {
  if (isDate(time)) return time.getTime()
  if (!Time.is(time)) return Number.NaN
  const [day = '', clock = '00:00'] = time.split('T')
  const [, hours, seconds = ':00', fraction = '', offset = 'Z'] =
    /^(\d\d:\d\d)(:\d\d)?([.,]\d+)?(Z|[+-].+)?$/.exec(clock) ?? []
  const second = seconds === ':60' ? ':59' : seconds
  const [, sign = '', hour = '', minute = '00'] = /^([+-])(\d\d):?(\d\d)?$/.exec(offset) ?? []
  const zone = sign === '' ? 'Z' : `${sign}${hour}:${minute}`
  return Date.parse(`${day}T${hours}${second}${fraction.replace(',', '.').slice(0, 4)}${zone}`)
}
