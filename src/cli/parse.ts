/** What stands behind an option, as a value; a mistake says what was expected. */
import { InvalidArgumentError } from 'commander'
import { Instant } from '../codec/Instant.js'

export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const n = Number(text)
    if (/^\d+$/.test(text) && n >= min && n <= max) return n
    const range = max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`
    throw new InvalidArgumentError(`It should be a whole number ${range}.`)
  }

/** An ISO 8601 time as it is; a plain date is the second of that day, in UTC, which `edge` says. */
export const time =
  (edge: '00:00:00' | '23:59:59') =>
  (text: string): string => {
    if (!Instant.is(text)) {
      throw new InvalidArgumentError(
        'It should be an ISO 8601 time, such as 2026-01-31T12:00:00Z, or a date.',
      )
    }
    return text.includes('T') ? text : `${text}T${edge}+0000`
  }

export const currency = (text: string): string => {
  if (/^[A-Z]{3}$/.test(text)) return text
  throw new InvalidArgumentError('It should be a currency code, such as USD.')
}

/** `learned`, `safe`, or ms. */
export const guard = (text: string): 'learned' | 'safe' | number => {
  if (text === 'learned' || text === 'safe') return text
  if (/^\d+$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It should be learned, safe, or milliseconds.')
}
