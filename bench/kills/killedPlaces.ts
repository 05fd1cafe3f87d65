/** Each kind of destination on the command line, and how its rows are read back. */
import { mkdtempSync, rmSync, watch } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Charge } from 'payments-rx'
import { readRows, verify } from 'payments-rx/export'
import { lastValueFrom, toArray } from 'rxjs'
import { hasPostgres, type Postgres, startPostgres } from '../services/postgres.ts'
import { type S3Double, s3Double } from '../services/s3Double.ts'

// model

export interface KilledPlace {
  readonly name: string
  /** `export` starts or resumes, while `sync` resumes automatically. */
  readonly command: 'export' | 'sync'
  /** Additional arguments of the command. */
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  /** Number of changes so far; each is a moment at which a run can be killed. */
  readonly changes: () => number
  /** Ids and amounts of its rows, and the differences between its files and its manifest. */
  readonly read: () => Promise<Found>
  readonly remove: () => void
}

export interface Found {
  readonly rows: ReadonlyArray<string>
  readonly differences: ReadonlyArray<string>
}

export type MakePlace = () => Promise<KilledPlace>

export interface KilledPlaces {
  readonly kinds: Readonly<Record<string, MakePlace>>
  readonly stop: () => Promise<void>
}

/** Returns the text of a row that is compared. */
export const rowText = (id: unknown, amount: unknown): string => `${id} ${Number(amount)}`

// reading

const readFiles = async (path: string, env: Readonly<Record<string, string>>): Promise<Found> => {
  const rows: Array<string> = []
  for await (const row of readRows(path, { codec: Charge, env })) {
    if (row._tag === 'Left') throw row.left
    rows.push(rowText(row.right.id, row.right.amount))
  }
  const checks = await lastValueFrom(verify(path, { env }).pipe(toArray()))
  const differences = checks.flatMap((check): ReadonlyArray<string> => {
    if (check._tag === 'Left') return [check.left.message]
    return check.right.differences.map(({ message }) => `${check.right.path} ${message}`)
  })
  return { rows, differences }
}

/** Counts the changes that are visible in a folder. */
const watched = (folder: string): { readonly changes: () => number; readonly end: () => void } => {
  let count = 0
  const watching = watch(folder, { recursive: true }, () => count++)
  return { changes: () => count, end: () => watching.close() }
}

// on the disk

const onDisk =
  (command: 'export' | 'sync', name: string, more: ReadonlyArray<string> = []): MakePlace =>
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'payments-rx-killed-'))
    const path = join(folder, name)
    const { changes, end } = watched(folder)
    return {
      name,
      command,
      args: [...(command === 'export' ? ['--out', path] : [path]), ...more],
      env: {},
      changes,
      read: () => (name.endsWith('.sqlite') ? readSqlite(path) : readFiles(path, {})),
      remove: () => {
        end()
        rmSync(folder, { recursive: true })
      },
    }
  }

const readSqlite = async (path: string): Promise<Found> => {
  const db = new DatabaseSync(path)
  const rows = db.prepare('select id, amount from charges order by id').all()
  db.close()
  return { rows: rows.map(({ id, amount }) => rowText(id, amount)), differences: [] }
}

// constructors

let buckets = 0

/** Opens the servers that the destinations need: a bucket and, if installed, a Postgres server. */
export const killedPlaces = async (): Promise<KilledPlaces> => {
  const double: S3Double = await s3Double({ latency: 2 })
  const server: Postgres | undefined = hasPostgres ? await startPostgres() : undefined
  const inBucket =
    (command: 'export' | 'sync', name: string, more: ReadonlyArray<string> = []): MakePlace =>
    async () => {
      const prefix = `killed-${++buckets}/`
      const to = `s3://bucket/${prefix}${name}`
      return {
        name: `s3 ${name}`,
        command,
        args: [...(command === 'export' ? ['--out', to] : [to]), ...more],
        env: double.env,
        changes: () => double.calls.filter(({ key }) => key.includes(prefix)).length,
        read: () => readFiles(to, double.env),
        remove: () => {},
      }
    }
  const postgres: MakePlace = async () => {
    if (server === undefined) throw new Error('Postgres is not installed')
    const to = await server.database()
    return {
      name: 'postgres',
      command: 'sync',
      args: [to],
      env: {},
      changes: () => 0,
      read: async () => {
        const rows = await server.query(to, 'select id, amount from charges order by id')
        return { rows: rows.map(({ id, amount }) => rowText(id, amount)), differences: [] }
      },
      remove: () => {},
    }
  }
  const parquet = ['--format', 'parquet']
  return {
    kinds: {
      'ndjson.zst': onDisk('export', 'charges.ndjson.zst'),
      'csv.gz': onDisk('export', 'charges.csv.gz'),
      parquet: onDisk('export', 'charges.parquet'),
      folder: onDisk('export', 'charges/', ['--rotate-rows', '700']),
      's3-object': inBucket('export', 'charges.ndjson'),
      's3-folder': inBucket('export', 'charges/', ['--compress', 'zstd']),
      'merged-ndjson': onDisk('sync', 'charges/'),
      'merged-parquet': onDisk('sync', 'charges/', parquet),
      's3-merged': inBucket('sync', 'charges/'),
      sqlite: onDisk('sync', 'charges.sqlite'),
      ...(server === undefined ? {} : { postgres }),
    },
    stop: async () => {
      server?.stop()
      await double.close()
    },
  }
}
