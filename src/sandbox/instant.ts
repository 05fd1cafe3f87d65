import { Instant } from '../codec/Instant.js'
import { timeText } from './account/time.js'

/** Whole seconds since 1970, as the service writes times. */
export const instant = (seconds: number): Instant => {
  const text = timeText(seconds)
  if (!Instant.is(text))
    throw new RangeError(`${seconds} s since 1970 is not before the year 10000`)
  return text
}

/** The same for ms since 1970; what is less than a second is cut. */
export const instantAt = (ms: number): Instant => instant(Math.floor(ms / 1_000))

/** The last second that a time can say, in ms since 1970. */
const LAST = Date.UTC(9999, 11, 31, 23, 59, 59)

/** The end of what begins now and lasts so many ms: a whole ms, and one that a time can say. */
export const endAt = (now: number, life: number): number => Math.min(Math.floor(now + life), LAST)

/** The day of a moment in UTC: `YYYY-MM-DD`. */
export const dayAt = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** The same as a point in time. */
export const dayInstantAt = (ms: number): Instant => {
  const text = dayAt(ms)
  if (!Instant.is(text)) throw new RangeError(`${ms} ms since 1970 is on no day of the calendar`)
  return text
}

/** One day, in ms. */
export const DAY = 24 * 3_600_000
