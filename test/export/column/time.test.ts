import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { microsOf } from '../../../src/export/column/time.js'

const two = (n: number): string => String(n).padStart(2, '0')

/** Times with a year of four digits. */
const dates = fc.date({
  min: new Date('0000-01-02T00:00:00Z'),
  max: new Date('9999-12-30T00:00:00Z'),
  noInvalidDate: true,
})

describe('microsOf', () => {
  it('is what the calendar of the platform says, whatever the offset', () => {
    fc.assert(
      fc.property(
        dates,
        fc.integer({ min: -1_439, max: 1_439 }),
        fc.nat(999_999),
        (date, minutes, micros) => {
          const seconds = Math.floor(date.getTime() / 1_000)
          const local = new Date((seconds + minutes * 60) * 1_000).toISOString().slice(0, 19)
          const ahead = Math.abs(minutes)
          const offset = `${minutes < 0 ? '-' : '+'}${two(Math.floor(ahead / 60))}${two(ahead % 60)}`
          const fraction = String(micros).padStart(6, '0')
          const whole = BigInt(seconds) * 1_000_000n
          expect(microsOf(`${local}${offset}`)).toBe(whole)
          expect(microsOf(`${local}.${fraction}${offset}`)).toBe(whole + BigInt(micros))
        },
      ),
    )
  })

  it.each([
    ['1970-01-02', 86_400_000_000n],
    ['1970-01-01T00:00:01Z', 1_000_000n],
    ['1970-01-01T01:00:01+01:00', 1_000_000n],
    ['1970-01-01T00:00:00.5Z', 500_000n],
    ['1970-01-01T00:00:00.0000010Z', 1n],
    ['2024-02-29', 1_709_164_800_000_000n],
    ['0000-02-29', -62_162_121_600_000_000n],
  ])('reads %s', (text, micros) => {
    expect(microsOf(text)).toBe(micros)
  })

  it.each([
    '2026-02-30',
    '2026-02-29T00:00:00+0000',
    '2026-00-01T00:00:00+0000',
    '2026-13-01T00:00:00+0000',
    '2026-01-00T00:00:00+0000',
    '2026-01-00',
    '2026-01-01T24:00:00+0000',
    '2026-01-01T00:60:00+0000',
    '2016-12-31T23:59:60+0000',
    '2026-01-01T00:00:00+2400',
    '2026-01-01T00:00:00+0060',
    '2026-01-01T00:00:00.0000001Z',
    '2026-01-01T00:00:0a+0000',
    '',
  ])('does not make something of %j', (text) => {
    expect(microsOf(text)).toBeUndefined()
  })
})
