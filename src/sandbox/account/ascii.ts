/**
 * Texts and numbers as bytes. Each function takes where to write and returns where it refusedByLimits. A page
 * of 2,000 charges built from strings and then encoded takes two to three times as long.
 */

// model

/** Writes at a position, and returns the position behind. */
export type Write = (to: Uint8Array, position: number) => number

/** As `Response` takes them. */
export type Bytes = Uint8Array<ArrayBuffer>

// constructors

/** `0` and `.` in ASCII. */
const ZERO = 48
const POINT = 46
const encoder = new TextEncoder()
const decoder = new TextDecoder()

export const encoded = (text: string): Bytes => encoder.encode(text)

export const decoded = (bytes: Uint8Array): string => decoder.decode(bytes)

/** What is written; `room` is the most it takes, in bytes. */
export const written = (room: number, write: Write): Bytes => {
  const to = new Uint8Array(room)
  return to.subarray(0, write(to, 0))
}

// combinators

export const copy = (from: Uint8Array, to: Uint8Array, position: number): number => {
  const { length } = from
  for (let i = 0; i < length; i++) to[position + i] = from[i] ?? 0
  return position + length
}

const HEX = encoded('0123456789abcdef')

/** Hexadecimal, the lower four bits of `n` for each of `digits`. */
export const hex = (n: number, digits: number, to: Uint8Array, position: number): number => {
  let rest = n
  for (let i = position + digits - 1; i >= position; i--) {
    to[i] = HEX[rest & 15] ?? ZERO
    rest >>>= 4
  }
  return position + digits
}

/** Decimal with leading zeros. */
export const fixed = (n: number, digits: number, to: Uint8Array, position: number): number => {
  let rest = n
  for (let i = position + digits - 1; i >= position; i--) {
    const tens = (rest / 10) | 0
    to[i] = ZERO + rest - tens * 10
    rest = tens
  }
  return position + digits
}

/** Comparing is faster than counting in a loop. */
const digitsOf = (n: number): number => {
  if (n < 1_000) return n < 10 ? 1 : n < 100 ? 2 : 3
  if (n < 1_000_000) return n < 10_000 ? 4 : n < 100_000 ? 5 : 6
  return 6 + digitsOf((n / 1_000_000) | 0)
}

/** Decimal, for whole numbers from 0. */
export const whole = (n: number, to: Uint8Array, position: number): number =>
  fixed(n, digitsOf(n), to, position)

/** Hundredths as JSON writes the number: `12`, `12.5`, `12.05`. */
export const hundredths = (n: number, to: Uint8Array, position: number): number => {
  const units = (n / 100) | 0
  const rest = n - units * 100
  const point = whole(units, to, position)
  if (rest === 0) return point
  to[point] = POINT
  return rest % 10 === 0 ? fixed(rest / 10, 1, to, point + 1) : fixed(rest, 2, to, point + 1)
}
