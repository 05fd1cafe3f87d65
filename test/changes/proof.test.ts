/** Proofs of a copy, with the requests that they take: counted, so that none of these tests asks a clock. */
import { describe, expect, it } from 'vitest'
import { compare, prove } from '../../src/changes/proof/prove.js'
import { sweep } from '../../src/changes/proof/sweep.js'
import { runs } from '../support/runs.js'
import {
  type Copy,
  copyOf,
  DAY,
  type Row,
  Rows,
  randomOf,
  refused,
  rowsOf,
  type ServiceOptions,
  serverFault,
  serviceOf,
  T0,
  UNTIL,
} from './rows.js'

const final = ['SETTLED', 'FAILED']
const options = { until: UNTIL, final }

interface Case {
  readonly total: number
  /** Indexes of rows that the copy lacks, or the service. */
  readonly missing?: ReadonlySet<number>
  readonly gone?: ReadonlySet<number>
  readonly service?: ServiceOptions
}

const NONE: ReadonlySet<number> = new Set()

/** Proves a copy twice. */
const proven = async ({ total, missing = NONE, gone = NONE, service }: Case) => {
  const all = rowsOf(total)
  const ledger = new Rows(all.filter((_, i) => !gone.has(i)))
  const copy = copyOf(all.filter((_, i) => !missing.has(i)))
  const first = serviceOf(ledger, service)
  const proof = await prove(first, copy, options)
  const second = serviceOf(ledger, service)
  const again = await prove(second, copy, { ...options, depth: proof.depth })
  return { ledger, copy, proof, requests: first.requests(), again, quiet: second.requests() }
}

const isSame = (copy: Copy, ledger: Rows): boolean =>
  copy.rows.byId.size === ledger.byId.size &&
  [...ledger.byId.values()].every(({ id, status }) => copy.rows.byId.get(id)?.status === status)

/** Some numbers below a total. */
const some = (count: number, total: number, random: () => number): ReadonlySet<number> => {
  const numbers = new Set<number>()
  while (numbers.size < count) numbers.add(Math.floor(random() * total))
  return numbers
}

describe('a proof of a copy', () => {
  it.each([0, 1, 99, 100, 101, 2_000, 100_000])('sends at most 30 requests: %i', async (total) => {
    const { proof, requests } = await proven({ total })
    expect(proof).toMatchObject({ rows: total, differences: [], late: 0, gone: 0 })
    expect(requests).toBeLessThanOrEqual(30)
  })

  it('finds a missing row of a million with at most 25 requests more, each time', async () => {
    const random = randomOf(1)
    const total = 1_000_000
    const all = rowsOf(total)
    const ledger = new Rows(all)
    const copy = copyOf(all)
    const quiet = serviceOf(ledger)
    await prove(quiet, copy, options)
    for (let seed = 0; seed < runs(10); seed++) {
      const row = all[Math.floor(random() * total)]
      copy.rows.delete(row?.id ?? '')
      const service = serviceOf(ledger)
      const proof = await prove(service, copy, options)
      expect(proof).toMatchObject({ late: 1, gone: 0, differences: [] })
      expect(service.requests()).toBeLessThanOrEqual(quiet.requests() + 25)
    }
    const scattered = some(20, total, random)
    for (const i of scattered) copy.rows.delete(all[i]?.id ?? '')
    const service = serviceOf(ledger)
    const proof = await prove(service, copy, options)
    expect(proof).toMatchObject({ late: 20, gone: 0, differences: [] })
    expect(service.requests()).toBeLessThanOrEqual(quiet.requests() + 180)
    expect(isSame(copy, ledger)).toBe(true)
  })

  it('fills a hole, such as one that a wrong clock left', async () => {
    const missing = new Set(Array.from({ length: 5_000 }, (_, i) => 40_000 + i))
    const { proof, copy, ledger, requests, quiet } = await proven({ total: 100_000, missing })
    expect(proof).toMatchObject({ late: 5_000, gone: 0, differences: [] })
    expect(requests).toBeLessThanOrEqual(30 + 40)
    expect(quiet).toBeLessThanOrEqual(30)
    expect(isSame(copy, ledger)).toBe(true)
  })

  it('fills an empty copy by reading, not by counting', async () => {
    const missing = new Set(Array.from({ length: 20_000 }, (_, i) => i))
    const { proof, requests } = await proven({ total: 20_000, missing })
    expect(proof).toMatchObject({ late: 20_000, differences: [] })
    expect(requests).toBeLessThanOrEqual(11 + 60)
  })

  it('marks rows that the service has no more, and keeps them', async () => {
    const gone = some(5, 50_000, randomOf(3))
    const { proof, copy, ledger, quiet } = await proven({ total: 50_000, gone })
    expect(proof).toMatchObject({ late: 0, gone: 5, differences: [] })
    expect(copy.gone.size).toBe(5)
    expect(quiet).toBeLessThanOrEqual(30)
    expect(isSame(copy, ledger)).toBe(true)
  })

  it('finds final rows that were opened again, or changed to another final status', async () => {
    const all = rowsOf(50_000)
    const ledger = new Rows(all)
    const copy = copyOf(all)
    ledger.put({ ...rowAt(all, 20_000), status: 'ON_HOLD' })
    ledger.put({ ...rowAt(all, 40_001), status: 'FAILED' })
    const proof = await prove(serviceOf(ledger), copy, options)
    expect(proof).toMatchObject({ late: 0, gone: 0, differences: [] })
    expect(isSame(copy, ledger)).toBe(true)
  })

  it('never marks a row that the list does not show while the service still answers it', async () => {
    const all = rowsOf(3_000)
    const hidden = rowAt(all, 1_000)
    const listed = new Rows(all.filter((row) => row !== hidden))
    const whole = new Rows(all)
    const copy = copyOf(all)
    const service = { ...serviceOf(listed), retrieve: serviceOf(whole).retrieve }
    const proof = await prove(service, copy, options)
    expect(copy.gone.size).toBe(0)
    expect(proof.gone).toBe(0)
    expect(
      proof.differences.map(({ status, here, there }) => [status, here - (there ?? 0)]),
    ).toEqual([
      [undefined, 1],
      ['SETTLED', 1],
    ])
  })

  it.each(['inclusive', 'half-open', 'exclusive', 'from exclusive'] as const)(
    'heals where the service reads the bounds of a filter as %s',
    async (bounds) => {
      const all = Array.from({ length: 5_000 }, (_, i) => ({
        id: `chg_${i}`,
        status: 'SETTLED',
        created: T0 + i, // a row each second: a bound left out would be missed
      }))
      const ledger = new Rows(all)
      const copy = copyOf(all.filter((_, i) => i !== 3_100))
      const proof = await prove(serviceOf(ledger, { bounds }), copy, options)
      expect(proof).toMatchObject({ late: 1, gone: 0, differences: [] })
      const quiet = serviceOf(ledger, { bounds })
      expect(await prove(quiet, copy, options)).toMatchObject({ differences: [] })
      expect(quiet.requests()).toBeLessThanOrEqual(30)
    },
  )

  it('counts shorter stretches where deep pages are refused, and remembers how deep', async () => {
    const missing = some(1, 100_000, randomOf(4))
    const service = { refuseAbove: 5_000 }
    const { proof, copy, ledger, again, quiet } = await proven({ total: 100_000, missing, service })
    expect(proof).toMatchObject({ late: 1, gone: 0, differences: [] })
    expect(again).toMatchObject({ differences: [] })
    expect(quiet).toBeLessThanOrEqual(3 * (100_000 / 2_000))
    expect(isSame(copy, ledger)).toBe(true)
  })

  it('takes a fault deep down for a page that is too deep, and one of the first page for an outage', async () => {
    const deep = await proven({
      total: 50_000,
      service: { refuseAbove: 5_000, refusal: serverFault },
    })
    expect(deep.proof).toMatchObject({ differences: [] })
    const all = rowsOf(1_000)
    const down = serviceOf(new Rows(all), { fail: () => serverFault })
    await expect(prove(down, copyOf(all), options)).rejects.toMatchObject({ failure: serverFault })
  })

  it('says so if the service refuses to be counted', async () => {
    const all = rowsOf(1_000)
    const service = serviceOf(new Rows(all), { fail: () => refused(400) })
    const proof = await prove(service, copyOf(all), options)
    expect(proof.uncountable).toBe('refused with 400')
  })

  it('says so if the service does not keep to a filter by time', async () => {
    const all = rowsOf(1_000)
    const ledger = serviceOf(new Rows(all))
    const service = {
      ...ledger,
      page: (query: Parameters<typeof ledger.page>[0]) =>
        ledger.page({ ...query, from: undefined, to: undefined }),
    }
    const proof = await prove(service, copyOf(all), options)
    expect(proof.uncountable).toMatch(/outside the requested time range/)
  })

  it('counts by the pages that come where the service has smaller ones', async () => {
    const missing = some(3, 20_000, randomOf(5))
    const { proof, quiet } = await proven({ total: 20_000, missing, service: { maxSize: 50 } })
    expect(proof).toMatchObject({ late: 3, differences: [] })
    expect(quiet).toBeLessThanOrEqual(60)
  })

  it('tells the rows of a second that are more than the service pages to', async () => {
    const all = Array.from({ length: 3_000 }, (_, i) => ({
      id: `chg_${i}`,
      status: 'SETTLED',
      created: T0,
    }))
    const proof = await prove(
      serviceOf(new Rows(all), { refuseAbove: 1_000 }),
      copyOf(all),
      options,
    )
    expect(proof.differences[0]).toEqual({ from: T0, to: T0, here: 3_000 })
  })

  it('compares without a change, and names the stretches that differ', async () => {
    const all = rowsOf(10_000)
    const copy = copyOf(all.filter((_, i) => i !== 5_000))
    const proof = await compare(serviceOf(new Rows(all)), copy, options)
    expect(copy.rows.byId.size).toBe(9_999)
    expect(proof.late).toBe(0)
    const [difference] = proof.differences
    expect(difference).toMatchObject({ here: (difference?.there ?? 0) - 1 })
    expect(difference?.from).toBeLessThanOrEqual(rowAt(all, 5_000).created)
    expect(difference?.to).toBeGreaterThanOrEqual(rowAt(all, 5_000).created)
  })
})

describe('a ledger that moves between any two requests', () => {
  const SEEDS = runs(20)

  it(`is right but for opposite errors of a stretch after a quiet proof, and wholly after a sweep, of ${SEEDS} seeds`, async () => {
    let different = 0
    for (let seed = 1; seed <= SEEDS; seed++) {
      const random = randomOf(seed)
      const all = rowsOf(4_000)
      const ledger = new Rows(all)
      const copy = copyOf(all)
      let made = 0
      let isQuiet = false
      const any = (): Row =>
        rowAt([...ledger.byId.values()], Math.floor(random() * ledger.byId.size))
      const move = (): void => {
        if (isQuiet) return
        if (random() < 0.1) {
          const created = T0 + Math.floor(random() * 730 * DAY)
          ledger.put({
            id: `late_${made++}`,
            status: random() < 0.5 ? 'SETTLED' : 'FAILED',
            created,
          })
        }
        if (random() < 0.05) ledger.put({ ...any(), status: random() < 0.5 ? 'FAILED' : 'SETTLED' })
        if (random() < 0.05) ledger.delete(any().id)
      }
      for (let night = 0; night < 3; night++)
        await prove(serviceOf(ledger, { move }), copy, options)
      isQuiet = true
      const proof = await prove(serviceOf(ledger), copy, options)
      expect(proof.differences).toEqual([])
      for (const status of [undefined, ...final]) {
        const rows = { status, from: Number.NEGATIVE_INFINITY, to: UNTIL }
        expect(copy.rows.between(rows).total).toBe(ledger.between(rows).total)
      }
      if (!isSame(copy, ledger)) different++
      await sweep(serviceOf(ledger), copy, { until: UNTIL, now: UNTIL, nights: 1 })
      expect(isSame(copy, ledger)).toBe(true)
    }
    expect(different).toBeLessThanOrEqual(SEEDS / 2)
  })
})

describe('a rolling sweep', () => {
  it('reads each row within thirty nights, a thirtieth a night, and finds opposite errors', async () => {
    const all = rowsOf(120_000)
    const ledger = new Rows(all)
    const copy = copyOf(all)
    const [one, other] = [rowAt(all, 30_000), rowAt(all, 30_100)]
    copy.rows.delete(one.id)
    ledger.delete(other.id)
    let position: Parameters<typeof sweep>[2]['position']
    let late = 0
    let gone = 0
    for (let night = 0; night < 30; night++) {
      const service = serviceOf(ledger)
      const now = UNTIL + night * DAY
      const swept = await sweep(service, copy, { until: UNTIL, now, nights: 30, position })
      expect(service.requests()).toBeLessThanOrEqual(4)
      position = swept.position
      late += swept.late
      gone += swept.gone
    }
    expect([late, gone]).toEqual([1, 1])
    expect(isSame(copy, ledger)).toBe(true)
  })

  it('reads a table of up to 48,000 rows whole', async () => {
    const all = rowsOf(48_000)
    const service = serviceOf(new Rows(all))
    const swept = await sweep(service, copyOf(all), { until: UNTIL, now: UNTIL, nights: 30 })
    expect(swept.position).toEqual({ began: UNTIL, before: UNTIL })
    expect(service.requests()).toBeLessThanOrEqual(27)
  })

  it('reads shorter stretches where deep pages are refused, and counts what it has found', async () => {
    const all = rowsOf(40_000)
    const copy = copyOf(all.filter((_, i) => i !== 9_000))
    const ledger = new Rows(all)
    const options = { until: UNTIL, now: UNTIL, nights: 30 }
    const service = serviceOf(ledger, { refuseAbove: 10_000 })
    expect(await sweep(service, copy, options)).toMatchObject({ late: 1, gone: 0 })
    expect(isSame(copy, ledger)).toBe(true)
    expect(service.requests()).toBeLessThanOrEqual(60)
    const known = serviceOf(ledger, { refuseAbove: 10_000 })
    await sweep(known, copy, { ...options, depth: { answered: 8_000, refused: 10_000 } })
    expect(known.requests()).toBeLessThanOrEqual(30)
  })

  it('leaves a second that has more rows than the service pages to, and goes on', async () => {
    const crowd = Array.from({ length: 5_000 }, (_, i) => ({
      id: `crowd_${i}`,
      status: 'SETTLED',
      created: T0,
    }))
    const later = Array.from({ length: 30_000 }, (_, i) => ({
      id: `later_${i}`,
      status: 'SETTLED',
      created: T0 + DAY + i,
    }))
    const ledger = new Rows([...crowd, ...later])
    const copy = copyOf([...crowd, ...later.slice(0, -1)])
    const service = serviceOf(ledger, { refuseAbove: 4_000 })
    await sweep(service, copy, { until: UNTIL, now: UNTIL, nights: 30 })
    expect(isSame(copy, ledger)).toBe(true)
  })
})

const rowAt = (rows: ReadonlyArray<Row>, i: number): Row => {
  const row = rows[i]
  if (row === undefined) throw new Error(`no row ${i}`)
  return row
}
