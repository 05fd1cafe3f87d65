/** Rows of a folder in the order in which they are merged: by time of creation, then by id. */
import { fieldsOf } from '../../decode/unknown.js'
import { isoMicros, microsOf } from '../column/time.js'
import { GONE, PARENT } from '../transfer/Destination.js'

// model

/** A row with the fields that place it among others. */
export interface PieceRow<C = unknown> {
  readonly id: string
  /** `created_at` in µs since 1970; of a row without, the place of its parent, or 0. Versions of one row have the same. */
  readonly created: number
  /** `updated_at` in µs since 1970; 0 where there is none. */
  readonly updated: number
  readonly status: string
  /** When it was marked as gone, in µs since 1970; 0 while it is there. */
  readonly gone: number
  /** The parent that it is of; empty where it has none. */
  readonly parent: string
  /** The version of the parent that it was read with, in µs since 1970; 0 where it has none. */
  readonly parentUpdated: number
  /** A line of NDJSON, the values of columns, or the row itself. */
  readonly content: C
}

// constructors

const microsAt = (u: unknown): number => (typeof u === 'string' ? Number(microsOf(u) ?? 0) : 0)

const textAt = (u: unknown): string => (typeof u === 'string' ? u : '')

/** Places a row; `content`: what is kept of it. */
export const pieceRow = <C>(row: unknown, content: C): PieceRow<C> => {
  const fields = fieldsOf(row)
  const { created_at } = fields
  const parent = textAt(fields[PARENT.id])
  return {
    id: textAt(fields.id),
    created: created_at === undefined && parent !== '' ? placeOf(parent) : microsAt(created_at),
    updated: microsAt(fields.updated_at),
    status: textAt(fields.status),
    gone: microsAt(fields[GONE]),
    parent,
    parentUpdated: microsAt(fields[PARENT.updated]),
    content,
  }
}

/**
 * Returns a number for the rows of a parent: FNV-1a, of 32 bits. Rows without a time are sorted by it, so that those of a
 * parent lie together, and new ones overlap few files.
 */
export const placeOf = (parent: string): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < parent.length; i++) {
    hash = Math.imul(hash ^ parent.charCodeAt(i), 0x01000193)
  }
  return hash >>> 0
}

/** A line that marks a row as gone: it stands for no row by itself. */
export const markLine = (row: Pick<PieceRow, 'id' | 'created' | 'parent'>, at: number): string =>
  JSON.stringify({
    id: row.id,
    ...(row.parent === ''
      ? { created_at: isoMicros(BigInt(row.created)) }
      : { [PARENT.id]: row.parent }),
    [GONE]: isoMicros(BigInt(Math.floor(at))), // a clock may tell parts of a millisecond
  })

/** Returns whether a row is a mark: all others have a status or a version. */
export const isMark = ({ gone, status, updated }: PieceRow): boolean =>
  gone > 0 && status === '' && updated === 0

// order

export const compareRows = (a: PieceRow, b: PieceRow): number =>
  a.created - b.created || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

/** Returns true if a later version of a row replaces an earlier one: not with an earlier `updated_at`, unless that one is doubtful. */
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
