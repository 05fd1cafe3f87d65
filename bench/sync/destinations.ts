/** Destinations of a sync by the name of their kind, and how their rows are read back. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DuckDBInstance } from '@duckdb/node-api'
import { hasPostgres, type Postgres, startPostgres } from '../../test/support/postgres.ts'
import type { StoredCharge } from '../../test/support/syncNights.ts'

export interface Destination {
  readonly to: string
  /** Further arguments of the command. */
  readonly more: ReadonlyArray<string>
  readonly read: () => Promise<ReadonlyArray<StoredCharge>>
  readonly remove: () => Promise<void>
}

export const COLUMNS = 'id, amount, currency, status, updated_at'

/** Converts a row; its amount has as many decimals as the service writes. */
export const charge = (row: Readonly<Record<string, unknown>>): StoredCharge => ({
  id: String(row.id),
  amount: String(Number(row.amount)),
  currency: String(row.currency),
  status: String(row.status),
  updated: new Date(String(row.updated_at)).getTime(),
})

const sqlite = async (): Promise<Destination> => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-sync-'))
  const to = join(folder, 'charges.sqlite')
  return {
    to,
    more: [],
    read: async () => {
      const db = new DatabaseSync(to)
      const rows = db.prepare(`select ${COLUMNS} from charges`).all()
      db.close()
      return rows.map(charge)
    },
    remove: () => rm(folder, { recursive: true }),
  }
}

let server: Promise<Postgres> | undefined

const postgres = async (): Promise<Destination> => {
  if (!hasPostgres) throw new Error('Postgres is not installed')
  server ??= startPostgres()
  const { database, query } = await server
  const to = await database()
  return {
    to,
    more: [],
    read: async () => {
      const all = await query(
        to,
        `select id, amount, currency, status, updated_at::text from charges`,
      )
      return all.map((row) => charge({ ...row, updated_at: String(row.updated_at) }))
    },
    remove: async () => {},
  }
}

/** A folder, read as a user would: all files at its top. */
const folder = (format: 'ndjson' | 'parquet') => async (): Promise<Destination> => {
  const path = await mkdtemp(join(tmpdir(), 'bench-sync-'))
  return {
    to: `${path}/`,
    more: ['--format', format],
    read: async () => {
      const connection = await (await DuckDBInstance.create(':memory:')).connect()
      const times = "updated_at: 'VARCHAR'"
      const from =
        format === 'parquet'
          ? `read_parquet('${path}/*.parquet')`
          : `read_json('${path}/*.ndjson.zst', format = 'newline_delimited', columns = {id: 'VARCHAR', amount: 'VARCHAR', currency: 'VARCHAR', status: 'VARCHAR', ${times}})`
      const found = await connection.runAndReadAll(`select ${COLUMNS} from ${from}`)
      const rows = found.getRowObjects()
      connection.closeSync()
      return rows.map((row) => charge({ ...row, updated_at: timeOf(row.updated_at) }))
    },
    remove: () => rm(path, { recursive: true }),
  }
}

/** As DuckDB writes a time with a time zone; the offset of the service with a colon, else. */
const timeOf = (u: unknown): string =>
  String(u)
    .replace(/\+00$/, 'Z')
    .replace(/\+0000$/, 'Z')

export const destinations: Readonly<Record<string, () => Promise<Destination>>> = {
  sqlite,
  postgres,
  ndjson: folder('ndjson'),
  parquet: folder('parquet'),
}

/** Stops what was started. */
export const stopServers = async (): Promise<void> => (await server)?.stop()
