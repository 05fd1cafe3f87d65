/** Seeded numbers. A seed always gives the same account, in whatever order its parts are requested. */
import type { IO } from '../../fp.js'

/** Hashes 32 bits bijectively, with the finalizer of MurmurHash3 (public domain). */
export const hash = (n: number): number => {
  const a = Math.imul(n ^ (n >>> 16), 0x85ebca6b)
  const b = Math.imul(a ^ (a >>> 13), 0xc2b2ae35)
  return (b ^ (b >>> 16)) >>> 0
}

/** Inverts `hash`: `unhash(hash(n)) === n` for integers from 0 to 2^32 - 1. */
export const unhash = (n: number): number => {
  const b = Math.imul(n ^ (n >>> 16), 0x7ed1b41d)
  const a = Math.imul(b ^ (b >>> 13) ^ (b >>> 26), 0xa5cb9243)
  return (a ^ (a >>> 16)) >>> 0
}

/** Derives a seed for one kind of data, so that two kinds never share random numbers. */
export const subSeed = (seed: number, purpose: number): number =>
  hash(hash(seed) ^ Math.imul(purpose, 0x9e3779b1))

/** Two hexadecimal digits for each byte. This is ten times as fast as `toString(16)`, and a charge needs six of them. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Returns the lower 16 bits as four hexadecimal digits. */
export const hex4 = (n: number): string => `${HEX[(n >>> 8) & 255]}${HEX[n & 255]}`

export const hex8 = (n: number): string => hex4(n >>> 16) + hex4(n)

/** Returns thirty-two hexadecimal digits. The first eight are `n`. */
export const hex32 = (n: number): string =>
  [n, hash(n + 1), hash(n + 2), hash(n + 3)].map(hex8).join('')

/** Returns a generator of numbers from 0 up to, but not including, 1. */
export const randomNumbers = (seed: number): IO<number> => {
  let n = seed
  return () => {
    n = (n + 0x9e3779b9) >>> 0
    return hash(n) / 2 ** 32
  }
}
