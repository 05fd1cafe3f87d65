/** An SQLite database, opened with `node:sqlite`: one file, no dependency. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { fieldsOf } from '../../decode/unknown.js'
import { isError } from '../../store/FileSystem.js'
import { adviceOn } from '../../store/remedies.js'
import type { Waits } from '../../store/Waits.js'
import { exportError } from '../ExportError.js'
import { messageOf } from '../transfer/TransferEvent.js'
import { refusal } from './table.js'
import type { Query } from './tableRows.js'

/** Number of attempts to use a database that another program has locked, and the pause between them, in ms. */
const TRIES = 150
const PAUSE = 200

export interface SqliteOpening {
  readonly path: string
  readonly doing: 'read' | 'write'
  readonly pause: (ms: number) => Promise<void>
  readonly waits: Waits
}

export class SqliteConnection {
  readonly #opening: SqliteOpening
  readonly #db: DatabaseSync
  #isOpen = true

  private constructor(opening: SqliteOpening, db: DatabaseSync) {
    this.#opening = opening
    this.#db = db
  }

  /** Opens a database, and creates a missing one if it is opened for writing. Rejects with an `ExportError`. */
  static async open(opening: SqliteOpening): Promise<SqliteConnection> {
    const { path, doing } = opening
    const { DatabaseSync } = await import('node:sqlite').catch((error: unknown) => {
      const why = `cannot ${doing} ${path}: this runtime has no node:sqlite, which Node has from 22.13 on`
      throw exportError('UnusableDestination', why, { destination: path }, error)
    })
    try {
      return new SqliteConnection(opening, new DatabaseSync(path, { readOnly: doing === 'read' }))
    } catch (error) {
      throw errorAt(opening, error)
    }
  }

  /** Runs a single statement. Waits while another program holds a lock. */
  readonly query: Query<string> = (sql, values) => this.#patiently(() => this.all(sql, values))

  /** Runs a statement inside a transaction. */
  all(sql: string, values: ReadonlyArray<string> = []) {
    const named = Object.fromEntries(values.map((value, i) => [`$${i + 1}`, value]))
    return this.prepare(sql)
      .all(named)
      .map((row) => fieldsOf({ ...row }))
  }

  prepare(sql: string): StatementSync {
    return this.#db.prepare(sql)
  }

  exec(sql: string): void {
    this.#db.exec(sql)
  }

  /** Runs a function in a transaction. Waits while another program holds a lock. */
  transaction<T>(work: () => T): Promise<T> {
    return this.#patiently(() => {
      try {
        this.exec('BEGIN IMMEDIATE')
        const done = work()
        this.exec('COMMIT')
        return done
      } catch (error) {
        this.#rollBack()
        throw error
      }
    })
  }

  /** Closes the connection. May be called again. */
  async close(): Promise<void> {
    if (this.#isOpen) this.#db.close()
    this.#isOpen = false
  }

  /** Retries while another connection holds the lock. */
  #patiently<T>(work: () => T): Promise<T> {
    const { pause, waits } = this.#opening
    return waits.during(async () => {
      for (let tries = 1; ; tries++) {
        try {
          return work()
        } catch (error) {
          if (codeOf(error) !== BUSY || tries === TRIES) throw errorAt(this.#opening, error)
          waits.refused(wordsOf(error))
        }
        await pause(PAUSE)
      }
    })
  }

  /** Rolls back the transaction, if there is one; Node 22.15 cannot tell. */
  #rollBack(): void {
    try {
      this.exec('ROLLBACK')
    } catch {
      // no transaction was begun, or SQLite has already ended it
    }
  }
}

// errors

/** Result code if another connection holds the lock. */
const BUSY = 5

/** Names of primary result codes: https://sqlite.org/rescode.html */
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

/** The extended code of a file that was removed or replaced while it was open. */
const DB_MOVED = 1_032

/** Returns the primary result code. */
const codeOf = (error: unknown): number | undefined => {
  const { errcode } = fieldsOf(error)
  return typeof errcode === 'number' ? errcode & 0xff : undefined
}

const wordsOf = (error: unknown): string => `${messageOf(error)} (${NAMES[BUSY]})`

/** Converts an SQLite error to an `ExportError`; other errors are bugs. */
const errorAt = ({ path, doing }: SqliteOpening, error: unknown): unknown => {
  const result = codeOf(error)
  if (result === undefined || !isError(error)) return error
  const isMoved = fieldsOf(error).errcode === DB_MOVED
  const code = isMoved ? 'SQLITE_READONLY_DBMOVED' : (NAMES[result] ?? 'SQLITE_ERROR')
  const why = `${error.message} (${code})${adviceOn(code)}`
  return refusal({ name: path, doing, code, why }, error)
}
