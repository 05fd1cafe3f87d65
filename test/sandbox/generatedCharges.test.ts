import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Charge } from '../../src/codec/Charge.js'
import { toDate } from '../../src/codec/Instant.js'
import { E } from '../../src/fp.js'
import {
  type ChargeJson,
  type Filter,
  generatedCharges,
} from '../../src/sandbox/data/generatedCharges.js'
import { forAll } from '../support/forAll.js'
import { runs } from '../support/runs.js'

const since = new Date('2024-01-01T00:00:00Z')
const options = { seed: 1, charges: 10_000_000, since, every: 3_000 }
const large = generatedCharges(options)

const index = fc.nat(options.charges - 1)

const read = (json: ChargeJson): Charge => {
  const charge = Charge.decode(json)
  if (E.isLeft(charge)) throw new Error(`does not decode: ${JSON.stringify(json)}`)
  return charge.right
}

describe('a generated charge', () => {
  it('is not updated after `until`, nor before it was created', () => {
    const until = new Date('2024-01-01T01:00:00Z')
    const { charge } = generatedCharges({ ...options, charges: 1_000, every: 3_600, until })
    for (let n = 0; n < 1_000; n++) {
      const { created_at, updated_at } = read(charge(n))
      expect(toDate(updated_at).getTime()).toBeGreaterThanOrEqual(toDate(created_at).getTime())
      expect(toDate(updated_at).getTime()).toBeLessThanOrEqual(until.getTime())
    }
  })

  it('has all twelve fields of the interface', () => {
    expect(large.charge(4_711)).toEqual({
      id: expect.stringMatching(/^chg_[0-9a-f]{8}$/),
      amount: expect.any(Number),
      currency: expect.stringMatching(/^[A-Z]{3}$/),
      reason: expect.any(String),
      reference: expect.stringMatching(/^[A-Z][a-z]+ \d+$/),
      request_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/),
      source: expect.stringMatching(/^acct_/),
      fee: expect.any(Number),
      short_reference_id: expect.stringMatching(/^CH[0-9a-f]{8}$/),
      status: expect.stringMatching(/^[A-Z]+$/),
      created_at: expect.stringMatching(/^2024-01-01T\d\d:\d\d:\d\d\+0000$/),
      updated_at: expect.stringMatching(/^2024-01-01T\d\d:\d\d:\d\d\+0000$/),
    })
  })

  it('costs 0.3 % of its amount, rounded once to the smallest unit', () => {
    for (let n = 0; n < 10_000; n++) {
      const { currency, amount, fee } = large.charge(n)
      const units = currency === 'JPY' ? 1 : 100
      const paid = Math.round(amount * units)
      expect([amount, fee]).toEqual([paid / units, Math.round(paid * 0.003) / units])
    }
  })

  it('comes after the one before it, and is updated after that', () => {
    forAll(index, (n) => {
      const charge = read(large.charge(n))
      const before = read(large.charge(Math.max(0, n - 1)))
      expect(toDate(before.created_at) <= toDate(charge.created_at)).toBe(true)
      expect(toDate(charge.created_at) <= toDate(charge.updated_at)).toBe(true)
    })
  })

  it('varies', () => {
    const some = Array.from({ length: 5_000 }, (_, n) => read(large.charge(n)))
    const kinds = (of: (charge: Charge) => string) => new Set(some.map(of)).size
    expect(kinds((charge) => charge.status)).toBe(5)
    expect(kinds((charge) => charge.currency)).toBe(10)
    expect(kinds((charge) => charge.source)).toBe(40)
    expect(kinds((charge) => charge.reason)).toBe(22)
    expect(kinds((charge) => charge.created_at)).toBeGreaterThan(2_500)
    expect(kinds((charge) => charge.created_at)).toBeLessThan(5_000) // some in the same second
  })
})

describe('select', () => {
  const count = 9_000 // more than two periods of the columns
  const small = generatedCharges({ ...options, charges: count })
  const all = Array.from({ length: count }, (_, n) => read(small.charge(n)))

  const seconds = fc
    .integer({ min: -60, max: count * 3 + 60 })
    .map((n) => options.since.getTime() + n * 1_000)
  const filter: fc.Arbitrary<Filter> = fc.record(
    {
      status: fc.constantFrom('NEW', 'PENDING', 'SETTLED', 'SUSPENDED', 'FAILED', 'OTHER'),
      currency: fc.constantFrom('USD', 'EUR', 'JPY', 'XXX'),
      source: fc.constantFrom(...new Set(all.slice(0, 20).map((charge) => charge.source)), 'other'),
      request_id: fc.constantFrom(...all.slice(-3).map((charge) => charge.request_id), 'other'),
      from: seconds,
      to: fc.oneof(
        seconds,
        seconds.map((ms) => ms + 1),
      ),
    },
    { requiredKeys: [] },
  )

  const times = new Map(all.map((charge) => [charge, toDate(charge.created_at).getTime()]))

  const passes =
    ({ status, currency, source, request_id, from, to }: Filter) =>
    (charge: Charge): boolean => {
      const created = times.get(charge) ?? Number.NaN
      return (
        (status === undefined || status === charge.status) &&
        (currency === undefined || currency === charge.currency) &&
        (source === undefined || source === charge.source) &&
        (request_id === undefined || request_id === charge.request_id) &&
        (from === undefined || created >= from) &&
        (to === undefined || created <= to)
      )
    }

  it('finds what a search through everything finds', () => {
    fc.assert(
      fc.property(filter, (wanted) => {
        const expected = all.filter(passes(wanted))
        const selection = small.select(wanted)
        const found = Array.from({ length: selection.size }, (_, k) => selection.at(k))
        expect(found).toEqual(expected)
      }),
      { numRuns: runs(300) },
    )
  })
})
