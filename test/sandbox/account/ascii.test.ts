import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  decoded,
  fixed,
  hex,
  hundredths,
  whole,
  written,
} from '../../../src/sandbox/account/ascii.js'
import { hash, unhash } from '../../../src/sandbox/account/hash.js'
import { followedBy, rows, texts } from '../../../src/sandbox/account/Rows.js'
import { timeText } from '../../../src/sandbox/account/time.js'

const text = (write: (to: Uint8Array, position: number) => number) => decoded(written(64, write))

it('writes hundredths as JSON writes numbers', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000_000), (n) => {
      expect(text((to, at) => hundredths(n, to, at))).toBe(JSON.stringify(n / 100))
    }),
  )
})

it('writes whole numbers in decimal and hexadecimal', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 31 - 1), (n) => {
      expect(text((to, at) => whole(n, to, at))).toBe(String(n))
      expect(text((to, at) => fixed(n % 100, 2, to, at))).toBe(String(n % 100).padStart(2, '0'))
      expect(text((to, at) => hex(n, 8, to, at))).toBe(n.toString(16).padStart(8, '0'))
    }),
  )
})

it('writes times as Date does, up to the offset', () => {
  const day = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31, 23, 59, 59) / 1_000 })
  fc.assert(
    fc.property(day, (seconds) => {
      const iso = new Date(seconds * 1_000).toISOString().slice(0, 19)
      expect(timeText(seconds)).toBe(`${iso}+0000`)
    }),
    { examples: [[0], [951_782_400], [4_107_542_400], [1_709_164_800]] }, // 29 February and such
  )
})

it('mixes numbers one to one', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 32 - 1), (n) => {
      expect(unhash(hash(n))).toBe(n)
    }),
  )
})

it('joins rows with commas, whichever are empty', () => {
  const write = (all: {
    readonly room: number
    readonly write: (to: Uint8Array, at: number) => number
  }) => decoded(written(all.room, all.write))
  const numbers = rows(3, 1, (n, to, at) => whole(n, to, at))
  expect(write(numbers)).toBe('0,1,2')
  expect(write(followedBy(texts(['"a"', '"b"']))(numbers))).toBe('0,1,2,"a","b"')
  expect(write(followedBy(numbers)(texts([])))).toBe('0,1,2')
  expect(write(followedBy(texts([]))(numbers))).toBe('0,1,2')
  expect(write(followedBy(texts([]))(texts([])))).toBe('')
})
