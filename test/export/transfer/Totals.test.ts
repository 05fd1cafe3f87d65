import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseExact } from '../../../src/decode/index.js'
import { addReasons, Totals } from '../../../src/export/transfer/Totals.js'
import { forAll } from '../../support/forAll.js'

const totalsOf = (...rows: ReadonlyArray<unknown>) => {
  const totals = new Totals()
  totals.add(rows)
  return totals.values()
}

describe('totals', () => {
  it('are rows and sums by status and currency', () => {
    expect(
      totalsOf(
        { status: 'NEW', currency: 'USD', amount: 0.1 },
        { status: 'NEW', currency: 'USD', amount: 0.2 },
        { status: 'FAILED', currency: 'JPY', amount: 1_200 },
        { status: 'NEW', currency: 'EUR', amount: '12.5' },
      ),
    ).toEqual([
      { status: 'FAILED', currency: 'JPY', rows: 1, amount: '1200' },
      { status: 'NEW', currency: 'EUR', rows: 1, amount: '12.50' },
      { status: 'NEW', currency: 'USD', rows: 2, amount: '0.30' },
    ])
  })

  it('are exact, also over resumptions', () => {
    const amount = fc.integer({ min: -5_000_000_000, max: 5_000_000_000 })
    forAll(fc.array(fc.array(amount)), (legs) => {
      const kept = legs.reduce<ReturnType<Totals['values']>>((before, units) => {
        const totals = new Totals(JSON.parse(JSON.stringify(before)))
        totals.add(units.map((n) => ({ currency: 'CLF', amount: n / 10_000 })))
        return totals.values()
      }, [])
      const sum = legs.flat().reduce((all, n) => all + BigInt(n), 0n)
      const [total] = kept
      expect(BigInt((total?.amount ?? '0').replace('.', ''))).toBe(sum)
      expect(total?.rows ?? 0).toBe(legs.flat().length)
    })
  })

  it('take large amounts by the digits that came, and are left out where there are none', () => {
    const text = '{"currency":"USD","amount":549755813888.12}'
    expect(totalsOf(parseExact(text))).toEqual([
      { currency: 'USD', rows: 1, amount: '549755813888.12' },
    ])
    expect(totalsOf({ currency: 'USD', amount: 1 }, { currency: 'USD', amount: 0.00001 })).toEqual([
      { currency: 'USD', rows: 2 },
    ])
  })

  it('are rows alone where there are no amounts, and none of rows without status', () => {
    expect(totalsOf({ status: 'BOOKED' }, { status: 'BOOKED' })).toEqual([
      { status: 'BOOKED', rows: 2 },
    ])
    expect(totalsOf({ id: 'wh_1' }, 'text', null)).toEqual([])
  })

  it('are bounded, whatever the service sends', () => {
    const rows = Array.from({ length: 5_000 }, (_, i) => ({ status: `${i}${'x'.repeat(500)}` }))
    const totals = totalsOf(...rows)
    expect(totals).toHaveLength(1_001)
    expect(totals.at(-1)).toEqual({ others: true, rows: 4_000 })
    expect(JSON.stringify(totals).length).toBeLessThan(150_000)
  })
})

describe('reasons', () => {
  it('are counted without the place of a row and its value', () => {
    const of = (index: number, actual: string) => ({
      reason: `GET /api/v1/charges: items[${index}].amount should be a number, but is ${actual}`,
    })
    const before = addReasons([], [of(3, 'an object'), of(4, 'text')])
    expect(addReasons(before, [of(1, 'null'), { reason: 'fee should be a number' }])).toEqual([
      { reason: 'amount should be a number', rows: 3 },
      { reason: 'fee should be a number', rows: 1 },
    ])
  })

  it('are bounded', () => {
    const many = Array.from({ length: 100 }, (_, i) => ({ reason: `field ${i}` }))
    const counted = addReasons([], many)
    expect(counted).toHaveLength(21)
    expect(counted.at(-1)).toEqual({ reason: 'other reasons', rows: 80 })
  })
})
