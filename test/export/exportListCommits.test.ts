/** What a sink is asked to make durable, and when an export is cut. */
import { firstValueFrom, lastValueFrom, of, Subject, toArray, VirtualTimeScheduler } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { exportList, type Progress } from '../../src/export/exportList.js'
import { E } from '../../src/fp.js'
import { away, good, type Item, item, listOf, type Row } from './run/playing.js'

const bad: Row = E.left({ ...away, message: 'n should be number' })

/** A sink that can be looked into: what was written, and what was committed after which row. */
const watched = () => {
  const rows: Array<number> = []
  const rejected: Array<unknown> = []
  const commits: Array<{ readonly rows: number; readonly next: unknown }> = []
  return {
    rows,
    rejected,
    commits,
    options: {
      sink: async (page: ReadonlyArray<Item>) => void rows.push(...page.map(({ n }) => n)),
      rejects: async (page: ReadonlyArray<unknown>) => void rejected.push(...page),
      commit: async ({ next }: Progress) => void commits.push({ rows: rows.length, next }),
      timer: new VirtualTimeScheduler(),
    },
  }
}

const pages = [good(0, 1), good(2), good(3, 4)]

describe('commit', () => {
  it('is called between pages, with what asks for the rest, and at the end', async () => {
    const { commits, options } = watched()
    await lastValueFrom(exportList({ ...options, every: 0, list: listOf(pages).pages() }))
    expect(commits).toEqual([
      { rows: 2, next: { page_num: 1 } },
      { rows: 3, next: { page_num: 2 } },
      { rows: 5, next: undefined },
    ])
  })

  it('is called after the first page, then no more often than every so many ms', async () => {
    const { commits, options } = watched()
    const sink = async (page: ReadonlyArray<Item>) => {
      await options.sink(page)
      options.timer.frame += 600 // the disk takes its time
    }
    await lastValueFrom(exportList({ ...options, sink, list: listOf(pages).pages() }))
    expect(commits.map(({ rows }) => rows)).toEqual([2, 5])
  })

  it('is called once for pages that come in the same ms', async () => {
    const { commits, options } = watched()
    await lastValueFrom(exportList({ ...options, list: listOf(pages).pages() }))
    expect(commits.map(({ rows }) => rows)).toEqual([2, 5])
  })

  it('goes on to be called when the clock was set back', async () => {
    const { commits, options } = watched()
    options.timer.frame = 10_000_000
    const sink = async (page: ReadonlyArray<Item>) => {
      await options.sink(page)
      options.timer.frame += page.length === 1 ? -3_600_000 : 600
    }
    const list = listOf([good(0, 1), good(2), good(3, 4), good(5, 6), good(7, 8)])
    await lastValueFrom(exportList({ ...options, sink, list: list.pages() }))
    expect(commits.map(({ rows }) => rows)).toEqual([2, 3, 7, 9])
  })

  it('is called when the list fails, and not when there is nothing new', async () => {
    const { commits, options } = watched()
    const last = await lastValueFrom(
      exportList({ ...options, every: 0, list: listOf([good(0), away]).pages() }),
    )
    expect(commits).toEqual([{ rows: 1, next: { page_num: 1 } }])
    expect(last).toMatchObject({ failure: away, next: { page_num: 1 } })
  })

  it('goes on from what it was told', async () => {
    const { rows, commits, options } = watched()
    const list = listOf([good(0), away])
    await lastValueFrom(exportList({ ...options, list: list.pages() }))
    const next = commits.at(-1)?.next
    expect(next).toEqual({ page_num: 1 })
    await lastValueFrom(
      exportList({ ...options, list: listOf([good(0), good(1)]).pages({ page_num: 1 }) }),
    )
    expect(rows).toEqual([0, 1])
  })

  it.each(['sink', 'rejects'] as const)(
    'is not called when it was left in its %s',
    async (slow) => {
      const { commits, rejected, options } = watched()
      const [begun, go] = [new Subject<void>(), new Subject<void>()]
      const waiting = async () => {
        const gone = firstValueFrom(go)
        begun.next()
        await gone
      }
      const run = exportList({
        ...options,
        [slow]: waiting,
        list: listOf([[bad, ...good(0)]]).pages(),
      })
      const running = run.subscribe()
      await firstValueFrom(begun)
      running.unsubscribe()
      go.next()
      for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
      expect([commits, rejected]).toEqual([[], []])
    },
  )

  it('fails when it cannot be done', async () => {
    const { options } = watched()
    const commit = () => Promise.reject(new Error('no room'))
    const run = exportList({ ...options, commit, list: listOf(pages).pages() })
    await expect(lastValueFrom(run)).rejects.toThrow('no room')
  })
})

describe('stop', () => {
  it('ends it after the page that is being written, committed', async () => {
    const { rows, commits, options } = watched()
    const stop = new Subject<void>()
    const sink = async (page: ReadonlyArray<Item>) => {
      if (page[0]?.n === 2) stop.next()
      await new Promise(setImmediate)
      await options.sink(page)
    }
    const last = await lastValueFrom(
      exportList({ ...options, sink, stop, list: listOf(pages).pages() }),
    )
    expect(rows).toEqual([0, 1, 2])
    expect(commits.at(-1)).toEqual({ rows: 3, next: { page_num: 2 } })
    expect(last).toMatchObject({ rows: 3, ended: false, cut: 'stopped' })
  })

  it('is no cut when all was read', async () => {
    const { options } = watched()
    const stop = new Subject<void>()
    const sink = async (page: ReadonlyArray<Item>) => {
      await options.sink(page)
      if (page[0]?.n === 3) stop.next()
    }
    const last = await lastValueFrom(
      exportList({ ...options, sink, stop, list: listOf(pages).pages() }),
    )
    expect(last).toMatchObject({ rows: 5, ended: true })
    expect(last.cut).toBe(undefined)
  })

  it('ends it before it begins', async () => {
    const { rows, options } = watched()
    const last = await lastValueFrom(
      exportList({ ...options, stop: of('now'), list: listOf(pages).pages() }),
    )
    expect(rows).toEqual([])
    expect(last).toMatchObject({ rows: 0, cut: 'stopped' })
  })
})

describe('rows that are not written', () => {
  it('are not what ended it when there are no more than may be', async () => {
    const { options } = watched()
    const stop = new Subject<void>()
    const sink = async () => stop.next()
    const list = listOf([[bad, ...good(1)], good(2)]).pages()
    const last = await lastValueFrom(exportList({ ...options, sink, stop, maxRejects: 1, list }))
    expect(last).toMatchObject({ rejects: 1, cut: 'stopped' })
  })

  it('end it when there are more than may be, with the page written', async () => {
    const { rows, rejected, options } = watched()
    const list = listOf([[bad, ...good(1)], [bad, bad, ...good(2)], good(3)])
    const last = await lastValueFrom(exportList({ ...options, maxRejects: 2, list: list.pages() }))
    expect(rows).toEqual([1, 2])
    expect(rejected).toHaveLength(3)
    expect(last).toMatchObject({ rejects: 3, cut: 'rejects', next: { page_num: 2 } })
  })

  it('cut nothing when all was read', async () => {
    const { rows, rejected, options } = watched()
    const list = listOf([good(0), [bad, ...good(1)]])
    const last = await lastValueFrom(exportList({ ...options, maxRejects: 0, list: list.pages() }))
    expect(rows).toEqual([0, 1])
    expect(rejected).toHaveLength(1)
    expect(last).toEqual({ rows: 2, rejects: 1, pages: 2, share: 1, ended: true })
  })

  it('are those that do not fit, too', async () => {
    const { rows, rejected, options } = watched()
    const check = ({ n }: Item) => (n === 2 ? { message: 'n should be another' } : undefined)
    await lastValueFrom(exportList({ ...options, check, list: listOf(pages).pages() }))
    expect(rows).toEqual([0, 1, 3, 4])
    expect(rejected).toEqual([
      {
        position: { page_num: 1 },
        index: 0,
        reason: 'n should be another',
        row: item(2),
      },
    ])
  })

  it('are redact without what is not to be kept', async () => {
    const { rejected, options } = watched()
    const redact = () => 'something'
    await lastValueFrom(exportList({ ...options, redact, list: listOf([[bad]]).pages() }))
    expect(rejected).toMatchObject([{ row: 'something' }])
  })
})

describe('a row that comes again', () => {
  it('is left out of its page, and counted', async () => {
    const { rows, options } = watched()
    const told = await lastValueFrom(
      exportList({ ...options, list: listOf([good(0, 1, 0), good(1)]).pages() }).pipe(toArray()),
    )
    expect(rows).toEqual([0, 1, 1])
    expect(told.map(({ repeated }) => repeated)).toEqual([1, 1, 1])
  })

  it.each([
    ['is put aside once, when keys are kept', undefined, { rejects: 1, repeated: 2 }],
    [
      'each time, where a key says nothing of it',
      ({ id }: Item) => id,
      { rejects: 2, repeated: 1 },
    ],
  ])('and is not written %s', async (_, key, counts) => {
    const { rejected, options } = watched()
    const check = ({ n }: Item) => (n === 2 ? { message: 'n should be another' } : undefined)
    const list = listOf([good(1, 2), good(1, 2)]).pages()
    const keyed = key === undefined ? {} : { key }
    const told = exportList({ ...options, ...keyed, check, seen: new Set(), list })
    expect(await lastValueFrom(told)).toMatchObject({ rows: 1, ...counts })
    expect(rejected).toHaveLength(counts.rejects)
  })

  it('is left out of the whole export when keys are kept', async () => {
    const { rows, options } = watched()
    const seen = new Set(['id-4'])
    const last = await lastValueFrom(
      exportList({ ...options, seen, list: listOf([...pages, good(1, 5)]).pages() }),
    )
    expect(rows).toEqual([0, 1, 2, 3, 5])
    expect(last.repeated).toBe(2)
    expect([...seen]).toEqual(['id-4', 'id-0', 'id-1', 'id-2', 'id-3', 'id-5'])
  })
})
