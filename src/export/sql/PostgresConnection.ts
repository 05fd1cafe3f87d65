/**
 * A connection that has no state beyond a transaction: no setting, lock, prepared statement or temporary table. A pooler may
 * therefore use a different server session for each transaction.
 */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Client } from 'pg'
import { fieldsOf } from '../../decode/unknown.js'
import { isError, isSystemError } from '../../store/FileSystem.js'
import { adviceOn } from '../../store/remedies.js'
import type { Waits } from '../../store/Waits.js'
import { type ExportError, exportError, isExportError } from '../ExportError.js'
import type { PostgresUrl } from '../location/postgresUrl.js'
import { checkCertificates } from './postgresCertificates.js'
import { refusal } from './table.js'
import type { Query } from './tableRows.js'

/** Time after which the server ends a frozen client's idle transaction, in ms. */
const IDLE = 15_000

/** Time, in ms, for which the server waits for a lock, and the number of attempts. */
const LOCK = 2_000
const TRIES = 300

/** The server's error code for a lock that another session holds. */
const LOCKED = '55P03'

/** The start of each transaction that has several statements. */
export const BEGIN = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${IDLE}; SET LOCAL lock_timeout = ${LOCK}`

export interface PostgresOpening {
  readonly at: PostgresUrl
  readonly waits: Waits
}

export interface PostgresTransaction {
  readonly query: Query
  /** Sends statements in one message. Resolves with the rows of the first statement that returns rows. */
  readonly send: (sql: string) => ReturnType<Query>
  /** Copies lines into a table. `columns`: the columns as SQL. */
  readonly copy: (table: string, columns: string, lines: ReadonlyArray<Buffer>) => Promise<void>
}

type Driver = Awaited<ReturnType<typeof driver>>

export class PostgresConnection {
  readonly #opening: PostgresOpening
  readonly #refused: (error: unknown) => unknown
  readonly #driver: Driver
  #client: Client
  /** True if the server or a proxy closed the connection, for example by `idle_session_timeout`. The next transaction reconnects. */
  #isLost = false
  #last: Promise<unknown> = Promise.resolve()
  #closing: Promise<void> | undefined

  private constructor(
    opening: PostgresOpening,
    refused: (error: unknown) => unknown,
    driver: Driver,
  ) {
    this.#opening = opening
    this.#refused = refused
    this.#driver = driver
    this.#client = driver.newClient()
  }

  /** Connects. Rejects with an `ExportError`. */
  static async open(
    opening: PostgresOpening,
    doing: 'read' | 'write' = 'write',
  ): Promise<PostgresConnection> {
    const { at, waits } = opening
    const refused = (error: unknown): unknown =>
      isExportError(error) ? error : errorOf(at.name, error, doing)
    const connection = new PostgresConnection(opening, refused, await driver(at))
    try {
      await waits.during(() => connection.#connect())
    } catch (error) {
      await connection.close()
      throw refused(error)
    }
    return connection
  }

  /** Runs one statement in a transaction of its own. */
  readonly query: Query = (sql, values) => this.transaction(({ query }) => query(sql, values))

  /** Quotes a text, which must not contain U+0000. */
  literal(text: string): string {
    return this.#client.escapeLiteral(text)
  }

  /** Runs statements without others in between. Rolls back if `work` fails, and retries if another session holds a lock. */
  transaction<T>(work: (transaction: PostgresTransaction) => Promise<T>): Promise<T> {
    const { waits } = this.#opening
    const done = this.#last.then(() => waits.during(() => this.#patiently(work)))
    this.#last = done.catch(() => {}) // reported to the caller
    return done
  }

  close(): Promise<void> {
    this.#closing ??= this.#client.end().catch(() => {}) // the connection may be lost
    return this.#closing
  }

  async #connect(): Promise<void> {
    const client = this.#client
    client.on('error', () => {
      this.#isLost = true // reported by the statement in progress, if any
    })
    await client.connect()
  }

  async #patiently<T>(work: (transaction: PostgresTransaction) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#run(work)
      } catch (error) {
        const { code, message } = fieldsOf(error)
        if (code !== LOCKED || tries === TRIES) throw this.#refused(error)
        this.#opening.waits.refused(`${message} (${LOCKED})`)
      }
    }
  }

  async #run<T>(work: (transaction: PostgresTransaction) => Promise<T>): Promise<T> {
    if (this.#isLost) {
      this.#client = this.#driver.newClient()
      this.#isLost = false
      await this.#connect()
    }
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
          const to = client.query(this.#driver.copyFrom(`COPY ${table} (${columns}) FROM STDIN`))
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

/** Timeouts of a client, in ms, for connecting and for a response. */
const CONNECT = 15_000
const QUERY = 600_000

/** Loads the driver. Rejects with an `UnusableDestination` if it is not installed, or if it rejects the URL. */
const driver = async (at: PostgresUrl) => {
  const missing = (error: unknown): ExportError => {
    const why = 'Postgres needs two packages: npm install pg pg-copy-streams'
    return exportError('UnusableDestination', why, { destination: at.name }, error)
  }
  let pg: typeof import('pg').default
  let copyStreams: typeof import('pg-copy-streams')
  // one `try` per import, so that bundlers accept missing packages
  try {
    pg = (await import('pg')).default
  } catch (error) {
    throw missing(error)
  }
  try {
    copyStreams = await import('pg-copy-streams')
  } catch (error) {
    throw missing(error)
  }
  checkCertificates(at)
  const made = (options: { readonly ssl?: true }): Client => {
    try {
      return new pg.Client({
        connectionString: withFullChecks(at),
        application_name: 'payments-rx',
        connectionTimeoutMillis: CONNECT,
        query_timeout: QUERY,
        keepAlive: true,
        ...options,
      })
    } catch {
      throw unusableUrl(at.name)
    }
  }
  const newClient = (): Client => {
    const client = made({})
    // connections to other machines are unencrypted only if the URL allows it
    const isPlain = at.sslmode === 'disable' || isHere(client.host)
    return client.ssl || isPlain ? client : made({ ssl: true })
  }
  return { newClient, copyFrom: copyStreams.from }
}

/** Returns true if a host is this machine, given by name or as the folder of a socket. */
const isHere = (host: string | undefined): boolean =>
  host === undefined || /^(\/.*|localhost|127(\.\d+){3}|::1)?$/i.test(host)

/** Replaces modes that the driver treats as `verify-full`, with a warning on stderr. */
const withFullChecks = ({ url }: PostgresUrl): string =>
  /[?&]uselibpqcompat=/.test(url)
    ? url
    : url.replace(/(?<=[?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/, 'verify-full')

/** Creates the error for a URL that the driver rejects. Omits the driver's message, because it repeats the URL. */
const unusableUrl = (name: string): ExportError => {
  const why = 'the driver does not accept the parameters of the URL: check sslmode'
  return exportError('UnusableDestination', `cannot write ${name}: ${why}`, { destination: name })
}

/** Errors of PgBouncer that a retry does not resolve. It uses the same code, 08P01, for all errors. */
const POOLER: ReadonlyArray<readonly [RegExp, string]> = [
  [
    /statement pooling/,
    'rows and state must change in one transaction: set pool_mode to transaction or session',
  ],
  [/no such (database|user)/, 'check the URL, and the configuration of the pooler'],
  [/auth.* failed|password/i, 'check user and password, and the configuration of the pooler'],
  [/unsupported startup parameter/, 'remove it from the URL'],
]

/**
 * Creates an `ExportError`. Errors that come neither from the server nor from the connection are bugs. `doing`: the operation
 * that failed.
 */
const errorOf = (name: string, error: unknown, doing: 'write' | 'read' = 'write'): unknown => {
  if (!isError(error) || error.name === 'TypeError') return error
  const failed = (code: string, why: string) => refusal({ name, doing, code, why }, error)
  if (/does not support SSL/.test(error.message)) {
    const why =
      'the server does not use TLS: enable it there, or add sslmode=disable to the URL to send rows and password unencrypted'
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

/** Replacements for server messages that repeat a value or the user. */
const SAID: Readonly<Record<string, string>> = {
  '22': 'it does not accept this value',
  '28': 'the login was refused',
}

/** A Postgres error code: five digits or letters. */
const STATE = /^[0-9A-Z]{5}$/
