import fc from 'fast-check'
import { expect, it } from 'vitest'
import { chunkAt, MOST_BYTES } from '../../src/store/chunks.js'

const MIB = 1 << 20

it('chunks follow each other without a gap, are as large as S3 asks for, and 10,000 at most', () => {
  let [position, count] = [0, 0]
  while (position < MOST_BYTES) {
    const { number, start, size } = chunkAt(position)
    expect([number, start]).toEqual([++count, position])
    expect(size >= 5 * MIB && size <= 160 * MIB).toBe(true)
    position += size
  }
  expect([count, position]).toEqual([10_000, MOST_BYTES])
})

it('a position is in the chunk that it is found in', () =>
  fc.assert(
    fc.property(fc.integer({ min: 0, max: MOST_BYTES - 1 }), (position) => {
      const { number, start, size } = chunkAt(position)
      expect(start <= position && position < start + size).toBe(true)
      expect(chunkAt(start).number).toBe(number)
      expect(chunkAt(start + size - 1).number).toBe(number)
    }),
  ))
