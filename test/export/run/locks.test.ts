import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { concatMap, lastValueFrom } from 'rxjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { disk } from '../../../src/export/file/FileSystem.js'
import { takeLock, takeLocks } from '../../../src/export/run/lock.js'
import { pathsOf } from '../../../src/export/run/paths.js'
import { memory } from './memory.js'
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
  runner,
} from './playing.js'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'locks-'))
})
afterAll(() => rm(folder, { recursive: true }))

const take = (pid: number, name: string) =>
  takeLocks(disk, runner(pid, [1, 2]))(pathsOf(join(folder, name)))

it.each(['not there yet', 'there'])('a link and its file, %s, have one lock', async (which) => {
  await rm(join(folder, 'link.csv'), { force: true })
  await symlink('real.csv', join(folder, 'link.csv'))
  if (which === 'there') await writeFile(join(folder, 'real.csv'), '')
  for (const [first, second] of [
    ['link.csv', 'real.csv'],
    ['real.csv', 'link.csv'],
  ] as const) {
    const { release } = await take(1, first)
    await expect(take(2, second)).rejects.toMatchObject({
      _tag: 'Locked',
      path: join(folder, 'real.csv.lock'),
    })
    await release()
    await (await take(2, second)).release()
  }
  expect((await readdir(folder)).filter((name) => name.includes('lock'))).toEqual([])
})

describe('a lock', () => {
  const LOCK = `${OUT}.lock`
  const OTHER = JSON.stringify({ pid: 7, host: 'here', since: 1 })

  it('is there while a run is, and no longer', async () => {
    const files = memory()
    const seen: Array<string> = []
    await outcome(files, listOf(pagesOf(3, 1)), {
      key: ({ id }) => {
        seen.push(files.text(LOCK))
        return id
      },
    })
    expect([...new Set(seen)].map((text) => JSON.parse(text))).toEqual([
      { pid: 1, host: 'here', since: 1_000 },
    ])
    expect(files.names()).toEqual([OUT, `${OUT}.manifest.json`])
  })

  it.each([
    ['a living process', { pid: 7, host: 'here', since: 1 }, runner(1, [7])],
    ['a process of another machine', { pid: 7, host: 'there', since: 1 }, runner(1)],
    ['this process, which runs another export', { pid: 1, host: 'here', since: 1_000 }, runner(1)],
  ])('of %s is respected', async (_, other, self) => {
    const files = memory()
    files.put(LOCK, JSON.stringify(other))
    const error = await refused(files, { runner: self })
    expect(error).toMatchObject({ _tag: 'Locked', path: LOCK })
    expect(error.message).toContain(`process ${other.pid} on ${other.host} is writing there`)
  })

  it('that nobody can read is respected', async () => {
    const files = memory()
    files.put(LOCK, 'mine')
    expect((await refused(files)).message).toContain('remove it if there is none')
  })

  it.each([
    ['a process that is no more', { pid: 7, host: 'here', since: 1 }],
    ['an earlier process with the number of this one', { pid: 1, host: 'here', since: 1 }],
  ])('of %s is taken over, and that is said', async (_, dead) => {
    const files = memory()
    files.put(LOCK, JSON.stringify(dead))
    const [first] = await run(files, listOf(rest))
    expect(first?.begun).toEqual({ resumed: false, dead })
    expect(files.names()).toEqual([OUT, `${OUT}.manifest.json`])
  })

  it('of a process that began before the machine did is taken over: its number is another one now', async () => {
    const files = memory()
    const dead = { pid: 7, host: 'here', since: 1_000_000 }
    const self = { ...runner(1, [7]), booted: 1_060_001 }
    files.put(LOCK, JSON.stringify(dead))
    expect((await run(files, listOf(rest), { runner: self }))[0]?.begun).toMatchObject({ dead })
    files.put(LOCK, JSON.stringify({ ...dead, since: 1_000_001 })) // clocks are set
    expect(await refused(files, { runner: self })).toMatchObject({ _tag: 'Locked' })
    files.put(LOCK, JSON.stringify({ ...dead, host: 'there' }))
    expect(await refused(files, { runner: self })).toMatchObject({ _tag: 'Locked' })
  })

  it('of a dead process goes to one of those who want it', async () => {
    const files = memory()
    files.put(LOCK, JSON.stringify({ pid: 7, host: 'here', since: 1 }))
    const alive = [1, 2, 3, 4]
    const all = await Promise.allSettled(
      alive.map((pid) => outcome(files, listOf(rest), { runner: runner(pid, alive) })),
    )
    expect(all.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(1)
    for (const one of all) {
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ _tag: 'Locked' })
    }
    expect(numbers(files.text(OUT))).toEqual([0, 1, 2, 3])
  })

  it('of somebody else is not given back, who took this one for dead', async () => {
    const files = memory()
    const { release } = await takeLock(files, runner(1))(LOCK)
    files.put(LOCK, OTHER)
    await release()
    expect(files.text(LOCK)).toBe(OTHER)
  })

  it('that is given back while it is looked at is taken', async () => {
    const files = memory()
    files.put(LOCK, OTHER)
    const readFile: typeof files.readFile = async (path, encoding) => {
      if (path === LOCK && files.names().includes(LOCK)) await files.rm(LOCK, { force: true })
      return files.readFile(path, encoding)
    }
    await takeLock({ ...files, readFile }, runner(1, [7]))(LOCK)
    expect(JSON.parse(files.text(LOCK)).pid).toBe(1)
  })

  it('of a living process is put back that took over the one of a dead process first', async () => {
    const files = memory()
    files.put(LOCK, JSON.stringify({ pid: 8, host: 'here', since: 1 }))
    const rename: typeof files.rename = async (from, to) => {
      if (from === LOCK) files.put(LOCK, OTHER)
      await files.rename(from, to)
    }
    const taken = takeLock({ ...files, rename }, runner(1, [7]))(LOCK)
    await expect(taken).rejects.toMatchObject({ _tag: 'Locked', path: LOCK })
    expect(files.names()).toEqual([LOCK])
    expect(files.text(LOCK)).toBe(OTHER)
  })

  it('is kept on a disk without hard links, too', async () => {
    const files = memory()
    const link = async () => Promise.reject(Object.assign(new Error(), { code: 'ENOTSUP' }))
    const take = takeLock({ ...files, link }, runner(1, [7]))
    files.put(LOCK, OTHER)
    await expect(take(LOCK)).rejects.toMatchObject({ _tag: 'Locked', path: LOCK })
    expect(files.text(LOCK)).toBe(OTHER)
    await files.rm(LOCK, { force: true })
    await (await take(LOCK)).release()
    expect(files.names()).toEqual([])
  })

  it('is that of the file, by whichever links it is called', async () => {
    const links = { '/a/first': '../b/second', '/a/../b/second': OUT, '/a/round': 'round' }
    const files = memory({ links })
    files.put(`${OUT}.lock`, JSON.stringify({ pid: 7, host: 'here', since: 1 }))
    const error = await refused(files, { runner: runner(1, [7]), out: '/a/first' })
    expect(error).toMatchObject({ _tag: 'Locked', path: `${OUT}.lock` })
    expect(await outcome(files, listOf(rest), { out: '/a/round' })).toMatchObject({ ended: true })
  })

  it('is taken of a checkpoint that is kept elsewhere, too', async () => {
    const files = memory()
    const played = (out: string, pid: number): Played => {
      return { out, checkpoint: '/kept/at.json', runner: runner(pid, [1, 2]) }
    }
    const first = played('/exports/one.ndjson', 1)
    const second = played('/exports/two.ndjson', 2)
    const refusals: Array<unknown> = []
    let tried: Promise<unknown> = Promise.resolve()
    const key = ({ id }: { readonly id: string }) => {
      tried = run(files, listOf(rest), second).catch((error) => refusals.push(error))
      return id
    }
    await lastValueFrom(
      exportOf(files, listOf(pagesOf(2, 1)), { ...first, key }).pipe(concatMap(() => tried)),
    )
    expect(refusals.length).toBeGreaterThan(0)
    for (const error of refusals) {
      expect(error).toMatchObject({ _tag: 'Locked', path: '/kept/at.json.lock' })
    }
    expect(files.names()).toEqual(['/exports/one.ndjson', '/exports/one.ndjson.manifest.json'])
  })

  it('is given back where that of a checkpoint elsewhere cannot be', async () => {
    const files = memory()
    const stuck = '/kept/at.json.lock'
    const rm: typeof files.rm = (path, options) =>
      path === stuck ? Promise.reject(new Error('stuck')) : files.rm(path, options)
    const { release } = await takeLocks({ ...files, rm }, runner(1))(pathsOf(OUT, '/kept/at.json'))
    expect(files.names()).toEqual([LOCK, stuck])
    await expect(release()).rejects.toThrow('stuck')
    expect(files.names()).toEqual([stuck])
  })

  it('that cannot be given back does not hide why a run did not begin', async () => {
    const files = memory()
    await outcome(files, listOf([good(0, 1), away]))
    const stuck: typeof files.rm = (path, options) =>
      path === LOCK ? Promise.reject(new Error('stuck')) : files.rm(path, options)
    await expect(run({ ...files, rm: stuck }, listOf(rest))).rejects.toMatchObject({
      _tag: 'CheckpointExists',
      path: `${OUT}.checkpoint.json`,
    })
    expect(files.names()).toContain(LOCK)
  })

  it('that cannot be given back does not hide who has that of a checkpoint elsewhere', async () => {
    const files = memory()
    files.put('/kept/at.json.lock', OTHER)
    const stuck: typeof files.rm = (path, options) =>
      path === LOCK ? Promise.reject(new Error('stuck')) : files.rm(path, options)
    const take = takeLocks({ ...files, rm: stuck }, runner(1, [7]))
    await expect(take(pathsOf(OUT, '/kept/at.json'))).rejects.toMatchObject({ _tag: 'Locked' })
  })

  it('is given back when a run fails', async () => {
    const files = memory()
    await outcome(files, listOf([good(0, 1), away]))
    expect(files.names()).not.toContain(LOCK)
    await refused(files)
    expect(files.names()).not.toContain(LOCK)
  })
})
