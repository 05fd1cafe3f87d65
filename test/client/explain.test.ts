/** Estimates of a list, before anything is sent. */
import fc from 'fast-check'
import { BehaviorSubject, type Observable, of, take } from 'rxjs'
import { describe, expect, it } from 'vitest'
import {
  byNumber,
  Charge,
  ChargeFilter,
  endpoint,
  InvalidOption,
  type RateLimitKey,
} from '../../src/index.js'
import { createScheduler, rate } from '../../src/scheduler/index.js'
import { forAll } from '../support/forAll.js'
import { lab, type Play } from '../support/lab.js'

/** A limit far from being used up. */
const NONE = Number.POSITIVE_INFINITY

describe('explain', () => {
  it('estimates requests, ceiling and time from the limits and the page size', () => {
    const { client, sent } = lab()
    const list = client.charges.list({ page_size: 2_000 })
    expect(list.explain({ rows: 400_000 })).toEqual({
      pageSize: 2_000,
      ceiling: 40_000,
      limit: 'endpoint',
      requests: 200,
      seconds: 10,
    })
    expect(sent).toEqual([])
  })

  it('uses the page size of the interface by default', () => {
    const { client } = lab()
    expect(client.charges.list().explain({ rows: 101 })).toEqual({
      pageSize: 100,
      ceiling: 2_000,
      limit: 'endpoint',
      requests: 2,
      seconds: 0.1,
    })
    expect(client.charges.list().explain({ rows: 0 }).requests).toBe(1)
    expect(client.batchTransfers.list().explain()).toEqual({
      pageSize: 50,
      ceiling: 1_000,
      limit: 'endpoint',
    })
  })

  it('uses the duration of a request, and the number in parallel', () => {
    const { client } = lab()
    const seconds = (list: { readonly explain: (typeof charges)['explain'] }) =>
      list.explain({ rows: 400_000, roundTrip: 200 }).seconds
    const charges = client.charges.list({ page_size: 2_000 })
    expect(seconds(charges)).toBe(40)
    expect(seconds(charges.parallel(2))).toBe(20)
    expect(seconds(charges.parallel(2).parallel(10))).toBe(10)
    expect(seconds(charges.parallel(2).from({ page_num: 3 }))).toBe(20)
    // a bookmark list has one page on its way, whatever was asked for
    expect(seconds(client.batchTransfers.list().parallel(10))).toBe(1_600)
  })

  it.each([
    [{ environment: 'test' as const }, 1_000],
    [{ environment: 'test' as const, share: 0.5 }, 500],
    [{ limits: { global: 7 } }, 700],
    [{ limits: { endpoint: 2 } }, 200],
  ])('goes by the limits of the client: %j', (options, ceiling) => {
    expect(lab(options).client.charges.list().explain().ceiling).toBe(ceiling)
    const bulk = lab(options).client.with({ priority: 'bulk' })
    expect(bulk.charges.list().explain().ceiling).toBe(ceiling)
  })

  it('uses no more parallel requests than the limits allow', () => {
    const play: Play = ({ query }) => ({
      ms: 200,
      body: { has_more: Number(query.get('page_num')) < 199, items: [] },
    })
    const options = { play, limits: { concurrency: 2 }, lists: { maxEmptyPages: 200 } }
    const { client, calls, run } = lab(options)
    const list = client.charges.list().parallel(10)
    expect(list.explain({ rows: 20_000, roundTrip: 200 }).seconds).toBe(20)
    run(list)
    const [from = 0, to = 0] = [0, 199].map((page) => calls()[page]?.at)
    expect((to - from) / 20_000).toBeCloseTo(1, 1)
  })

  it('uses the limits of a given scheduler', () => {
    const { scheduler } = lab({ limits: { endpoint: 5 } }).client
    const other = lab({ scheduler }).client
    expect(other.charges.list().explain().ceiling).toBe(500)
    const free = lab({ scheduler: createScheduler({ tiers: [] }) }).client
    expect(free.charges.list().explain({ rows: 1_000, roundTrip: 100 })).toMatchObject({
      ceiling: Number.POSITIVE_INFINITY,
      seconds: 1,
    })
  })

  it.each([{}, { limits: { endpoint: NONE, global: NONE, concurrency: NONE } }])(
    'says that a list without end takes for ever: %j',
    (options) => {
      const plan = lab(options).client.charges.list().explain({ rows: Number.POSITIVE_INFINITY })
      expect(plan).toMatchObject({
        requests: Number.POSITIVE_INFINITY,
        seconds: Number.POSITIVE_INFINITY,
      })
    },
  )

  it.each([
    [{ rows: Number.NaN }, 'rows should be a whole number of at least 0, or Infinity, but is NaN'],
    [{ rows: -1 }, 'rows should be a whole number of at least 0, or Infinity, but is below 0'],
    [{ roundTrip: -1 }, 'roundTrip should be at least 0 milliseconds, but is below 0'],
    [{ roundTrip: Number.NaN }, 'roundTrip should be at least 0 milliseconds, but is NaN'],
    [{ rows: 1, row: 1 }, 'row should be omitted: unknown option (did you mean rows?)'],
  ])('refuses %o', (options, message) => {
    const list = lab().client.charges.list()
    expect(() => list.explain(options)).toThrow(InvalidOption)
    expect(() => list.explain(options)).toThrow(`explain: ${message}`)
  })

  it('is empty without a page size', () => {
    const row = endpoint('GET /api/v2/charges', {
      params: ChargeFilter,
      success: Charge,
      paging: { style: byNumber(1).style, first: { page_num: 0 } },
    })
    expect(lab().client.request(row)().explain({ rows: 10 })).toEqual({})
  })

  it.each([0, -100, 12.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'says nothing of pages of %d rows, which are refused',
    (page_size) => {
      const { client, run, sent } = lab()
      const list = client.charges.list({ page_size })
      expect(list.explain({ rows: 0 })).toEqual({})
      expect(run(list)).toMatchObject([
        { value: { left: { _tag: 'InvalidRequest', causes: [{ path: 'page_size' }] } } },
      ])
      expect(sent).toEqual([])
    },
  )

  it('counts complete and partial pages, and one for an empty list', () => {
    const { client } = lab()
    forAll(fc.nat(100_000), fc.integer({ min: 10, max: 2_000 }), (rows, size) => {
      const list = client.charges.list({ page_size: size })
      const { requests = 0, seconds = 0 } = list.explain({ rows })
      expect(requests * size).toBeGreaterThanOrEqual(rows)
      expect(requests === 1 || (requests - 1) * size < rows).toBe(true)
      expect(requests).toBeGreaterThan(0)
      expect(seconds).toBe(requests / 20)
    })
  })
})

describe('explain with a limit that is an Observable', () => {
  /** A list of a client whose endpoints have this limit. */
  const limited = (limit: number | Observable<number>, share = 1) => {
    const endpoint = rate<RateLimitKey>({
      name: 'endpoint',
      limit,
      per: 1_000,
      key: ({ endpoint }) => endpoint,
    })
    const { client, run } = lab({ scheduler: createScheduler({ tiers: [endpoint], share }) })
    return { list: client.charges.list({ page_size: 2_000 }), run }
  }

  it('follows its present value', () => {
    const limit = new BehaviorSubject(20)
    const { list, run } = limited(limit)
    run(list.pages.pipe(take(1)))
    expect(list.explain({ rows: 400_000 })).toMatchObject({ ceiling: 40_000, seconds: 10 })
    expect(list.describe().perSecond()).toBe(20)
    limit.next(5)
    run(list.pages.pipe(take(1)))
    expect(list.explain({ rows: 400_000 })).toMatchObject({ ceiling: 10_000, seconds: 40 })
    expect(list.describe().perSecond()).toBe(5)
  })

  it.each([0.5, 0.05, 0.01])('tells the same as a number, a share %d of which is ours', (share) => {
    const { list, run } = limited(of(20), share)
    run(list.pages.pipe(take(1)))
    const { ceiling = Number.NaN, seconds = Number.NaN } = list.explain({ rows: 400_000 })
    expect(ceiling).toBeCloseTo(40_000 * share)
    expect(seconds).toBeCloseTo(10 / share)
    expect(limited(20, share).list.explain({ rows: 400_000 })).toMatchObject({ ceiling, seconds })
  })
})
