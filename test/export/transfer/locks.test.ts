/** One run at a time writes an export, and a run that was shut out changes nothing. */
import { rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type SchedulerLike, Subject, Subscription } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { idleClock } from '../../support/idleClock.js'
import { tempFolder } from '../../support/tempFolder.js'
import { type Memory, memory } from './memory.js'
import {
  away,
  exportOf,
  good,
  listOf,
  numbers,
  OUT,
  outcome,
  type Played,
  pagesOf,
  refused,
  rest,
  run,
} from './playing.js'

const CHECKPOINT = `${OUT}.checkpoint.json`

const folder = tempFolder()

/** A run that renews its lease, and one that waits for six seconds to see that. */
const LEASED = { lease: 6_000, timer: idleClock } as const

/** Runs an export, and does something in the middle of its first page. */
const meanwhile = async (
  files: Memory | undefined,
  first: Played,
  act: () => Promise<unknown>,
): Promise<void> => {
  let acted: Promise<unknown> | undefined
  const onReject = async (): Promise<void> => {
    acted ??= act()
    await acted
  }
  const pages = [[{ _tag: 'Left', left: away } as const, ...good(0)], good(1)]
  await run(files, listOf(pages), { ...first, onReject })
  expect(acted).toBeDefined()
}

/** A disk on which a run died after its second page, whose lease was never released. */
const killed = async (options: Played = {}): Promise<Memory> => {
  const files = memory()
  await new Promise<void>((resolve) => {
    let pages = 0
    const hanging = exportOf(files, listOf(pagesOf(4, 1)), {
      ...options,
      key: ({ id }) => {
        if (++pages === 3) resolve()
        return id
      },
    })
    hanging.subscribe({ error: () => {} })
  })
  return files.after('kill')
}

describe('a run', () => {
  it.each([
    ['the same file', {}, {}, CHECKPOINT],
    [
      'a checkpoint elsewhere',
      { checkpoint: '/kept/a.json' },
      { out: '/exports/b', checkpoint: '/kept/a.json' },
      '/kept/a.json',
    ],
    ['the same file, with a checkpoint elsewhere', {}, { checkpoint: '/kept/a.json' }, CHECKPOINT],
  ] as const)('shuts out another one that would write %s', async (_, first, second, path) => {
    const files = memory()
    await meanwhile(files, { ...first, ...LEASED }, async () => {
      const seen: Array<unknown> = []
      const other = exportOf(files, listOf(rest), { ...second, ...LEASED })
      const refusal = await new Promise((resolve) => {
        other.subscribe({ next: (event) => seen.push(event.waiting), error: resolve })
      })
      expect(refusal).toMatchObject({ _tag: 'Locked', path })
      expect(seen).toEqual([{ path, ms: 6_000 }])
    })
    expect(numbers(files.text(OUT))).toEqual([0, 1])
  })

  it.each(['not there yet', 'there'])('by a link to a file, %s, locks that file', async (which) => {
    const [link, real] = [join(folder, 'link'), join(folder, 'real')]
    await Promise.all([link, real].map((path) => rm(path, { force: true })))
    await symlink('real', link)
    if (which === 'there') await writeFile(real, '')
    for (const [first, second] of [
      [link, real],
      [real, link],
    ] as const) {
      await meanwhile(undefined, { out: first, restart: true, ...LEASED }, async () => {
        const other = run(undefined, listOf(rest), { out: second, restart: true, ...LEASED })
        const path = `${real}.checkpoint.json`
        await expect(other).rejects.toMatchObject({ _tag: 'Locked', path })
      })
    }
  })

  it('stops waiting for another one when it is told to', async () => {
    const files = memory()
    await meanwhile(files, {}, async () => {
      const stop = new Subject<void>()
      const other = run(files, listOf(rest), { stop, timer: still })
      const refusal = expect(other).rejects.toMatchObject({ _tag: 'Locked' })
      while (!stop.observed) await new Promise(setImmediate)
      stop.next()
      await refusal
    })
  })

  it('releases its lease when it fails, or is refused', async () => {
    const files = memory()
    await outcome(files, listOf([good(0, 1), away]))
    expect(files.text(CHECKPOINT)).not.toContain('"owner"')
    await refused(files)
    expect(files.text(CHECKPOINT)).not.toContain('"owner"')
  })

  it('takes over from one that was killed, and says so', async () => {
    const files = await killed()
    const [waiting, begun, ...more] = await run(files, listOf(pagesOf(4, 1)), { resume: true })
    expect(waiting?.waiting).toEqual({ path: CHECKPOINT, ms: 1_500 })
    expect(begun?.started).toEqual({ resumed: true, tookOver: true })
    expect(more.at(-1)).toMatchObject({ rows: 4, ended: true })
    expect(numbers(files.text(OUT))).toEqual([0, 1, 2, 3])
    expect(files.names()).toEqual([OUT, `${OUT}.manifest.json`])
  })
})

/** It never renews a lease, and waits for none. */
const still: SchedulerLike = { now: () => 0, schedule: () => new Subscription() }
