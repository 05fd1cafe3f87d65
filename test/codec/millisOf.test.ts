import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fromDate, Instant, millisOf, toDate } from '../../src/codec/Instant.js'

const dates = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59Z'),
  noInvalidDate: true,
})

const offsets = fc
  .tuple(
    fc.constantFrom('+', '-'),
    fc.integer({ min: 0, max: 14 }),
    fc.integer({ min: 0, max: 59 }),
  )
  .map(([sign, hours, minutes]) => {
    const two = (n: number): string => String(n).padStart(2, '0')
    return `${sign}${two(hours)}${two(minutes)}`
  })

it('reads the shape of the examples as it reads every other', () => {
  fc.assert(
    fc.property(dates, offsets, (date, offset) => {
      const text = fromDate(date).replace('+0000', offset)
      if (!Instant.is(text)) throw new Error(text)
      expect(millisOf(text)).toBe(toDate(text).getTime())
    }),
  )
})

it.each([
  ['2026-01-31T12:00:00+0000', Date.UTC(2026, 0, 31, 12)],
  ['2026-01-31T12:00:60+0130', Date.UTC(2026, 0, 31, 10, 30, 59)],
  ['2026-01-31T12:00:00.123456Z', Date.UTC(2026, 0, 31, 12, 0, 0, 123)],
  ['2026-01-31T12:00:00-05:00', Date.UTC(2026, 0, 31, 17)],
  ['2026-01-31', Date.UTC(2026, 0, 31)],
  ['yesterday', Number.NaN],
  ['2026-13-31T12:00:00+0000', Number.NaN],
  [1_767_225_600_000, Number.NaN],
  [undefined, Number.NaN],
])('reads %j', (text, ms) => {
  expect(millisOf(text)).toBe(ms)
})
