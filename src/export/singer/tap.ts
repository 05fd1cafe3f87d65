/** Lists as a Singer tap: SCHEMA, RECORD and STATE messages for any Singer target. */
import {
  catchError,
  concatMap,
  defer,
  from,
  last,
  map,
  mergeMap,
  type Observable,
  of,
  type SchedulerLike,
  takeWhile,
} from 'rxjs'
import type { Decodes } from '../../codec/Codec.js'
import { fromDate } from '../../codec/Instant.js'
import { fieldsOf } from '../../decode/unknown.js'
import { E } from '../../fp.js'
import type { AnyFailure } from '../../http/Failure.js'
import { isSystemError } from '../../store/FileSystem.js'
import { adviceOn } from '../../store/remedies.js'
import type { Millis } from '../../stream/index.js'
import { shapeOf } from '../column/Shape.js'
import { type ExportError, exportError } from '../ExportError.js'
import { type ExportSource, type Source, sourceOf } from '../source/ExportSource.js'
import { exportList, type Progress } from '../source/exportList.js'
import type { AnyPosition, SourcePage } from '../source/SourcePage.js'
import { shapeWithoutSecret } from '../source/secretField.js'
import { accountOf } from '../transfer/ExportSpec.js'
import { recordOf, type SingerSchema, schemaOf } from './schema.js'
import type { Bookmark, Bookmarks } from './state.js'

// model

/** A list as a stream of Singer. */
export interface TapStream {
  /** Its `tap_stream_id`, such as `batch_items`. */
  readonly name: string
  /** The list. A snapshot is read incrementally, by times of creation; other lists are read whole each time. */
  readonly source: ExportSource<unknown>
  /** Reads a list for each row of `source`, in place of `source` itself: the items of each batch. */
  readonly children?: {
    readonly of: (parent: unknown) => ExportSource<unknown>
    readonly codec: Decodes<unknown>
    /** The field of a record that has the `id` of its parent, such as `batch_transfer_id`. */
    readonly parentKey: string
  }
  /** Reads the list again until two readings agree: see `untilStable` of `exportTo`. Default `false`. */
  readonly untilStable?: boolean
  /** Reads an incremental stream whole each time, as a catalog may ask for. Default `false`. */
  readonly isFullTable?: boolean
  /** Fields to leave out. Default: none. */
  readonly without?: ReadonlySet<string>
}

export interface TapOptions {
  /** State of the last run. Default: none, all is read. */
  readonly bookmarks?: Bookmarks
  /** How long before the end of the last finished read rows may have changed, in ms. */
  readonly lookback: Millis
  /** Writes whole lines, and resolves when the next may follow. */
  readonly write: (lines: string) => Promise<unknown>
  /** Receives the reason why a row is left out: it did not decode. */
  readonly onReject: (stream: string, reason: string) => void
  readonly timer: SchedulerLike
}

/** The totals of a tap. */
export interface TapSummary {
  readonly records: number
  /** Rows that did not decode, and are not written. */
  readonly rejected: number
}

// constructors

/** An entry of a catalog, as `--discover` prints it. */
export const catalogEntry = (stream: TapStream) => ({
  tap_stream_id: stream.name,
  stream: stream.name,
  schema: streamSchema(stream),
  key_properties: KEY,
  metadata: [
    {
      breadcrumb: [],
      metadata: {
        inclusion: 'available',
        'selected-by-default': true,
        'table-key-properties': KEY,
        'forced-replication-method': isIncremental(stream) ? 'INCREMENTAL' : 'FULL_TABLE',
        ...(isIncremental(stream) ? { 'valid-replication-keys': [TIME] } : {}),
      },
    },
    ...Object.keys(streamSchema(stream).properties ?? {}).map((name) => ({
      breadcrumb: ['properties', name],
      metadata: { inclusion: KEY.includes(name) || name === TIME ? 'automatic' : 'available' },
    })),
  ],
})

/**
 * Reads streams one after the other and writes their messages. A STATE follows the rows that it covers, after each page
 * of an incremental stream and at the end of each stream; the last message is a STATE. Emits the totals once, or a Left
 * with why it stopped: all that was written before stays valid, and the last STATE says where to go on. Cold.
 */
export const tap = (
  streams: ReadonlyArray<TapStream>,
  options: TapOptions,
): Observable<E.Either<AnyFailure | ExportError, TapSummary>> =>
  defer(() => {
    const run: Run = { ...options, bookmarks: { ...options.bookmarks }, records: 0, rejected: 0 }
    const foreign = streams.find(({ name, source }) => {
      const known = run.bookmarks[name]
      return known !== undefined && known.account !== accountOf(source.describe())
    })
    if (foreign !== undefined) {
      const why = `the state of ${foreign.name} is of another account (base URL, client id, login-as, on-behalf-of)`
      return of(E.left(exportError('SpecMismatch', why, { path: 'state', field: 'account' })))
    }
    return from(streams).pipe(
      concatMap((stream) => readStream(stream, run)),
      takeWhile(E.isRight, true),
      last(),
      map(E.map((): TapSummary => ({ records: run.records, rejected: run.rejected }))),
      catchError((error: unknown) => {
        if (!isSystemError(error)) throw error
        const why = `cannot write the messages: ${error.message}${adviceOn(error.code)}`
        const details = { path: 'stdout', code: error.code }
        return of(E.left(exportError('WriteFailed', why, details, error)))
      }),
    )
  })

/** The columns of every list that identify a row, and date it. */
const KEY = ['id']
const TIME = 'created_at'

const isIncremental = ({ source, isFullTable }: TapStream): boolean =>
  source.since !== undefined && isFullTable !== true

const streamSchema = ({ source, children, without = new Set() }: TapStream): SingerSchema => {
  const shape = shapeOf(children?.codec ?? source.describe().codec)
  const schema = schemaOf(shapeWithoutSecret(shape)) // rows have lost it as well, see `sourceOf`
  const parent = children && { [children.parentKey]: PARENT_ID }
  const kept = Object.entries({ ...schema.properties, ...parent }).filter(
    ([name]) => !without.has(name),
  )
  return { ...schema, properties: Object.fromEntries(kept) }
}

const PARENT_ID: SingerSchema = { type: ['string'] }

// reading

interface Run extends TapOptions {
  /** Bookmarks of all streams, so that the last message is a state that holds all of them. */
  bookmarks: Bookmarks
  records: number
  rejected: number
}

type TapResult = E.Either<AnyFailure, unknown>

const READ: TapResult = E.right(undefined)

const readStream = (stream: TapStream, run: Run): Observable<TapResult> =>
  defer(() => {
    const { name, source, children } = stream
    const schema = {
      type: 'SCHEMA',
      stream: name,
      schema: streamSchema(stream),
      key_properties: KEY,
      ...(isIncremental(stream) ? { bookmark_properties: [TIME] } : {}),
    }
    const read =
      children === undefined ? readList(stream, run) : readChildren(stream, children, run)
    return from(run.write(line(schema))).pipe(
      concatMap(() => read),
      concatMap((result) =>
        E.isLeft(result) || isIncremental(stream)
          ? of(result)
          : keepState(run, name, {
              account: accountOf(source.describe()),
              read_at: run.timer.now(),
            }),
      ),
    )
  })

/** Reads one list; after each page of an incremental one, writes a state. */
const readList = (stream: TapStream, run: Run): Observable<TapResult> =>
  defer(() => {
    const { name, source, untilStable = false } = stream
    const account = accountOf(source.describe())
    const known = isIncremental(stream) ? run.bookmarks[name] : undefined
    const list = sourceOf(startOf(source, known, run.lookback), untilStable)
    let upTo: number | undefined
    const afterPage = async ({ position, next }: SourcePage<unknown>): Promise<void> => {
      if (!isIncremental(stream)) return
      upTo ??= list.boundsOf(position)?.to
      const rest = next._tag === 'Some' ? { position: next.value } : { ...upToOf(upTo) }
      await keepState(run, name, { account, ...rest })
    }
    return records(list, recordsOf(stream), run, { name, position: known?.position, afterPage })
  })

const upToOf = (upTo: number | undefined) => (upTo === undefined ? {} : { up_to: upTo })

/** Returns what a run reads: all, or what was created since the last finished read, less the lookback. */
const startOf = (
  source: ExportSource<unknown>,
  known: Bookmark | undefined,
  lookback: Millis,
): ExportSource<unknown> =>
  known?.up_to === undefined || source.since === undefined
    ? source
    : source.since(fromDate(new Date(Math.max(0, known.up_to - lookback))))

/** How many lists of children are read at a time: about what the limit of an endpoint admits in a round trip. */
const CHILDREN_AT_ONCE = 4

const readChildren = (
  stream: TapStream,
  children: Required<TapStream>['children'],
  run: Run,
): Observable<TapResult> =>
  sourceOf(stream.source, false)
    .pages()
    .drain((page) =>
      E.isLeft(page)
        ? of<TapResult>(page)
        : from(page.right.items).pipe(
            mergeMap((row) => {
              if (E.isLeft(row)) {
                rejected(run, stream.name, row.left.message)
                return of(READ)
              }
              const list = sourceOf(children.of(row.right), false)
              return records(list, recordsOf(stream, row.right), run, { name: stream.name })
            }, CHILDREN_AT_ONCE),
          ),
    )
    .pipe(takeWhile(E.isRight, true), last(undefined, READ))

interface TapReading {
  readonly name: string
  readonly position?: AnyPosition | undefined
  readonly afterPage?: (page: SourcePage<unknown>) => Promise<void>
}

/** Writes the rows of a list as records, page by page. Emits once. */
const records = (
  list: Source<unknown>,
  record: (row: unknown) => unknown,
  run: Run,
  { name, position, afterPage }: TapReading,
): Observable<TapResult> =>
  exportList<unknown>({
    list: list.pages(position),
    ...(list.repeats ? { seen: new Set<string>() } : {}),
    timer: run.timer,
    rejects: async (rows) => {
      for (const { reason } of rows) rejected(run, name, reason)
    },
    write: async (rows, page) => {
      const extracted = new Date(run.timer.now()).toISOString()
      const lines = rows.map((row) =>
        line({ type: 'RECORD', stream: name, record: record(row), time_extracted: extracted }),
      )
      if (lines.length > 0) await run.write(lines.join(''))
      run.records += rows.length
      await afterPage?.(page)
    },
  }).pipe(
    last(),
    map(({ failure }: Progress) => (failure === undefined ? READ : E.left(failure))),
  )

const rejected = (run: Run, name: string, reason: string): void => {
  run.rejected++
  run.onReject(name, reason)
}

const keepState = async (run: Run, name: string, bookmark: Bookmark): Promise<TapResult> => {
  run.bookmarks = { ...run.bookmarks, [name]: bookmark }
  await run.write(line({ type: 'STATE', value: { bookmarks: run.bookmarks } }))
  return READ
}

/** Returns the function that makes the records of a stream; `parent`: the row that has a list of children. */
const recordsOf = (
  { source, children, without = new Set() }: TapStream,
  parent?: unknown,
): ((row: unknown) => unknown) => {
  const convert = recordOf(shapeOf(children?.codec ?? source.describe().codec))
  const parentId = children && { [children.parentKey]: fieldsOf(parent).id }
  return (row) => {
    const record = convert === undefined ? row : convert(row)
    if (parentId === undefined && without.size === 0) return record
    const fields = Object.entries({ ...fieldsOf(record), ...parentId })
    return Object.fromEntries(fields.filter(([name]) => !without.has(name)))
  }
}

const line = (message: unknown): string => `${JSON.stringify(message)}\n`
