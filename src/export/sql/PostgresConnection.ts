/**
 * A connection of which nothing outlives a transaction: no setting, no lock, no prepared statement, no temporary table. So
 * a pooler may give each transaction another session of the server.
 */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Client } from 'pg'
import { fieldsOf } from '../../decode/unknown.js'
import { isError, isSystemError } from '../../store/FileSystem.js'
import { adviceOn } from '../../store/remedies.js'
import type { Waits } from '../../store/Waits.js'
import { type ExportError, exportError, isExportError } from '../ExportError.js'
import { checkCertificates } from './postgresCertificates.js'
import { type PostgresUrl, readPostgresUrl } from './postgresUrl.js'
import { refusal } from './table.js'
import type { Query } from './tableRows.js'

/** How long the server waits for a client that is frozen within a transaction, in ms. */
const IDLE = 15_000

/** How long a lock is waited for before the server says so, in ms; and how often it is tried. */
const LOCK = 2_000
const TRIES = 300

/** The code of the server for a lock that another session has. */
const LOCKED = '55P03'

/** The beginning of each transaction of several statements. */
export const BEGIN = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${IDLE}; SET LOCAL lock_timeout = ${LOCK}`

/** Which database. */
export interface PostgresOpening {
  readonly url: string
  /** Names it in messages, without secrets. */
  readonly name: string
  /** Reports waits. */
  readonly waits: Waits
}

/** The statements of one transaction. */
export interface PostgresTransaction {
  readonly query: Query
  /** Sends statements in one message. Resolves with the rows of the first that returns some. */
  readonly send: (sql: string) => ReturnType<Query>
  /** Copies lines into a table; `columns`: as SQL. */
  readonly copy: (table: string, columns: string, lines: ReadonlyArray<Buffer>) => Promise<void>
}

type CopyFrom = Awaited<ReturnType<typeof driver>>['copyFrom']

export class PostgresConnection {
  readonly #waits: Waits
  readonly #refused: (error: unknown) => unknown
  readonly #client: Client
  readonly #copyFrom: CopyFrom
  #last: Promise<unknown> = Promise.resolve()
  #closing: Promise<void> | undefined

  private constructor(
    waits: Waits,
    refused: (error: unknown) => unknown,
    client: Client,
    copyFrom: CopyFrom,
  ) {
    this.#waits = waits
    this.#refused = refused
    this.#client = client
    this.#copyFrom = copyFrom
  }

  /** Connects. Rejects with an `ExportError`. */
  static async open(
    { url, name, waits }: PostgresOpening,
    doing: 'read' | 'write' = 'write',
  ): Promise<PostgresConnection> {
    const refused = (error: unknown): unknown =>
      isExportError(error) ? error : errorOf(name, error, doing)
    const { connect, copyFrom } = await driver(name)
    const client = connect(url)
    client.on('error', () => {}) // reported by the next query
    const connection = new PostgresConnection(waits, refused, client, copyFrom)
    try {
      await waits.during(() => client.connect())
    } catch (error) {
      await connection.close()
      throw refused(error)
    }
    return connection
  }

  /** Runs one statement, as a transaction of its own. */
  readonly query: Query = (sql, values) => this.transaction(({ query }) => query(sql, values))

  /** Quotes a text, which has no U+0000. */
  literal(text: string): string {
    return this.#client.escapeLiteral(text)
  }

  /**
   * Sends statements, and nothing else between them. A transaction that `work` has begun is rolled back if it fails, and
   * begun again where another session has a lock.
   */
  transaction<T>(work: (transaction: PostgresTransaction) => Promise<T>): Promise<T> {
    const done = this.#last.then(() => this.#waits.during(() => this.#patiently(work)))
    this.#last = done.catch(() => {}) // reported to the caller
    return done
  }

  close(): Promise<void> {
    this.#closing ??= this.#client.end().catch(() => {}) // it was lost
    return this.#closing
  }

  async #patiently<T>(work: (transaction: PostgresTransaction) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#run(work)
      } catch (error) {
        const { code, message } = fieldsOf(error)
        if (code !== LOCKED || tries === TRIES) throw this.#refused(error)
        this.#waits.refused(`${message} (${LOCKED})`)
      }
    }
  }

  async #run<T>(work: (transaction: PostgresTransaction) => Promise<T>): Promise<T> {
    const client = this.#client
    let hasBegun = false
    const query: Query = async (sql, values) => {
      hasBegun ||= sql.startsWith('BEGIN')
      const { rows } = await client.query(sql, values && [...values])
      return rows.map(fieldsOf)
    }
    try {
      return await work({
        query,
        send: async (sql) => {
          hasBegun ||= sql.startsWith('BEGIN')
          const answers = [await client.query(sql)].flat()
          return (answers.find(({ fields }) => fields?.length > 0)?.rows ?? []).map(fieldsOf)
        },
        copy: async (table, columns, lines) => {
          const to = client.query(this.#copyFrom(`COPY ${table} (${columns}) FROM STDIN`))
          await pipeline(Readable.from(lines), to)
        },
      })
    } catch (error) {
      if (hasBegun) await client.query('ROLLBACK').catch(() => {}) // the connection was lost
      throw error
    }
  }
}

// the driver: `pg` and `pg-copy-streams`, which are optional peers

/** How long a client waits for the server, in ms: for a connection, and for an answer. */
const CONNECT = 15_000
const QUERY = 600_000

/** Loads the driver. Rejects with an `UnusableDestination` where it is not installed. */
const driver = async (name: string) => {
  try {
    const [{ default: pg }, { from: copyFrom }] = await Promise.all([
      import('pg'),
      import('pg-copy-streams'),
    ])
    /** Makes a client; nothing is sent yet. Throws an `UnusableDestination` for a URL that the driver does not take. */
    const connect = (url: string): Client => {
      const read = readPostgresUrl(url)
      checkCertificates(read)
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
        } catch {
          throw unusableUrl(name)
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
const unusableUrl = (name: string): ExportError => {
  const why = 'the driver does not take the parameters of the URL: check sslmode'
  return exportError('UnusableDestination', `cannot write ${name}: ${why}`, { destination: name })
}

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
const errorOf = (name: string, error: unknown, doing: 'write' | 'read' = 'write'): unknown => {
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
