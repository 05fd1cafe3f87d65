/** One run at a time for one output: a file that says which process writes there. */
import { basename, dirname, join } from 'node:path'
import * as t from 'io-ts'
import { parsed } from '../../decode/unknown.js'
import { defined, E } from '../../fp.js'
import type { Millis } from '../../stream/index.js'
import { exportError } from '../ExportError.js'
import { codeOf, type FileSystem, isAbsence } from '../file/FileSystem.js'
import { type Paths, pathsOf, realName } from './paths.js'
import { readText, writeNew } from './records.js'

// processes

/** The process that runs an export. */
export interface Runner {
  /** The number of its process. */
  readonly pid: number
  /** The name of its machine. */
  readonly host: string
  /** When the process began, in ms since 1970: numbers of processes are used again. */
  readonly since: Millis
  /** When this machine began, in ms since 1970, if that is known: no process is older. */
  readonly booted?: Millis
  /** Tells runs of one process apart, when they begin at the same time: letters, digits and hyphens. */
  readonly token?: string
  /** Whether a process of this machine is alive. */
  readonly isAlive: (pid: number) => boolean
}

const owner = t.type({
  /** The number of its process. */
  pid: t.number,
  /** The name of its machine. */
  host: t.string,
  /** When the process began, in ms since 1970. */
  since: t.number,
})

/** The process that has a lock, as the lock says. */
export interface Owner extends t.TypeOf<typeof owner> {}

/** Reads a lock; undefined for a file that no export wrote, which may or may not be in use. */
const ownerOf = (text: string): Owner | undefined => {
  const read = owner.decode(parsed(text))
  return E.isRight(read) ? read.right : undefined
}

/** The text of a lock. */
const showOwner = ({ pid, host, since }: Owner): string =>
  `${JSON.stringify({ pid, host, since })}\n`

/** Tolerance between two clocks, in ms: a clock is set now and then. */
const CLOCK_TOLERANCE = 60_000

/** Whether the process that has a lock has ended, as far as this process can tell: it cannot tell of another machine. */
const isDead =
  ({ isAlive, booted = 0, ...self }: Runner) =>
  ({ pid, host, since }: Owner): boolean =>
    host === self.host &&
    (since < booted - CLOCK_TOLERANCE || (pid === self.pid ? since !== self.since : !isAlive(pid)))

/** Describes the owner of a lock, after the path of the lock. */
const heldBy = (other: Owner | undefined): string =>
  other === undefined
    ? 'says that another run is writing there, and not which: remove it if there is none'
    : `says that process ${other.pid} on ${other.host} is writing there: wait for it, or remove the file if there is no such process`

// taking the lock

/** A lock that this process has. */
export interface Lock {
  /** The dead run that had it, if there was one. */
  readonly dead?: Owner
  readonly release: () => Promise<void>
}

/** Attempts to take over the lock of a dead run. */
const TRIES = 5

/**
 * Takes the lock, or rejects with `Locked`, or with `UnusablePath` where there is no folder for it. The lock of a
 * process of this machine that has ended, or began before the last boot, is taken over; of several that try, one
 * succeeds.
 */
export const takeLock =
  (files: FileSystem, runner: Runner) =>
  async (path: string): Promise<Lock> => {
    const { pid, token, isAlive } = runner
    const text = showOwner(runner)
    const own = [path, pid, ...(token === undefined ? [] : [token])].join('.')

    const attempt = async (tries: number, dead?: Owner): Promise<Lock> => {
      if (await placed(files, own, path)) {
        await sweep(files, path, (other) => other === pid || isAlive(other))
        return {
          ...defined({ dead }),
          release: async () => {
            if ((await readText(files, path)) === text) await files.rm(path, { force: true })
          },
        }
      }
      const found = await readText(files, path)
      if (found === undefined && tries > 1) return attempt(tries - 1, dead)
      const other = ownerOf(found ?? '')
      if (found === undefined || other === undefined || tries === 1 || !isDead(runner)(other)) {
        throw exportError('Locked', `${path} ${heldBy(other)}`, { path })
      }
      await removeDead(files, path, found, `${own}.dead`)
      return attempt(tries - 1, other)
    }

    await writeNew(files, own, text).catch((error: unknown) => {
      if (!isAbsence(error)) throw error
      const folder = dirname(path)
      throw exportError('UnusablePath', `${folder} is no folder that can be written to`, {
        path: folder,
      })
    })
    return attempt(TRIES).finally(() => files.rm(own, { force: true }))
  }

/** File systems without hard links. */
const LINKLESS: ReadonlyArray<unknown> = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL']

/** Puts a file in its place, unless one is there. A link, so that it is there complete or not at all. */
const placed = async (files: FileSystem, from: string, to: string): Promise<boolean> => {
  try {
    await files.link(from, to)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    if (!LINKLESS.includes(codeOf(error))) throw error
  }
  if ((await readText(files, to)) !== undefined) return false
  await files.rename(from, to)
  return true
}

/** Removes the lock of a dead run; if another run was faster and has it by now, it is put back. */
const removeDead = async (
  files: FileSystem,
  path: string,
  expected: string,
  aside: string,
): Promise<void> => {
  const moved = await files.rename(path, aside).then(
    () => true,
    (error: unknown) => {
      if (codeOf(error) === 'ENOENT') return false
      throw error
    },
  )
  if (!moved) return
  if ((await readText(files, aside)) !== expected) await placed(files, aside, path)
  await files.rm(aside, { force: true })
}

/** Removes what processes left that were killed while they took a lock. */
const sweep = async (
  files: FileSystem,
  path: string,
  isAlive: Runner['isAlive'],
): Promise<void> => {
  const start = `${basename(path)}.`
  for (const name of await files.readdir(dirname(path))) {
    const [, pid] =
      /^(\d+)(\.[\w-]+)?(\.dead)?$/.exec(name.startsWith(start) ? name.slice(start.length) : '') ??
      []
    if (pid === undefined || isAlive(Number(pid))) continue
    await files.rm(join(dirname(path), name), { force: true })
  }
}

// the locks of an export

/**
 * Takes the lock of the output, by the file's real name, and that of a checkpoint that is kept elsewhere; or none, and
 * rejects: another run that would write one of these files finds its lock.
 */
export const takeLocks =
  (files: FileSystem, runner: Runner) =>
  async (paths: Paths): Promise<Lock> => {
    const take = takeLock(files, runner)
    const { lock, checkpoint, out, isFolder } = paths
    const output = await take(isFolder ? lock : pathsOf(await realName(files, out)).lock)
    if (checkpoint === pathsOf(out).checkpoint) return output
    try {
      const kept = await take(pathsOf(await realName(files, checkpoint)).lock)
      const dead = output.dead ?? kept.dead
      return {
        ...defined({ dead }),
        release: () => kept.release().finally(output.release),
      }
    } catch (error) {
      await Promise.allSettled([output.release()]) // what it says would hide why
      throw error
    }
  }
