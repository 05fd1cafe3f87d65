/** Times as the service writes them: `YYYY-MM-DDThh:mm:ss+0000`. */
import { copy, decoded, encoded, fixed, written } from './ascii.js'

/** Seconds of a day. */
const DAY_SECONDS = 86_400
/** How many bytes a time takes. */
const LENGTH = 24
const UTC = encoded('+0000')

const mark = (code: string, to: Uint8Array, position: number): number => {
  to[position] = code.charCodeAt(0)
  return position + 1
}

/** Days are turned into dates by Howard Hinnant's `civil_from_days`, for years that begin in March. */
const date = (days: number, to: Uint8Array, position: number): number => {
  const z = days + 719_468
  const era = (z / 146_097) | 0
  const ofEra = z - era * 146_097
  const leaps = ((ofEra / 1_460) | 0) - ((ofEra / 36_524) | 0) + ((ofEra / 146_096) | 0)
  const yearOfEra = ((ofEra - leaps) / 365) | 0
  const ofYear = ofEra - (365 * yearOfEra + ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0))
  const fromMarch = ((5 * ofYear + 2) / 153) | 0
  const day = ofYear - (((153 * fromMarch + 2) / 5) | 0) + 1
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  const afterYear = mark('-', to, fixed(year, 4, to, position))
  return fixed(day, 2, to, mark('-', to, fixed(month, 2, to, afterYear)))
}

/** Whole seconds since 1970, up to the year 9999. */
export const time = (seconds: number, to: Uint8Array, position: number): number => {
  const days = (seconds / DAY_SECONDS) | 0
  const rest = seconds - days * DAY_SECONDS
  const afterDate = mark('T', to, date(days, to, position))
  const afterHour = mark(':', to, fixed((rest / 3_600) | 0, 2, to, afterDate))
  const afterMinute = mark(':', to, fixed(((rest % 3_600) / 60) | 0, 2, to, afterHour))
  return copy(UTC, to, fixed(rest % 60, 2, to, afterMinute))
}

export const timeText = (seconds: number): string =>
  decoded(written(LENGTH, (to, position) => time(seconds, to, position)))
