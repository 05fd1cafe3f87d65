/** Result codes of SQLite (https://sqlite.org/rescode.html), in words that say what to do. */
import { fieldsOf } from '../../decode/unknown.js'
import { isError } from '../../store/FileSystem.js'
import { type ExportError, exportError } from '../ExportError.js'

/** Another connection has the lock. */
export const BUSY = 5

/** Advice for a result code, and the code of the system that means the same. */
const ADVICE: Readonly<Record<number, readonly [code: string, advice: string]>> = {
  [BUSY]: ['EBUSY', 'another program has it locked: end it'],
  8: ['EACCES', 'it may not be written to: check the rights of the file and its folder'],
  10: ['EIO', 'its disk cannot be read or written'],
  11: ['EBADF', 'the file is damaged: restore it, or remove it to start over'],
  13: ['ENOSPC', 'its disk is full: make room'],
  14: ['EACCES', 'it cannot be opened: check that its folder is there, and may be written to'],
  26: ['EBADF', 'the file is no SQLite database: name another one'],
}

/** Codes that no waiting mends. */
const PERMANENT: ReadonlyArray<number> = [8, 11, 14, 26]

/** Returns the primary result code. */
export const codeOf = (error: unknown): number | undefined => {
  const { errcode } = fieldsOf(error)
  return typeof errcode === 'number' ? errcode & 0xff : undefined
}

/** Makes an `ExportError` of an error of SQLite; other errors are bugs. `doing`: what failed. */
export const errorAt = (
  path: string,
  error: unknown,
  doing: 'write' | 'read' = 'write',
): unknown => {
  const result = codeOf(error)
  if (result === undefined || !isError(error)) return error
  const [code, advice] = ADVICE[result] ?? ['EIO', error.message]
  const message = `cannot ${doing} ${path}: ${advice}`
  const wrong: ExportError = PERMANENT.includes(result)
    ? exportError('UnusableDestination', message, { destination: path, code }, error)
    : exportError('WriteFailed', message, { path, code }, error)
  return wrong
}
