/** Times in microseconds since 1970 in UTC: exact, or none. */

/** ISO 8601: a day, or a time with an offset. */
const TIME =
  /^\d{4}-\d\d-\d\d(?:T(?:[01]\d|2[0-3])(?::[0-5]\d){2}(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d))?$/

/** The end of a time: the fraction of a second, and the offset. */
const TAIL = /^(?:\.(\d+))?(?:Z|([+-])(\d\d):?(\d\d))$/

/** Returns `undefined` for a leap second, a day that does not exist, or digits below microseconds. A date is midnight UTC. */
export const microsOf = (text: string): bigint | undefined => {
  if (!TIME.test(text)) return undefined
  const day = secondsOfDay(text)
  if (day === undefined) return undefined
  if (text.length === 10) return BigInt(day) * 1_000_000n
  const seconds = day + two(text, 11) * 3_600 + two(text, 14) * 60 + two(text, 17)
  const tail = text.slice(19)
  if (tail === '+0000') return BigInt(seconds) * 1_000_000n
  const [, fraction = '', sign, hours = '0', minutes = '0'] = TAIL.exec(tail) ?? []
  if (/[^0]/.test(fraction.slice(6))) return undefined
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60 : 60)
  return BigInt(seconds - offset) * 1_000_000n + BigInt(fraction.slice(0, 6).padEnd(6, '0'))
}

/** 400 years, a calendar cycle, in seconds. Days are computed in the next one: `Date.UTC` maps years below 100 to 19xx. */
const CYCLE = 12_622_780_800

/** Returns the midnight at which a day starts, in seconds since 1970; `undefined` if the calendar does not have that day. */
const secondsOfDay = (text: string): number | undefined => {
  const month = two(text, 5) - 1
  const day = two(text, 8)
  const at = Date.UTC(two(text, 0) * 100 + two(text, 2) + 400, month, day)
  const isUsual = month >= 0 && month < 12 && day > 0 && day < 29
  return isUsual || isDay(new Date(at), month, day) ? at / 1_000 - CYCLE : undefined
}

const isDay = (date: Date, month: number, day: number): boolean =>
  date.getUTCMonth() === month && date.getUTCDate() === day

const two = (text: string, at: number): number =>
  text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 528

/** Returns the ISO 8601 text of a `Date`, even one from another realm. Returns any other value unchanged. */
export const dateAsText = (value: unknown): unknown =>
  typeof value === 'object' &&
  value !== null &&
  'toISOString' in value &&
  typeof value.toISOString === 'function' &&
  !Number.isNaN(Number(value))
    ? value.toISOString()
    : value

/** Formats a time as ISO 8601 with six decimals, so that the texts sort by time. */
export const isoMicros = (micros: bigint): string => {
  const rest = Number(((micros % 1_000n) + 1_000n) % 1_000n)
  const ms = Number((micros - BigInt(rest)) / 1_000n)
  return `${new Date(ms).toISOString().slice(0, -1)}${String(rest).padStart(3, '0')}Z`
}
