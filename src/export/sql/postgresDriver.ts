/** The driver of Postgres: `pg` and `pg-copy-streams`, which are optional peers. */
import type { Client } from 'pg'
import { defined } from '../../fp.js'
import { codeOf } from '../../store/FileSystem.js'
import { type ExportError, exportError } from '../ExportError.js'

/** How long a client waits for the server, in ms: for a connection, and for an answer. */
const CONNECT = 15_000
const QUERY = 600_000

/** Loads the driver. Rejects with an `UnusableDestination` where it is not installed. */
export const driver = async (name: string) => {
  try {
    const [{ default: pg }, { from: copyFrom }] = await Promise.all([
      import('pg'),
      import('pg-copy-streams'),
    ])
    const connect = (connectionString: string): Client => {
      try {
        return new pg.Client({
          connectionString,
          application_name: 'payments-rx',
          connectionTimeoutMillis: CONNECT,
          query_timeout: QUERY,
          keepAlive: true,
        })
      } catch (error) {
        throw unusableUrl(name, error)
      }
    }
    return { connect, copyFrom }
  } catch (error) {
    const why = 'Postgres needs two packages: npm install pg pg-copy-streams'
    throw exportError('UnusableDestination', why, { destination: name }, error)
  }
}

/** Makes the error for a URL that the driver does not take. Its own words repeat the URL, so they are left out. */
const unusableUrl = (name: string, error: unknown): ExportError => {
  const code = codeOf(error)
  const why =
    code === undefined
      ? 'the driver does not take the parameters of the URL: check sslmode'
      : `a file that the URL names cannot be read (${code}): check sslrootcert, sslcert and sslkey`
  const details = { destination: name, ...defined({ code }) }
  return exportError('UnusableDestination', `cannot write ${name}: ${why}`, details)
}
