/** An export that came to its end, and whose rejected rows are read again: from which state, and which rows. */
import {
  concatMap,
  defer,
  from,
  lastValueFrom,
  map,
  mergeMap,
  type Observable,
  of,
  toArray,
} from 'rxjs'
import { parseExact } from '../decode/index.js'
import { E, memoized, O, withoutUndefined } from '../fp.js'
import { rowId } from '../http/answer/readAnswer.js'
import type { AnyFailure, Undecodable } from '../http/Failure.js'
import type { ListDescription } from '../http/list/List.js'
import { type Page, paginate } from '../stream/index.js'
import { exportError } from './ExportError.js'
import type { PartMark } from './file/parts.js'
import { type ExportNames, partOfName, runOfName } from './file/paths.js'
import { linesOf } from './read/textLines.js'
import type { Source } from './source/ExportSource.js'
import type { Reject } from './source/sortPage.js'
import { type Files, INCOMING } from './storage/Files.js'
import type { ManifestFile, ManifestRun } from './transfer/Manifest.js'
import type { Reading } from './transfer/TransferEvent.js'
import { NOTHING, type TransferState } from './transfer/TransferState.js'

// the state

/** Returns whether a run came to its end, and keeps rows that it rejected. Slices are finished by their workers. */
export const hasRejects =
  ({ file }: Pick<ExportNames, 'file'>) =>
  ({ ended, rejects, rejected, files }: ManifestRun): boolean => {
    const areOwn = files.every(({ path }) => path === file || partOfName(path) !== undefined)
    return ended && rejects > 0 && rejected !== undefined && areOwn
  }

/** Returns the state to go on with: all its files are there, and none of its rejected rows was read again. */
export const stateOfEnded = (
  run: ManifestRun,
  { file }: Pick<ExportNames, 'file'>,
  isFirst: boolean,
  manifest: string,
): TransferState => {
  const { spec, started, rows, repeated = 0, requests = 0, refused = 0 } = run
  const { ms = 0, starts = 0, slices, drift, bounds, totals, distinct } = run
  return {
    spec,
    run: {
      ...{ started, drift, again: true, position: { page_num: 0 } },
      counts: { ...NOTHING, rows, repeated, requests, refused, ms, starts, slices },
      ...withoutUndefined({ bounds, totals, keys: distinct }),
    },
    own: {
      run: (file === undefined && runOfName(run.rejected?.path ?? '')?.run) || 1,
      isFirst,
      parts: run.files.map((one) => markOf(one, file, manifest)),
    },
  }
}

/** The mark of a file that has its own name. More rows go to the end of the single file, or into further parts. */
const markOf = (
  { path, rows, bytes, sha256 = '', unclosed }: ManifestFile,
  file: string | undefined,
  manifest: string,
): PartMark => {
  const part = file === undefined ? partOfName(path) : { slice: 0, number: 1 }
  if (part === undefined || (file !== undefined && unclosed === undefined)) {
    const why = `${manifest} does not say how ${path} was closed, so that no row can be added`
    throw exportError('Damaged', why, { path: manifest, field: 'files' })
  }
  const name = `${file === undefined ? INCOMING : ''}${path}.${'0'.repeat(12)}.part`
  return file === undefined
    ? { ...part, name, rows, bytes, sha256, ended: true }
    : { ...part, name, rows, bytes, sha256, ...unclosed, ended: false, isPublished: true }
}

// the rows

/** Rejected rows that are read at a time, and the requests for them. */
const PAGE = 100
const REQUESTS = 20

/** Where the rejected rows are, and the list that they are of. */
export interface RejectedOptions<A> {
  readonly files: Files
  /** The name of their file. */
  readonly name: string
  readonly list: ListDescription<A>
  readonly whole: Source<A>
}

/** Reads rejected rows again as they stand now: by id where the service has single rows, else with all of their list. */
export const rejectedAgain = <A>(
  options: RejectedOptions<A>,
): Pick<Reading<A>, 'source' | 'placed'> => {
  const { retrieve } = options.list
  const rowOf = retrieve === undefined ? inWholeList(options) : single(retrieve)
  /** The rows of a page as they were rejected: those that are not written, since a page may be read ahead. */
  const pageLines = new Map<number, ReadonlyArray<Reject>>()

  const again = ({ row, reason }: Reject): Observable<E.Either<AnyFailure, Row<A>>> => {
    const id = rowId(row)
    return id === undefined ? of(E.right(E.left(undecodable(reason)))) : rowOf(id)
  }

  const pages = (first: number) => {
    const chunks = rejectedPages(options, first)
    return paginate<AnyFailure, A, Numbered>({
      first: { page_num: first },
      fetch: (position) =>
        defer(() => chunks.next()).pipe(
          concatMap(({ value }) => {
            const { lines, isLast }: RejectedPage = value ?? { lines: [], isLast: true }
            pageLines.set(position.page_num, lines)
            return from(lines).pipe(
              mergeMap((line, i) => again(line).pipe(map((row) => ({ i, row }))), REQUESTS),
              toArray(),
              map((rows): E.Either<AnyFailure, Page<AnyFailure, A, Numbered>> => {
                const failed = rows.map(({ row }) => row).find(E.isLeft)
                if (failed !== undefined) return failed
                const sorted = rows.toSorted((a, b) => a.i - b.i)
                const items = sorted.flatMap(({ row }) => (E.isRight(row) ? [row.right] : []))
                const raw = items.map((item, i) => (E.isRight(item) ? item.right : lines[i]?.row))
                const next = { page_num: position.page_num + 1 }
                return E.right({ items, raw, position, next: isLast ? O.none : O.some(next) })
              }),
            )
          }),
        ),
      key: ({ page_num }) => String(page_num),
      cut: (cut) => (cut._tag === 'Failed' ? cut.failure : undecodable('no rows are rejected')),
      ...{ maxPages: Number.POSITIVE_INFINITY, maxEmptyPages: 1 },
    })
  }

  return {
    source: {
      pages: (position) => ({
        drain: (project) =>
          defer(() =>
            pages(position !== undefined && 'page_num' in position ? position.page_num : 0).drain(
              project,
            ),
          ),
      }),
      isPosition: (position) => 'page_num' in position,
      boundsOf: () => undefined,
      repeats: false,
      isLost: () => false,
    },
    placed: (rows) =>
      rows.flatMap(({ position, index = 0, reason }) => {
        const page = position !== undefined && 'page_num' in position ? position.page_num : 0
        pageLines.delete(page - 1)
        const line = pageLines.get(page)?.[index]
        return line === undefined ? [] : [{ ...line, reason }]
      }),
  }
}

interface Numbered {
  readonly page_num: number
}

/** A row as it decodes, or why it does not. */
type Row<A> = E.Either<AnyFailure, A>

const GONE = 'the service has it no more'

const undecodable = (message: string): Undecodable => ({
  ...{ _tag: 'Undecodable', endpoint: '', attempts: 0, path: '', expected: '', actual: '' },
  ...{ causes: [], message },
})

interface RejectedPage {
  readonly lines: ReadonlyArray<Reject>
  readonly isLast: boolean
}

/** Reads the lines of rejected rows from the n-th page on. */
async function* rejectedPages(
  { files, name }: Pick<RejectedOptions<never>, 'files' | 'name'>,
  first: number,
): AsyncGenerator<RejectedPage, void, undefined> {
  let skip = first * PAGE
  let waiting: Array<Reject> = []
  const file = { files, name, path: files.nameOf(name), compress: 'none' } as const
  for await (const texts of linesOf(file)) {
    for (const text of texts) {
      if (skip-- > 0) continue
      if (waiting.length === PAGE) {
        yield { lines: waiting, isLast: false }
        waiting = []
      }
      waiting.push(rejectIn(text))
    }
  }
  yield { lines: waiting, isLast: true }
}

/** The file was compared with its hash: this is a line as it was written. */
const rejectIn = (text: string): Reject => parseExact(text) as Reject

/** Reads a row as it stands now, or the failure of the service. */
type RereadRow<A> = (id: string) => Observable<E.Either<AnyFailure, Row<A>>>

const single =
  <A>(retrieve: NonNullable<ListDescription<A>['retrieve']>): RereadRow<A> =>
  (id) =>
    retrieve(id).pipe(
      map((row) => {
        if (E.isRight(row) || row.left._tag === 'Undecodable') return E.right(row)
        const isGone = row.left._tag === 'Refused' && row.left.status === 404
        return isGone ? E.right(E.left(undecodable(GONE))) : row
      }),
    )

/** Finds rows by their ids in a list whose rows cannot be read singly: it is read once, to its end. */
const inWholeList = <A>({ whole, ...file }: RejectedOptions<A>): RereadRow<A> => {
  const all = memoized(async (): Promise<E.Either<AnyFailure, ReadonlyMap<string, Row<A>>>> => {
    const wanted = new Set<string | undefined>()
    for await (const { lines } of rejectedPages(file, 0)) {
      for (const { row } of lines) wanted.add(rowId(row))
    }
    const rows = new Map<string, Row<A>>()
    const failed = await lastValueFrom(
      whole.pages().drain((page) => {
        if (E.isLeft(page)) return of(page)
        for (const [i, item] of page.right.items.entries()) {
          const id = rowId(page.right.raw[i])
          if (id !== undefined && wanted.has(id)) rows.set(id, item)
        }
        return of(undefined)
      }),
      { defaultValue: undefined },
    )
    return failed ?? E.right(rows)
  })
  return (id) => defer(all).pipe(map(E.map((rows) => rows.get(id) ?? E.left(undecodable(GONE)))))
}
