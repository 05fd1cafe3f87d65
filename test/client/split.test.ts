/** Snapshots cut into spans of about equal rows, and parts of them, in virtual time. */
import { describe, expect, it } from 'vitest'
import { E } from '../../src/fp.js'
import { CHARGE, lab, type Play, problem, timeText } from '../support/lab.js'

const START = Date.UTC(2026, 0, 1)
const END = new Date(START + 86_400_000)

/** Charges at these seconds after the start, in the order that they are given. */
const listed = (seconds: ReadonlyArray<number>): Play => {
  const rows = seconds.map((second, i) => {
    const at = START + second * 1_000
    return { at, row: { ...CHARGE, id: `chg_${i}`, created_at: timeText(at) } }
  })
  return ({ query }) => {
    const [from = 0, to = 0] = ['from_created_at', 'to_created_at'].map((field) =>
      Date.parse((query.get(field) ?? '1970-01-01T00:00:00Z').replace('+0000', 'Z')),
    )
    const found = rows.filter(({ at }) => from <= at && at <= to)
    const first = Number(query.get('page_num')) * Number(query.get('page_size'))
    const end = first + Number(query.get('page_size'))
    const items = found.slice(first, end).map(({ row }) => row)
    return { body: { has_more: end < found.length, items } }
  }
}

/** Nine of ten in one hour. */
const uneven = Array.from({ length: 1_000 }, (_, i) => (i < 900 ? 40_000 + i * 4 : i * 80))

const filter = { to_created_at: END, page_size: 10 }

/** Rows in each span, counted by hand. */
const counts = (
  seconds: ReadonlyArray<number>,
  spans: ReadonlyArray<{ readonly from: number; readonly to: number }>,
) =>
  spans.map(
    ({ from, to }) =>
      seconds.filter((second) => from <= START + second * 1_000 && START + second * 1_000 < to)
        .length,
  )

describe('split', () => {
  it.each([
    ['oldest first', [...uneven].sort((a, b) => a - b)],
    ['newest first', [...uneven].sort((a, b) => b - a)],
  ])('cuts rows that are dense in places into equal parts, %s', (_, seconds) => {
    const { client, run, calls } = lab({ play: listed(seconds) })
    const [found] = run(client.charges.snapshot(filter).split({ slices: 8 }))
    if (found === undefined || E.isLeft(found.value)) throw new Error('no spans')
    const spans = found.value.right
    expect(spans.length).toBe(8)
    expect([spans[0]?.from, spans.at(-1)?.to]).toEqual([0, END.getTime() + 1_000])
    for (const [i, { to }] of spans.slice(0, -1).entries()) expect(to).toBe(spans[i + 1]?.from)
    for (const rows of counts(seconds, spans)) expect(Math.abs(rows - 125)).toBeLessThan(2)
    expect(spans.map(({ rows }) => rows)).toEqual(Array.from({ length: 8 }, () => 125))
    expect(calls().length).toBeLessThan(2 * Math.log2(100) + 8)
  })

  it('makes as many spans as have so many rows each', () => {
    const { client, run } = lab({ play: listed(uneven) })
    const [found] = run(client.charges.snapshot(filter).split({ rows: 300 }))
    expect(found?.value).toMatchObject({ right: { length: 4 } })
  })

  it('is one span for no rows, and has no bound within a second', () => {
    const spansOf = (seconds: ReadonlyArray<number>) => {
      const { client, run } = lab({ play: listed(seconds) })
      return run(client.charges.snapshot(filter).split({ slices: 4 })).map(({ value }) => value)
    }
    const end = END.getTime() + 1_000
    expect(spansOf([])).toEqual([E.right([{ from: 0, to: end, rows: 0 }])])
    const at = START + 7_000
    expect(spansOf(Array.from({ length: 50 }, () => 7))).toEqual([
      E.right([
        { from: 0, to: at, rows: 25 },
        { from: at, to: end, rows: 25 },
      ]),
    ])
  })

  it('takes the refusal of a number that no page has for the end', () => {
    const play = listed(uneven)
    const refusing: Play = (call, nth) =>
      Number(call.query.get('page_num')) >= 100 ? problem(400, 'invalid_argument') : play(call, nth)
    const { client, run } = lab({ play: refusing })
    const [found] = run(client.charges.snapshot(filter).split({ slices: 4 }))
    expect(found?.value).toMatchObject({ right: { length: 4 } })
  })

  it('fails as the first page does', () => {
    const { client, run } = lab({ play: () => problem(401, 'unauthorized') })
    const [found] = run(client.charges.snapshot(filter).split({ slices: 4 }))
    expect(found?.value).toMatchObject({ left: { _tag: 'Unauthorized' } })
  })
})

describe('within', () => {
  it('reads exactly the rows of a span', () => {
    const { client, run } = lab({ play: listed(uneven) })
    const snapshot = client.charges.snapshot({ ...filter, status: 'NEW' })
    const span = { from: START + 40_000_000, to: START + 40_040_000 }
    const part = snapshot.within(span)
    expect(run(part).map(({ value }) => E.isRight(value) && value.right.id)).toEqual(
      Array.from({ length: 10 }, (_, i) => `chg_${i}`),
    )
    expect(part.describe().query).toEqual({
      status: 'NEW',
      from_created_at: '2026-01-01T11:06:40+0000',
      to_created_at: '2026-01-01T11:07:19+0000',
    })
  })

  it.each([
    { from: 5, to: 5 },
    { from: 9, to: 5 },
    { from: Number.NaN, to: 5 },
    { from: 0, to: Number.POSITIVE_INFINITY },
  ])('refuses a span that has no moment: %o', (span) => {
    const { client } = lab({ play: listed(uneven) })
    expect(() => client.charges.snapshot(filter).within(span)).toThrow(
      'within: span should be { from, to } in ms since 1970, `from` before `to`',
    )
  })
})
