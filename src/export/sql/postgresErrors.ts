/** Refusals of Postgres and of the connection to it, in words that say what to do. */

import { isError, isSystemError } from '../../store/FileSystem.js'
import { exportError } from '../ExportError.js'

/** Advice by the code of a state (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const ADVICE: Readonly<Record<string, string>> = {
  '28P01': 'wrong user or password: check the URL, or PGUSER and PGPASSWORD',
  '28000':
    'the server knows no such user, or refuses it from this host: check PGUSER or the URL, and pg_hba.conf',
  '3D000': 'there is no such database: create it, or check the URL',
  '3F000': 'there is no such schema: create it, or check --table',
  '42501': 'the user may not do this',
}

/** Classes of states that pass: connection lost, out of resources, ended by an operator, deadlock. */
const PASSING = /^(08|40|53|55|57|58)/

/** Codes of the system by which a server cannot be reached for now. */
const UNREACHABLE: ReadonlyArray<string> = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]

/** Makes an `ExportError`; errors that are neither of the server nor of the connection are bugs. `doing`: what failed. */
export const errorOf = (
  name: string,
  error: unknown,
  doing: 'write' | 'read' = 'write',
): unknown => {
  if (!isError(error) || error.name === 'TypeError') return error
  const failed = (code: string, why: string) =>
    exportError('WriteFailed', `cannot ${doing} ${name}: ${why}`, { path: name, code }, error)
  if (/SSL/.test(error.message)) {
    const why = `${error.message}: check sslmode in the URL`
    return exportError('UnusableDestination', `cannot ${doing} ${name}: ${why}`, {
      destination: name,
    })
  }
  if (!isSystemError(error)) return failed('ECONNRESET', 'the connection was lost')
  const { code } = error
  if (UNREACHABLE.includes(code)) return failed(code, `the server cannot be reached (${code})`)
  if (code === '53100') return failed(code, 'its disk is full: make room')
  if (PASSING.test(code)) return failed(code, `the server ended it (${code})`)
  if (/^22/.test(code)) return failed(code, `it takes no such value (${code})`) // its message repeats the value
  const advice = ADVICE[code]
  const why = code === '42501' ? `${error.message}: ${advice}` : (advice ?? error.message)
  const details = { destination: name, code }
  return exportError('UnusableDestination', `cannot ${doing} ${name}: ${why}`, details, error)
}
