/** Numbers as text of a fixed width, from tables: pages are made of millions of them. */

/** `00` to `99`. */
const DECIMAL = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'))

/** `0000` to `ffff` would be faster still, and is 65,536 texts. */
const HEX = Array.from({ length: 256 }, (_, n) => n.toString(16).padStart(2, '0'))

/** Two decimal digits of a whole number from 0 to 99. */
export const two = (n: number): string => DECIMAL[n] ?? '00'

/** Four hexadecimal digits: the lower 16 bits. */
export const hex4 = (n: number): string => `${HEX[(n >>> 8) & 255]}${HEX[n & 255]}`

/** Eight hexadecimal digits of a whole number from 0 to 2^32 - 1. */
export const hex8 = (n: number): string => hex4(n >>> 16) + hex4(n)

const DAY = 86_400

/**
 * `YYYY-MM-DDThh:mm:ss+0000` of whole seconds since 1970, up to the year 9999. Days are turned into
 * dates by Howard Hinnant's `civil_from_days`, for years that begin in March.
 */
export const timeText = (seconds: number): string => {
  const days = Math.floor(seconds / DAY)
  const rest = seconds - days * DAY
  const z = days + 719_468
  const era = Math.floor(z / 146_097)
  const dayOfEra = z - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  const hour = Math.floor(rest / 3_600)
  const minute = Math.floor((rest % 3_600) / 60)
  return `${two(Math.floor(year / 100))}${two(year % 100)}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(rest % 60)}+0000`
}
