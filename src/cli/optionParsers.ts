/** Parsers for the values of options. A mistake is an `InvalidArgumentError` that says what was expected. */
import { InvalidArgumentError } from 'commander'
import { Time, toMillis } from '../codec/times.js'
import { showValue } from '../decode/showValue.js'
import { DAY, HOUR, MINUTE, SECOND } from '../report/text.js'

/** Rejects what an unset variable of a shell would leave. */
export const nonEmpty = (text: string): string => {
  if (text !== '') return text
  throw new InvalidArgumentError('It should not be empty.')
}

/** From `min` to `max`, both included. */
export const integer =
  (min: number, max = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const n = Number(text)
    if (/^\d+$/.test(text) && n >= min && n <= max) return n
    const range = max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`
    throw new InvalidArgumentError(`It should be a whole number ${range}.`)
  }

export const nonNegativeInteger = integer(0)

/** In seconds, also given as a time such as `5m`; `forever` is ten years. */
export const patience = (text: string): number => {
  if (text === 'forever') return 3_650 * (DAY / 1_000)
  const n = seconds(text)
  if (n <= Number.MAX_SAFE_INTEGER) return n
  throw new InvalidArgumentError('It should be seconds, a time such as 5m, or forever.')
}

/** In seconds, also given as a time such as `90s`: from 1 to `max`. */
export const secondsUpTo =
  (max: number) =>
  (text: string): number => {
    const n = seconds(text)
    if (n >= 1 && n <= max) return n
    throw new InvalidArgumentError(`It should be seconds from 1 to ${max}, or a time such as 90s.`)
  }

/** NaN for anything else. */
const seconds = (text: string): number =>
  /^\d+$/.test(text) ? Number(text) : millisOf(text) / 1_000

/** Returns an ISO 8601 time as it is, and for a date the second of that day in UTC that `edge` says. */
export const timestamp =
  (edge: '00:00:00' | '23:59:59') =>
  (text: string): string => {
    if (!Time.is(text)) {
      throw new InvalidArgumentError(
        `It should be an ISO 8601 time, such as 2026-01-31T12:00:00Z, or a date, and is ${showValue(text, Time)}.`,
      )
    }
    return text.includes('T') ? text : `${text}T${edge}+0000`
  }

export const currencyCode = (text: string): string => {
  if (/^[A-Z]{3}$/.test(text)) return text
  throw new InvalidArgumentError('It should be a currency code, such as USD.')
}

/** A number is in ms. */
export const guard = (text: string): 'learned' | 'safe' | number => {
  if (text === 'learned' || text === 'safe') return text
  if (/^\d+$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It should be learned, safe, or milliseconds.')
}

/** Above 0, up to 1. */
export const fraction = (text: string): number => {
  const n = Number(text)
  if (/^[\d.]+$/.test(text) && n > 0 && n <= 1) return n
  throw new InvalidArgumentError('It should be a number above 0 and up to 1, such as 0.5.')
}

/** Parses `id,amount`. */
export const commaSeparated = (text: string): ReadonlyArray<string> => {
  const names = text.split(',').map((name) => name.trim())
  if (names.every((name) => name !== '')) return names
  throw new InvalidArgumentError('It should be names with commas between them, such as id,amount.')
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: SECOND, m: MINUTE, h: HOUR, d: DAY }

/** Parses `7d`, `12h`, `30m`, `15s` or `200ms`; returns ms. */
export const timeSpan = (text: string): number => {
  const ms = millisOf(text)
  if (Number.isSafeInteger(ms)) return ms
  throw new InvalidArgumentError('It should be a time such as 7d, 12h or 30m.')
}

/** NaN for anything else. */
const millisOf = (text: string): number => {
  const [, digits = '', unit = ''] = /^(\d+)(ms|[smhd])$/.exec(text) ?? []
  return digits === '' ? Number.NaN : Number(digits) * (UNITS[unit] ?? Number.NaN)
}

/** Parses `429=0.01,reset-before=0.01`: probabilities by the names of faults, each up to 1. */
export const chances =
  <Name extends string>(names: ReadonlyArray<Name>) =>
  (text: string): Readonly<Record<string, number>> => {
    const isName = (name: string): boolean => names.some((one) => one === name)
    const pairs = text.split(',').map((pair) => pair.trim().split('='))
    for (const [name = '', chance = ''] of pairs) {
      const n = Number(chance)
      if (!isName(name)) {
        throw new InvalidArgumentError(`The faults are ${names.join(', ')}.`)
      }
      if (!/^[\d.]+$/.test(chance) || !(n >= 0 && n <= 1)) {
        throw new InvalidArgumentError(
          `${name} should be a chance from 0 to 1, such as ${name}=0.01.`,
        )
      }
    }
    return Object.fromEntries(pairs.map(([name = '', chance]) => [name, Number(chance)]))
  }

/** Parses a time, `now`, or a span before now such as `30d`. */
export const momentBefore =
  (now: () => number) =>
  (text: string): Date => {
    if (text === 'now') return new Date(now())
    const ago = millisOf(text)
    if (Number.isSafeInteger(ago)) return new Date(now() - ago)
    if (Time.is(text)) return new Date(toMillis(text))
    throw new InvalidArgumentError(
      'It should be an ISO 8601 time or date, now, or a time before now such as 30d.',
    )
  }
