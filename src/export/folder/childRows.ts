/** Rows of many parents in the files of a folder: the rows of a parent lie together, see `placeOf`. */
import type { ChildCount, ChildRows } from '../transfer/Destination.js'
import type { Piece } from './FolderState.js'
import type { Batches } from './mergeRows.js'
import { type PieceRow, placeOf } from './PieceRow.js'
import type { GoneRow } from './pieces.js'

export interface ChildRowsOptions<C> {
  /** The files of current rows. */
  readonly pieces: () => ReadonlyArray<Piece>
  readonly read: (piece: Piece) => Batches<C>
  /** Marks rows in the next step. */
  readonly leave: (rows: ReadonlyArray<GoneRow>) => void
}

/** Counts by reading all files once; the ids of a parent are in one file, or in two. */
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
