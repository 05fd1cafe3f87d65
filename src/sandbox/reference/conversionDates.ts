/** The days on which currencies are not converted: weekends, and two holidays. */
import type { InvalidConversionDates } from '../../codec/conversion.js'
import { DAY, dayAt, dayInstantAt } from '../instant.js'
import { isConvertible } from '../rates.js'

type InvalidDate = InvalidConversionDates['invalid_conversion_dates'][number]

/** How far ahead days are told. */
const DAYS = 365

const holidays: Readonly<Record<string, string>> = {
  '01-01': "New Year's Day",
  '12-25': 'Christmas Day',
}

const reasonFor = (at: number): string | undefined => {
  const weekday = new Date(at).getUTCDay()
  return holidays[dayAt(at).slice(5)] ?? (weekday === 0 || weekday === 6 ? 'Weekend' : undefined)
}

/** From a moment on, in ms since 1970. */
export const invalidDates = (now: number): Array<InvalidDate> =>
  Array.from({ length: DAYS }, (_, n) => now + n * DAY).flatMap((at) => {
    const reason = reasonFor(at)
    return reason === undefined ? [] : [{ date: dayInstantAt(at), reason }]
  })

/** Two different currencies that can be converted. */
export const isPair = (text: string): boolean =>
  /^[A-Z]{6}$/.test(text) &&
  text.slice(0, 3) !== text.slice(3) &&
  isConvertible(text.slice(0, 3)) &&
  isConvertible(text.slice(3))
