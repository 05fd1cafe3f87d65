/** Rows of a folder in the order in which they are merged: by time of creation, then by id. */
import { fieldsOf } from '../../decode/unknown.js'
import { isoMicros, microsOf } from '../column/time.js'
import { GONE, PARENT } from '../transfer/Destination.js'

/** A row with the fields that determine its order. */
export interface PieceRow<C = unknown> {
  readonly id: string
  /**
   * The second of `created_at`, in µs since 1970; seconds, because the time may later be shown more precisely. For a row
   * without `created_at`: the place of its parent, or 0.
   */
  readonly created: number
  /** `updated_at` in µs since 1970; 0 if absent. */
  readonly updated: number
  readonly status: string
  /** When it was marked as gone, in µs since 1970; 0 while it exists; `Infinity` if it has moved to another place. */
  readonly gone: number
  /** The id of its parent; empty if it has none. */
  readonly parent: string
  /** Version of the parent with which the row was read, in µs since 1970; 0 if it has none. */
  readonly parentUpdated: number
  /** A line of NDJSON, the values of columns, or the row itself. */
  readonly content: C
}

const microsAt = (u: unknown): number => (typeof u === 'string' ? Number(microsOf(u) ?? 0) : 0)

/** Marks a row that exists with a different time of creation; used in place of a time. */
const MOVED = 'moved'

const MICROS = 1_000_000

/** Returns the start of the second that a time is in, both in µs since 1970. */
export const secondAt = (micros: number): number => Math.floor(micros / MICROS) * MICROS

const textAt = (u: unknown): string => (typeof u === 'string' ? u : '')

/** Determines the order of a row; `content`: the stored part of it. */
export const pieceRow = <C>(row: unknown, content: C): PieceRow<C> => {
  const fields = fieldsOf(row)
  const { created_at } = fields
  const parent = textAt(fields[PARENT.id])
  return {
    id: textAt(fields.id),
    created:
      created_at === undefined && parent !== '' ? placeOf(parent) : secondAt(microsAt(created_at)),
    updated: microsAt(fields.updated_at),
    status: textAt(fields.status),
    gone: fields[GONE] === MOVED ? Number.POSITIVE_INFINITY : microsAt(fields[GONE]),
    parent,
    parentUpdated: microsAt(fields[PARENT.updated]),
    content,
  }
}

/**
 * Returns a number for the rows of a parent: 32-bit FNV-1a. Rows without a time are sorted by this number. The rows of a parent
 * are therefore adjacent, and new rows overlap only a few files.
 */
export const placeOf = (parent: string): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < parent.length; i++) {
    hash = Math.imul(hash ^ parent.charCodeAt(i), 0x01000193)
  }
  return hash >>> 0
}

/** Returns a line that marks a row as gone or, without a finite time, as moved. The line is not a row itself. */
export const markLine = (row: Pick<PieceRow, 'id' | 'created' | 'parent'>, at: number): string =>
  JSON.stringify({
    id: row.id,
    ...(row.parent === ''
      ? { created_at: isoMicros(BigInt(row.created)) }
      : { [PARENT.id]: row.parent }),
    [GONE]: Number.isFinite(at) ? isoMicros(BigInt(Math.floor(at))) : MOVED, // a clock may have fractions of a millisecond
  })

/** Returns true for a mark. All other rows have a status or a version. */
export const isMark = ({ gone, status, updated }: PieceRow): boolean =>
  gone > 0 && status === '' && updated === 0

// order

export const compareRows = (a: PieceRow, b: PieceRow): number =>
  a.created - b.created || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

/** Sorts rows and keeps the last one of each id. */
export const sortedOnce = <C>(rows: ReadonlyArray<PieceRow<C>>): ReadonlyArray<PieceRow<C>> => {
  const sorted = [...rows].sort(compareRows) // the sort is stable
  const kept: Array<PieceRow<C>> = []
  for (const row of sorted) {
    const before = kept.at(-1)
    if (before === undefined || compareRows(before, row) !== 0) kept.push(row)
    else kept[kept.length - 1] = row
  }
  return kept
}
