/** Destinations as a user names them, and the ways in which their processes can be stopped. */
import * as t from 'io-ts'
import { concatMap, defer, from, lastValueFrom, type Observable, toArray } from 'rxjs'
import { expect } from 'vitest'
import type { S3Double } from '../../../bench/services/s3Double.js'
import { fromDate, Instant } from '../../../src/codec/Instant.js'
import {
  type CheckedRow,
  type ExportOptions,
  type ExportSource,
  exportTo,
  isExportError,
  type ReadRowsOptions,
  readRows,
  type SyncOptions,
  sync,
  verify,
} from '../../../src/export/index.js'
import type { Place, RunEnd } from '../../../src/export/laws/games.js'
import type { KeptRows } from '../../../src/export/laws/KeptRows.js'
import type { ListKind, Night } from '../../../src/export/laws/nights.js'
import { Owner } from '../../../src/export/laws/Owner.js'
import { E } from '../../../src/fp.js'
import type { AnyFailure } from '../../../src/index.js'
import type { Database } from '../sync/databases.js'
import { type Memory, memory } from '../transfer/memory.js'
import { away, listAs, quickLooks, snapshotAs } from '../transfer/playing.js'
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
type Pages = ReadonlyArray<ReadonlyArray<E.Either<AnyFailure, Row>>>

const HOUR = 3_600_000

const fullRow = ({ key, version }: CheckedRow): Row => {
  const created = Date.UTC(2026, 0, 1) + Number(key.slice('key-'.length)) * 60_000
  const [created_at, updated_at] = [created, created + version * HOUR].map((ms) =>
    fromDate(new Date(ms)),
  )
  const row = codec.decode({ id: key, n: version, status: 'SETTLED', created_at, updated_at })
  if (E.isLeft(row)) throw new Error('no row')
  return row.right
}

const pagesOf = ({ pages }: Night): Pages =>
  (pages.length === 0 ? [[]] : pages).map((page) => page.map((row) => E.right(fullRow(row))))

/** The first page has a row that does not decode. */
const spoilt = ([first = [], ...others]: Pages): Pages => [[...first, E.left(away)], ...others]

/** Slices of two pages, or two slices of many: a state lists the parts of a folder, which are those of slices. */
const snapshotOf = (night: Night, pages = pagesOf(night)): ExportSource<Row> =>
  snapshotAs<Row>(codec)(pages, { perSlice: night.pages.length > 20 ? 15 : 2 })

const listOf = (night: Night, pages = pagesOf(night)): ExportSource<Row> =>
  listAs<Row>(codec)(pages)

/** Reads rows of a file in order. */
const readAt = async (
  path: string,
  options: Pick<ReadRowsOptions<Row>, 'env' | 'files'>,
): Promise<ReadonlyArray<CheckedRow>> => {
  const rows: Array<CheckedRow> = []
  for await (const row of readRows(path, { codec, timer: quickLooks, ...options })) {
    if (E.isLeft(row)) throw row.left
    rows.push({ key: row.right.id, version: row.right.n })
  }
  return rows
}

// runs

/** The end of a run, from its last event. */
const endOf = async <P extends { readonly ended: boolean; readonly rows: number }>(
  events: () => Observable<E.Either<unknown, P>>,
  countsAll: boolean,
): Promise<RunEnd> => {
  try {
    const last = await lastValueFrom(events())
    if (E.isLeft(last)) return failed(last.left)
    const { ended, rows } = last.right
    if (ended) return countsAll ? { isComplete: true, rows } : { isComplete: true }
    return { isComplete: false, tag: 'not ended', why: 'it was cut' }
  } catch (error) {
    return failed(error)
  }
}

const failed = (error: unknown): RunEnd => ({
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
): Promise<RunEnd> => {
  const start = (how: Partial<ExportOptions<Row>>) =>
    endOf(
      () => exportTo(list, { timer: quickLooks, lease: LEASE, commitEvery: 0, ...options, ...how }),
      true,
    )
  if (restart) return start({ restart })
  const begun = await start({ resume: true })
  // a folder that is complete is not begun again
  return !begun.isComplete && begun.tag === 'OutputExists' ? { isComplete: true } : begun
}

/** Makes each page of a list an operation. */
const paged = (list: ExportSource<Row>, { operation }: Owner): ExportSource<Row> => {
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

const synced = (night: Night, given: SyncOptions<Row>, owner?: Owner): Promise<RunEnd> => {
  const options = { timer: quickLooks, lease: LEASE, allowEmpty: true, ...given }
  const through = (list: ExportSource<Row>) => (owner === undefined ? list : paged(list, owner))
  if (night.kind === 'replaced') return endOf(() => sync(through(listOf(night)), options), false)
  // rows by time of creation, as `payments.charges` is
  const snapshot = () => {
    const list = through(snapshotOf(night))
    return { ...list, parallel: () => list }
  }
  return endOf(() => sync({ snapshot }, options), false)
}

/** Runs one night after the other, until one does not come to its end. */
const each =
  (run: (night: Night, owner: Owner, watch: KeptRows) => Promise<RunEnd>): Place['run'] =>
  async (nights, owner, watch) => {
    let end: RunEnd = { isComplete: true }
    for (const night of nights) {
      end = await run(night, owner, watch)
      if (!end.isComplete) break
    }
    return end
  }

/** A kind of destination. */
export interface Kind {
  readonly name: string
  readonly kinds: ReadonlyArray<ListKind>
  /** Makes an empty one. */
  readonly make: () => Promise<Place>
}

const BY_ID: ReadonlyArray<ListKind> = ['by time', 'replaced']

const UNPLANTED = { plant: async () => {}, planted: async () => true }

// on a disk

export type Damage = 'cut' | 'changed' | 'gone'

const damaged = (bytes: Uint8Array, how: Damage): Uint8Array => {
  if (how === 'cut') return bytes.subarray(0, -1)
  const middle = bytes.length >> 1
  return bytes.map((byte, i) => (i === middle ? byte ^ 1 : byte))
}

/** Makes each function an operation of an owner, also those of the handles that `open` resolves with. */
const operated = <F extends object>(functions: F, named: Owner['named']): F =>
  new Proxy(functions, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function' || name === 'isFile') return member
      return async (...given: ReadonlyArray<unknown>) => {
        const work = async (): Promise<unknown> => member.apply(target, given)
        const answer = await named(String(name), work)
        return name === 'open' && typeof answer === 'object' && answer !== null
          ? operated(answer, named)
          : answer
      }
    },
  })

type How = Pick<ExportOptions<Row>, 'format' | 'compress' | 'rotateRows'>

/** A file or a folder, and the names that other programs may give their files beside it. */
export interface OnDisk {
  readonly out: string
  readonly how?: How
  readonly strangers: ReadonlyArray<string>
}

/** A place whose files can be looked into, and damaged. */
export interface DiskPlace extends Place {
  /** Its files but those that hold leases. */
  readonly files: () => ReadonlyArray<string>
  readonly damage: (path: string, how: Damage) => Promise<void>
  readonly restart: (night: Night, owner?: Owner) => Promise<RunEnd>
  /** Throws unless what is there is what the manifest says: the rows, the rejected one, and nothing else. */
  readonly expectWhole: () => Promise<void>
  /** Leaves room for so many bytes in all, until a process is killed. */
  readonly fill: (room: number) => void
}

/** A file or a folder on a disk in memory, of which a process that is killed, or a power cut, leaves what is durable. */
export const onDisk = ({ out, how = {}, strangers }: OnDisk): DiskPlace => {
  let disk: Memory = memory()
  let crashes = 0
  const isFolder = out.endsWith('/')
  const list = (night: Night): ExportSource<Row> =>
    (isFolder ? snapshotOf : listOf)(night, spoilt(pagesOf(night)))
  const home = out.slice(0, out.lastIndexOf('/') + 1)
  const isLease = (name: string): boolean => disk.text(name).includes('"fence"')
  const isSeen = (name: string): boolean =>
    isFolder
      ? /^(?:part|run)-[\d-]+\.[a-z.]+$/.test(name.slice(out.length)) &&
        !strangers.includes(name.slice(home.length))
      : name === out
  const textOf = (name: string): string => `of another program: ${name}`
  return {
    name: out,
    run: each((night, owner, watch) => {
      const named: Owner['named'] = async (name, work) => {
        const done = await owner.named(name, work)
        if (how.rotateRows !== undefined) return done // the user has asked for many files
        const sizes = disk.names().flatMap((path) => (isLease(path) ? disk.text(path).length : []))
        watch.ownBytes = Math.max(watch.ownBytes, ...sizes)
        return done
      }
      const files = operated(disk, named)
      return exported(list(night), { out, ...how, files })
    }),
    read: async () => {
      const names = disk.names().filter(isSeen)
      const rows = (await Promise.all(names.map((path) => readAt(path, { files: disk })))).flat()
      const keys = rows.map(({ key }) => key)
      if (keys.some((key, i) => key < (keys[i - 1] ?? ''))) throw new Error(`no order: ${keys}`)
      return rows
    },
    plant: async () => {
      for (const name of strangers) disk.put(`${home}${name}`, textOf(name))
      disk = disk.after('kill') // they are durable
    },
    planted: async () =>
      strangers.every(
        (name) =>
          disk.names().includes(`${home}${name}`) && disk.text(`${home}${name}`) === textOf(name),
      ),
    killed: () => {
      disk = disk.after(crashes++ % 2 === 0 ? 'power cut' : 'kill')
    },
    files: () => disk.names().filter((name) => !isLease(name)),
    damage: async (path, damage) => {
      if (damage === 'gone') return disk.rm(path, { force: true })
      const { size } = await disk.stat(path)
      const handle = await disk.open(path, 'r+')
      const bytes = new Uint8Array(size)
      await handle.read(bytes, 0, size, 0)
      const changed = damaged(bytes, damage)
      await handle.truncate(changed.length)
      if (changed.length > 0) await handle.write(changed, 0, changed.length, 0)
    },
    restart: (night, owner = new Owner()) => {
      const files = operated(disk, (name, work) => owner.named(name, work))
      return exported(list(night), { out, ...how, files }, true)
    },
    expectWhole: async () => {
      const checks = await lastValueFrom(verify(out, { files: disk }).pipe(toArray()))
      const found = checks.map((check) => {
        if (E.isLeft(check)) throw check.left
        return check.right
      })
      const differences = found.flatMap((check) => check.differences.map(({ message }) => message))
      expect(differences).toEqual([expect.stringMatching(/missing: 1 row that was rejected$/)])
      const listed = found.map(({ path }) => path)
      const mine = strangers.map((name) => `${home}${name}`)
      const manifest = isFolder ? `${out}_manifest.json` : `${out}.manifest.json`
      expect(disk.names()).toEqual([...new Set([...listed, ...mine, manifest])].sort())
    },
    fill: (room) => {
      disk = disk.after('kill', { room })
    },
  }
}

export const file = (name: string): OnDisk => ({
  out: `/exports/${name}`,
  strangers: [`${name}.1`, `${name}.part`, `${name}.notes.json`, `${name}.0123456789ab.part.txt`],
})

export const folder = (how: How): OnDisk => ({
  ...{ out: '/exports/rows/', how },
  strangers: ['notes.csv', 'part-1.ndjson', 'part-00001-001.ndjson.txt', 'incoming.txt', '.part'],
})

// in a bucket

let prefixes = 0

/** A bucket, and what is called at the end of all. */
export interface Bucket {
  readonly double: () => S3Double
  readonly closing: (close: () => void) => void
}

type At = (to: string, env: Readonly<Record<string, string>>) => (night: Night) => Promise<RunEnd>

/** A place in a bucket, on the way to which each request is an operation. */
const inBucket = (
  { double, closing }: Bucket,
  name: string,
  at: At,
  read: (to: string) => Promise<ReadonlyArray<CheckedRow>>,
): Place => {
  const to = `s3://bucket/laws-${++prefixes}/${name}`
  return {
    ...{ name: to, ...UNPLANTED },
    run: each(async (night, owner) => {
      const way = await throughProxy(double().url, owner)
      closing(way.close)
      return at(to, { ...double().env, AWS_ENDPOINT_URL: way.url })(night)
    }),
    read: () => read(to),
  }
}

export const bucketKind = (bucket: Bucket, file: string, how: How = {}): Kind => ({
  name: `${file.endsWith('/') ? 'a folder' : 'an object'} in a bucket, ${file}`,
  kinds: ['export'],
  make: async () =>
    inBucket(
      bucket,
      file,
      (out, env) => (night) =>
        exported((file.endsWith('/') ? snapshotOf : listOf)(night), { out, ...how, env }),
      async (to) => {
        const { objects, env } = bucket.double()
        const start = to.slice('s3://'.length)
        const isSeen = (key: string): boolean =>
          file.endsWith('/')
            ? key.startsWith(start) && /\/(?:part|run)-[\d-]+\.[a-z.]+$/.test(key)
            : key === start
        const keys = [...objects].flatMap(([key, { length }]) =>
          length > 0 && isSeen(key) ? [key] : [],
        )
        return (await Promise.all(keys.map((key) => readAt(`s3://${key}`, { env })))).flat()
      },
    ),
})

// kept up to date

/** The rows of the files in the manifest of a folder. */
const merged = (to: string, env: Readonly<Record<string, string>>) =>
  readAt(to, { env }).catch((error: unknown) => {
    if (isExportError(error) && error._tag === 'NoManifest') return []
    throw error
  })

/** A folder of the disk that has each row once. */
export const mergedKind = (
  pathOf: (name: string) => string,
  format: 'ndjson' | 'parquet',
): Kind => ({
  name: `a folder of ${format} that is kept up to date`,
  kinds: BY_ID,
  make: async () => {
    const to = pathOf(`${format}-${++prefixes}/`)
    return {
      ...{ name: to, ...UNPLANTED },
      run: each((night, owner) => synced(night, { to, format }, owner)),
      read: () => merged(to, {}),
    }
  },
})

/** A prefix of a bucket that has each row once. */
export const mergedBucketKind = (bucket: Bucket, format: 'ndjson' | 'parquet'): Kind => ({
  name: `a bucket of ${format} that is kept up to date`,
  kinds: BY_ID,
  make: async () =>
    inBucket(
      bucket,
      '',
      (to, env) => (night) => synced(night, { to, format, env }), // its requests are the operations
      (to) => merged(to, bucket.double().env),
    ),
})

export const databaseKind = ({ name, make, sql }: Database): Kind => ({
  name: `a table of ${name}`,
  kinds: BY_ID,
  make: async () => {
    const to = await make()
    return {
      name: to,
      run: each((night, owner) => synced(night, { to }, owner)),
      read: async () => {
        const rows = await sql(to, 'select id, n from items').catch(() => [])
        return rows.map(({ id, n }) => ({ key: String(id), version: Number(n) }))
      },
      plant: () => sql(to, 'create table notes (text text)'),
      planted: async () => (await sql(to, 'select * from notes').catch(() => [1])).length === 0,
    }
  },
})
