/** The connection to a Postgres: `pg` and `pg-copy-streams`, which are optional peers. */
import type { Client } from 'pg'
import { withoutUndefined } from '../../fp.js'
import { codeOf } from '../../store/FileSystem.js'
import { type ExportError, exportError } from '../ExportError.js'
import { type PostgresUrl, readPostgresUrl } from './postgresUrl.js'

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
    /** Makes a client; nothing is sent yet. Throws an `UnusableDestination` for a URL that the driver does not take. */
    const connect = (url: string): Client => {
      const read = readPostgresUrl(url)
      const made = (options: { readonly ssl?: true }): Client => {
        try {
          return new pg.Client({
            connectionString: withFullChecks(read),
            application_name: 'payments-rx',
            connectionTimeoutMillis: CONNECT,
            query_timeout: QUERY,
            keepAlive: true,
            ...options,
          })
        } catch (error) {
          throw unusableUrl(name, error)
        }
      }
      const client = made({})
      // without encryption beyond this machine only where the URL says so
      const isPlain = read.sslmode === 'disable' || isHere(client.host)
      return client.ssl || isPlain ? client : made({ ssl: true })
    }
    return { connect, copyFrom }
  } catch (error) {
    const why = 'Postgres needs two packages: npm install pg pg-copy-streams'
    throw exportError('UnusableDestination', why, { destination: name }, error)
  }
}

/** Returns whether a host is this machine: by its name, or by a socket in a folder. */
const isHere = (host: string | undefined): boolean =>
  host === undefined || /^(\/.*|localhost|127(\.\d+){3}|::1)?$/i.test(host)

/** The driver takes these modes for `verify-full`, and warns of that on stderr. */
const withFullChecks = ({ url }: PostgresUrl): string =>
  /[?&]uselibpqcompat=/.test(url)
    ? url
    : url.replace(/(?<=[?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/, 'verify-full')

/** Makes the error for a URL that the driver does not take. Its own words repeat the URL, so they are left out. */
const unusableUrl = (name: string, error: unknown): ExportError => {
  const code = codeOf(error)
  const isOfUrl = code === undefined || code.startsWith('ERR_')
  const why = isOfUrl
    ? 'the driver does not take the parameters of the URL: check sslmode'
    : `a file that the URL names cannot be read (${code}): check sslrootcert, sslcert and sslkey`
  const details = { destination: name, ...(isOfUrl ? {} : withoutUndefined({ code })) }
  return exportError('UnusableDestination', `cannot write ${name}: ${why}`, details)
}
