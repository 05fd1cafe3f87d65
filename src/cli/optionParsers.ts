/** Parsers for the values of options. An invalid value is an `InvalidArgumentError` that describes the expected value. */
import { InvalidArgumentError } from 'commander'
import { Time, toMillis } from '../codec/times.js'
import { showValue } from '../decode/showValue.js'
import type { IO } from '../fp.js'
import { DAY, HOUR, MINUTE, SECOND } from '../report/text.js'

/** Rejects an empty value, which an unset shell variable leaves. */
export const nonEmpty = (text: string): string => {
  if (text !== '') return text
  throw new InvalidArgumentError('It should not be empty.')
}

/** Returns a parser for integers from `min` to `max`, inclusive. */
export const integer =
  (min: number, max = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const n = Number(text)
    if (/^\d+$/.test(text) && n >= min && n <= max) return n
    const range = max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`
    throw new InvalidArgumentError(`It should be a whole number ${range}.`)
  }

export const nonNegativeInteger = integer(0)

/** Parses a duration such as `5m`, or `forever` (ten years); returns seconds. */
export const patience = (text: string): number => {
  if (text === 'forever') return 3_650 * (DAY / SECOND)
  return spanOf(text, 'It should be a time such as 5m, or forever.') / SECOND
}

/** Maximum time limit for the first byte of a response. */
const LONGEST_TIMEOUT = 5 * MINUTE

/** Parses a duration from one second to five minutes; returns seconds. */
export const timeout = (text: string): number =>
  timeSpanFrom(SECOND, LONGEST_TIMEOUT)(text) / SECOND

type Edge = '00:00:00' | '23:59:59'

/**
 * Parses a time. Returns an ISO 8601 time unchanged. For a date, `today` or `yesterday`, returns the first or the last second
 * of the day in UTC (`edge`). For `now`, or a duration such as `24h` or `7d`, returns the current time, or the time that long
 * ago.
 */
export const timestamp =
  (edge: Edge, now: IO<number>) =>
  (text: string): string => {
    const time = relativeTime(text, now()) ?? text
    if (Time.is(time)) return time.includes('T') ? time : `${time}T${edge}+0000`
    throw new InvalidArgumentError(
      `It should be an ISO 8601 time such as 2026-01-31T12:00:00Z, a date, today, yesterday, or how long ago, such as 24h or 7d, but is ${showValue(text, Time)}.`,
    )
  }

/** Named days with the number of days before today. */
const DAYS: Readonly<Record<string, number>> = { today: 0, yesterday: 1 }

/** Returns the date of a named day, or the time that is a duration before now, in whole seconds. */
const relativeTime = (text: string, now: number): string | undefined => {
  const days = Object.hasOwn(DAYS, text) ? DAYS[text] : undefined
  if (days !== undefined) return new Date(now - days * DAY).toISOString().slice(0, DATE_LENGTH)
  const ago = text === 'now' ? 0 : millisOf(text)
  if (!Number.isSafeInteger(ago) || ago > now) return undefined
  return `${new Date(now - ago).toISOString().slice(0, SECOND_LENGTH)}+0000`
}

/** Text lengths of a date such as `2026-01-31` and a time such as `2026-01-31T12:00:00`. */
const [DATE_LENGTH, SECOND_LENGTH] = [10, 19]

export const currencyCode = (text: string): string => {
  if (/^[A-Z]{3}$/.test(text)) return text
  throw new InvalidArgumentError('It should be a currency code, such as USD.')
}

/** Parses `learned`, `safe` or a duration; returns ms for the latter. */
export const guard = (text: string): 'learned' | 'safe' | number =>
  text === 'learned' || text === 'safe'
    ? text
    : spanOf(text, 'It should be learned, safe, or a time such as 50ms.')

/** Parses a number above 0, up to 1. */
export const fraction = (text: string): number => {
  const n = Number(text)
  if (/^[\d.]+$/.test(text) && n > 0 && n <= 1) return n
  throw new InvalidArgumentError('It should be a number greater than 0 and at most 1, such as 0.5.')
}

/** Parses `id,amount`. */
export const commaSeparated = (text: string): ReadonlyArray<string> => {
  const names = text.split(',').map((name) => name.trim())
  if (names.every((name) => name !== '')) return names
  throw new InvalidArgumentError('It should be names separated by commas, such as id,amount.')
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: SECOND, m: MINUTE, h: HOUR, d: DAY }

/** Parses `7d`, `12h`, `30m`, `15s`, `200ms` or `0`; returns ms. */
export const timeSpan = (text: string): number =>
  spanOf(text, 'It should be a time such as 7d, 12h or 30m.')

/** Returns a parser for durations from `min` to `max`, inclusive; it returns ms. */
export const timeSpanFrom =
  (min: number, max = Number.POSITIVE_INFINITY) =>
  (text: string): number => {
    const range =
      max === Number.POSITIVE_INFINITY
        ? `of at least ${inUnits(min)}`
        : `from ${inUnits(min)} to ${inUnits(max)}`
    const expected = `It should be a time ${range}.`
    const ms = spanOf(text, expected)
    if (ms >= min && ms <= max) return ms
    throw new InvalidArgumentError(expected)
  }

/** Formats a duration in the largest unit that divides it, in the syntax of the options: `100ms`, `5m`. */
const inUnits = (ms: number): string => {
  const [unit, length] = Object.entries(UNITS).findLast(([, one]) => ms % one === 0) ?? ['ms', 1]
  return `${ms / length}${unit}`
}

const spanOf = (text: string, expected: string): number => {
  const ms = text === '0' ? 0 : millisOf(text)
  if (Number.isSafeInteger(ms)) return ms
  throw new InvalidArgumentError(
    /^\d+$/.test(text)
      ? 'It needs a unit: ms, s (seconds), m (minutes), h or d, as in 30s or 5m.'
      : expected,
  )
}

/** Parses a duration; returns `NaN` for anything else. */
const millisOf = (text: string): number => {
  const [, digits = '', unit = ''] = /^(\d+)(ms|[smhd])$/.exec(text) ?? []
  return digits === '' ? Number.NaN : Number(digits) * (UNITS[unit] ?? Number.NaN)
}

/** Parses `429=0.01,reset-before=0.01`: probabilities up to 1, by name of the fault. */
export const chances =
  <Name extends string>(names: ReadonlyArray<Name>) =>
  (text: string): Readonly<Record<string, number>> => {
    const isName = (name: string): boolean => names.some((one) => one === name)
    const pairs = text.split(',').map((pair) => pair.trim().split('='))
    for (const [name = '', chance = ''] of pairs) {
      const n = Number(chance)
      if (!isName(name)) {
        throw new InvalidArgumentError(`Each name should be one of ${names.join(', ')}.`)
      }
      if (!/^[\d.]+$/.test(chance) || !(n >= 0 && n <= 1)) {
        throw new InvalidArgumentError(
          `${name} should be a probability from 0 to 1, such as ${name}=0.01.`,
        )
      }
    }
    return Object.fromEntries(pairs.map(([name = '', chance]) => [name, Number(chance)]))
  }

/** Parses a time, `now`, `today`, `yesterday`, or an age such as `30d`. */
export const momentBefore =
  (now: IO<number>) =>
  (text: string): Date => {
    if (text === 'now') return new Date(now())
    const ago = millisOf(text)
    if (Number.isSafeInteger(ago)) return new Date(now() - ago)
    const time = relativeTime(text, now()) ?? text
    if (Time.is(time)) return new Date(toMillis(time))
    throw new InvalidArgumentError(
      'It should be an ISO 8601 time or date, now, today, yesterday, or how long ago, such as 30d.',
    )
  }
