/** Times in microseconds since 1970 in UTC, exactly or not at all. */

/** ISO 8601, a day or a time with an offset. */
const shape =
  /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):?(\d\d)))?$/

/**
 * Undefined for what no clock shows (30 February, a leap second) and for what is finer than a
 * microsecond. A plain date is its midnight in UTC.
 */
export const microsOf = (text: string): bigint | undefined => {
  const usual = usualSeconds(text)
  if (usual !== undefined) return BigInt(usual) * 1_000_000n
  const [all, year, month, day, ...time] = shape.exec(text) ?? []
  if (all === undefined) return undefined
  const [hours, minutes, seconds, fraction = '', sign, offsetHours, offsetMinutes] = time
  if (/[^0]/.test(fraction.slice(6))) return undefined
  const n = (digits: string | undefined): number => Number(digits ?? 0)
  const offset = (n(offsetHours) * 60 + n(offsetMinutes)) * (sign === '-' ? -1 : 1)
  const clock: Clock = [n(year), n(month), n(day), n(hours), n(minutes), n(seconds)]
  const whole = n(offsetHours) < 24 && n(offsetMinutes) < 60 ? secondsOf(clock, offset) : undefined
  return whole === undefined
    ? undefined
    : BigInt(whole) * 1_000_000n + BigInt(fraction.slice(0, 6).padEnd(6, '0'))
}

/** Year, month, day, hours, minutes, seconds. */
type Clock = readonly [number, number, number, number, number, number]

/** Of each month, in years that are no leap years. */
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

/** Since 1970 in UTC, of a clock that is `offset` minutes ahead; undefined if no clock shows it. */
const secondsOf = ([y, mo, d, h, mi, s]: Clock, offset: number): number | undefined => {
  const days = mo === 2 && isLeap(y) ? 29 : DAYS[mo - 1]
  if (days === undefined || d < 1 || d > days || h > 23 || mi > 59 || s > 59) return undefined
  return midnight(y, mo, d) + h * 3_600 + (mi - offset) * 60 + s
}

/** `Date.UTC` takes the years up to 99 for those of the last century, but 400 years later alike. */
const midnight = (y: number, mo: number, d: number): number =>
  y < 100 ? Date.UTC(y + 400, mo - 1, d) / 1_000 - 12_622_780_800 : Date.UTC(y, mo - 1, d) / 1_000

/** A `Date` that is a time as ISO 8601, to the ms; all else as it is. */
export const asText = (value: unknown): unknown =>
  value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString() : value

/** Two digits as a number; NaN where there are none. */
const two = (text: string, at: number): number => {
  const tens = text.charCodeAt(at) - 48
  const ones = text.charCodeAt(at + 1) - 48
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}

/** Of the shape of nearly all times, `YYYY-MM-DDThh:mm:ss+0000`, at a tenth of the cost. */
const usualSeconds = (text: string): number | undefined => {
  if (text.length !== 24 || !text.endsWith('+0000') || text[4] !== '-' || text[7] !== '-')
    return undefined
  if (text[10] !== 'T' || text[13] !== ':' || text[16] !== ':') return undefined
  const year = two(text, 0) * 100 + two(text, 2)
  const clock: Clock = [
    year,
    two(text, 5),
    two(text, 8),
    two(text, 11),
    two(text, 14),
    two(text, 17),
  ]
  const seconds = secondsOf(clock, 0)
  return Number.isNaN(seconds) ? undefined : seconds
}
