/** Result codes of SQLite (https://sqlite.org/rescode.html), in words that say what to do. */
import { fieldsOf } from '../../decode/unknown.js'
import { isError } from '../../store/FileSystem.js'
import { adviceOn } from '../../store/remedies.js'
import { refusal } from './table.js'

/** Another connection has the lock. */
export const BUSY = 5

/** Names of primary result codes. */
const NAMES: Readonly<Record<number, string>> = {
  1: 'SQLITE_ERROR',
  3: 'SQLITE_PERM',
  [BUSY]: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  7: 'SQLITE_NOMEM',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  17: 'SQLITE_SCHEMA',
  18: 'SQLITE_TOOBIG',
  19: 'SQLITE_CONSTRAINT',
  20: 'SQLITE_MISMATCH',
  23: 'SQLITE_AUTH',
  26: 'SQLITE_NOTADB',
}

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
  const code = NAMES[result] ?? 'SQLITE_ERROR'
  const why = `${error.message} (${code})${adviceOn(code)}`
  return refusal({ name: path, doing, code, why }, error)
}
