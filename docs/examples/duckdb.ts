/** Writes charges to a DuckDB table. Rows and state change in one transaction. */
import { DuckDBInstance } from '@duckdb/node-api'
import type { Destination, Prepared, Store } from 'payments-rx/export'

export interface Row {
  readonly id: string
  readonly amount: number
  readonly status: string
}

export const duckDestination = async (path: string): Promise<Destination<Row>> => {
  const instance = await DuckDBInstance.fromCache(path)
  const db = await instance.connect()
  await db.run(
    'CREATE TABLE IF NOT EXISTS charges (id TEXT PRIMARY KEY, amount DECIMAL(18, 4), status TEXT)',
  )
  await db.run('CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, text TEXT, version TEXT)')

  const read: Store['read'] = async (name) => {
    const found = await db.runAndReadAll('SELECT text, version FROM state WHERE name = $1', [name])
    const [row] = found.getRowObjectsJson()
    return row && { text: String(row.text), version: String(row.version) }
  }
  const transaction = async <T>(work: () => Promise<T>): Promise<T> => {
    await db.run('BEGIN')
    try {
      const done = await work()
      await db.run('COMMIT')
      return done
    } catch (error) {
      await db.run('ROLLBACK')
      throw error
    }
  }
  /** Replaces a text if it has the expected version. Runs the rest of the step in the same transaction. */
  const replacing =
    (step: () => Promise<void>): Store['replace'] =>
    (name, text, version) =>
      transaction(async () => {
        if ((await read(name))?.version !== version) return undefined
        const next = crypto.randomUUID()
        await db.run('INSERT OR REPLACE INTO state VALUES ($1, $2, $3)', [name, text, next])
        await step()
        return next
      })
  const store: Store = {
    read,
    replace: replacing(async () => {}),
    remove: (name, version) =>
      transaction(async () => {
        if ((await read(name))?.version !== version) return false
        await db.run('DELETE FROM state WHERE name = $1', [name])
        return true
      }),
    close: async () => {
      db.closeSync()
      instance.closeSync()
    },
  }

  let rows: ReadonlyArray<Row> = []
  let replaces = false
  const step = async (): Promise<Prepared> => {
    const written = rows
    rows = []
    const write = async () => {
      if (replaces) await db.run('DELETE FROM charges')
      for (const { id, amount, status } of written)
        await db.run('INSERT OR REPLACE INTO charges VALUES ($1, $2, $3)', [id, amount, status])
    }
    return { store: { ...store, replace: replacing(write) } }
  }
  return {
    name: path,
    store,
    commitEvery: 1_000,
    rows: 'byId',
    check: () => undefined,
    resume: async (_, taken) => {
      replaces = taken.replaces // the transaction already made the table match the state
    },
    write: async (page) => {
      rows = [...rows, ...page]
    },
    reject: async () => {}, // rejects are counted, and passed to `onReject`
    commit: async () => (replaces ? {} : step()), // the last step replaces all rows
    finish: step,
    close: async () => {},
  }
}
