import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scaledNumber, scaledText } from '../../../src/export/column/decimal.js'
import { forAll } from '../../support/forAll.js'

const most = 10n ** 18n - 1n

/** With up to four decimals, and zeros at the end. */
const text = (units: bigint, zeros: number): string => {
  const digits = String(units < 0n ? -units : units).padStart(5, '0')
  return `${units < 0n ? '-' : ''}${digits.slice(0, -4)}.${digits.slice(-4)}${'0'.repeat(zeros)}`
}

describe('ten-thousandths', () => {
  it('are the digits of a text', () => {
    forAll(fc.bigInt({ min: -most, max: most }), fc.nat(3), (units, zeros) => {
      expect(scaledText(text(units, zeros))).toBe(units)
    })
  })

  it('are the digits of the text of a number', () => {
    const below = 2n ** 39n * 10_000n - 1n
    forAll(fc.bigInt({ min: -below, max: below }), (units) => {
      expect(scaledNumber(Number(text(units, 0)))).toBe(units)
    })
  })

  it.each([
    ['12', 120_000n],
    ['1.5e3', 15_000_000n],
    ['1E-4', 1n],
    ['0.10000', 1_000n],
    ['-0.0', 0n],
  ])('are right for %s', (text, units) => {
    expect(scaledText(text)).toBe(units)
  })

  it.each(['0.00001', '1e-5', '100000000000000', '1e999', '', 'x', '1.'])('refuse %j', (text) => {
    expect(scaledText(text)).toBeUndefined()
  })

  it.each([0.00001, 1.23456, 1e-300])('are not made of %d', (n) => {
    expect(scaledNumber(n)).toBeUndefined()
  })
})
