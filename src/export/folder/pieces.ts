/** Writes and reads files of rows, counts their rows, and checks that they are unchanged. */
import { withoutUndefined } from '../../fp.js'
import { sha256 } from '../../store/readRecord.js'
import { type ExportError, exportError } from '../ExportError.js'
import type { Format } from '../format/Format.js'
import { damagedAt } from '../read/parquetGroups.js'
import { type Files, INCOMING } from '../storage/Files.js'
import type { ChildCount, ChildRows } from '../transfer/Destination.js'
import { type BaseFormat, encodeFile, textBase } from './BaseFormat.js'
import type { Piece } from './FolderState.js'
import type { Batches } from './mergeRows.js'
import { markLine, type PieceRow, pieceRow, placeOf, sortedOnce } from './PieceRow.js'

/** Files that are written once and never changed. */
export type MergedFiles = Pick<
  Files,
  'nameOf' | 'get' | 'put' | 'remove' | 'size' | 'tidy' | 'list' | 'unremoved'
>

/** Where to write the files of a run in progress, and in which format. */
export interface PieceOptions<A> {
  readonly files: MergedFiles
  /** The format of incoming rows: NDJSON in zstd. */
  readonly incoming: Format<A>
  /** Returns a random file name that no other run uses. */
  readonly randomName: () => string
}

/** Counts the rows of a file while the file is written. */
export class PieceFacts {
  readonly #statuses = new Map<string, number>()
  #times: Array<number> | undefined = []
  #rows = 0
  #gone = 0
  #from = 0
  #to = 0

  add(rows: ReadonlyArray<PieceRow>): void {
    for (const { created, status, gone } of rows) {
      const isFirst = this.#rows++ === 0
      if (isFirst) this.#from = created
      if (this.#times !== undefined && (isFirst || created !== this.#to)) {
        if (this.#times.push(created) > FEW) this.#times = undefined
      }
      this.#to = created
      if (gone > 0) this.#gone++
      else this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1)
    }
  }

  piece(path: string, bytes: Uint8Array): Piece {
    return {
      path,
      rows: this.#rows,
      bytes: bytes.length,
      sha256: sha256(bytes),
      from: this.#from,
      to: this.#to,
      statuses: Object.fromEntries(this.#statuses),
      ...(this.#gone === 0 ? {} : { gone: this.#gone }),
      ...withoutUndefined({ times: this.#times }),
    }
  }
}

/**
 * Maximum number of times that a file lists. Rows that are reread by id are few and far apart, and do not overlap the files
 * between them.
 */
const FEW = 200

/** Writes the rows of a step to their own file. */
export const pieceWith = async <A>(
  { files, incoming, randomName }: PieceOptions<A>,
  rows: ReadonlyArray<A>,
): Promise<Piece> => {
  const placed = sortedOnce(rows.map((row) => pieceRow(row, row)))
  const facts = new PieceFacts()
  facts.add(placed)
  const path = `${INCOMING}${randomName()}.${incoming.extension}`
  const bytes = await encodeFile(
    incoming,
    placed.map(({ content }) => content),
  )
  await files.put(path, bytes)
  return facts.piece(path, bytes)
}

/** Rows that are gone, and the time at which that was noticed, in µs since 1970. */
export interface GoneRow extends Pick<PieceRow, 'id' | 'created' | 'parent'> {
  readonly at: number
}

/** Writes the marks of a step to their own file. */
export const pieceOfMarks = async (
  { files, randomName }: Pick<PieceOptions<never>, 'files' | 'randomName'>,
  gone: ReadonlyArray<GoneRow>,
): Promise<Piece> => {
  const marks = sortedOnce(
    gone.map(({ at, ...row }) => {
      const line = markLine(row, at)
      return pieceRow(JSON.parse(line), line)
    }),
  )
  const facts = new PieceFacts()
  facts.add(marks)
  const path = `${INCOMING}${randomName()}.${textBase.extension}`
  const writer = textBase.writer()
  await writer.add(marks)
  const bytes = await writer.end()
  await files.put(path, bytes)
  return facts.piece(path, bytes)
}

// reading

/** Reads the rows of a file. Throws a `ChecksumMismatch` if it has changed. */
export async function* readPiece<C>(
  files: MergedFiles,
  format: BaseFormat<C>,
  piece: Piece,
): Batches<C> & AsyncGenerator<ReadonlyArray<PieceRow<C>>> {
  const { path, bytes } = piece
  const found = await files.get(path)
  if (found === undefined) throw changed(files, path, 'no longer exists')
  if (found.length !== bytes || sha256(found) !== piece.sha256) {
    throw changed(files, path, 'has changed since it was written')
  }
  const name = files.nameOf(path)
  try {
    yield* path.startsWith(INCOMING) ? format.readIncoming(found) : format.read(found, name)
  } catch (error) {
    damagedAt(name)(error)
  }
}

/** Creates the error for a file that another program changed. Its rows are neither merged nor replaced. */
export const changed = (files: MergedFiles, key: string, why: string): ExportError => {
  const path = files.nameOf(key)
  const advice = 'restore it, or sync into another folder'
  return exportError('ChecksumMismatch', `${path} ${why}: ${advice}`, { path })
}

// rows of many parents; the rows of a parent are adjacent, see `placeOf`

export interface ChildRowsOptions<C> {
  /** The files of current rows. */
  readonly pieces: () => ReadonlyArray<Piece>
  readonly read: (piece: Piece) => Batches<C>
  /** Marks rows in the next step. */
  readonly leave: (rows: ReadonlyArray<GoneRow>) => void
}

/** Counts by reading all files once. The ids of one parent are then in one or two files. */
export const childRows = <C>({ pieces, read, leave }: ChildRowsOptions<C>): ChildRows => ({
  counts: async () => {
    const counts = new Map<string, ChildCount>()
    for await (const { gone, parent, parentUpdated } of rowsOf(pieces(), read)) {
      if (gone > 0) continue
      const { rows, oldest } = counts.get(parent) ?? { rows: 0, oldest: Number.POSITIVE_INFINITY }
      const updated = Math.floor(parentUpdated / 1_000)
      counts.set(parent, { rows: rows + 1, oldest: Math.min(oldest, updated) })
    }
    return counts
  },
  ids: async (parent) => {
    const ids: Array<string> = []
    for await (const row of rowsOf(around(pieces(), placeOf(parent)), read)) {
      if (row.gone === 0 && row.parent === parent) ids.push(row.id)
    }
    return ids
  },
  markGone: async (parent, ids, at) =>
    leave(ids.map((id) => ({ id, parent, created: placeOf(parent), at: at * 1_000 }))),
})

const around = (pieces: ReadonlyArray<Piece>, place: number): ReadonlyArray<Piece> =>
  pieces.filter(({ from, to }) => from <= place && place <= to)

/** Reads the rows of files one after the other. */
export async function* rowsOf<C>(
  pieces: ReadonlyArray<Piece>,
  read: (piece: Piece) => Batches<C>,
): AsyncGenerator<PieceRow<C>, void, undefined> {
  for (const piece of pieces) {
    for await (const rows of read(piece)) yield* rows
  }
}
