import { basename } from 'node:path'
import { lastValueFrom, Subject, tap, VirtualTimeScheduler } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { readManifest } from '../../../src/export/transfer/Manifest.js'
import { E } from '../../../src/fp.js'
import type { ClientEvent } from '../../../src/index.js'
import { type Memory, memory } from './memory.js'
import {
  away,
  exportOf,
  found,
  good,
  listOf,
  numbers,
  OUT,
  outcome,
  pagesOf,
  run,
  snapshotOf,
  sourceOf,
  type Told,
  unfinished,
} from './playing.js'

const MANIFEST = `${OUT}.manifest.json`
const runOf = (files: Memory, path = MANIFEST) => readManifest(path)(files.text(path)).run

describe('a manifest', () => {
  it('says what is in the files', async () => {
    const files = memory()
    const last = await outcome(files, listOf([good(0, 1, 1), good(1, 2)]))
    expect(runOf(files)).toEqual(last?.run)
    expect(last?.run).toMatchObject({
      complete: true,
      missing: [],
      ended: true,
      spec: { resource: 'items', query: {}, destination: 'items' },
      rows: 3,
      distinct: 3,
      repeated: 2,
      rejects: 0,
      starts: 1,
      files: [{ path: 'items', rows: 3, bytes: files.text(OUT).length }],
    })
  })

  it('says what is missing when rows were rejected', async () => {
    const files = memory()
    await outcome(files, listOf([[E.left(away), ...good(1)]]))
    expect(runOf(files)).toMatchObject({
      complete: false,
      ended: true,
      missing: ['1 row that was rejected'],
      rejected: { path: 'items.rejects.ndjson', rows: 1 },
    })
  })

  it('says what is missing when the list failed, and up to where files are good', async () => {
    const files = memory()
    const last = await outcome(files, listOf([good(0), away]))
    const path = unfinished(files)
    expect(last?.run).toMatchObject({
      complete: false,
      ended: false,
      missing: [`all later rows: ${away.message}`],
      files: [{ path: basename(path), rows: 1, bytes: files.text(path).length }],
    })
    expect(last?.run?.files[0]?.sha256).toBe(undefined)
    expect(files.names()).not.toContain(MANIFEST)
  })

  it('says so when it was stopped, and when the disk was full', async () => {
    const files = memory()
    const stop = new Subject<void>()
    const key = ({ id, n }: { id: string; n: number }) => {
      if (n === 1) stop.next()
      return id
    }
    const stopped = await outcome(files, listOf([good(0), good(1), good(2)]), { stop, key })
    expect(stopped?.run?.missing).toEqual(['all later rows: it was stopped'])

    const small = memory({ room: 2_200 })
    const many = Array.from({ length: 40 }, (_, n) => good(n))
    await expect(run(small, listOf(many))).rejects.toMatchObject({ code: 'ENOSPC' })
    const left = small.after('kill')
    const asked: Array<number> = []
    const last = await outcome(left, listOf(many, asked), { resume: true })
    expect(last?.rows).toBe(40)
    expect(asked[0]).toBeGreaterThan(0)
    expect(numbers(left.text(OUT))).toEqual(Array.from({ length: 40 }, (_, n) => n))
  })

  it('says what the system refused', async () => {
    const files = memory()
    let written = 0
    const open: typeof files.open = async (path, flags) => {
      const handle = await files.open(path, flags)
      const write: typeof handle.write = async (...words) => {
        if (path.endsWith('.part') && ++written > 4)
          throw Object.assign(new Error('EIO: no'), { code: 'EIO' })
        return handle.write(...words)
      }
      return { ...handle, write }
    }
    const told: Array<Told> = []
    const failing = exportOf({ ...files, open }, listOf([good(0), good(1), good(2)]))
    const all = lastValueFrom(failing.pipe(tap((event) => told.push(event))))
    await expect(all).rejects.toMatchObject({ code: 'EIO' })
    expect(told.at(-1)?.run).toMatchObject({
      rows: 2,
      missing: [expect.stringMatching(/: EIO: no$/)],
    })
  })

  it('counts what was committed, and so does the last word, when the disk was full', async () => {
    const files = memory({ room: 2_400 })
    const told: Array<Told> = []
    const [first = [], ...others] = pagesOf(400, 10)
    const error = await lastValueFrom(
      exportOf(files, listOf([[...first, ...good(0)], ...others]), { commitEvery: 1e9 }).pipe(
        tap((progress) => told.push(progress)),
      ),
    ).catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'ENOSPC' })
    expect(told.at(-2)?.rows).toBeGreaterThan(10)
    const committed = { rows: 10, pages: 1, repeated: 1, next: { page_num: 1 }, ended: false }
    expect(told.at(-1)).toMatchObject(committed)
    expect(told.at(-1)?.run).toMatchObject({ rows: 10, complete: false })
    const asked: Array<number> = []
    const rest = listOf([first, ...others], asked)
    await outcome(files.after('kill'), rest, { resume: true })
    expect(asked[0]).toBe(1)
  })

  it.each([
    [10_000, 0.5],
    [5_000, 1],
    [1_000, 1], // the first requests come all at once
    [0, undefined],
  ])('says what share of the limits was used: %d ms', async (ms, quota) => {
    const files = memory()
    const timer = new VirtualTimeScheduler()
    const events = new Subject<ClientEvent>()
    const endpoint = 'GET /api/v1/things'
    const key = ({ id }: { id: string }) => {
      timer.frame += ms
      events.next({ _tag: 'Answered', call: 1, endpoint, attempt: 1, status: 200, took: 5 })
      return id
    }
    const list = sourceOf(listOf([good(0)]), { events, perSecond: () => 0.2 })
    await outcome(files, list, { timer, key })
    expect(runOf(files)).toMatchObject({ ms, requests: 1 })
    expect(runOf(files).quota).toBe(quota)
  })

  it('is not written when nothing was read: what was there stays as it is', async () => {
    const files = memory()
    await outcome(files, listOf([good(0)]))
    const before = found(files)
    const last = await outcome(files, listOf([away]))
    expect(last).toMatchObject({ failure: away, ended: false })
    expect(last?.run).toBe(undefined)
    expect(found(files)).toEqual(before)
  })
})

describe('a folder', () => {
  const OUT = '/exports/items/'
  const MANIFEST = '/exports/items/_manifest.json'

  it('is not replaced unless it is said so', async () => {
    const files = memory()
    await outcome(files, snapshotOf([[E.left(away), ...good(0)]]), { out: OUT })
    await expect(run(files, snapshotOf([good(5)]), { out: OUT })).rejects.toMatchObject({
      _tag: 'OutputExists',
      path: MANIFEST,
    })
    await outcome(files, snapshotOf([good(5)]), { out: OUT, restart: true })
    expect(files.names()).toEqual([MANIFEST, '/exports/items/run-0002-00001-001.ndjson'])
    expect(runOf(files, MANIFEST)).toMatchObject({ rows: 1, complete: true })
  })
})
