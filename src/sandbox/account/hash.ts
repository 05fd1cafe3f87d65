/** Numbers that look random, are the same for the same seed, and can be traced back. */
import type { IO } from '../../fp.js'

/** One to one on 32 bits, each bit moving all others: the finalizer of MurmurHash3 (public domain). */
export const hash = (n: number): number => {
  const a = Math.imul(n ^ (n >>> 16), 0x85ebca6b)
  const b = Math.imul(a ^ (a >>> 13), 0xc2b2ae35)
  return (b ^ (b >>> 16)) >>> 0
}

/** `unhash(hash(n)) === n` for whole numbers from 0 to 2^32 - 1. */
export const unhash = (n: number): number => {
  const b = Math.imul(n ^ (n >>> 16), 0x7ed1b41d)
  const a = Math.imul(b ^ (b >>> 13) ^ (b >>> 26), 0xa5cb9243)
  return (a ^ (a >>> 16)) >>> 0
}

/** A number that depends on the seed and on what it is for. */
export const subSeed = (seed: number, purpose: number): number =>
  hash(hash(seed) ^ Math.imul(purpose, 0x9e3779b1))

/** Eight hexadecimal digits. */
export const hexText = (n: number): string => n.toString(16).padStart(8, '0')

/** Thirty-two of them, the first eight those of `n`. */
export const longHexText = (n: number): string =>
  [n, hash(n + 1), hash(n + 2), hash(n + 3)].map(hexText).join('')

/** The numbers of a seed one after the other, each from 0 to below 1. */
export const randomNumbers = (seed: number): IO<number> => {
  let n = seed
  return () => {
    n = (n + 0x9e3779b9) >>> 0
    return hash(n) / 2 ** 32
  }
}
