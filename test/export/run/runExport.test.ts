import { firstValueFrom, lastValueFrom, of, Subject, take, VirtualTimeScheduler } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E } from '../../../src/fp.js'
import type { ClientEvent, DriftFact } from '../../../src/index.js'
import { memory } from './memory.js'
import {
  away,
  csv,
  exportOf,
  good,
  listOf,
  numbers,
  OUT,
  outcome,
  pagesOf,
  putState,
  refused,
  run,
  stateAt,
} from './playing.js'

const CHECKPOINT = `${OUT}.checkpoint.json`

describe('runExport', () => {
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
    const setBack: typeof source = {
      ...source,
      boundsOf: () => {
        timer.frame -= 1_000_000
        return undefined
      },
    }
    const last = await outcome(files, setBack, { timer })
    expect(last?.run).toMatchObject({ ms: 0, complete: true })
  })

  it('gives everything back when nobody listens any more, and can be resumed', async () => {
    for (const words of [1, 2, 3]) {
      const files = memory()
      const pages = pagesOf(50, 5)
      await firstValueFrom(exportOf(files, listOf(pages)).pipe(take(words)))
      for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
      expect(files.names().includes(CHECKPOINT) && files.text(CHECKPOINT)).not.toContain('"owner"')
      const begin = files.names().includes(CHECKPOINT) ? 'resume' : 'new'
      await outcome(files, listOf(pages), { begin })
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
    const last = await outcome(files, listOf(pages), { format: csv('id', 'n') })
    expect(last).toMatchObject({ rows: 2, rejects: 1, ended: true })
    expect(files.text(OUT)).toBe('id,n\r\nid-0,0\r\nid-1,1\r\n')
    expect(files.text(`${OUT}.rejects.ndjson`)).toContain('n should be')
  })

  it('keeps what its format is, whatever else is said of it', async () => {
    const files = memory()
    const said = { name: 'json', columns: 'none', numbers: 'exact' }
    const last = await outcome(files, listOf([good(0)]), {
      format: csv('id', 'n'),
      spec: { format: said },
    })
    expect(last?.run?.purpose.format).toEqual({
      name: 'csv',
      compress: 'none',
      columns: 'id,n',
      numbers: 'exact',
    })
  })

  it('counts what comes again over a resumption, too', async () => {
    const files = memory()
    await outcome(files, listOf([good(0, 1), away]))
    const last = await outcome(files, listOf([[], good(1, 2)]), { begin: 'resume' })
    expect(last).toMatchObject({ rows: 3, repeated: 1 })
    expect(numbers(files.text(OUT))).toEqual([0, 1, 2])
  })

  it('writes only its end when nothing else is left', async () => {
    const files = memory()
    await outcome(files, listOf([good(0), away]))
    const { position: _, ...ended } = stateAt(files, CHECKPOINT)
    putState(files, CHECKPOINT, ended)
    const asked: Array<number> = []
    const last = await outcome(files, listOf([good(7)], asked), { begin: 'resume' })
    expect(asked).toEqual([])
    expect(last).toMatchObject({ ended: true, rows: 1, run: { complete: true } })
  })

  it('writes its end also where more rows are rejected than there may be', async () => {
    const files = memory()
    const bad = { _tag: 'Left', left: away } as const
    await outcome(files, listOf([[bad, bad, ...good(0)], away]))
    const { position: _, ...ended } = stateAt(files, CHECKPOINT)
    putState(files, CHECKPOINT, ended)
    const last = await outcome(files, listOf([]), { begin: 'resume', maxRejects: 1 })
    expect(last).toMatchObject({ ended: true, rows: 1, rejects: 2 })
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
    const client = { events, drift: () => [fact] }
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
    await outcome(files, listOf([good(0), away]), { client, key })
    const { requests, refused } = stateAt(files, CHECKPOINT).counts
    expect(refused).toBe(requests / 2)
    expect(refused).toBeGreaterThan(0)
    const last = await outcome(files, listOf([[], good(1)]), { client, key, begin: 'resume' })
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
    const client = { events, drift: () => [] }
    const endpoint = 'GET /api/v1/things'
    const source = listOf([good(0), away])
    const waiting: typeof source = {
      ...source,
      pages: (from) => ({
        drain: (project) =>
          source.pages(from).drain((page) => {
            if (E.isLeft(page)) {
              timer.frame += 5_000
              events.next({ _tag: 'Answered', call: 1, endpoint, attempt: 1, status: 503, took: 5 })
            }
            return project(page)
          }),
      }),
    }
    const first = await outcome(files, waiting, { client, timer })
    expect(first?.run).toMatchObject({ rows: 1, ms: 5_000, requests: 1, starts: 1 })
    const second = await outcome(files, waiting, { client, timer, begin: 'resume' })
    expect(second?.run).toMatchObject({ rows: 1, ms: 10_000, requests: 2, starts: 2 })
    const last = await outcome(files, listOf([[], good(1)]), { client, timer, begin: 'resume' })
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
    const source = listOf([good(0), away])
    const filling: typeof source = {
      ...source,
      pages: (from) => ({
        drain: (project) =>
          source.pages(from).drain((page) => {
            isAway = E.isLeft(page)
            return project(page)
          }),
      }),
    }
    const first = await outcome(full, filling, { every: 0 })
    expect(isAway).toBe(true)
    expect(first).toMatchObject({ failure: away, run: { rows: 1, complete: false, starts: 1 } })
    isAway = false
    const last = await outcome(full, listOf([[], good(1)]), { begin: 'resume' })
    expect(last?.run).toMatchObject({ rows: 2, complete: true, starts: 2 })
  })

  it('stops at more rejects than there may be, over all starts', async () => {
    const bad = { _tag: 'Left', left: away } as const
    const files = memory()
    const pages = [[bad, bad], [bad], good(1), good(2)]
    const first = await outcome(files, listOf(pages), { maxRejects: 2 })
    expect(first).toMatchObject({ rejects: 3, cut: 'rejects' })
    expect(first?.run?.missing).toEqual([
      '3 rows that were rejected',
      'what comes after these rows: too many rows were rejected',
    ])
    const same = await refused(files, { maxRejects: 2, begin: 'resume' })
    const { _tag, path } = same
    expect({ _tag, path }).toEqual({ _tag: 'TooManyRejects', path: CHECKPOINT })
    const more = [[], [], [bad, ...good(1)], good(2)]
    const again = await outcome(files, listOf(more), { maxRejects: 3, begin: 'resume' })
    expect(again).toMatchObject({ rejects: 4, cut: 'rejects' })
    const last = await outcome(files, listOf(more), { maxRejects: 4, begin: 'resume' })
    expect(last).toMatchObject({ rejects: 4, rows: 2, ended: true, run: { complete: false } })
  })

  it('ends at once when it is told to stop before its first page', async () => {
    const files = memory()
    const told = await run(files, listOf(pagesOf(4, 2)), { stop: of('now') })
    expect(told.at(-1)).toMatchObject({ cut: 'stopped', rows: 0 })
    expect(files.names()).toEqual([])
  })
})
