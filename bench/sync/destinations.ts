/** Destinations of a sync by kind, and how their rows are read back. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DuckDBInstance } from '@duckdb/node-api'
import type { StoredCharge } from '../kills/syncNights.ts'
import { hasPostgres, type Postgres, startPostgres } from '../services/postgres.ts'
import { type S3Double, s3Double } from '../services/s3Double.ts'
import { seeded } from '../simulated/random.ts'

export interface Destination {
  readonly to: string
  /** Additional arguments of the command. */
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

/** A folder, read as a user would read it: all files at its top level. */
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

/** The format in which DuckDB writes a time with a time zone; otherwise the service's offset with a colon. */
const timeOf = (u: unknown): string =>
  String(u)
    .replace(/\+00$/, 'Z')
    .replace(/\+0000$/, 'Z')

let double: Promise<S3Double> | undefined

/** A double of S3 that loses responses to requests that took effect, and is sometimes overloaded. */
const startDouble = (): Promise<S3Double> => {
  const random = seeded(7)
  return s3Double({
    faults: () => {
      const chance = random()
      if (chance < 0.01) return '500-after'
      if (chance < 0.02) return 'reset-after'
      return chance < 0.03 ? 'slow-down' : undefined
    },
  })
}

/** A prefix of a bucket. Its objects are copied to the disk, and read like the files of a folder. */
const bucket = (format: 'ndjson' | 'parquet') => async (): Promise<Destination> => {
  double ??= startDouble()
  const running = await double
  Object.assign(process.env, running.env)
  const copy = await folder(format)()
  const prefix = `bucket/${format}/`
  return {
    to: `s3://${prefix}`,
    more: ['--format', format],
    read: async () => {
      await rm(copy.to, { recursive: true })
      await mkdir(copy.to)
      for (const [name, bytes] of running.objects) {
        const key = name.slice(prefix.length)
        const isCurrent = name.startsWith(prefix) && key.startsWith('charges-')
        if (isCurrent) await writeFile(join(copy.to, key), bytes)
      }
      return copy.read()
    },
    remove: copy.remove,
  }
}

export const destinations: Readonly<Record<string, () => Promise<Destination>>> = {
  sqlite,
  postgres,
  ndjson: folder('ndjson'),
  parquet: folder('parquet'),
  's3-ndjson': bucket('ndjson'),
  's3-parquet': bucket('parquet'),
}

/** Stops everything that was started. */
export const stopServers = async (): Promise<void> => {
  await (await server)?.stop()
  await (await double)?.close()
}
