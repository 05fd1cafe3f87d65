/** One run at a time for one output: a file that says who is at it. */
import { basename, dirname, join } from 'node:path'
import { defined } from '../../fp.js'
import { codeOf, isAbsence } from '../file/systemError.js'
import { CannotRun } from './CannotRun.js'
import { heldBy, isDead, type Owner, ownerOf, type Runner, showOwner } from './Owner.js'
import { readText, type SmallFiles, writeNew } from './SmallFiles.js'

// model

/** A lock that was taken. */
export interface Lock {
  /** The run that had it and is no more, if there was one. */
  readonly dead?: Owner
  readonly release: () => Promise<void>
}

// constructors

/** How often a lock of a dead run is taken over before that is left to others. */
const TRIES = 5

/**
 * Takes the lock, or fails with a `CannotRun` that says who has it, or that there is no folder for it. A lock of a
 * process of this machine that is no more, or that began before the machine did, is taken over; of several that try,
 * one succeeds.
 */
export const takeLock =
  (files: SmallFiles, runner: Runner) =>
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
        throw new CannotRun('locked', path, heldBy(other))
      }
      await takeAway(files, path, found, `${own}.dead`)
      return attempt(tries - 1, other)
    }

    await writeNew(files, own, text).catch((error: unknown) => {
      if (!isAbsence(error)) throw error
      throw new CannotRun('nowhere', dirname(path), 'is no folder that can be written to')
    })
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
