/**
 * A connection of which nothing outlives a transaction: no setting, no lock, no prepared statement, no temporary table. So
 * a pooler may give each transaction another session of the server.
 */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Client } from 'pg'
import { fieldsOf } from '../../decode/unknown.js'
import { isExportError } from '../ExportError.js'
import { driver } from './postgresDriver.js'
import { errorOf } from './postgresErrors.js'
import type { Query } from './tableRows.js'

/** How long the server waits for a client that is frozen within a transaction, in ms. */
const IDLE = 15_000

/** The beginning of each transaction of several statements. */
export const BEGIN = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${IDLE}`

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
  readonly #refused: (error: unknown) => unknown
  readonly #client: Client
  readonly #copyFrom: CopyFrom
  #last: Promise<unknown> = Promise.resolve()
  #closing: Promise<void> | undefined

  private constructor(refused: (error: unknown) => unknown, client: Client, copyFrom: CopyFrom) {
    this.#refused = refused
    this.#client = client
    this.#copyFrom = copyFrom
  }

  /** Connects. `name`: that of the database, without secrets. Rejects with an `ExportError`. */
  static async open(
    url: string,
    name: string,
    doing: 'read' | 'write' = 'write',
  ): Promise<PostgresConnection> {
    const refused = (error: unknown): unknown =>
      isExportError(error) ? error : errorOf(name, error, doing)
    const { connect, copyFrom } = await driver(name)
    const client = connect(url)
    client.on('error', () => {}) // told by the query that comes next
    const connection = new PostgresConnection(refused, client, copyFrom)
    try {
      await client.connect()
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

  /** Sends statements, and nothing else between them. What `work` has begun is rolled back if it fails. */
  transaction<T>(work: (transaction: PostgresTransaction) => Promise<T>): Promise<T> {
    const done = this.#last.then(() => this.#run(work))
    this.#last = done.catch(() => {}) // told to the caller
    return done
  }

  close(): Promise<void> {
    this.#closing ??= this.#client.end().catch(() => {}) // it was lost
    return this.#closing
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
      throw this.#refused(error)
    }
  }
}
