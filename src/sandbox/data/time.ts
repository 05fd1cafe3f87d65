/** Times as the service writes them: `YYYY-MM-DDThh:mm:ss+0000`. All arguments are in ms since 1970. */
import { fromDate, Instant } from '../../codec/Instant.js'

/** One day, in ms. */
export const DAY = 24 * 3_600_000

/** The last second with a four-digit year, in ms since 1970. */
const LAST = Date.UTC(9999, 11, 31, 23, 59, 59)

/** Formats a time in whole seconds. A fraction is truncated. */
export const timeText = (ms: number): string => fromDate(new Date(ms))

/**
 * Returns a function that writes times given in seconds since 1970. It caches the text of the last day, because generated
 * charges are close to each other and `Date` takes six times as long.
 */
export const timeWriter = (): ((seconds: number) => string) => {
  let day = Number.NaN
  let dayText = ''
  return (seconds) => {
    const second = seconds % 86_400
    if (seconds - second !== day) {
      day = seconds - second
      dayText = dayAt(day * 1_000)
    }
    const hour = twoDigits(Math.floor(second / 3_600))
    const minute = twoDigits(Math.floor(second / 60) % 60)
    return `${dayText}T${hour}:${minute}:${twoDigits(second % 60)}+0000`
  }
}

const twoDigits = (n: number): string => (n < 10 ? `0${n}` : `${n}`)

export const instantAt = (ms: number): Instant => asInstant(timeText(ms))

/** Returns the day in UTC: `YYYY-MM-DD`. */
export const dayAt = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

export const dayInstantAt = (ms: number): Instant => asInstant(dayAt(ms))

/** Returns the end of a period of `life` ms from `now`, in whole ms, at most the last time that can be written. */
export const endAt = (now: number, life: number): number => Math.min(Math.floor(now + life), LAST)

const asInstant = (text: string): Instant => {
  if (!Instant.is(text)) throw new RangeError(`${text} is after the year 9999`)
  return text
}
