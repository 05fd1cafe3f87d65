/** A run that nobody listens to any more: what it still does, and in which order. */
import { lastValueFrom } from 'rxjs'
import { describe, expect, it } from 'vitest'
import type { FileHandle } from '../../../src/export/index.js'
import { E } from '../../../src/fp.js'
import { idleClock } from '../../support/idleClock.js'
import { type Memory, memory } from './memory.js'
import { away, exportOf, good, listOf, numbers, OUT, outcome, pagesOf, run } from './playing.js'

const CHECKPOINT = `${OUT}.checkpoint.json`
const MANIFEST = `${OUT}.manifest.json`

/** Lets all that can be done be done. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
}

const isRows = (path: string): boolean => new RegExp(`^${OUT}\\.[0-9a-f]{12}\\.part$`).test(path)

const isReleased = (disk: Memory): boolean =>
  !disk.names().includes(CHECKPOINT) || !disk.text(CHECKPOINT).includes('"owner"')

/** A disk on which the file of rows stops at `at`, and that tells what was done to it. */
const stopping = (disk: Memory, at: 'write' | 'sync') => {
  const log: Array<string> = []
  const go: Array<() => void> = []
  const stopAt = async (what: 'write' | 'sync'): Promise<void> => {
    log.push(what)
    if (what === at && go.length === 0) await new Promise<void>((resolve) => go.push(resolve))
  }
  const slow = (handle: FileHandle): FileHandle => ({
    ...handle,
    write: (...words) => stopAt('write').then(() => handle.write(...words)),
    sync: () => stopAt('sync').then(handle.sync),
    close: async () => {
      log.push('close')
      await handle.close()
    },
  })
  const files: Memory = {
    ...disk,
    open: async (path, flags) => {
      const handle = await disk.open(path, flags)
      return isRows(path) && flags !== 'r' ? slow(handle) : handle
    },
    rename: async (from, to) => {
      await disk.rename(from, to)
      if (to === CHECKPOINT) log.push(isReleased(disk) ? 'released' : 'checkpoint')
    },
  }
  const stopped = async (): Promise<void> => {
    while (go.length === 0) await new Promise(setImmediate)
  }
  return { files, log, stopped, go: () => go[0]?.() }
}

it('gives up the rejected rows when the file of rows cannot be closed, and tells that', async () => {
  const disk = memory()
  const rejects = `${OUT}.rejects.ndjson`
  const closed = new Set<string>()
  const open: typeof disk.open = async (path, flags) => {
    const handle = await disk.open(path, flags)
    const close = async () => {
      await handle.close()
      closed.add(path.replace(/\.[0-9a-f]{12}\.part$/, ''))
      if (isRows(path)) throw new Error('EIO: rows')
    }
    return flags === 'wx+' && path.endsWith('.part') ? { ...handle, close } : handle
  }
  const rows = [[...good(0), E.left(away)], away]
  await expect(run({ ...disk, open }, listOf(rows))).rejects.toThrow('EIO: rows')
  expect([...closed]).toEqual(expect.arrayContaining([OUT, rejects]))
  expect(isReleased(disk)).toBe(true)
})

describe.each(['write', 'sync'] as const)('a run that is left in the middle of a %s', (at) => {
  it('releases its lease when that is done, and then touches nothing', async () => {
    const disk = memory()
    const { files, log, stopped, go } = stopping(disk, at)
    const running = exportOf(files, listOf(pagesOf(50, 5))).subscribe()
    await stopped()
    running.unsubscribe()
    await settled()
    expect(log).not.toContain('released')
    expect(isReleased(disk)).toBe(false)

    go()
    await settled()
    expect(log.slice(-2)).toEqual(['close', 'released'])
    expect(log.filter((what) => what === 'close' || what === 'released')).toHaveLength(2)
    const before = disk.changes()
    await settled()
    expect(disk.changes()).toBe(before)

    await outcome(disk, listOf(pagesOf(50, 5)), { resume: true })
    expect(numbers(disk.text(OUT))).toEqual(Array.from({ length: 50 }, (_, n) => n))
  })
})

it('a run that is left while its end is written releases its lease after that', async () => {
  const disk = memory()
  const go: Array<() => void> = []
  const rename: typeof disk.rename = async (from, to) => {
    if (to === MANIFEST) await new Promise<void>((resolve) => go.push(resolve))
    await disk.rename(from, to)
  }
  const running = exportOf({ ...disk, rename }, listOf(pagesOf(4, 2))).subscribe()
  while (go.length === 0) await new Promise(setImmediate)
  running.unsubscribe()
  await settled()
  expect(isReleased(disk)).toBe(false)
  go[0]?.()
  await settled()
  expect(disk.names()).toEqual([OUT, MANIFEST])
})

/** An export that was left in the middle of a write, which ends when it may go on. */
const leftWriting = async () => {
  const disk = memory()
  const { files, log, stopped, go } = stopping(disk, 'write')
  const run = exportOf(files, listOf(pagesOf(50, 5)), { restart: true })
  const first = run.subscribe()
  await stopped()
  first.unsubscribe()
  return { disk, log, go, run }
}

it('an export that is subscribed to again at once goes on when the first has released its lease', async () => {
  const { disk, log, go, run } = await leftWriting()
  const again = lastValueFrom(run)
  await settled()
  expect(log).not.toContain('released')

  go()
  expect(await again).toMatchObject({ ended: true, rows: 50 })
  expect(numbers(disk.text(OUT))).toEqual(Array.from({ length: 50 }, (_, n) => n))
})

it('an export that is given up before it gets the lease blocks no other', async () => {
  const { log, go, run } = await leftWriting()
  const impatient = run.subscribe()
  const patient = lastValueFrom(run)
  impatient.unsubscribe()
  const late = run.subscribe()
  late.unsubscribe()
  await settled()
  go()
  expect(await patient).toMatchObject({ ended: true, rows: 50 })
  expect(log.filter((what) => what === 'released')).toHaveLength(2)
})

it('an export is refused while another subscription to it runs', async () => {
  const disk = memory()
  const { files, stopped, go } = stopping(disk, 'write')
  const run = exportOf(files, listOf(pagesOf(50, 5)), { timer: idleClock })
  const first = lastValueFrom(run)
  await stopped()
  await expect(lastValueFrom(run)).rejects.toMatchObject({ _tag: 'Locked', path: CHECKPOINT })
  go()
  expect(await first).toMatchObject({ ended: true, rows: 50 })
})
