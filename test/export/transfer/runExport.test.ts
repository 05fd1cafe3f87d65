import { firstValueFrom, lastValueFrom, of, Subject, take, tap, VirtualTimeScheduler } from 'rxjs'
import { describe, expect, it } from 'vitest'
import type { ExportSource } from '../../../src/export/index.js'
import { E } from '../../../src/fp.js'
import type { ClientEvent, DriftFact } from '../../../src/index.js'
import { type Memory, memory } from './memory.js'
import {
  away,
  csv,
  exportOf,
  good,
  type Item,
  listOf,
  numbers,
  OUT,
  outcome,
  type Played,
  pagesOf,
  refused,
  run,
  sourceOf,
  type Told,
} from './playing.js'

const CHECKPOINT = `${OUT}.checkpoint.json`

/** A list, and what happens when a page of it cannot be read. */
const whenItFails = (list: ExportSource<Item>, act: () => void): ExportSource<Item> => {
  const watched = ({
    drain,
  }: Pick<ExportSource<Item>, 'drain'>): Pick<ExportSource<Item>, 'drain'> => ({
    drain: (project) =>
      drain((page) => {
        if (E.isLeft(page)) act()
        return project(page)
      }),
  })
  return { ...list, ...watched(list), from: (position) => watched(list.from(position)) }
}

/** How far an export is that ends since too many rows cannot be written. */
const tooMany = async (
  files: Memory,
  pages: Parameters<typeof listOf>[0],
  options: Played,
): Promise<Told | undefined> => {
  const told: Array<Told> = []
  const all = exportOf(files, listOf(pages), options).pipe(tap((event) => told.push(event)))
  await expect(lastValueFrom(all)).rejects.toMatchObject({ _tag: 'TooManyRejects', path: OUT })
  return told.at(-1)
}

describe('an export', () => {
  it('does nothing before it is subscribed to, and is a run each time', async () => {
    const files = memory()
    const asked: Array<number> = []
    const exporting = exportOf(files, listOf(pagesOf(4, 2), asked))
    expect([asked, files.names()]).toEqual([[], []])
    await lastValueFrom(exporting)
    await lastValueFrom(exporting)
    expect(asked).toEqual([0, 1, 0, 1])
    expect(numbers(files.text(OUT))).toEqual([0, 1, 2, 3])
  })

  it('took no time where the clock was set back, rather than less than none', async () => {
    const files = memory()
    const timer = new VirtualTimeScheduler()
    timer.frame = 10_000_000
    const source = listOf(pagesOf(4, 2))
    const filter = (): boolean => {
      timer.frame -= 1_000_000
      return true
    }
    const last = await outcome(files, source, { timer, filter })
    expect(last?.run).toMatchObject({ ms: 0, complete: true })
  })

  it('gives everything back when nobody listens any more, and can be resumed', async () => {
    for (const words of [1, 2, 3]) {
      const files = memory()
      const pages = pagesOf(50, 5)
      await firstValueFrom(exportOf(files, listOf(pages)).pipe(take(words)))
      for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
      expect(files.names().includes(CHECKPOINT) && files.text(CHECKPOINT)).not.toContain('"owner"')
      await outcome(files, listOf(pages), { resume: files.names().includes(CHECKPOINT) })
      expect(numbers(files.text(OUT))).toEqual(Array.from({ length: 50 }, (_, n) => n))
    }
  })

  it('gives back what it took while nobody listened any more', async () => {
    const files = memory()
    exportOf(files, listOf(pagesOf(4, 2)))
      .subscribe()
      .unsubscribe()
    await new Promise(setImmediate)
    while (files.names().length > 0) await new Promise(setImmediate)
    expect(files.names()).toEqual([])
  })

  it('puts rows aside that do not fit the format of its target', async () => {
    const files = memory()
    const pages = [good(0), good(2 ** 60, 1)]
    const last = await outcome(files, listOf(pages), csv('id', 'n'))
    expect(last).toMatchObject({ rows: 2, rejects: 1, ended: true })
    expect(files.text(OUT)).toBe('id,n\r\nid-0,0\r\nid-1,1\r\n')
    expect(files.text(`${OUT}.rejects.ndjson`)).toContain('n should be')
  })

  it('says how its rows are written', async () => {
    const files = memory()
    const how = { ...csv('id', 'n'), formulas: 'mask' } as const
    const last = await outcome(files, listOf([good(0)]), how)
    expect(last?.run?.spec.format).toEqual({
      name: 'csv',
      compress: 'none',
      columns: 'id,n',
      formulas: 'mask',
    })
  })

  it('counts what comes again over a resumption, too', async () => {
    const files = memory()
    await outcome(files, listOf([good(0, 1), away]))
    const last = await outcome(files, listOf([[], good(1, 2)]), { resume: true })
    expect(last).toMatchObject({ rows: 3, repeated: 1 })
    expect(numbers(files.text(OUT))).toEqual([0, 1, 2])
  })

  it('counts requests, refusals and drift of its client, over all starts', async () => {
    const files = memory()
    const events = new Subject<ClientEvent>()
    const fact: DriftFact = {
      endpoint: 'GET /api/v1/things',
      path: 'items[].colour',
      kind: 'unknown field',
      example: 'text of 3 characters',
      count: 2,
    }
    const list = (pages: Parameters<typeof listOf>[0]) =>
      sourceOf(listOf(pages), { events, drift: () => [fact] })
    const key = ({ id }: { id: string }) => {
      for (const status of [200, 429]) {
        events.next({
          _tag: 'Answered',
          call: 1,
          endpoint: fact.endpoint,
          attempt: 1,
          status,
          took: 5,
        })
      }
      return id
    }
    const first = await outcome(files, list([good(0), away]), { key })
    const { requests = 0, refused = 0 } = first?.run ?? {}
    expect(refused).toBe(requests / 2)
    expect(refused).toBeGreaterThan(0)
    const last = await outcome(files, list([[], good(1)]), { key, resume: true })
    expect(last?.run).toMatchObject({
      requests: 2 * requests,
      refused: 2 * refused,
      starts: 2,
      drift: [{ ...fact, count: 4 }],
    })
    expect(events.observed).toBe(false)
  })

  it('counts what was spent after its last page, too, over all starts', async () => {
    const files = memory()
    const timer = new VirtualTimeScheduler()
    const events = new Subject<ClientEvent>()
    const endpoint = 'GET /api/v1/things'
    const list = (pages: Parameters<typeof listOf>[0]) => sourceOf(listOf(pages), { events })
    const waiting = whenItFails(list([good(0), away]), () => {
      timer.frame += 5_000
      events.next({ _tag: 'Answered', call: 1, endpoint, attempt: 1, status: 503, took: 5 })
    })
    const first = await outcome(files, waiting, { timer })
    expect(first?.run).toMatchObject({ rows: 1, ms: 5_000, requests: 1, starts: 1 })
    const second = await outcome(files, waiting, { timer, resume: true })
    expect(second?.run).toMatchObject({ rows: 1, ms: 10_000, requests: 2, starts: 2 })
    const last = await outcome(files, list([[], good(1)]), { timer, resume: true })
    expect(last?.run).toMatchObject({ rows: 2, ms: 10_000, requests: 2, starts: 3 })
  })

  it('says why it ended also where its checkpoint cannot be written then', async () => {
    const files = memory()
    let isAway = false
    const full: typeof files = {
      ...files,
      open: async (path, flags) => {
        if (!isAway || !path.startsWith(CHECKPOINT)) return files.open(path, flags)
        throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
      },
    }
    const filling = whenItFails(listOf([good(0), away]), () => {
      isAway = true
    })
    const first = await outcome(full, filling)
    expect(isAway).toBe(true)
    expect(first).toMatchObject({ failure: away, run: { rows: 1, complete: false, starts: 1 } })
    isAway = false
    const last = await outcome(full, listOf([[], good(1)]), { resume: true })
    expect(last?.run).toMatchObject({ rows: 2, complete: true, starts: 2 })
  })

  it('stops at more rejects than there may be, over all starts', async () => {
    const bad = { _tag: 'Left', left: away } as const
    const files = memory()
    const pages = [[bad, bad], [bad], good(1), good(2)]
    const first = await tooMany(files, pages, { maxRejects: 2 })
    expect(first).toMatchObject({ rejects: 3, ended: false })
    expect(first?.run?.missing).toEqual([
      '3 rows that were rejected',
      'all later rows: too many rows were rejected',
    ])
    const same = await refused(files, { maxRejects: 2, resume: true })
    const { _tag, path } = same
    expect({ _tag, path }).toEqual({ _tag: 'TooManyRejects', path: CHECKPOINT })
    const more = [[], [], [bad, ...good(1)], good(2)]
    const again = await tooMany(files, more, { maxRejects: 3, resume: true })
    expect(again).toMatchObject({ rejects: 4, ended: false })
    const last = await outcome(files, listOf(more), { maxRejects: 4, resume: true })
    expect(last).toMatchObject({ rejects: 4, rows: 2, ended: true, run: { complete: false } })
  })

  it('ends at once when it is told to stop before its first page', async () => {
    const files = memory()
    const told = await run(files, listOf(pagesOf(4, 2)), { stop: of('now') })
    expect(told.at(-1)).toMatchObject({ stopped: true, rows: 0 })
    expect(files.names()).toEqual([])
  })
})
