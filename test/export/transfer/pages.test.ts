/** Page after page: what an export tells, what it asks for ahead, when it is durable, and when it is cut. */
import { lastValueFrom, Subject, take, VirtualTimeScheduler } from 'rxjs'
import { describe, expect, it } from 'vitest'
import type { Reject } from '../../../src/export/index.js'
import { E } from '../../../src/fp.js'
import { type Memory, memory } from './memory.js'
import {
  away,
  csv,
  exportOf,
  good,
  type Item,
  listOf,
  outcome,
  type Played,
  pagesOf,
  type Row,
  run,
  type Told,
} from './playing.js'

const spoilt: Row = E.left({ ...away, message: 'n should be number' })

/** A function that takes rows, and what it took. */
const taking = () => {
  const written: Array<ReadonlyArray<number>> = []
  const rejected: Array<Reject> = []
  const options: Played = {
    out: async (rows) => void written.push(rows.map(({ n }) => n)),
    onReject: async (rows) => void rejected.push(...rows),
  }
  return { written, rejected, options }
}

const pages = [good(0, 1), good(2), good(3, 4)]

describe('an export', () => {
  it('tells after each page how far it is, and at last that it ended', async () => {
    const { written, options } = taking()
    const told = await run(undefined, listOf([good(1, 2), [], good(3)]), options)
    expect(written).toEqual([[1, 2], [], [3]])
    expect(told).toEqual([
      { rows: 0, rejects: 0, pages: 0, ended: false, started: { resumed: false } },
      { rows: 2, rejects: 0, pages: 1, ended: false, next: { page_num: 1 } },
      { rows: 2, rejects: 0, pages: 2, ended: false, next: { page_num: 2 } },
      { rows: 3, rejects: 0, pages: 3, ended: false },
      { rows: 3, rejects: 0, pages: 3, ended: true, share: 1 },
    ] satisfies ReadonlyArray<Told>)
  })

  it('ends with the failure of a page that cannot be read, after all that came before', async () => {
    const { written, options } = taking()
    const last = await outcome(undefined, listOf([good(1), away, good(2)]), options)
    expect(written).toEqual([[1]])
    const next = { page_num: 1 }
    expect(last).toEqual({ rows: 1, rejects: 0, pages: 1, ended: false, failure: away, next })
  })

  it('reads one page ahead of what is written, and no more', async () => {
    const asked: Array<number> = []
    const ahead: Array<number> = []
    let taken = 0
    const out = async (): Promise<void> => {
      await new Promise(setImmediate)
      ahead.push(asked.length - taken++)
    }
    await outcome(undefined, listOf(pagesOf(10, 1), asked), { out })
    expect(Math.max(...ahead)).toBe(2)
  })

  it('fails when the function does that takes its rows', async () => {
    const out = () => Promise.reject(new Error('table full'))
    await expect(run(undefined, listOf(pages), { out })).rejects.toThrow('table full')
  })

  it('asks for no further page once nobody listens', async () => {
    const asked: Array<number> = []
    const exporting = exportOf(undefined, listOf(pagesOf(10, 1), asked), taking().options)
    await lastValueFrom(exporting.pipe(take(2)))
    await new Promise(setImmediate)
    expect(asked).toEqual([0, 1])
  })
})

describe('rows are durable', () => {
  const OF_EACH = pagesOf(8, 1)

  /**
   * Exports one row a page, each of which moves the clock by so many ms. Returns the page at which each run would go on
   * that was killed while the n-th page came.
   */
  const resumedAt = async (ms: (n: number) => number): Promise<ReadonlyArray<number>> => {
    const disks: Array<Memory> = []
    const timer = new VirtualTimeScheduler()
    timer.frame = 10_000_000
    const files = memory()
    const key = ({ n, id }: Item): string => {
      disks.push(files.after('power cut'))
      timer.frame += ms(n)
      return id
    }
    await outcome(files, listOf(OF_EACH), { timer, key, commitEvery: 1_000 })
    const at: Array<number> = []
    for (const disk of disks) {
      const asked: Array<number> = []
      await outcome(disk, listOf(OF_EACH, asked), { resume: true }).catch(() => {})
      at.push(asked[0] ?? 0)
    }
    return at
  }

  it('after the first page, then no more often than every so many ms', async () => {
    expect(await resumedAt(() => 600)).toEqual([0, 1, 1, 3, 3, 5, 5, 7])
    expect(await resumedAt(() => 0)).toEqual([0, 1, 1, 1, 1, 1, 1, 1])
  })

  it('also when the clock was set back', async () => {
    const at = await resumedAt((n) => (n === 1 ? -3_600_000 : 600))
    expect(at).toEqual([0, 1, 2, 2, 4, 4, 6, 6])
  })
})

describe('stop', () => {
  it('ends it after the page that is being written, which is durable', async () => {
    const files = memory()
    const stop = new Subject<void>()
    const key = ({ n, id }: Item): string => {
      if (n === 2) stop.next()
      return id
    }
    const last = await outcome(files, listOf(pages), { key, stop, commitEvery: 1e9 })
    expect(last).toMatchObject({ rows: 3, ended: false, stopped: true })
    const asked: Array<number> = []
    await outcome(files.after('power cut'), listOf(pages, asked), { resume: true })
    expect(asked).toEqual([2])
  })

  it('is no cut when all was read', async () => {
    const stop = new Subject<void>()
    const key = ({ n, id }: Item): string => {
      if (n === 3) stop.next()
      return id
    }
    const last = await outcome(memory(), listOf(pages), { key, stop })
    expect(last).toMatchObject({ rows: 5, ended: true })
    expect(last).not.toHaveProperty('stopped')
  })
})

describe('rows that are not written', () => {
  it('are put aside with their place and the reason', async () => {
    const { written, rejected, options } = taking()
    const list = listOf([good(1), [...good(2), spoilt, ...good(3)]])
    const last = await outcome(undefined, list, options)
    expect(written).toEqual([[1], [2, 3]])
    const row = { broken: true }
    expect(rejected).toEqual([
      { position: { page_num: 1 }, index: 1, reason: 'n should be number', row },
    ])
    expect(last).toMatchObject({ rows: 3, rejects: 1, ended: true })
  })

  it('do not end it when there are no more than may be', async () => {
    const stop = new Subject<void>()
    const out = async () => stop.next()
    const list = listOf([[spoilt, ...good(1)], good(2)])
    const last = await outcome(undefined, list, { out, stop, maxRejects: 1 })
    expect(last).toMatchObject({ rejects: 1, stopped: true })
  })

  it('cut nothing when all was read', async () => {
    const { written, options } = taking()
    const list = listOf([good(0), [spoilt, ...good(1)]])
    const last = await outcome(undefined, list, { ...options, maxRejects: 0 })
    expect(written).toEqual([[0], [1]])
    expect(last).toEqual({ rows: 2, rejects: 1, pages: 2, share: 1, ended: true })
  })
})

describe('a row that comes again', () => {
  it('is left out, and counted', async () => {
    const { written, options } = taking()
    const told = await run(undefined, listOf([good(0, 1, 0), good(1, 2)]), options)
    expect(written).toEqual([[0, 1], [2]])
    expect(told.map(({ repeated }) => repeated)).toEqual([undefined, 1, 2, 2])
  })

  it.each([
    ['once', {}, { rejects: 1, repeated: 2 }],
    ['each time, where keys lack it', { key: ({ id }: Item) => id }, { rejects: 2, repeated: 1 }],
  ])('and does not fit is put aside %s', async (_, key, counts) => {
    const list = listOf([good(1, 2 ** 60), good(1, 2 ** 60)])
    const last = await outcome(memory(), list, { ...csv('id', 'n'), ...key })
    expect(last).toMatchObject({ rows: 1, ...counts })
  })
})
