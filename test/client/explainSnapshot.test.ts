/** Rows, requests and time of a snapshot before it is read: in virtual time. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { E } from '../../src/fp.js'
import { InvalidOption, type SnapshotPlan } from '../../src/index.js'
import { forAll } from '../support/forAll.js'
import { CHARGE, type LabOptions, lab, type Play, timeText } from '../support/lab.js'

const START = Date.UTC(2026, 0, 1)

/** Charges a second apart from the start on, each page after 300 ms. */
const charges =
  (total: number): Play =>
  ({ query }) => {
    const bound = (name: string, otherwise: number): number => {
      const text = query.get(name)
      return text === null ? otherwise : Date.parse(text.replace('+0000', 'Z'))
    }
    const from = Math.max(0, Math.ceil((bound('from_created_at', START) - START) / 1_000))
    const to = Math.min(total - 1, Math.floor((bound('to_created_at', Infinity) - START) / 1_000))
    const size = Number(query.get('page_size'))
    const first = from + Number(query.get('page_num')) * size
    const rows = Math.max(0, Math.min(size, to + 1 - first))
    const items = Array.from({ length: rows }, (_, i) => ({
      ...CHARGE,
      id: `chg_${first + i}`,
      created_at: timeText(START + (first + i) * 1_000),
    }))
    return { ms: 300, body: { has_more: first + rows <= to, items } }
  }

const to_created_at = new Date(START + 10 ** 9 * 1_000)

const explained = (total: number, page_size = 10, options: LabOptions = {}) => {
  const { client, run, calls } = lab({ play: charges(total), ...options })
  const plan = client.charges.snapshot({ to_created_at, page_size })
  return { plan, run, calls }
}

const right = <A>([outcome]: ReadonlyArray<{ readonly value: E.Either<unknown, A> }>): A => {
  if (outcome === undefined || E.isLeft(outcome.value)) throw new Error(JSON.stringify(outcome))
  return outcome.value.right
}

describe('explain of a snapshot', () => {
  it('counts a list of one page with one request', () => {
    const { plan, run, calls } = explained(7)
    expect(right(run(plan.explain()))).toEqual({
      rows: 7,
      precision: 'exact',
      probes: 1,
      pageSize: 10,
      ceiling: 200,
      limit: 'endpoint',
      requests: 1,
      seconds: 0.05,
    })
    expect(calls()).toHaveLength(1)
  })

  it('sends nothing before it is subscribed to, and counts anew at each subscription', () => {
    const { plan, run, calls } = explained(7)
    const explain = plan.explain()
    expect(calls()).toEqual([])
    run(explain)
    run(explain)
    expect(calls()).toHaveLength(2)
  })

  it('counts a million rows within 5 %, by few requests', () => {
    const { plan, run, calls } = explained(1_000_000, 2_000)
    const found = right(run(plan.parallel(4).explain()))
    expect(found).toMatchObject({ precision: 'about', probes: calls().length })
    expect(Math.abs(found.rows - 1_000_000)).toBeLessThan(50_000)
    expect(found.probes).toBeLessThan(12)
  })

  it('takes the time of a page from those that it reads', () => {
    const { plan, run } = explained(1_000_000, 2_000)
    const one = right(run(plan.explain()))
    expect(one).toMatchObject({ limit: 'parallel', seconds: (one.requests ?? 0) * 0.3 })
    const four = right(run(plan.parallel(4).explain()))
    expect(four).toMatchObject({ limit: 'parallel', seconds: (one.requests ?? 0) * 0.075 })
    const eight = right(run(plan.parallel(8).explain()))
    expect(eight).toMatchObject({ limit: 'endpoint', seconds: (one.requests ?? 0) / 20 })
  })

  it.each([
    [{ limits: { global: 7 } }, 'global'],
    [{ limits: { endpoint: 2 } }, 'endpoint'],
    [{ limits: { concurrency: 1 } }, 'concurrency'],
    [{ limits: { global: Infinity, endpoint: Infinity, concurrency: Infinity } }, 'parallel'],
  ])('names the limit that binds: %j', (options, limit) => {
    const { plan, run } = explained(100, 10, options)
    expect(right(run(plan.parallel(4).explain())).limit).toBe(limit)
  })

  it('sends nothing when it is told how many rows there are', () => {
    const { plan, run, calls } = explained(7, 2_000)
    const expected: Partial<SnapshotPlan> = {
      rows: 400_000,
      precision: 'given',
      probes: 0,
      requests: 200,
      seconds: 10,
    }
    expect(right(run(plan.explain({ rows: 400_000 })))).toMatchObject(expected)
    expect(calls()).toEqual([])
  })

  it('counts as many as are read, without those of the second after its end', () => {
    forAll(fc.nat(300), fc.nat(300), fc.nat(320), (total, from, to) => {
      fc.pre(from < to)
      const { client, run } = lab({ play: charges(total) })
      const at = (second: number): string => timeText(START + second * 1_000)
      const filter = { from_created_at: at(from), to_created_at: at(to), page_size: 10 }
      const snapshot = client.charges.snapshot(filter)
      const { rows, precision } = right(run(snapshot.explain()))
      const read = run(snapshot).length
      if (precision === 'exact') expect(rows).toBe(read)
      else expect(Math.abs(rows - read)).toBeLessThanOrEqual(0.05 * read + 10)
    })
  })

  it('says that a list goes on after its last number', () => {
    const { plan, run } = explained(200_000)
    expect(right(run(plan.explain()))).toMatchObject({ rows: 100_000, precision: 'at least' })
  })

  it('counts what is left from a position on', () => {
    const { plan, run } = explained(45)
    const [, second] = run(plan.pages)
    if (second === undefined || E.isLeft(second.value)) throw new Error('no page')
    const { next } = second.value.right
    if (next._tag === 'None') throw new Error('no position')
    const rest = plan.from(next.value)
    expect(right(run(rest.explain())).rows).toBe(run(rest).length)
  })

  it('fails as the snapshot does', () => {
    const { client, run, calls } = lab({
      play: () => ({ status: 403, body: { code: 'forbidden' } }),
    })
    const failures = (source: ReturnType<typeof client.charges.snapshot>) => [
      run(source.explain()),
      run(source.explain({ rows: 3 })),
    ]
    const wrong = client.charges.snapshot({ to_created_at: 'noon' })
    for (const outcome of failures(wrong)) {
      expect(outcome).toMatchObject([{ value: { left: { _tag: 'InvalidRequest' } } }])
    }
    expect(calls()).toEqual([])
    const refused = client.charges.snapshot({ to_created_at })
    expect(run(refused.explain())).toMatchObject([{ value: { left: { _tag: 'Refused' } } }])
    expect(() => refused.explain({ rows: -1 })).toThrow(InvalidOption)
  })
})
