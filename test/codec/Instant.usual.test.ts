import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { Instant } from '../../src/codec/Instant.js'
import { runs } from '../support/runs.js'

const shape =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(T([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(Z|[+-]\d\d:?\d\d))?$/

/** The usual shape, some of whose characters are others. */
const nearly = fc
  .tuple(
    fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
    fc.constantFrom('+0000', '-1130', '+05:30', 'Z', '', '+0x00', '+9999'),
    fc.array(fc.tuple(fc.nat(23), fc.constantFrom(...'0123456789-:TZ+. a/')), { maxLength: 3 }),
  )
  .map(([date, offset, changes]) => {
    const text = Array.from(`${date.toISOString().slice(0, 19)}${offset}`)
    for (const [at, letter] of changes) if (at < text.length) text[at] = letter
    return text.join('')
  })

it('tells the usual shape and the others as one rule does', () => {
  fc.assert(
    fc.property(nearly, (text) => {
      expect(Instant.is(text)).toBe(shape.test(text))
    }),
    { numRuns: runs(20_000) },
  )
})

it.each([
  '2024-01-31T23:59:60+0000',
  '2024-12-01T00:00:00-1200',
  '2024-02-29',
  '2024-01-01T00:00:00.123456Z',
])('takes %s', (text) => {
  expect(Instant.is(text)).toBe(true)
})

it.each([
  '2024-00-10T00:00:00+0000',
  '2024-01-32T00:00:00+0000',
  '2024-01-01T24:00:00+0000',
  '2024-01-01 00:00:00+0000',
])('refuses %s', (text) => {
  expect(Instant.is(text)).toBe(false)
})
