/** Destinations of a sync by the name of their kind, and how their rows are read back. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { hasPostgres, type Postgres, startPostgres } from '../../test/support/postgres.ts'
import type { StoredCharge } from '../../test/support/syncNights.ts'

export interface Destination {
  readonly to: string
  /** What else the command is told. */
  readonly more: ReadonlyArray<string>
  readonly read: () => Promise<ReadonlyArray<StoredCharge>>
  readonly remove: () => Promise<void>
}

export const COLUMNS = 'id, amount, currency, status, updated_at'

/** The same number of decimals as the service writes. */
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

export const destinations: Readonly<Record<string, () => Promise<Destination>>> = {
  sqlite,
  postgres,
}

/** Stops what was started. */
export const stopServers = async (): Promise<void> => (await server)?.stop()
