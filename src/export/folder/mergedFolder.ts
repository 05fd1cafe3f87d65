/**
 * A folder or a prefix of a bucket as the destination of a sync:
 *
 *     DIR/_incoming/a1.ndjson.zst    rows of a run in progress: one sorted file per step
 *     DIR/charges-9c.parquet         the current rows, each once; files do not overlap in time
 *     DIR/_checkpoint.json           the list of these files, with the rest of the state: replaced in one step
 *     DIR/_manifest.json             the current files, for `verify` and for readers
 *
 * At the end of a run the incoming rows are merged with the files that they overlap in time; other files are kept. The new
 * files are written first, then the state that lists them. The old files are removed last. A killed run may leave files that no
 * state lists; the next run that finishes removes them.
 */

import { stringifyExact } from '../../decode/index.js'
import { withoutPrototype, withoutUndefined } from '../../fp.js'
import { sha256 } from '../../store/readRecord.js'
import type { Store } from '../../store/Store.js'
import type { Millis } from '../../stream/index.js'
import { truncated } from '../column/json.js'
import { INCOMING } from '../storage/Files.js'
import { checkSize } from '../storage/integrity.js'
import type { Destination, ListedFiles, Prepared } from '../transfer/Destination.js'
import { type BaseFormat, textBase } from './BaseFormat.js'
import { CountedPieces } from './CountedPieces.js'
import {
  type FolderState,
  isPieceKey,
  namesOf,
  type Piece,
  pathsOf,
  stateOf,
} from './FolderState.js'
import { type MergeSource, mergeRows } from './mergeRows.js'
import { isMark } from './PieceRow.js'
import {
  changed,
  childRows,
  type GoneRow,
  type MergedFiles,
  PieceFacts,
  type PieceOptions,
  pieceOfMarks,
  pieceWith,
  readPiece,
  rowsOf,
} from './pieces.js'

export interface FolderOptions<A, C> extends PieceOptions<A> {
  readonly store: Store
  /** Name of the list, such as `charges`: the start of the names of files with current rows. */
  readonly list: string
  readonly base: BaseFormat<C>
  /** Returns why a row cannot be written without changing its values. */
  readonly check: Destination<A>['check']
  /** True if the rows of a run replace all existing ones; otherwise rows are merged by id. */
  readonly replaces: boolean
  /** Interval between steps, in ms. Each writes a file and a new state. Rows are buffered in memory until the next step. */
  readonly commitEvery: Millis
}

/** Number of files that are merged at a time. Memory holds all open files, compressed. */
const FAN_IN = 32

/** Size in bytes at which an intermediate file, which is merged again, is ended. */
const PASS_BYTES = 1 << 19

/** Size in bytes at which a file of current rows is ended. Memory holds the file up to that size. */
const BASE_BYTES = 8 << 20

/**
 * Writes a folder. A frozen run may still remove files long after a later run has started. Each run therefore removes only
 * files that existed before its step was saved, and only if no later run had started.
 */
export const folderDestination = <A, C>(options: FolderOptions<A, C>): Destination<A> => {
  const { files, base, replaces } = options
  let state = stateOf(undefined, files.nameOf(''), base.extension)
  let rows: ReadonlyArray<A> = []
  let gone: ReadonlyArray<GoneRow> = []
  /** Lines with the rows that this run and earlier runs could not write. */
  let lines: ReadonlyArray<string> = []
  let before: ReadonlyArray<string> = []
  let hasNewRejects = false
  /** Files that were created but are not in a state yet. */
  let made: ReadonlyArray<string> = []

  const incoming = async (): Promise<FolderState> => {
    const [waiting, marks] = [rows, gone]
    rows = []
    gone = []
    const pieces: Array<Piece> = []
    if (waiting.length > 0) pieces.push(await pieceWith(options, waiting))
    if (marks.length > 0) pieces.push(await pieceOfMarks(options, marks))
    made = [...made, ...pathsOf(pieces)]
    return { ...state, incoming: [...state.incoming, ...pieces] }
  }
  const read = (piece: Piece) => readPiece(files, base, piece)
  const leave = (some: ReadonlyArray<GoneRow>): void => {
    gone = [...gone, ...some]
  }
  const counted = new CountedPieces({ pieces: () => state.base, read })
  const rejected = async (all: ReadonlyArray<string>): Promise<Pick<FolderState, 'rejected'>> => {
    if (all.length === 0) return {}
    const bytes = new TextEncoder().encode(all.join(''))
    const path = `${INCOMING}rejects-${options.randomName()}.ndjson`
    await files.put(path, bytes, PRIVATE)
    made = [...made, path]
    return { rejected: { path, rows: all.length, bytes: bytes.length, sha256: sha256(bytes) } }
  }
  /** Checks new files, because the files that they replace, and which will be removed, may have the only copy of a row. */
  const checkMade = async ({ base, rejected }: FolderState): Promise<void> => {
    for (const { path, bytes } of [...base, ...(rejected === undefined ? [] : [rejected])]) {
      if (made.includes(path)) checkSize(files.nameOf(path), await files.size(path), bytes)
    }
  }
  const prepared = (next: FolderState, obsolete: ReadonlyArray<string>) => ({
    own: next,
    settle: async () => {
      made = []
      state = next
      await removeAll(files, obsolete)
    },
    files: () => listedIn(next),
  })
  /** Returns the files that are in the current state, but not in the next one. */
  const dropped = (next: FolderState): ReadonlyArray<string> => {
    const kept = new Set(namesOf(next))
    return namesOf(state).filter((name) => !kept.has(name))
  }

  const place = async (): Promise<Prepared | undefined> => {
    counted.begin()
    if (rows.length + gone.length + state.incoming.length === 0) return undefined
    const change = await merged(options, await incoming())
    made = [...made, ...change.made]
    await checkMade(change.next)
    return prepared(change.next, change.obsolete)
  }

  return {
    name: files.nameOf(''),
    store: options.store,
    commitEvery: options.commitEvery,
    rows: 'byId',
    check: options.check,
    resume: async (own) => {
      const found = stateOf(own, files.nameOf(''), base.extension)
      // a list that is read in full starts again from its beginning
      state = replaces ? { ...found, incoming: [] } : found
      const rejects =
        withoutPrototype(found).rejected && (await files.get(found.rejected?.path ?? ''))
      before = linesOf(rejects)
    },
    write: async (page) => {
      rows = rows.length === 0 ? page : [...rows, ...page]
      counted.written(page)
    },
    reject: async (page) => {
      lines = [
        ...lines,
        ...page.map((one) => `${stringifyExact({ ...one, row: truncated(one.row) })}\n`),
      ]
      hasNewRejects = true
    },
    commit: async () => {
      const next = await incoming()
      if (!hasNewRejects) return prepared(next, [])
      hasNewRejects = false
      const all = { ...next, ...(await rejected([...before, ...lines])) }
      return prepared(all, dropped(all))
    },
    finish: async () => {
      const { rejected: _, ...last } = await incoming()
      const lost = await unlisted(options, last)
      const change = await merged(options, last)
      made = [...made, ...change.made]
      // this run has re-read all rows that earlier runs could not write
      const next = { ...change.next, ...(await rejected(lines)) }
      await checkMade(next)
      const obsolete = [...new Set([...dropped(next), ...change.obsolete, ...lost])]
      const { settle, ...step } = prepared(next, obsolete)
      return { ...step, settle: () => settle().then(files.tidy) }
    },
    rowsThere: async () => {
      const ids: Array<string> = []
      for await (const { id } of rowsOf(state.base, read)) ids.push(id)
      return ids
    },
    place,
    open: (final) => counted.open(final),
    counted: counted.rows(leave),
    children: childRows({ pieces: () => state.base, read, leave }),
    unremoved: () => files.unremoved(),
    close: async (why) => {
      if (why === 'fenced') await removeAll(files, made)
    },
  }
}

/** Permissions of rejected rows, which are stored as received. */
const PRIVATE = 0o600

const linesOf = (bytes: Uint8Array | undefined): ReadonlyArray<string> =>
  bytes === undefined ? [] : (new TextDecoder().decode(bytes).match(/.*\n/g) ?? [])

const listedIn = ({ base, rejected, format }: FolderState): ListedFiles => ({
  files: base.map(({ path, rows, bytes, sha256 }) => ({ path, rows, bytes, sha256 })),
  ...withoutUndefined({ rejected }),
  format: formatOf(format),
})

interface Merge {
  readonly next: FolderState
  readonly made: ReadonlyArray<string>
  readonly obsolete: ReadonlyArray<string>
}

// merging

/** Consecutive files that do not overlap in time. */
type SortedRun = ReadonlyArray<Piece>

/** Replaces the files that incoming rows overlap with new files that contain each row once. */
const merged = async <A, C>(options: FolderOptions<A, C>, state: FolderState): Promise<Merge> => {
  const { replaces, base, list } = options
  const isDue = (piece: Piece): boolean =>
    replaces || state.incoming.some((one) => overlap(one, piece))
  const due = state.base.filter(isDue)
  let runs: ReadonlyArray<SortedRun> = state.incoming.map((piece) => [piece])
  const merges: Array<Piece> = [] // its files will be merged again
  while (runs.length > FAN_IN) {
    const fewer: Array<SortedRun> = []
    for (let at = 0; at < runs.length; at += FAN_IN) {
      const some = runs.slice(at, at + FAN_IN)
      const run = await merge(options, some, {
        ...{ format: textBase, prefix: INCOMING, bytes: PASS_BYTES },
      })
      merges.push(...run)
      fewer.push(run)
    }
    runs = fewer
  }
  const all = replaces ? runs : [due, ...runs]
  const fresh = await merge(options, all, {
    ...{ format: base, prefix: `${list}-`, bytes: BASE_BYTES },
  })
  const kept = state.base.filter((piece) => !isDue(piece))
  return {
    next: { ...state, base: [...kept, ...fresh].sort((a, b) => a.from - b.from), incoming: [] },
    made: pathsOf([...merges, ...fresh]),
    obsolete: pathsOf([...state.incoming, ...due, ...merges]),
  }
}

const overlap = (one: Piece, other: Piece): boolean =>
  one.from <= other.to &&
  other.from <= one.to &&
  (one.times?.some((time) => other.from <= time && time <= other.to) ?? true)

interface MergeOutput<C> {
  readonly format: BaseFormat<C>
  readonly prefix: string
  /** Size at which a file is ended, in bytes. */
  readonly bytes: number
}

/** Merges runs into files of one format. The current version of a row is in the later run. */
const merge = async <A, C, D>(
  { files, randomName }: FolderOptions<A, C>,
  runs: ReadonlyArray<SortedRun>,
  { format, prefix, bytes }: MergeOutput<D>,
): Promise<SortedRun> => {
  const pieces: Array<Piece> = []
  let writer = format.writer()
  let facts = new PieceFacts()
  const end = async (): Promise<void> => {
    const content = await writer.end()
    const path = `${prefix}${randomName()}.${format.extension}`
    await files.put(path, content)
    pieces.push(facts.piece(path, content))
    writer = format.writer()
    facts = new PieceFacts()
  }
  const sources = runs.flatMap((run, order) => sourceOf(files, format, run, order))
  let count = 0
  const isLast = prefix !== INCOMING
  for await (const all of mergeRows(sources, format.marked)) {
    // a mark for a row that does not exist is dropped
    const rows = isLast ? all.filter((row) => !isMark(row)) : all
    await writer.add(rows)
    facts.add(rows)
    count += rows.length
    if (writer.size() < bytes) continue
    await end()
    count = 0
  }
  if (count > 0) await end()
  return pieces
}

/** Opens the files of a run one after the other, as a source of sorted rows. */
const sourceOf = <C>(
  files: MergedFiles,
  format: BaseFormat<C>,
  run: SortedRun,
  order: number,
): ReadonlyArray<MergeSource<C>> =>
  run.map((piece) => ({
    from: piece.from,
    order,
    open: () => readPiece(files, format, piece),
  }))

/** Returns the format of the files, for the manifest. */
const formatOf = (extension: string): Readonly<Record<string, string>> => {
  const [name = '', compress] = extension.split('.')
  return {
    name,
    compress: compress === undefined ? 'zstd' : compress === 'zst' ? 'zstd' : compress,
  }
}

// removal

const removeAll = async (files: MergedFiles, paths: ReadonlyArray<string>): Promise<void> => {
  for (const path of paths) await files.remove(path)
}

/** Lists files of killed runs, which are not in the state. Throws if a file in the state is missing or truncated. */
const unlisted = async <A, C>(
  { files, list }: FolderOptions<A, C>,
  state: FolderState,
): Promise<ReadonlyArray<string>> => {
  const prefixes = [INCOMING, `${list}-`]
  const found = await Promise.all(prefixes.map((prefix) => files.list(isPieceKey(prefix), prefix)))
  const sizes = new Map(found.flat().map(({ name, size }) => [name, size]))
  for (const { path, bytes } of [...state.base, ...state.incoming]) {
    const size = sizes.get(path)
    if (size === undefined) throw changed(files, path, 'no longer exists')
    if (size !== bytes) throw changed(files, path, `has ${size} bytes instead of ${bytes}`)
    sizes.delete(path)
  }
  return [...sizes.keys()]
}
