/** Rows of a folder in the order in which they are merged: by time of creation, then by id. */
import { fieldsOf } from '../../decode/unknown.js'
import { microsOf } from '../column/time.js'

// model

/** A row with the fields that place it among others. */
export interface PieceRow<C = unknown> {
  readonly id: string
  /** `created_at` in µs since 1970; 0 where there is none. Versions of one row have the same. */
  readonly created: number
  /** `updated_at` in µs since 1970; 0 where there is none. */
  readonly updated: number
  readonly status: string
  /** A line of NDJSON, the values of columns, or the row itself. */
  readonly content: C
}

// constructors

const microsAt = (u: unknown): number => (typeof u === 'string' ? Number(microsOf(u) ?? 0) : 0)

const textAt = (u: unknown): string => (typeof u === 'string' ? u : '')

/** Places a row; `content`: what is kept of it. */
export const pieceRow = <C>(row: unknown, content: C): PieceRow<C> => {
  const { id, created_at, updated_at, status } = fieldsOf(row)
  return {
    id: textAt(id),
    created: microsAt(created_at),
    updated: microsAt(updated_at),
    status: textAt(status),
    content,
  }
}

// order

export const compareRows = (a: PieceRow, b: PieceRow): number =>
  a.created - b.created || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

/** Tells if a later version of a row replaces an earlier one: not with an earlier `updated_at`, unless that one is doubtful. */
export const replaces = (later: PieceRow, earlier: PieceRow, doubtful: number): boolean =>
  later.updated >= earlier.updated || earlier.updated > doubtful

/** Sorts rows and keeps one of each id: the one with the later `updated_at`, of two with the same the last one. */
export const sortedOnce = <C>(
  rows: ReadonlyArray<PieceRow<C>>,
  doubtful = Number.POSITIVE_INFINITY,
): ReadonlyArray<PieceRow<C>> => {
  const sorted = [...rows].sort(compareRows) // stable
  const kept: Array<PieceRow<C>> = []
  for (const row of sorted) {
    const before = kept.at(-1)
    if (before === undefined || compareRows(before, row) !== 0) kept.push(row)
    else if (replaces(row, before, doubtful)) kept[kept.length - 1] = row
  }
  return kept
}
