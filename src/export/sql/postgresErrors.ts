/** Refusals of Postgres, of a pooler before it and of the connection to it, in words that say what to do. */

import { isError, isSystemError } from '../../store/FileSystem.js'
import { adviceOn } from '../../store/remedies.js'
import { exportError } from '../ExportError.js'
import { refusal } from './table.js'

/** Sentences of PgBouncer that stay: it has one code for all that it says, 08P01. */
const POOLER: ReadonlyArray<readonly [RegExp, string]> = [
  [
    /statement pooling/,
    'rows and state have to change in one transaction: set pool_mode to transaction or session',
  ],
  [/no such (database|user)/, 'check the URL, and the configuration of the pooler'],
  [/auth.* failed|password/i, 'check user and password, and the configuration of the pooler'],
  [/unsupported startup parameter/, 'leave it out of the URL'],
]

/** Makes an `ExportError`; errors that are neither of the server nor of the connection are bugs. `doing`: what failed. */
export const errorOf = (
  name: string,
  error: unknown,
  doing: 'write' | 'read' = 'write',
): unknown => {
  if (!isError(error) || error.name === 'TypeError') return error
  const failed = (code: string, why: string) => refusal({ name, doing, code, why }, error)
  if (/does not support SSL/.test(error.message)) {
    const why =
      'the server does not speak TLS: have it do so, or add sslmode=disable to the URL to send rows and password unencrypted'
    return exportError('UnusableDestination', `cannot ${doing} ${name}: ${why}`, {
      destination: name,
    })
  }
  if (!isSystemError(error)) {
    return failed('ECONNRESET', `the connection was lost (${error.message})`)
  }
  const { code } = error
  if (/^E[A-Z]/.test(code))
    return failed(code, `the server cannot be reached (${code})${adviceOn(code)}`)
  if (!STATE.test(code)) return failed(code, `${error.message} (${code})${adviceOn(code)}`)
  const [, advice] = POOLER.find(([said]) => code === '08P01' && said.test(error.message)) ?? []
  if (advice !== undefined) {
    const why = `the pooler says "${error.message}": ${advice}`
    const details = { destination: name, code }
    return exportError('UnusableDestination', `cannot ${doing} ${name}: ${why}`, details, error)
  }
  const said = SAID[code.slice(0, 2)] ?? error.message
  return failed(code, `${said} (${code})${adviceOn(code)}`)
}

/** In place of the words of the server, which repeat a value or the user. */
const SAID: Readonly<Record<string, string>> = {
  '22': 'it takes no such value',
  '28': 'the login was refused',
}

/** A code of Postgres: five digits or letters. */
const STATE = /^[0-9A-Z]{5}$/
