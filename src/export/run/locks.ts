/** The locks of a run: wherever another run would write the same file, it finds one of them. */
import { dirname, isAbsolute } from 'node:path'
import { defined } from '../../fp.js'
import { type Lock, takeLock } from './lock.js'
import type { Runner } from './Owner.js'
import { type Paths, pathsOf } from './Paths.js'
import type { SmallFiles } from './SmallFiles.js'

/**
 * Takes the lock of the output, by the file's real name, and that of a checkpoint that is kept elsewhere;
 * or none, and fails with a `CannotRun`.
 */
export const takeLocks =
  (files: SmallFiles, runner: Runner) =>
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

/** So many links may lead to a file, one to the next: as many as Linux follows. */
const LINKS = 40

/** What a file is called where it is, or will be: a link may lead to one that is not there yet. */
export const realName = async (
  files: Pick<SmallFiles, 'readlink'>,
  path: string,
  links = LINKS,
): Promise<string> => {
  const target = await files.readlink(path).catch(() => undefined) // it is no link
  if (target === undefined || links === 0) return path
  // not joined: that would take `..` for the folder above, which it is not behind a link
  const next = isAbsolute(target) ? target : `${dirname(path)}/${target}`
  return realName(files, next, links - 1)
}
