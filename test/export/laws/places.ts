/** Destinations as a user names them, and the ways in which their processes can be stopped. */
import * as t from 'io-ts'
import { concatMap, defer, from, lastValueFrom, type Observable } from 'rxjs'
import type { S3Double } from '../../../bench/services/s3Double.js'
import { fromDate, Instant } from '../../../src/codec/Instant.js'
import {
  type ExportOptions,
  type ExportSource,
  exportTo,
  isExportError,
  readRows,
  type SyncOptions,
  sync,
  type TimedSource,
} from '../../../src/export/index.js'
import { E } from '../../../src/fp.js'
import type { Database } from '../sync/databases.js'
import { type Memory, memory } from '../transfer/memory.js'
import { listAs, quickLooks, snapshotAs } from '../transfer/playing.js'
import type { Damage, End, Kind, LawRow, Place } from './laws.js'
import { type Operation, operated } from './Owner.js'
import { throughProxy } from './throughProxy.js'

// rows

const codec = t.type({
  id: t.string,
  n: t.number,
  status: t.string,
  created_at: Instant,
  updated_at: Instant,
})

type Row = t.TypeOf<typeof codec>

const fullRow = ({ id, n }: LawRow): Row => {
  const time = fromDate(new Date(Date.UTC(2026, 0, 1) + n * 60_000))
  const row = codec.decode({ id, n, status: 'SETTLED', created_at: time, updated_at: time })
  if (E.isLeft(row)) throw new Error('no row')
  return row.right
}

type LawPages = ReadonlyArray<ReadonlyArray<LawRow>>

const pagesOf = (pages: LawPages) => pages.map((page) => page.map((row) => E.right(fullRow(row))))

/** Slices of two pages. */
const snapshotOf = (pages: LawPages): ExportSource<Row> =>
  snapshotAs<Row>(codec)(pagesOf(pages), { perSlice: 2 })

const listOf = (pages: LawPages): ExportSource<Row> => listAs<Row>(codec)(pagesOf(pages))

// runs

/** The end of a run, from its last event. */
const endOf = async <P extends { readonly ended: boolean; readonly rows: number }>(
  events: () => Observable<E.Either<unknown, P>>,
  countsAll: boolean,
): Promise<End> => {
  try {
    const last = await lastValueFrom(events())
    if (E.isRight(last)) {
      const { ended, rows } = last.right
      if (ended) return countsAll ? { isComplete: true, rows } : { isComplete: true }
      return { isComplete: false, tag: 'not ended', why: 'it was cut' }
    }
    return failed(last.left)
  } catch (error) {
    return failed(error)
  }
}

const failed = (error: unknown): End => ({
  isComplete: false,
  tag: isExportError(error) ? error._tag : 'not expected',
  why: error instanceof Error ? (error.stack ?? error.message) : String(error),
})

const LEASE = 1_500

/** Goes on with an export, or begins it where there is none. */
const exported = async (
  list: ExportSource<Row>,
  options: ExportOptions<Row>,
  restart = false,
): Promise<End> => {
  const start = (how: Partial<ExportOptions<Row>>) =>
    endOf(
      () => exportTo(list, { timer: quickLooks, lease: LEASE, commitEvery: 0, ...options, ...how }),
      true,
    )
  if (restart) return start({ restart })
  const resumed = await start({ resume: true })
  if (resumed.isComplete || resumed.tag !== 'NothingToResume') return resumed
  const begun = await start({})
  // a folder that is complete is not begun again
  return !begun.isComplete && begun.tag === 'OutputExists'
    ? { isComplete: true, wasThere: true }
    : begun
}

const rowsOf = (row: E.Either<unknown, Row>): LawRow => {
  if (E.isLeft(row)) throw row.left
  const { id, n } = row.right
  return { id, n }
}

// on a disk

type How = Pick<ExportOptions<Row>, 'format' | 'compress' | 'rotateRows'>

const damaged = (bytes: Uint8Array, how: Damage): Uint8Array => {
  if (how === 'cut') return bytes.subarray(0, -1)
  const middle = bytes.length >> 1
  return bytes.map((byte, i) => (i === middle ? byte ^ 1 : byte))
}

/** A file or a folder on a disk in memory. */
const onDisk = (out: string, how: How, listed: (pages: LawPages) => ExportSource<Row>): Place => {
  let disk: Memory = memory()
  const isFolder = out.endsWith('/')
  const home = isFolder ? out : out.slice(0, out.lastIndexOf('/') + 1)
  const isLease = (name: string): boolean => disk.text(name).includes('"fence"')
  const seen = (): ReadonlyArray<string> =>
    isFolder
      ? disk
          .names()
          .filter(
            (name) =>
              /^(?:part|run)-[\d-]+\.[a-z.]+$/.test(name.slice(out.length)) &&
              !name.endsWith('.part'),
          )
      : disk.names().filter((name) => name === out)
  return {
    run: (pages, operation, restart) =>
      exported(listed(pages), { out, ...how, files: operated(disk, operation) }, restart),
    read: async () => {
      const files = disk
      const rows: Array<LawRow> = []
      for (const path of seen()) {
        for await (const row of readRows(path, { codec, files })) rows.push(rowsOf(row))
      }
      return rows
    },
    crash: (what) => {
      disk = disk.after(what)
    },
    files: async () =>
      disk
        .names()
        .filter((name) => !isLease(name))
        .map((name) => name.slice(home.length)),
    put: async (name, text) => disk.put(`${home}${name}`, text),
    text: async (name) =>
      disk.names().includes(`${home}${name}`) ? disk.text(`${home}${name}`) : undefined,
    damage: async (name, damage) => {
      const path = `${home}${name}`
      if (damage === 'gone') return disk.rm(path, { force: true })
      const { size } = await disk.stat(path)
      const handle = await disk.open(path, 'r+')
      const bytes = new Uint8Array(size)
      await handle.read(bytes, 0, size, 0)
      const changed = damaged(bytes, damage)
      await handle.truncate(changed.length)
      if (changed.length > 0) await handle.write(changed, 0, changed.length, 0)
    },
    stateBytes: async () =>
      Math.max(
        0,
        ...disk
          .names()
          .filter(isLease)
          .map((name) => disk.text(name).length),
      ),
  }
}

export const fileKind = (name: string, how: How = {}): Kind => ({
  name: `a file ${name}`,
  hasFiles: true,
  isById: false,
  strangers: [`${name}.1`, `${name}.part`, `${name}.notes.json`, `${name}.0123456789ab.part.txt`],
  make: async () => onDisk(`/exports/${name}`, how, listOf),
})

export const folderKind = (title: string, how: How): Kind => ({
  name: `a folder of ${title}`,
  hasFiles: true,
  isById: false,
  isRotated: how.rotateRows !== undefined,
  strangers: ['notes.csv', 'part-1.ndjson', 'part-00001-001.ndjson.txt', 'incoming.txt', '.part'],
  make: async () => onDisk('/exports/rows/', how, snapshotOf),
})

// in a bucket

let prefixes = 0

/** A bucket, and what is called at the end of all. */
export interface Bucket {
  readonly double: () => S3Double
  readonly closing: (close: () => void) => void
}

type RunAt = (
  to: string,
  env: Readonly<Record<string, string>>,
  operation: Operation,
) => Place['run']

/** A place in a bucket, on the way to which each request is an operation. */
const inBucket = ({ double, closing }: Bucket, file: string, runAt: RunAt): Place => {
  const prefix = `laws-${++prefixes}/`
  const to = `s3://bucket/${prefix}${file}`
  const isSeen = (key: string): boolean =>
    file.endsWith('/')
      ? /\/(?:part|run)-[\d-]+\.[a-z.]+$/.test(key)
      : key === `bucket/${prefix}${file}`
  return {
    run: async (pages, operation, restart) => {
      const way = await throughProxy(double().url, operation)
      closing(way.close)
      const env = { ...double().env, AWS_ENDPOINT_URL: way.url }
      return runAt(to, env, operation)(pages, operation, restart)
    },
    read: async () => {
      const keys = [...double().objects].flatMap(([key, { length }]) =>
        key.startsWith(`bucket/${prefix}`) && length > 0 && isSeen(key) ? [key] : [],
      )
      const rows: Array<LawRow> = []
      for (const key of keys.sort()) rows.push(...(await readAt(`s3://${key}`, double().env)))
      return rows
    },
  }
}

const readAt = async (
  path: string,
  env: Readonly<Record<string, string>>,
): Promise<ReadonlyArray<LawRow>> => {
  const rows: Array<LawRow> = []
  for await (const row of readRows(path, { codec, env, timer: quickLooks })) rows.push(rowsOf(row))
  return rows
}

export const bucketKind = (bucket: Bucket, file: string, how: How = {}): Kind => ({
  name: `${file.endsWith('/') ? 'a folder' : 'an object'} in a bucket, ${file}`,
  isById: false,
  make: async () =>
    inBucket(bucket, file, (out, env) => (pages, _, restart) => {
      const list = file.endsWith('/') ? snapshotOf(pages) : listOf(pages)
      return exported(list, { out, ...how, env }, restart)
    }),
})

// kept up to date

/** Makes each page of a list an operation. */
const paged = (list: ExportSource<Row>, operation: Operation): ExportSource<Row> => {
  const watched = ({
    drain,
  }: Pick<ExportSource<Row>, 'drain'>): Pick<ExportSource<Row>, 'drain'> => ({
    drain: (project, options) =>
      drain(
        (page) =>
          defer(() => from(operation(async () => undefined))).pipe(
            concatMap(() => project(page)),
            concatMap((done) => from(operation(async () => done))),
          ),
        options,
      ),
  })
  return { ...list, ...watched(list), from: (position) => watched(list.from(position)) }
}

/** Rows by time of creation, as `payments.charges` is. */
const timedOf = (pages: LawPages, operation: Operation): TimedSource<Row> => ({
  snapshot: () => {
    const snapshot = paged(snapshotOf(pages), operation)
    return { ...snapshot, parallel: () => snapshot }
  },
})

const synced =
  (options: SyncOptions, isTimed: boolean): Place['run'] =>
  (pages, operation) =>
    endOf(
      () =>
        isTimed
          ? sync(timedOf(pages, operation), {
              timer: quickLooks,
              lease: LEASE,
              ...options,
            })
          : sync(paged(listOf(pages), operation), { timer: quickLooks, lease: LEASE, ...options }),
      false,
    )

/** The rows of the files in the manifest of a folder. */
const merged = (to: string, env: Readonly<Record<string, string>>) =>
  readAt(to, env).catch((error: unknown) => {
    if (isExportError(error) && error._tag === 'NoManifest') return []
    throw error
  })

/** A folder of the disk that has each row once. */
export const mergedKind = (
  folder: (name: string) => string,
  format: 'ndjson' | 'parquet',
): Kind => ({
  name: `a folder of ${format} that is kept up to date`,
  isById: true,
  make: async () => {
    const to = folder(`${format}-${++prefixes}/`)
    return { run: synced({ to, format }, true), read: () => merged(to, {}) }
  },
})

/** A prefix of a bucket that has each row once. */
export const mergedBucketKind = (bucket: Bucket, format: 'ndjson' | 'parquet'): Kind => ({
  name: `a bucket of ${format} that is kept up to date`,
  isById: true,
  make: async () => {
    let where = ''
    const place = inBucket(bucket, '', (to, env) => {
      where = to
      const { run } = { run: synced({ to, format, env }, true) }
      return (pages) => run(pages, (work) => work()) // its requests are the operations
    })
    const read = () => (where === '' ? Promise.resolve([]) : merged(where, bucket.double().env))
    return { ...place, read }
  },
})

export const databaseKind = ({ name, make, sql }: Database, isTimed: boolean): Kind => ({
  name: `a table of ${name}${isTimed ? '' : ' that is replaced as a whole'}`,
  isById: true,
  make: async () => {
    const to = await make()
    return {
      run: synced({ to }, isTimed),
      read: async () => {
        const rows = await sql(to, 'select id, n from items order by id').catch(() => [])
        return rows.map(({ id, n }) => ({ id: String(id), n: Number(n) }))
      },
    }
  },
})
