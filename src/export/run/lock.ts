/** One run at a time for one output: a file that says who is at it. */
import { basename, dirname, join } from 'node:path'
import * as t from 'io-ts'
import { defined, E } from '../../fp.js'
import { codeOf } from '../file/systemError.js'
import { CannotRun } from './CannotRun.js'
import { readText, type SmallFiles, writeNew } from './SmallFiles.js'

// model

/** Who runs. */
export interface Runner {
  /** The number of its process. */
  readonly pid: number
  /** What its machine is called. */
  readonly host: string
  /** When the process began, in ms since 1970: a number of a process is given again. */
  readonly since: number
  /** When this machine began, in ms since 1970, if that is known: no process is older. */
  readonly booted?: number
  /** Tells runs of one process apart, when they begin at the same time: letters, digits and hyphens. */
  readonly token?: string
  /** Whether a process of this machine runs. */
  readonly isAlive: (pid: number) => boolean
}

export interface Lock {
  /** The run that had it and is no more, if there was one. */
  readonly dead?: Owner
  readonly release: () => Promise<void>
}

const owner = t.type({
  /** The number of its process. */
  pid: t.number,
  /** What its machine is called. */
  host: t.string,
  /** When the process began, in ms since 1970. */
  since: t.number,
})

/** Who has a lock, as it says. */
export interface Owner extends t.TypeOf<typeof owner> {}

// constructors

/** By so much two clocks that tell of one moment may differ, in ms: a clock is set now and then. */
const SLACK = 60_000

/** How often a lock of a dead run is taken over before that is left to others. */
const TRIES = 5

/**
 * Takes the lock, or fails with a `CannotRun` that says who has it. A lock of a process of this machine
 * that is no more, or that began before the machine did, is taken over; of several that try, one succeeds.
 */
export const takeLock =
  (files: SmallFiles, { isAlive, booted = 0, token, ...self }: Runner) =>
  async (path: string): Promise<Lock> => {
    const text = `${JSON.stringify(self)}\n`
    const own = [path, self.pid, ...(token === undefined ? [] : [token])].join('.')
    const isDead = ({ pid, host, since }: Owner): boolean =>
      host === self.host &&
      (since < booted - SLACK || (pid === self.pid ? since !== self.since : !isAlive(pid)))

    const attempt = async (tries: number, dead?: Owner): Promise<Lock> => {
      if (await placed(files, own, path)) {
        await sweep(files, path, (pid) => pid === self.pid || isAlive(pid))
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
      if (found === undefined || other === undefined || tries === 1 || !isDead(other)) {
        throw new CannotRun('locked', path, who(other))
      }
      await takeAway(files, path, found, `${own}.dead`)
      return attempt(tries - 1, other)
    }

    await writeNew(files, own, text)
    return attempt(TRIES).finally(() => files.rm(own, { force: true }))
  }

/** File systems without hard links. */
const LINKLESS: ReadonlyArray<unknown> = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL']

/** Whether it is where it should be: nobody else was there. A link, so that it is there whole or not. */
const placed = async (files: SmallFiles, from: string, to: string): Promise<boolean> => {
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

/** Somebody may have been faster, and it is a living one's by now: then it is put back. */
const takeAway = async (
  files: SmallFiles,
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

/** Takes away what processes left that were killed when they took a lock. */
const sweep = async (
  files: SmallFiles,
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

const ownerOf = (text: string): Owner | undefined => {
  try {
    const read = owner.decode(JSON.parse(text))
    return E.isRight(read) ? read.right : undefined
  } catch {
    return undefined // not written by us: nobody can say whether it is in use
  }
}

const who = (other: Owner | undefined): string =>
  other === undefined
    ? 'says that another run is writing there, and not which: remove it if there is none'
    : `says that process ${other.pid} on ${other.host} is writing there: wait for it, or remove the file if there is no such process`
