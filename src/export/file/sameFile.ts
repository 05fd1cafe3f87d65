/** Whether a file is still what a mark of it says. */
import { createHash, type Hash } from 'node:crypto'
import { plural } from '../../decode/plural.js'
import { closing, type Files, type Handle } from './Files.js'
import { NotTheSame } from './NotTheSame.js'
import type { Mark } from './RowFile.js'
import { codeOf, withPath } from './systemError.js'
import { CHUNK, readWholly } from './wholly.js'

// model

/** The part of a mark that tells a file from others. */
export type Fingerprint = Pick<Mark, 'bytes' | 'sha256'>

// constructors

/** Throws `NotTheSame` unless the file is what it was when it was ended. */
export const sameFile = (path: string, ended: Fingerprint, files: Files): Promise<void> =>
  look(files, path, 'r', async (handle) => {
    const { size } = await handle.stat()
    if (size > ended.bytes) {
      throw new NotTheSame(
        path,
        `has ${plural(size, 'byte')}, where it was ended with ${ended.bytes}`,
      )
    }
    await hashCommitted(path, handle, ended, createHash('sha256'))
  })

/** Throws `NotTheSame` unless the file begins with what was committed: it can be gone on with. */
export const canGoOn = (path: string, mark: Fingerprint, files: Files): Promise<void> =>
  look(files, path, 'r+', (handle) => hashCommitted(path, handle, mark, createHash('sha256')))

/** What the system says of it has its path. */
const look = (
  files: Files,
  path: string,
  flags: 'r' | 'r+',
  use: (handle: Handle) => Promise<void>,
): Promise<void> =>
  closing(openMarked(files, path, flags), use).catch((error: unknown) => {
    throw withPath(path)(error)
  })

/** A file that a mark is of. Throws `NotTheSame` when there is none. */
export const openMarked = (files: Files, path: string, flags: 'r' | 'r+'): Promise<Handle> =>
  files.open(path, flags).catch((error: unknown) => {
    throw codeOf(error) === 'ENOENT' ? new NotTheSame(path, 'is not there any more') : error
  })

/** Reads what was committed into `hash`. Throws `NotTheSame` when it is something else. */
export const hashCommitted = async (
  path: string,
  handle: Handle,
  { bytes, sha256 }: Fingerprint,
  hash: Hash,
): Promise<void> => {
  const { size } = await handle.stat()
  if (size < bytes) {
    throw new NotTheSame(path, `has ${plural(size, 'byte')}, where ${bytes} were committed`)
  }
  for (let position = 0; position < bytes; position += CHUNK) {
    hash.update(await readWholly(path, handle, position, Math.min(CHUNK, bytes - position)))
  }
  if (hash.copy().digest('hex') !== sha256) {
    throw new NotTheSame(path, `has other bytes than the ${bytes} that were committed`)
  }
}
