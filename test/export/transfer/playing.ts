/** Lists that tests play with, and exports of them, as a user writes them. */
import * as t from 'io-ts'
import {
  defer,
  EMPTY,
  lastValueFrom,
  map,
  type Observable,
  of,
  type SchedulerAction,
  type SchedulerLike,
  Subscription,
  toArray,
} from 'rxjs'
import { expect } from 'vitest'
import {
  type ExportError,
  type ExportOptions,
  type ExportProgress,
  type ExportSource,
  exportTo,
  type FileSystem,
  isExportError,
  type RowDecoder,
} from '../../../src/export/index.js'
import { E, O } from '../../../src/fp.js'
import type { ListDescription } from '../../../src/http/list/List.js'
import type { AnyFailure, Paged, Position } from '../../../src/index.js'
import { paginate, type Slice, type SnapshotPosition } from '../../../src/stream/index.js'
import { idleClock } from '../../support/idleClock.js'
import type { Memory } from './memory.js'

export interface Item {
  readonly id: string
  readonly n: number
}

export type Row = E.Either<AnyFailure, Item>

const ItemCodec = t.type({ id: t.string, n: t.number })

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

/** The pages of a list: rows, or a failure in place of a page. */
export type Pages<A> = ReadonlyArray<ReadonlyArray<E.Either<AnyFailure, A>> | AnyFailure>

/** Makes lists by number of rows of a codec, whose pages may fail; they tell what was asked. */
export const listAs =
  <A>(codec: RowDecoder<A>) =>
  (pages: Pages<A>, asked: Array<number> = []): ExportSource<A> => {
    const listFrom = (first: Position): Paged<AnyFailure, A, Position> =>
      paginate<AnyFailure, A, Position>({
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
    return describedAs({ ...listFrom({ page_num: 0 }), from: listFrom }, { codec })
  }

/** A list that says what it is. */
const describedAs = <A>(
  list: Pick<ExportSource<A>, 'drain' | 'from'>,
  described: Partial<ListDescription<A>> & Pick<ListDescription<A>, 'codec'>,
): ExportSource<A> => ({
  ...list,
  describe: () => ({
    endpoint: 'GET /api/v1/items',
    kind: 'list',
    query: {},
    baseUrl: 'https://payments.example',
    numbers: 'fast',
    perSecond: () => Number.POSITIVE_INFINITY,
    serviceTime: () => undefined,
    events: EMPTY,
    tell: () => {},
    drift: () => [],
    scrub: (u) => u,
    ...described,
  }),
})

/** A list of items that says what it is. */
export const sourceOf = (
  list: Pick<ExportSource<Item>, 'drain' | 'from'>,
  described: Partial<ListDescription<Item>> = {},
): ExportSource<Item> => describedAs(list, { codec: ItemCodec, ...described })

/** Ms that a page of a snapshot spans. */
const PAGE_SPAN = 5

/**
 * Makes snapshots of rows of a codec, whose pages span five ms each from 10 on, of slices of so many pages; `to`: where it ends. Asked for what
 * is new, it has all of it again.
 */
export const snapshotAs =
  <A>(codec: RowDecoder<A>) =>
  (
    pages: Pages<A>,
    { perSlice = Number.POSITIVE_INFINITY, to = 10 + PAGE_SPAN * pages.length } = {},
  ): ExportSource<A> & { readonly since: () => ExportSource<A> } => {
    const from = 10
    const count = (to - from) / PAGE_SPAN
    const start = (page: number): number => from + PAGE_SPAN * page
    const sliceOf = (page: number, rest = page): Slice => {
      const number = Math.floor(page / perSlice)
      const first = number === 0 ? 0 : number * perSlice
      const span = { from: start(first), to: Math.min(to, start((number + 1) * perSlice)) }
      const read = pages.slice(first, rest).map((rows) => ('_tag' in rows ? 0 : rows.length))
      const rows = read.reduce((sum, n) => sum + n, 0)
      return { ...span, number: number + 1, rows, left: { from: start(rest), to: span.to } }
    }
    const positionOf = (page: number): SnapshotPosition => {
      const later = Array.from({ length: Math.max(0, count - page - 1) }, (_, i) => page + 1 + i)
      const whole = later.filter((n) => n % perSlice === 0).map((n) => sliceOf(n))
      return { from, to, slices: [sliceOf(page), ...whole], cut: 1 + whole.length }
    }
    const pageOf = ({ slices: [first] }: SnapshotPosition): number =>
      ((first?.left.from ?? from) - from) / PAGE_SPAN
    const listFrom = (first: SnapshotPosition): Paged<AnyFailure, A, SnapshotPosition> =>
      paginate<AnyFailure, A, SnapshotPosition>({
        first,
        fetch: (position) =>
          defer(() => {
            const n = pageOf(position)
            const rows = pages[n] ?? []
            if ('_tag' in rows) return of(E.left(rows))
            const next = n + 1 < pages.length ? O.some(positionOf(n + 1)) : O.none
            const slice = sliceOf(n, n + 1)
            const page = { items: rows, raw: rows.map(rawOf), position, next, slice }
            return of(E.right(page))
          }),
        key: JSON.stringify,
        cut: (cut) => (cut._tag === 'Failed' ? cut.failure : away),
        maxPages: 1_000,
        maxEmptyPages: 3,
      })
    const list = describedAs(
      { ...listFrom(positionOf(0)), from: listFrom },
      { codec, kind: 'snapshot' },
    )
    return { ...list, since: () => list }
  }

const rawOf = (row: E.Either<unknown, unknown>): unknown =>
  E.isRight(row) ? row.right : { broken: true }

/**
 * The clock of processes that a test kills and freezes: another one waits for the lease of a dead one, and that renews it no
 * more. Looks at a lease come at once, and its renewals never, as other long waits.
 */
export const quickLooks: SchedulerLike = {
  now: () => idleClock.now(),
  schedule: <T>(work: (this: SchedulerAction<T>, state: T) => void, delay = 0, state?: T) =>
    delay > LOOK
      ? new Subscription()
      : idleClock.schedule<T>(work as (state?: T) => void, delay, state),
}

/** In ms, of a lease that lasts 1,500. */
const LOOK = 100

export const listOf = listAs<Item>(ItemCodec)
export const snapshotOf = snapshotAs<Item>(ItemCodec)

/** A name that says no format: rows are written to it in many. */
export const OUT = '/exports/items'

export type Played = Partial<Omit<ExportOptions<Item>, 'files'>>

/** How far an export is; `failure`: why its list could not be read on. */
export interface Told extends ExportProgress {
  readonly failure?: AnyFailure
}

/**
 * Exports items, committed after every page, to a disk in memory, or else to that of the machine. Its error is an
 * `ExportError`; a failure of the list is told with the last progress.
 */
export const exportOf = (
  files: FileSystem | undefined,
  source: ExportSource<Item>,
  played: Played = {},
): Observable<Told> => {
  const kept = typeof played.out === 'function' ? {} : { files, commitEvery: 0, lease: 1_500 }
  const events = exportTo(source, { out: OUT, timer: quickLooks, ...kept, ...played })
  return defer(() => {
    let last: ExportProgress
    return events.pipe(
      map((event): Told => {
        if (E.isRight(event)) {
          last = event.right
          return last
        }
        if (isExportError(event.left)) throw event.left
        return { ...last, failure: event.left }
      }),
    )
  })
}

/** All that it says. */
export const run = (
  files: FileSystem | undefined,
  source: ExportSource<Item>,
  options: Played = {},
): Promise<ReadonlyArray<Told>> => lastValueFrom(exportOf(files, source, options).pipe(toArray()))

/** The last thing that it says. */
export const outcome = async (
  files: FileSystem | undefined,
  source: ExportSource<Item>,
  options: Played = {},
): Promise<Told | undefined> => (await run(files, source, options)).at(-1)

/** These columns of items; numbers that are not exact do not fit. */
export const csv = (...columns: ReadonlyArray<string>): Played => ({ format: 'csv', columns })

/** The numbers of the items in a file of lines; throws at a torn line. */
export const numbers = (text: string): ReadonlyArray<number> =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line).n)

/** Rows left for a run that was stopped after its second page. */
export const rest = [good(0, 1), good(2), good(3)]

/** An error, by what tests ask of it. */
type Refusal = Error &
  Pick<ExportError, '_tag'> & { readonly path?: string; readonly field?: string }

/** All files; of one with a lease its state, since each run that looks at it takes the lease. */
export const found = (files: Memory): ReadonlyArray<readonly [string, unknown]> =>
  files.names().map((name) => {
    const text = files.text(name)
    return [name, text.includes('"fence"') ? JSON.parse(text).state : text]
  })

/** The file that has a text, among those that an export has not finished. */
export const fileWith = (files: Memory, text: string): string => {
  const found = files.names().find((name) => name !== OUT && files.text(name).includes(text))
  if (found === undefined) throw new Error(`no file has ${text}`)
  return found
}

/** The file that the rows of an unfinished export are in. */
export const unfinished = (files: Memory): string => fileWith(files, '{"id":"id-')

/** Why it is not run: nothing is asked for, and nothing changed. */
export const refused = async (
  files: Memory | undefined,
  options: Played = {},
  list?: ExportSource<Item>,
): Promise<Refusal> => {
  const before = files && found(files)
  const asked: Array<number> = []
  const error = await run(files, list ?? listOf(rest, asked), options).then(
    () => new Error('it ran'),
    (error: unknown) => error,
  )
  expect(asked).toEqual([])
  expect(files && found(files)).toEqual(before)
  if (isExportError(error)) return error
  throw error
}
