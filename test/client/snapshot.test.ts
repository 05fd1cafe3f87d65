/** Snapshots of charges: what is sent for them, in virtual time. */
import { of, take } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E, O } from '../../src/fp.js'
import type { SnapshotPosition } from '../../src/index.js'
import type { Span } from '../../src/stream/index.js'
import { CHARGE, lab, type Play, problem, timeText } from '../support/lab.js'

const START = Date.UTC(2026, 0, 1)

/** A bound of a filter in ms, or `none`. */
const timeIn = (query: URLSearchParams, name: string, none: number): number =>
  query.has(name) ? Date.parse((query.get(name) ?? '').replace('+0000', 'Z')) : none

/** Charges a minute apart, filtered by time and cut into pages as the interface has it. */
const charges =
  (total: number, change: (nth: number) => Partial<ReturnType<Play>> = () => ({})): Play =>
  ({ query }, nth) => {
    const size = Number(query.get('page_size'))
    const from = timeIn(query, 'from_created_at', 0)
    const to = timeIn(query, 'to_created_at', Number.POSITIVE_INFINITY)
    const wanted = Array.from({ length: total }, (_, i) => i).filter(
      (i) => from <= START + i * 60_000 && START + i * 60_000 <= to,
    )
    const items = wanted
      .slice(0, size)
      .map((i) => ({ ...CHARGE, id: `chg_${i}`, created_at: timeText(START + i * 60_000) }))
    return { ms: 100, body: { has_more: wanted.length > size, items }, ...change(nth) }
  }

/** Charges at so many seconds after the start, listed as they are given. */
const listed = (seconds: ReadonlyArray<number>): Play => {
  const rows = seconds.map((second, i) => {
    const at = START + second * 1_000
    return { at, row: { ...CHARGE, id: `chg_${i}`, created_at: timeText(at) } }
  })
  return ({ query }) => {
    const [from, to] = [timeIn(query, 'from_created_at', 0), timeIn(query, 'to_created_at', 0)]
    const found = rows.filter(({ at }) => from <= at && at <= to)
    const first = Number(query.get('page_num')) * Number(query.get('page_size'))
    const end = first + Number(query.get('page_size'))
    const items = found.slice(first, end).map(({ row }) => row)
    return { body: { has_more: end < found.length, items } }
  }
}

/** The id of each row, or the failure in its place. */
const idsIn = (
  out: ReadonlyArray<{ readonly value: E.Either<unknown, { readonly id: string }> }>,
) => out.map(({ value }) => (E.isRight(value) ? value.right.id : value.left))

const ids = (total: number) => Array.from({ length: total }, (_, n) => `chg_${n}`)

const to_created_at = new Date(START + 600 * 60_000)

describe('a snapshot of charges', () => {
  it.each<unknown>([Number.NaN, 0, 1.5, '4'])('takes no %j for a request count', (requests) => {
    const { client } = lab({ play: charges(1) })
    const error = /^parallel should be a whole number of at least 1, or Infinity/
    for (const list of [client.charges.snapshot(), client.charges.list()]) {
      expect(() => list.parallel(requests as number)).toThrow(error)
    }
  })

  it('reads them all, in slices of whole seconds', () => {
    const { client, run, calls } = lab({ play: charges(25) })
    const list = client.charges.snapshot({ to_created_at, page_size: 10, status: 'SETTLED' })
    expect(calls()).toEqual([])
    expect(idsIn(run(list))).toEqual(ids(25))
    expect(calls().map(({ query }) => Object.fromEntries(query))).toEqual(
      [undefined, '2026-01-01T00:09:00+0000', '2026-01-01T00:18:00+0000'].map((from) => ({
        page_num: '0',
        page_size: '10',
        status: 'SETTLED',
        ...(from === undefined ? {} : { from_created_at: from }),
        to_created_at: '2026-01-01T10:00:01+0000',
      })),
    )
  })

  it('includes charges of its first second, though rows show whole seconds', () => {
    const { client, run } = lab({ play: charges(3) })
    const list = client.charges.snapshot({
      from_created_at: new Date(START + 60_500),
      to_created_at,
    })
    expect(idsIn(run(list))).toEqual(['chg_1', 'chg_2'])
  })

  it('is one slice in the order of the list, however it is read', () => {
    const { client, run } = lab({ play: charges(60) })
    const list = client.charges.snapshot({ to_created_at, page_size: 10 })
    for (const prefetch of [0, 1, 3]) {
      const pages = run(list.drain((page) => of(page), { prefetch })).map(({ value }) => value)
      const all = pages.flatMap((ea) => (E.isRight(ea) ? [ea.right] : []))
      expect(new Set(all.map(({ slice }) => slice.number)).size).toBe(1)
      expect(all.flatMap(({ items }) => items).map((ea) => E.isRight(ea) && ea.right.id)).toEqual(
        ids(60),
      )
    }
  })

  it('is read in parallel as fast as the limits allow', () => {
    const { client, run, calls } = lab({ play: charges(5_000), guard: 0 })
    const snapshot = client.charges.snapshot({
      from_created_at: new Date(START),
      to_created_at: new Date(START + 5_000 * 60_000),
      page_size: 10,
    })
    const slices = new Map<number, number>()
    const pages = run(snapshot.parallel(10).pages)
    for (const { value } of pages) {
      if (E.isLeft(value)) throw new Error(value.left.message)
      const { slice } = value.right
      slices.set(slice.number, slice.rows)
    }
    expect([...slices.values()].reduce((sum, rows) => sum + rows, 0)).toBe(5_000)
    expect(calls().length).toBeLessThan((5_000 / 9) * 1.05)
    expect(pages.at(-1)?.at).toBeLessThan((calls().length / 20) * 1_000 * 1.02 + 1_000)
  })

  it('resumes in parallel, too', () => {
    const { client, run, timer } = lab({ play: charges(200), guard: 0 })
    const snapshot = client.charges.snapshot({
      from_created_at: new Date(START),
      to_created_at,
      page_size: 10,
    })
    const [first] = run(snapshot.parallel(4).pages.pipe(take(1)))
    if (first === undefined || E.isLeft(first.value)) throw new Error('no page')
    const { items, next: rest } = first.value.right
    const next = O.toUndefined(rest)
    if (next === undefined) throw new Error('one page is not all')
    const took = (list: typeof snapshot): number => {
      const begun = timer.now()
      expect(run(list)).toHaveLength(200 - items.length)
      return timer.now() - begun
    }
    const alone = took(snapshot.from(next))
    expect(took(snapshot.parallel(4).from(next))).toBeLessThan(alone * 0.7)
    expect(took(snapshot.from(next).parallel(4))).toBeLessThan(alone * 0.7)
  })

  it.each([-3_600_000, 0, 3_600_000])('ends with the time at the service, %d ms off', (skew) => {
    const { client, run, calls, timer, events } = lab({
      play: charges(5),
      dates: (now) => now - skew,
    })
    timer.frame = Date.UTC(2026, 5, 1) + skew
    run(client.charges.snapshot().pipe(take(1)))
    expect(Object.fromEntries(calls()[0]?.query ?? [])).toEqual({
      page_num: '0',
      page_size: '2000',
      to_created_at: '2026-06-01T00:00:01+0000',
    })
    const told = events.flatMap((event) => (event._tag === 'ClockSkewed' ? [event] : []))
    expect(told.map(({ message }) => message)).toEqual(
      skew === 0 ? [] : [expect.stringMatching(skew > 0 ? /3599 s ahead/ : /3600 s behind/)],
    )
  })

  it('has a charge that was made just before, however far the last second had gone', () => {
    const { client, run, calls, timer } = lab({ play: charges(5), dates: (now) => now })
    timer.frame = START + 900
    run(client.charges.list().pipe(take(1)))
    timer.frame = START + 1_950
    run(client.charges.snapshot().pipe(take(1)))
    expect(calls().at(-1)?.query.get('to_created_at')).toBe('2026-01-01T00:00:02+0000')
  })

  it('is rejected if it starts later than now at the service, and no list is asked for', () => {
    const { client, run, calls, timer } = lab({ play: charges(5), dates: (now) => now - 60_000 })
    const later = client.charges.snapshot({ from_created_at: new Date(START + 60_000) })
    timer.frame = START + 119_000
    for (const list of [later, later.parallel(4)]) {
      expect(run(list.pages)).toMatchObject([
        {
          value: E.left({
            _tag: 'InvalidRequest',
            field: 'from_created_at',
            message: expect.stringMatching(
              /from_created_at should be no later than now \(2026-01-01T00:00:59\+0000 by the clock of the service\), but is a later time/,
            ),
          }),
        },
      ])
    }
    expect(calls()).toEqual([])
    timer.frame = START + 122_000
    expect(run(later)).toHaveLength(1)
  })

  it('without a word of the time at the service ends with that of the client', () => {
    const { client, run, calls, timer } = lab({ play: charges(5) })
    timer.frame = Date.UTC(2026, 5, 1)
    expect(run(client.charges.snapshot())).toHaveLength(5)
    expect(calls().map(({ query }) => query.get('to_created_at'))).toEqual([
      null,
      '2026-06-01T00:00:01+0000',
    ])
  })

  it('is not empty on the word of a clock alone that is behind all charges', () => {
    const { client, run } = lab({ play: charges(5) })
    expect(run(client.charges.snapshot())).toMatchObject([
      {
        value: E.left({
          _tag: 'InvalidRequest',
          field: 'to_created_at',
          message: expect.stringContaining(
            'the clock of this machine (1970-01-01T00:00:00+0000) is behind',
          ),
        }),
      },
    ])
  })

  it.each(['exact', 'truncated'] as const)('of adjacent days have every row: %s', (shown) => {
    const edge = Date.UTC(2026, 1, 1)
    const moments = [-86_400_000, -1_000, -999, -500, -1, 0, 1, 250, 999, 1_000].map(
      (ms) => edge + ms,
    )
    const play: Play = ({ query }) => {
      const [from, to] = [
        timeIn(query, 'from_created_at', 0),
        timeIn(query, 'to_created_at', Number.POSITIVE_INFINITY),
      ]
      const items = moments
        .filter((time) => from <= time && time <= to)
        .map((time) => ({
          ...CHARGE,
          id: `chg_${time - edge}`,
          created_at: shown === 'exact' ? new Date(time).toISOString() : timeText(time),
        }))
      return { body: { has_more: false, items } }
    }
    for (const [to, from] of [
      ['2026-01-31', '2026-02-01'],
      ['2026-01-31T23:59:59Z', '2026-02-01T00:00:00Z'],
      [new Date(edge - 1_000), new Date(edge)],
      ['2026-01-31T23:59:59.5Z', '2026-01-31T23:59:59.501Z'],
    ] as const) {
      const { client, run } = lab({ play })
      const idsOf = (filter: object) => idsIn(run(client.charges.snapshot(filter)))
      const before = idsOf({ from_created_at: '2026-01-31', to_created_at: to })
      const after = idsOf({ from_created_at: from, to_created_at: '2026-02-01' })
      expect(new Set([...before, ...after]).size).toBe(moments.length)
      if (typeof to !== 'string' || !to.includes('.')) {
        expect([...before, ...after]).toHaveLength(moments.length)
      }
    }
  })

  const MINUTE = 60_000
  const floorTo = (unit: number) => (ms: number) => Math.floor(ms / unit) * unit
  const ceilTo = (unit: number) => (ms: number) => Math.ceil(ms / unit) * unit
  const exactly = (ms: number) => ms

  /** Rows of many seconds, filtered in a way of the service's own. */
  const strange = (how: {
    readonly shows?: (ms: number) => number
    readonly from?: (ms: number) => number
    readonly isExclusive?: boolean
    readonly gap?: number
    readonly sign?: number
  }): Play => {
    const { shows = floorTo(1_000), from = exactly, isExclusive = false, gap = 300, sign = 1 } = how
    const rows = Array.from({ length: 60 }, (_, i) => {
      const at = START + i * gap
      return { at, row: { ...CHARGE, id: `chg_${i}`, created_at: timeText(shows(at)) } }
    })
    return ({ query }) => {
      const first = from(timeIn(query, 'from_created_at', 0))
      const last = timeIn(query, 'to_created_at', 0)
      const found = rows
        .filter(({ at }) => (isExclusive ? first < at && at < last : first <= at && at <= last))
        .sort((a, b) => sign * (a.at - b.at))
      const start = Number(query.get('page_num')) * 10
      const items = found.slice(start, start + 10).map(({ row }) => row)
      return { body: { has_more: found.length > start + 10, items } }
    }
  }

  it.each([
    ['leaves out its bounds', { isExclusive: true, gap: 500 }],
    ['leaves out its bounds, newest first', { isExclusive: true, gap: 500, sign: -1 }],
    ['shows the next second', { shows: ceilTo(1_000) }],
    ['shows the next second, newest first', { shows: ceilTo(1_000), sign: -1 }],
    ['shows the nearest second', { shows: (ms: number) => Math.round(ms / 1_000) * 1_000 }],
  ])('has every row of a service that %s', (_, how) => {
    for (const requests of [1, 3]) {
      const { client, run } = lab({ play: strange(how) })
      const list = client.charges.snapshot({ to_created_at, page_size: 10 }).parallel(requests)
      const rows = idsIn(run(list))
      expect([...rows].sort()).toEqual([...ids(60)].sort())
    }
  })

  it('is Truncated where a service reads from the next minute on, and rows would be lost', () => {
    const { client, run } = lab({ play: strange({ from: ceilTo(MINUTE), gap: 5_000 }) })
    const came = run(client.charges.snapshot({ to_created_at, page_size: 10 }))
    expect(came.at(-1)).toMatchObject({
      value: E.left({
        _tag: 'Truncated',
        guard: 'RowsMissing',
        message: expect.stringContaining('1 row at the edge of a page did not appear again'),
      }),
    })
  })

  it('goes on without a row at the edge of a page that has left the filter', () => {
    const all = listed(Array.from({ length: 30 }, (_, i) => i))
    const { client, run } = lab({
      play: (departure, nth) => {
        const reply = all(departure, nth)
        const { items, has_more } = Object(reply.body)
        const left = items.filter(({ id }: { id: string }) => nth === 1 || id !== 'chg_9')
        return { body: { has_more, items: left } }
      },
    })
    const came = run(client.charges.snapshot({ to_created_at, page_size: 10 }))
    const expected = ids(30).filter((id) => id !== 'chg_9')
    expect(idsIn(came)).toEqual(expected)
  })

  it.each(['0001-01-01T00:00:00Z', '1969-12-31T23:00:00+0000'])(
    'has a row dated %s, and all others, where it has no start',
    (created_at) => {
      for (const sign of [1, -1]) {
        const rows = [
          {
            at: Date.parse(created_at.replace('+0000', 'Z')),
            row: { ...CHARGE, id: 'old', created_at },
          },
          ...ids(25).map((id, i) => {
            const at = START + i * 1_000
            return { at, row: { ...CHARGE, id, created_at: timeText(at) } }
          }),
        ].sort((a, b) => sign * (a.at - b.at))
        const play: Play = ({ query }) => {
          const [from, to] = [
            timeIn(query, 'from_created_at', Number.NEGATIVE_INFINITY),
            timeIn(query, 'to_created_at', 0),
          ]
          const found = rows.filter(({ at }) => from <= at && at <= to).map(({ row }) => row)
          return { body: { has_more: found.length > 10, items: found.slice(0, 10) } }
        }
        for (const requests of [1, 3]) {
          const { client, run } = lab({ play })
          const list = client.charges.snapshot({ to_created_at, page_size: 10 }).parallel(requests)
          const came = idsIn(run(list))
          expect([...came].sort()).toEqual([...ids(25), 'old'].sort())
        }
      }
    },
  )

  it('resumes at a position whatever the clock says', () => {
    const { client, run, timer } = lab({ play: charges(5) })
    const all = { from: START, to: START + 600_000 }
    const position = { ...all, slices: [{ ...all, number: 1, rows: 0, left: all }], cut: 1 }
    timer.frame = 86_400_000
    const snapshot = client.charges.snapshot({ from_created_at: new Date(START) })
    expect(run(snapshot.from(position)).map(({ value }) => E.isRight(value))).toEqual(
      Array(5).fill(true),
    )
  })

  it('reads times of any shape, those without an offset in UTC', () => {
    const { client, run, calls } = lab({ play: charges(5) })
    const filter = { from_created_at: '2026-01-01T08:00', to_created_at: '2026-01-01T10:00+01' }
    run(client.charges.snapshot(filter).pipe(take(1)))
    expect(Object.fromEntries(calls()[0]?.query ?? [])).toMatchObject({
      from_created_at: '2026-01-01T07:59:59+0000',
      to_created_at: '2026-01-01T09:00:01+0000',
    })
  })

  it('ends on a failure with what is left, and resumes there', () => {
    const { client, run, calls } = lab({
      play: charges(40, (nth) => (nth === 3 ? problem(403, 'forbidden') : {})),
    })
    const snapshot = client.charges.snapshot({ to_created_at, page_size: 10 })
    const first = run(snapshot).map(({ value }) => value)
    const failure = first.flatMap((ea) => (E.isLeft(ea) ? [ea.left] : []))[0]
    expect(failure).toMatchObject({
      _tag: 'Truncated',
      pages: 2,
      message: expect.stringMatching(
        /^GET \/api\/v1\/charges: incomplete: ended after 2 pages, with 1 time slice/,
      ),
      cause: { _tag: 'Refused' },
    })
    const sent = calls().length
    if (failure?._tag !== 'Truncated') throw new Error('it did not end')
    const position: SnapshotPosition = JSON.parse(JSON.stringify(failure.position))
    const rest = run(snapshot.from(position)).map(({ value }) => value)
    const all = [...first, ...rest].flatMap((ea) => (E.isRight(ea) ? [ea.right.id] : []))
    expect(all).toEqual(ids(40))
    expect(calls().length - sent).toBe(3)
  })

  it('says after how many pages it ended', () => {
    const { client, run } = lab({
      play: charges(40, (nth) => (nth === 2 ? problem(403, 'forbidden') : {})),
    })
    const snapshot = client.charges.snapshot({ to_created_at, page_size: 10 })
    const failures = run(snapshot).flatMap(({ value }) => (E.isLeft(value) ? [value.left] : []))
    expect(failures.map(({ message }) => message)).toEqual([
      expect.stringContaining(': ended after 1 page, with 1 time slice left to read: '),
    ])
  })

  it.each([
    ['a failure', {}, { cause: { _tag: 'Refused' } }],
    ['maxPages', { lists: { maxPages: 1 } }, { guard: 'TooLong' }],
  ])('goes on from %s in its first second, which one page does not hold', (_, options, why) => {
    const crowd =
      (isBroken: boolean): Play =>
      ({ query }) => {
        const first = Number(query.get('page_num')) * 10
        if (isBroken && first > 0) return problem(403, 'forbidden')
        const items = ids(25).map((id) => ({ ...CHARGE, id }))
        return { body: { has_more: first < 20, items: items.slice(first, first + 10) } }
      }
    const at = CHARGE.created_at
    const filter = { from_created_at: at, to_created_at: at, page_size: 10 }

    const before = lab({ play: crowd(true), ...options })
    const [first] = before.run(before.client.charges.snapshot(filter)).map(({ value }) => value)
    expect(first).toMatchObject(
      E.left({ _tag: 'Truncated', pages: 0, cause: { _tag: 'Truncated', pages: 1, ...why } }),
    )
    const failure = first !== undefined && E.isLeft(first) ? first.left : undefined
    if (failure?._tag !== 'Truncated') throw new Error('it did not end')
    const position: SnapshotPosition = JSON.parse(JSON.stringify(failure.position))

    const after = lab({ play: crowd(false) })
    const rest = after.run(after.client.charges.snapshot(filter).from(position))
    expect(idsIn(rest)).toEqual(ids(25))
  })

  it.each([
    '9999-12-31T23:59:59Z',
    '9999-12-31T23:59:59.999Z',
    '9999-12-31T23:59:59-05:00',
    '9999-12-31T24:00',
    new Date('9999-12-31T23:59:59.999Z'),
  ])('is of all that comes, for ever: up to %s', (end) => {
    const { client, run, calls } = lab({ play: charges(25) })
    const list = client.charges.snapshot({ to_created_at: end, page_size: 10 })
    expect(idsIn(run(list))).toEqual(ids(25))
    expect(calls()[0]?.query.get('to_created_at')).toBe('9999-12-31T23:59:59+0000')
  })

  const slice = (from: number, to: number, left: Span = { from, to }) => ({
    from: 0,
    to: 10,
    slices: [{ from, to, number: 1, rows: 0, left }],
    cut: 1,
  })

  it.each([
    slice(0, 1e300),
    slice(0, 8.64e15 + 1),
    slice(-1e300, 10),
    slice(0, 10, { from: 5, to: 5 }),
    slice(10, 0),
  ])('is at no such position: %j', (position) => {
    const { client, run, sent } = lab()
    expect(run(client.charges.snapshot().from(position))).toMatchObject([
      { value: E.left({ _tag: 'InvalidRequest', field: 'position' }) },
    ])
    expect(sent).toEqual([])
  })

  it.each([
    [
      'a later answer rises',
      [-100, -50, -100, -50, ...Array(6).fill(-100), ...Array(9).fill(0), 1, 0, 1],
    ],
    ['a page in each of many parts', Array.from({ length: 2_000 }, (_, i) => (i * 631) % 2_000)],
    ['a crowd in each of many seconds', Array.from({ length: 1_100 }, (_, i) => (i * 37) % 100)],
  ])('has all of an unordered list, once it was seen: %s', (_, seconds: ReadonlyArray<number>) => {
    const { client, run } = lab({ play: listed(seconds) })
    for (const requests of [1, 3]) {
      const list = client.charges.snapshot({ to_created_at, page_size: 10 }).parallel(requests)
      const rows = idsIn(run(list))
      expect(new Set(rows)).toEqual(new Set(ids(seconds.length)))
      expect(rows).toHaveLength(seconds.length)
    }
  })

  it.each([1, 2])('fails where an answer contradicts the order, with %d requests', (requests) => {
    const outside = Array(8).fill(11)
    const inside = [10, 9, 8, ...Array(8).fill([9, 8]).flat()]
    const { client, run } = lab({ play: listed([...outside, ...inside]) })
    const list = client.charges.snapshot({
      from_created_at: new Date(START + 8_000),
      to_created_at: new Date(START + 10_000),
      page_size: 10,
    })
    const last = run(list.parallel(requests)).at(-1)?.value
    expect(last).toMatchObject({ left: { _tag: 'Truncated', guard: 'OrderChanged' } })
  })

  it('whose first page fails is that failure', () => {
    const { client, run } = lab({ play: () => problem(403, 'forbidden') })
    expect(run(client.charges.snapshot().parallel(4))).toMatchObject([
      { value: E.left({ _tag: 'Refused' }) },
    ])
  })

  it.each([
    [{ from_created_at: 'yesterday' }, 'from_created_at', expect.stringContaining('time')],
    [{ from_created_at: '2026-02-30' }, 'from_created_at', expect.stringContaining('time')],
    [{ to_created_at: new Date(Number.NaN) }, 'to_created_at', expect.stringContaining('time')],
    [{ page_num: 3 } as object, 'page_num', 'omitted from a snapshot'],
    [
      { from_created_at: '2026-02-01', to_created_at: '2026-01-01' },
      'to_created_at',
      'from_created_at or later',
    ],
    [{ to_created_at: '1969-12-31' }, 'to_created_at', '1970 or later'],
    [{ page_size: 5 }, 'page_size', expect.any(String)],
  ])('with %j is refused, from a position too, and nothing is sent', (filter, field, expected) => {
    const { client, run, calls } = lab()
    const snapshot = client.charges.snapshot(filter)
    const all = { from: 0, to: START }
    const position = { ...all, slices: [{ ...all, number: 1, rows: 0, left: all }], cut: 1 }
    for (const list of [snapshot, snapshot.from(position)]) {
      expect(run(list)).toMatchObject([
        { value: E.left({ _tag: 'InvalidRequest', field, expected }) },
      ])
    }
    expect(calls()).toEqual([])
  })

  it('emits a row that does not decode once, and continues', () => {
    const broken = { ...CHARGE, id: 'chg_bad', created_at: 'soon' }
    const good = charges(25)
    const { client, run } = lab({
      play: (departure, nth) => {
        const reply = good(departure, nth)
        const { items, ...body } = Object(reply.body)
        return { ...reply, body: { ...body, items: [broken, ...items] } }
      },
    })
    const rows = run(client.charges.snapshot({ to_created_at, page_size: 10 }))
    expect(rows.filter(({ value }) => E.isLeft(value))).toMatchObject([
      { value: E.left({ _tag: 'Undecodable' }) },
    ])
    expect(rows).toHaveLength(26)
  })

  it.each([
    [
      'is never at rest',
      [10, 10, 3],
      (nth: number) => `chg_${nth}`,
      'the rows within one second kept changing',
    ],
    [
      'has pages of several lengths',
      [8, 10, 3],
      () => 'chg',
      'the pages within one second have different lengths',
    ],
  ])('whose second %s says so, and ends', (_, lengths, name, reason) => {
    const second = new Date(START)
    const { client, run, calls } = lab({
      play: ({ query }, nth) => {
        const page = Number(query.get('page_num'))
        const items = Array.from({ length: lengths[page] ?? 0 }, (_, i) => ({
          ...CHARGE,
          id: `${name(nth)} ${page} ${i}`,
          created_at: timeText(START),
        }))
        return { body: { has_more: page + 1 < lengths.length, items } }
      },
    })
    const range = { from_created_at: second, to_created_at: second }
    const came = run(client.charges.snapshot({ ...range, page_size: 10 })).map(({ value }) => value)
    const message = expect.stringContaining(reason)
    expect(came).toMatchObject([E.left({ _tag: 'Truncated', guard: 'Moved', message })])
    expect(calls().length).toBeLessThan(100)
  })

  it('compares rows without an id by content', () => {
    const deep = (wrap: string) => '['.repeat(20_000) + wrap + ']'.repeat(20_000)
    const body = `{"has_more":false,"items":[${deep('')},${deep('1')},${JSON.stringify(CHARGE)}]}`
    const { client, run } = lab({ play: () => ({ ms: 100, body }) })
    const rows = run(client.charges.snapshot({ to_created_at: new Date('2030-01-01T00:00:00Z') }))
    expect(rows.map(({ value }) => value._tag)).toEqual(['Left', 'Left', 'Right'])
  })

  it('has pages that can be read again', () => {
    const { client, run } = lab({ play: charges(25) })
    const snapshot = client.charges.snapshot({ to_created_at, page_size: 10 })
    const pages = run(snapshot.pages).flatMap(({ value }) =>
      E.isRight(value) ? [value.right] : [],
    )
    const again = pages[1] && run(snapshot.from(pages[1].position)).map(({ value }) => value)
    expect(again).toEqual(pages[1]?.items)
    expect(pages.at(-1)?.next).toEqual(O.none)
  })
})
