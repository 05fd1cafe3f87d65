import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Charge } from '../../src/codec/Charge.js'
import { toDate } from '../../src/codec/Instant.js'
import { E } from '../../src/fp.js'
import {
  type ChargeJson,
  type Filter,
  type GeneratedCharges,
  generatedCharges,
} from '../../src/sandbox/data/generatedCharges.js'
import { requestIdOf } from '../../src/sandbox/data/ids.js'

const options = {
  seed: 1,
  charges: 10_000_000,
  since: new Date('2024-01-01T00:00:00Z'),
  every: 3_000,
}
const large = generatedCharges(options)

const index = fc.nat(options.charges - 1)

const read = (json: ChargeJson): Charge => {
  const charge = Charge.decode(json)
  if (E.isLeft(charge)) throw new Error(`does not decode: ${JSON.stringify(json)}`)
  return charge.right
}

/** In ms since 1970. */
const createdAt = ({ charge }: GeneratedCharges, n: number): number =>
  toDate(read(charge(n)).created_at).getTime()

describe('a generated charge', () => {
  it('decodes, and its codec writes the same text', () => {
    fc.assert(
      fc.property(index, fc.integer(), (n, seed) => {
        const json = generatedCharges({ ...options, seed }).charge(n)
        expect(JSON.stringify(Charge.encode(read(json)))).toBe(JSON.stringify(json))
      }),
      { numRuns: 40 },
    )
  })

  it('has an id, request_id and short_reference_id that no other has', () => {
    const charges = Array.from({ length: 10_000 }, (_, n) => read(large.charge(n)))
    for (const name of ['id', 'request_id', 'short_reference_id'] as const) {
      expect(new Set(charges.map((charge) => charge[name])).size).toBe(10_000)
    }
  })

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
    fc.assert(
      fc.property(index, (n) => {
        const charge = read(large.charge(n))
        const before = read(large.charge(Math.max(0, n - 1)))
        expect(toDate(before.created_at) <= toDate(charge.created_at)).toBe(true)
        expect(toDate(charge.created_at) <= toDate(charge.updated_at)).toBe(true)
      }),
    )
  })

  it('is made at its moment of eight steps, some in the same second, some far apart', () => {
    const slow = generatedCharges({ ...options, every: 15_000 })
    const seconds = Array.from(
      { length: 9 },
      (_, n) => (createdAt(slow, n) - options.since.getTime()) / 1_000,
    )
    expect(seconds).toEqual([0, 0, 10, 22, 22, 48, 75, 106, 120])
  })

  it('is another one for another seed, and the same for the same', () => {
    const text = (seed: number) => JSON.stringify(generatedCharges({ ...options, seed }).charge(17))
    expect(text(1)).toBe(text(1))
    expect(text(1)).not.toBe(text(2))
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

describe('a charge that arrives by itself', () => {
  it('is of the currency, source and request_id that a generated charge would have there', () => {
    fc.assert(
      fc.property(index, (n) => {
        const { currency, source, request_id } = read(large.charge(n))
        expect(large.arrival(n)).toEqual({
          amount: expect.any(Number),
          currency,
          source,
          request_id,
          reason: 'goods_purchased',
          reference: `Order ${n}`,
        })
      }),
    )
  })

  it('has another amount for another seed, and the same for the same', () => {
    const amounts = (seed: number) => {
      const { arrival } = generatedCharges({ ...options, seed })
      return Array.from({ length: 10 }, (_, n) => arrival(n).amount)
    }
    expect(amounts(1)).toEqual(amounts(1))
    expect(amounts(1)).not.toEqual(amounts(2))
  })

  it('is of whole yen', () => {
    const some = Array.from({ length: 5_000 }, (_, n) => large.arrival(n))
    const yen = some.filter(({ currency }) => currency === 'JPY').map(({ amount }) => amount)
    expect(yen.length).toBeGreaterThan(100)
    expect(yen.filter((amount) => !Number.isInteger(amount))).toEqual([])
  })

  it('is of 1 to 1,001', () => {
    for (let n = 0; n < 20_000; n++) {
      const amount = Number(large.arrival(n).amount)
      if (amount < 1 || amount > 1_001) expect.fail(`charge ${n} is of ${amount}`)
    }
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
      { numRuns: 300 },
    )
  })

  it('is narrowed by every moment, from before the first charge to after the last', () => {
    const few = generatedCharges({ ...options, charges: 9 })
    const times = Array.from({ length: 9 }, (_, n) => createdAt(few, n))
    for (const edge of times.flatMap((time) => [time - 1, time, time + 1])) {
      expect(few.select({ from: edge }).size).toBe(times.filter((time) => time >= edge).length)
      expect(few.select({ to: edge }).size).toBe(times.filter((time) => time <= edge).length)
    }
    for (const [n, time] of times.entries()) {
      const sizes = [{ from: time }, { from: time + 1 }, { to: time }, { to: time - 1 }].map(
        (more) => few.select({ request_id: requestIdOf(options.seed, n), ...more }).size,
      )
      expect(sizes).toEqual([1, 0, 1, 0])
    }
  })

  it('reads the end of ten million rows as it reads the beginning', () => {
    const { size, at } = large.select({ status: 'SUSPENDED', currency: 'JPY' })
    const last = at(size - 1)
    const charge = read(last)
    expect(charge).toMatchObject({ status: 'SUSPENDED', currency: 'JPY' })
    expect(toDate(charge.created_at).getTime()).toBeGreaterThan(Date.UTC(2024, 11, 10))
  })
})
