import { defer, firstValueFrom, lastValueFrom, of, retry, take, toArray } from 'rxjs'
import { describe, expect, it } from 'vitest'
import type { Position } from '../../src/api/Paging.js'
import { exportList, type Progress } from '../../src/export/exportList.js'
import type { Reject } from '../../src/export/index.js'
import { E, O } from '../../src/fp.js'
import type { Failure } from '../../src/index.js'
import { type Page, paginate } from '../../src/stream/index.js'

const failure: Failure = {
  _tag: 'ServerFault',
  endpoint: 'x',
  attempts: 1,
  status: 500,
  code: 'c',
  message: 'away',
}

type Row = E.Either<Failure, number>

/** A list of these pages; the failure stands for a page that cannot be read. */
const list = (pages: ReadonlyArray<ReadonlyArray<Row> | Failure>, asked: Array<number> = []) =>
  paginate<Failure, number, Position>({
    first: { page_num: 0 },
    fetch: (position) =>
      defer(() => {
        const n = 'page_num' in position ? position.page_num : 0
        asked.push(n)
        const page = pages[n] ?? []
        if ('_tag' in page) return of(E.left(page))
        const next = n + 1 < pages.length ? O.some({ page_num: n + 1 }) : O.none
        const read: Page<Failure, number, Position> = { items: page, raw: page, position, next }
        return of(E.right(read))
      }),
    key: JSON.stringify,
    cut: (cut) => (cut._tag === 'Failed' ? cut.failure : failure),
    maxPages: 100,
    maxEmptyPages: 3,
  })

const sinks = () => {
  const written: Array<ReadonlyArray<number>> = []
  const rejected: Array<Reject> = []
  return {
    written,
    rejected,
    options: {
      sink: async (rows: ReadonlyArray<number>) => written.push(rows),
      rejects: async (rows: ReadonlyArray<Reject>) => rejected.push(...rows),
    },
  }
}

const good = (...rows: ReadonlyArray<number>): ReadonlyArray<Row> => rows.map(E.right)

describe('exportList', () => {
  it('tells after each page how far it is, and at last that it ended', async () => {
    const { written, options } = sinks()
    const told = await lastValueFrom(
      exportList({ ...options, list: list([good(1, 2), [], good(3)]) }).pipe(toArray()),
    )
    expect(written).toEqual([[1, 2], [], [3]])
    expect(told).toEqual([
      { rows: 2, rejects: 0, pages: 1, ended: false, next: { page_num: 1 } },
      { rows: 2, rejects: 0, pages: 2, ended: false, next: { page_num: 2 } },
      { rows: 3, rejects: 0, pages: 3, ended: false },
      { rows: 3, rejects: 0, pages: 3, ended: true, share: 1 },
    ] satisfies ReadonlyArray<Progress>)
  })

  it('ends with the failure of a page that cannot be read, after all that came before', async () => {
    const { written, options } = sinks()
    const last = await lastValueFrom(
      exportList({ ...options, list: list([good(1), failure, good(2)]) }),
    )
    expect(written).toEqual([[1]])
    const next = { page_num: 1 }
    expect(last).toEqual({ rows: 1, rejects: 0, pages: 1, ended: false, failure, next })
  })

  it('puts rows that do not decode aside, with their place and the reason', async () => {
    const { written, rejected, options } = sinks()
    const last = await lastValueFrom(
      exportList({ ...options, list: list([good(1), [E.right(2), E.left(failure), E.right(3)]]) }),
    )
    expect(written).toEqual([[1], [2, 3]])
    expect(rejected).toEqual([
      { position: { page_num: 1 }, index: 1, reason: 'away', row: E.left(failure) },
    ])
    expect(last).toMatchObject({ rows: 3, rejects: 1, ended: true })
  })

  it('asks for nothing before it is subscribed to, and starts reread each time', async () => {
    const asked: Array<number> = []
    const run = exportList({ ...sinks().options, list: list([good(1), good(2)], asked) })
    expect(asked).toEqual([])
    await lastValueFrom(run)
    await lastValueFrom(run)
    expect(asked).toEqual([0, 1, 0, 1])
  })

  it('reads one page ahead of what is written, and no more', async () => {
    const asked: Array<number> = []
    const pages = Array.from({ length: 10 }, (_, i) => good(i))
    const ahead: Array<number> = []
    let taken = 0
    const { rejects } = sinks().options
    const sink = async () => {
      await new Promise(setImmediate)
      ahead.push(asked.length - taken++)
    }
    await lastValueFrom(exportList({ list: list(pages, asked), sink, rejects }))
    expect(Math.max(...ahead)).toBe(2)
  })

  it('fails when the sink does', async () => {
    const sink = () => Promise.reject(new Error('disk full'))
    const run = exportList({
      list: list([good(1), good(2)]),
      sink,
      rejects: sinks().options.rejects,
    })
    await expect(lastValueFrom(run)).rejects.toThrow('disk full')
  })

  it('forgets the rows of a page that its sink did not take: who tries again has them', async () => {
    const seen = new Set(['1'])
    const table: Array<number> = []
    let calls = 0
    const run = exportList({
      list: list([good(1, 2), good(2, 3, 4), good(5)]),
      key: String,
      seen,
      sink: async (rows) => {
        if (++calls === 2) throw new Error('connection lost')
        table.push(...rows)
      },
      rejects: sinks().options.rejects,
    })
    const last = await lastValueFrom(run.pipe(retry(1)))
    expect(last).toMatchObject({ rows: 3, repeated: 3, ended: true })
    expect(table).toEqual([2, 3, 4, 5])
    expect([...seen]).toEqual(['1', '2', '3', '4', '5'])
  })

  it('asks for no further page once nobody listens', async () => {
    const asked: Array<number> = []
    const pages = Array.from({ length: 10 }, (_, i) => good(i))
    await firstValueFrom(exportList({ ...sinks().options, list: list(pages, asked) }).pipe(take(1)))
    await new Promise(setImmediate)
    expect(asked).toEqual([0, 1])
  })
})
