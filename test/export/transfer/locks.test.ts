/** One run at a time writes an export, and a run that was shut out changes nothing. */
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { firstValueFrom, ReplaySubject, type SchedulerLike, Subject, Subscription } from 'rxjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { idleClock } from '../../support/idleClock.js'
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

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'locks-'))
})
afterAll(() => rm(folder, { recursive: true }))

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

/** A disk as one process sees it: something is done before each of its operations. `to`: their last argument. */
const acting = (disk: Memory, act: (operation: string, to: unknown) => Promise<void>): Memory =>
  new Proxy(disk, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function' || !OPERATIONS.includes(String(name))) return member
      return async (...given: ReadonlyArray<unknown>) => {
        await act(String(name), given.at(-1))
        return member.apply(target, given)
      }
    },
  })

const OPERATIONS = ['open', 'rename', 'stat', 'readdir', 'rm', 'link', 'copyFile', 'readFile']

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
  it('leaves no lease when it is over', async () => {
    const files = memory()
    await outcome(files, listOf(pagesOf(3, 1)))
    expect(files.names()).toEqual([OUT, `${OUT}.manifest.json`])
    await refused(memory(), { resume: true })
  })

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

  it.each(['not there yet', 'there'])(
    'by a link to a file, %s, shuts out one of that file',
    async (which) => {
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
    },
  )

  it('comes to its end whenever one that was frozen gives the file its name', async () => {
    const first = memory()
    let isOver = false
    for (let meets = 1; !isOver; meets++) {
      const disk = first.after('kill')
      const reached = new Subject<void>()
      const thawed = new ReplaySubject<void>(1)
      const frozen = acting(disk, async (operation, to) => {
        if (operation !== 'rename' || to !== OUT) return
        reached.next()
        await firstValueFrom(thawed)
      })
      const isFrozen = firstValueFrom(reached)
      const left = outcome(frozen, listOf(pagesOf(3, 1))).catch(() => undefined)
      await isFrozen
      let count = 0
      const later = acting(disk, async () => {
        if (++count === meets) thawed.next()
        if (count === meets) await left
      })
      const end = await outcome(later, listOf(pagesOf(3, 1)), { resume: true }).then(
        () => 'complete',
        ({ _tag }) => _tag,
      )
      isOver = count < meets
      thawed.next()
      await left
      const when = `thawed at operation ${meets}`
      expect(['complete', 'Fenced', 'Locked', 'NothingToResume'], when).toContain(end)
      expect(numbers(disk.text(OUT)), when).toEqual([0, 1, 2])
    }
  })

  it('says so when it was frozen as it resumed, and another one has come to the end meanwhile', async () => {
    const first = await killed()
    let isOver = false
    for (let stops = 1; !isOver; stops++) {
      const disk = first.after('kill')
      const reached = new Subject<void>()
      const thawed = new ReplaySubject<void>(1)
      let count = 0
      const frozen = acting(disk, async () => {
        if (++count !== stops) return
        reached.next()
        await firstValueFrom(thawed)
      })
      const isFrozen = firstValueFrom(reached, { defaultValue: undefined })
      const resumed = (files: Memory): Promise<string> =>
        outcome(files, listOf(pagesOf(4, 1)), { resume: true }).then(
          () => 'complete',
          ({ _tag }) => _tag,
        )
      const left = resumed(frozen).finally(() => reached.complete())
      await isFrozen
      isOver = count < stops
      const end = await resumed(disk)
      thawed.next()
      const when = `frozen before operation ${stops}`
      expect(['complete', 'NothingToResume'], when).toContain(end)
      expect(['complete', 'Fenced', 'Locked', 'NothingToResume'], when).toContain(await left)
      expect(numbers(disk.text(OUT)), when).toEqual([0, 1, 2, 3])
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
    expect(begun?.begun).toEqual({ resumed: true, tookOver: true })
    expect(more.at(-1)).toMatchObject({ rows: 4, ended: true })
    expect(numbers(files.text(OUT))).toEqual([0, 1, 2, 3])
    expect(files.names()).toEqual([OUT, `${OUT}.manifest.json`])
  })
})

/** It never renews a lease, and waits for none. */
const still: SchedulerLike = { now: () => 0, schedule: () => new Subscription() }
