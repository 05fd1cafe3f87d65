/** Whether somebody else was at a file while it was written. */
import { plural } from '../../decode/plural.js'
import { closing, type Files, type Handle } from './Files.js'
import { isAbsence } from './systemError.js'

// model

/** A file that somebody else changed, replaced or removed while it was written: nobody knows what it has. */
export class Disturbed extends Error {
  override readonly name = 'Disturbed'
  readonly _tag = 'Disturbed'
  /** The file that was. */
  readonly path: string
  /** Whether nothing is there by this name: it was removed, or it was moved and is whole elsewhere. */
  readonly isGone: boolean

  constructor(path: string, why: string, isGone = false) {
    super(`${path} ${why} while it was written`)
    this.path = path
    this.isGone = isGone
  }
}

// constructors

/** Throws `Disturbed` unless there is a file of so many bytes at `path`: that of `own`, if it is given. */
export const checkUndisturbed = async (
  files: Files,
  path: string,
  bytes: number,
  own?: Handle,
): Promise<void> => {
  const opened = files.open(path, 'r').catch((error: unknown) => {
    throw isAbsence(error) ? new Disturbed(path, 'was removed or moved', true) : error
  })
  await closing(opened, async (handle) => {
    const there = await handle.stat()
    const { ino, dev } = (await own?.stat()) ?? there
    if (there.ino !== ino || there.dev !== dev) {
      throw new Disturbed(path, 'was replaced by another file')
    }
    checkSize(path, there.size, bytes)
  })
}

/** Throws `Disturbed` unless an open file ends where it is written on: after a shorter end there would be a hole. */
export const checkEnd = async (path: string, bytes: number, own: Handle): Promise<void> =>
  checkSize(path, (await own.stat()).size, bytes)

const checkSize = (path: string, is: number, should: number): void => {
  if (is === should) return
  throw new Disturbed(
    path,
    `was changed by somebody else (${plural(is, 'byte')} in place of ${should})`,
  )
}
