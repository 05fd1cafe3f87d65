/** A numbered page that does not say whether there are more: a failure, unless `strictEnd` is off. */
import { describe, expect, it } from 'vitest'
import { fieldsOf } from '../../src/decode/unknown.js'
import { E } from '../../src/fp.js'
import { isSnapshotPosition } from '../../src/stream/snapshot/SnapshotPosition.js'
import { CHARGE, lab, type Play, timeText } from '../support/lab.js'

const START = Date.UTC(2026, 0, 1)
const SIZE = 10

interface Said {
  readonly items: ReadonlyArray<unknown>
  readonly has_more?: unknown
  readonly page_after?: unknown
}

/** 25 charges, a minute apart, by time and by number. `page`: what the nth page is, from 1. */
const charges =
  (page: (whole: Said, nth: number) => Said): Play =>
  ({ query }, nth) => {
    const from = Date.parse(
      (query.get('from_created_at') ?? '1970-01-01T00:00:00Z').replace('+0000', 'Z'),
    )
    const all = Array.from({ length: 25 }, (_, i) => START + i * 60_000)
      .map((at, i) => ({ at, row: { ...CHARGE, id: `chg_${i}`, created_at: timeText(at) } }))
      .filter(({ at }) => at >= from)
      .slice(Number(query.get('page_num')) * SIZE)
    const items = all.slice(0, SIZE).map(({ row }) => row)
    return { body: page({ items, has_more: all.length > SIZE }, nth) }
  }

const unsaid = ({ items }: Said): Said => ({ items })

/** Empty, where there should be ten rows, and more after them. */
const lost: Play = charges((page, nth) => (nth === 2 ? { items: [] } : page))

const filter = { page_size: SIZE, to_created_at: new Date(START + 3_600_000) }

const noWord = {
  _tag: 'Undecodable',
  path: 'has_more',
  expected: 'true or false',
  actual: 'missing',
  message: 'GET /api/v1/charges: has_more should be true or false, but is missing',
}

describe('a page without has_more', () => {
  it('is an Undecodable of a list, also where it has no rows', () => {
    const whole = lab({ play: charges(unsaid) })
    expect(whole.run(whole.client.charges.list()).map(({ value }) => value)).toMatchObject([
      E.left(noWord),
    ])
    const { client, run } = lab({ play: lost })
    expect(run(client.charges.list()).at(-1)?.value).toMatchObject(
      E.left({ _tag: 'Truncated', position: { page_num: 1 }, cause: noWord }),
    )
  })

  it.each([
    ['left out', charges(unsaid), 'missing'],
    ['null', charges((page) => ({ ...page, has_more: null })), 'null'],
  ])('is an Undecodable of a snapshot: %s', (_, play, actual) => {
    const { client, run } = lab({ play })
    expect(run(client.charges.snapshot(filter)).map(({ value }) => value)).toMatchObject([
      E.left({ ...noWord, actual, message: expect.stringContaining(`but is ${actual}`) }),
    ])
  })

  it('leaves a snapshot incomplete, to be gone on with', () => {
    const { client, run } = lab({ play: lost })
    const list = client.charges.snapshot(filter)
    const values = run(list).map(({ value }) => value)
    const last = values.at(-1)
    expect(values.filter(E.isRight)).toHaveLength(9) // up to the last one's second
    expect(last).toMatchObject({ left: { _tag: 'Truncated', pages: 1, cause: noWord } })
    const position = fieldsOf(last === undefined || E.isRight(last) ? {} : last.left).position
    if (!isSnapshotPosition(position)) throw position
    const rest = run(list.from(position)).map(({ value }) => value)
    expect([...values, ...rest].flatMap((ea) => (E.isRight(ea) ? [ea.right.id] : []))).toEqual(
      Array.from({ length: 25 }, (_, i) => `chg_${i}`),
    )
  })

  it.each([
    ['has_more: false', { has_more: false }],
    ['page_after: null', { page_after: null }],
  ])('says that it is the last one by %s', (_, end) => {
    const { client, run } = lab({ play: charges(({ items }) => ({ items, ...end })) })
    const values = run(client.charges.snapshot(filter)).map(({ value }) => value)
    expect(values).toHaveLength(10)
    expect(values.every(E.isRight)).toBe(true)
  })

  it('ends a list and a snapshot with `strictEnd: false`', () => {
    const { client, run } = lab({ play: charges(unsaid), lists: { strictEnd: false } })
    for (const list of [client.charges.list(), client.charges.snapshot(filter)]) {
      const values = run(list)
      expect(values).toHaveLength(10)
      expect(values.every(({ value }) => E.isRight(value))).toBe(true)
    }
  })

  it('ends a list of bookmarks, which have no has_more', () => {
    const { client, run } = lab({ play: () => ({ body: { items: [] } }) })
    expect(run(client.batchTransfers.list())).toEqual([])
  })
})
