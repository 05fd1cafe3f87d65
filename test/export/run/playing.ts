/** Lists and runs that tests play with. */
import * as t from 'io-ts'
import {
  asyncScheduler,
  defer,
  EMPTY,
  lastValueFrom,
  of,
  type SchedulerAction,
  type SchedulerLike,
  toArray,
} from 'rxjs'
import { expect } from 'vitest'
import { type ExportError, isExportError } from '../../../src/export/ExportError.js'
import { type Source, sourceOf } from '../../../src/export/ExportSource.js'
import { jsonLines } from '../../../src/export/format/json.js'
import { type Format, formatOf } from '../../../src/export/index.js'
import type { ExportSpec } from '../../../src/export/run/ExportSpec.js'
import { pathsOf } from '../../../src/export/run/paths.js'
import { type RunEvent, type RunOptions, runExport } from '../../../src/export/run/runExport.js'
import { targetOf } from '../../../src/export/run/Target.js'
import { E, O } from '../../../src/fp.js'
import type { ListDescription } from '../../../src/http/list/List.js'
import type { AnyFailure, Paged, Position } from '../../../src/index.js'
import type { FileSystem } from '../../../src/store/FileSystem.js'
import { showSummed } from '../../../src/store/readRecord.js'
import { paginate } from '../../../src/stream/index.js'
import type { Memory } from './memory.js'

export interface Item {
  readonly id: string
  readonly n: number
}

export type Row = E.Either<AnyFailure, Item>

export const item = (n: number): Item => ({ id: `id-${n}`, n })
export const good = (...ns: ReadonlyArray<number>): ReadonlyArray<Row> =>
  ns.map((n) => E.right(item(n)))

export const away: AnyFailure = {
  _tag: 'Unreachable',
  endpoint: 'GET /api/v1/things',
  attempts: 1,
  code: 'ECONNREFUSED',
  mayHaveArrived: false,
  message: 'GET /api/v1/things: away',
}

/** So many rows in pages of `size`. */
export const pagesOf = (count: number, size: number): ReadonlyArray<ReadonlyArray<Row>> =>
  Array.from({ length: Math.max(1, Math.ceil(count / size)) }, (_, page) =>
    good(...Array.from({ length: Math.min(size, count - page * size) }, (_, i) => page * size + i)),
  )

/** A list by number, whose pages may fail; tells what was asked. */
export const listOf = (
  pages: ReadonlyArray<ReadonlyArray<Row> | AnyFailure>,
  asked: Array<number> = [],
): Source<Item> => {
  const listFrom = (first: Position): Paged<AnyFailure, Item, Position> =>
    paginate<AnyFailure, Item, Position>({
      first,
      fetch: (position) =>
        defer(() => {
          const n = 'page_num' in position ? position.page_num : 0
          asked.push(n)
          const rows = pages[n] ?? []
          if ('_tag' in rows) return of(E.left(rows))
          const next = n + 1 < pages.length ? O.some({ page_num: n + 1 }) : O.none
          return of(E.right({ items: rows, raw: rows.map(rawOf), position, next }))
        }),
      key: JSON.stringify,
      cut: (cut) => (cut._tag === 'Failed' ? cut.failure : away),
      maxPages: 1_000,
      maxEmptyPages: 3,
    })
  return readerOf(Object.assign(listFrom({ page_num: 0 }), { from: listFrom }))
}

/** A list of items, as a run reads it. */
export const readerOf = (
  list: Paged<AnyFailure, Item, Position> & {
    readonly from: (position: Position) => Paged<AnyFailure, Item, Position>
  },
): Source<Item> => sourceOf<Item>({ ...list, drain: list.drain, describe }, false)

/** What a list of items says of itself. */
const describe = (): ListDescription<Item> => ({
  endpoint: 'GET /api/v1/items',
  kind: 'list',
  query: {},
  codec: ItemCodec,
  baseUrl: 'https://payments.example',
  numbers: 'fast',
  perSecond: Number.POSITIVE_INFINITY,
  serviceTime: () => undefined,
  events: EMPTY,
  drift: () => [],
  scrub: (u) => u,
})

const rawOf = (row: Row): unknown => (E.isRight(row) ? row.right : { broken: true })

/** Looks at the lease of a dead run without waiting, and renews no lease before the test is over. */
const quickLooks: SchedulerLike = {
  now: () => asyncScheduler.now(),
  schedule: <T>(work: (this: SchedulerAction<T>, state: T) => void, delay = 0, state?: T) =>
    asyncScheduler.schedule<T>(work as (state?: T) => void, delay <= 100 ? 0 : delay, state),
}

/** A name that says no format: rows are written to it in many. */
export const OUT = '/exports/items'

type Options = Partial<Omit<RunOptions<Item, Item>, 'spec' | 'target' | 'client'>>

export interface Played extends Options {
  readonly out?: string
  readonly checkpoint?: string
  readonly format?: Format<Item>
  readonly client?: Partial<RunOptions<Item, Item>['client']>
  readonly spec?: Partial<ExportSpec>
}

const ItemCodec = t.type({ id: t.string, n: t.number })

/** These columns of items; numbers that are not exact do not fit. */
export const csv = (...columns: ReadonlyArray<string>): Format<Item> =>
  formatOf(ItemCodec)({ format: 'csv', columns })

/** An export of items to a disk in memory, committed after every page. */
export const exportOf = (
  files: FileSystem,
  source: Source<Item>,
  { out = OUT, checkpoint, format = jsonLines(), client, spec, ...more }: Played = {},
) =>
  runExport<Item>(async () => ({
    source,
    target: targetOf(pathsOf(out, checkpoint), format, {}, files),
    spec: (output) => ({
      ...{ resource: 'items', account: 'me', query: {}, output },
      ...spec,
      format: {
        ...spec?.format,
        ...{ name: format.name, compress: format.compress },
        ...(format.columns.length === 0 ? {} : { columns: format.columns.join(',') }),
      },
    }),
    begin: 'new',
    adds: false,
    client: { ...describe(), ...client },
    files,
    every: 0,
    timer: quickLooks,
    lease: 1_500,
    ...more,
  }))

/** All that it says. */
export const run = (
  files: FileSystem,
  source: Source<Item>,
  options: Played = {},
): Promise<ReadonlyArray<RunEvent>> =>
  lastValueFrom(exportOf(files, source, options).pipe(toArray()))

/** The last thing that it says. */
export const outcome = async (
  files: FileSystem,
  source: Source<Item>,
  options: Played = {},
): Promise<RunEvent | undefined> => (await run(files, source, options)).at(-1)

/** The numbers of the items in a file of lines; throws at a torn line. */
export const numbers = (text: string): ReadonlyArray<number> =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line).n)

/** What a run that was stopped after its second page would read. */
export const rest = [good(0, 1), good(2), good(3)]

/** An error, by what tests ask of it. */
type Refusal = Error &
  Pick<ExportError, '_tag'> & { readonly path?: string; readonly field?: string }

/** All files; of a checkpoint its state, since each run that looks at it takes the lease. */
export const found = (files: Memory): ReadonlyArray<readonly [string, unknown]> =>
  files.names().map((name) => {
    const text = files.text(name)
    return [name, text.startsWith('{"version":4') ? JSON.parse(text).state : text]
  })

/** The file that the rows of an unfinished export are in. */
export const unfinished = (files: Memory, out = OUT): string => {
  const [name = `${out}: none`] = files
    .names()
    .filter((one) => one.startsWith(`${out}.`) && /\.[0-9a-f]{12}\.part$/.test(one))
  return name
}

/** The checkpoint at a path. */
export const stateAt = (files: Memory, path: string) => JSON.parse(files.text(path)).state

/** Puts a checkpoint in its place, that no run has. */
export const putState = (files: Memory, path: string, state: unknown): void =>
  files.put(path, showSummed({ version: 4, fence: 1, renewals: 0, state }))

/** Why it is not run: nothing is asked for, and nothing changed. */
export const refused = async (files: Memory, options: Played = {}): Promise<Refusal> => {
  const before = found(files)
  const asked: Array<number> = []
  const error = await run(files, listOf(rest, asked), options).then(
    () => new Error('it ran'),
    (error: unknown) => error,
  )
  expect(asked).toEqual([])
  expect(found(files)).toEqual(before)
  if (isExportError(error)) return error
  throw error
}
