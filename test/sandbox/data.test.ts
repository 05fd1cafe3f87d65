import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { hash, unhash } from '../../src/sandbox/data/hash.js'
import { timeText, timeWriter } from '../../src/sandbox/data/time.js'
import { pageByNumber } from '../../src/sandbox/handlers/pages.js'

it('a hash can be undone', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 32 - 1), (n) => {
      expect(unhash(hash(n))).toBe(n)
    }),
  )
})

it('writes times of seconds as those of Dates', () => {
  const write = timeWriter()
  const second = fc.integer({ min: 0, max: Date.UTC(9999, 0) / 1_000 })
  fc.assert(
    fc.property(second, fc.nat(200_000), (start, more) => {
      for (const seconds of [start, start + 1, start + more]) {
        expect(write(seconds)).toBe(timeText(seconds * 1_000))
      }
    }),
  )
})

it('writes a page of any rows as JSON', () => {
  const rows = fc.array(fc.record({ text: fc.string({ unit: 'binary', maxLength: 2_000 }) }))
  fc.assert(
    fc.property(rows, fc.boolean(), (items, has_more) => {
      const { body } = pageByNumber((i) => items[i], items.length, has_more)
      expect(new TextDecoder().decode(body)).toBe(JSON.stringify({ has_more, items }))
    }),
  )
})
