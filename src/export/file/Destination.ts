import { fieldsOf } from '../../decode/unknown.js'
import { type FileSummary, isMark, type Mark } from './RowFile.js'

// model

/** Up to where one file of a destination stands. */
export interface PartMark extends Mark {
  /** The number of the time slice that its rows are of; 0 where slices are not kept apart. */
  readonly slice: number
  /** Which file of its slice it is, from 1: more than one when they are rotated. */
  readonly piece: number
  /** Whether it is complete: nothing more is written to it. */
  readonly ended: boolean
}

/** Up to where a destination stands; plain JSON, for a checkpoint. */
export interface DestinationMark {
  /** Its files, in the order in which they were begun. */
  readonly parts: ReadonlyArray<PartMark>
}

/** What a run writes into: a file, a folder of parts, a stream. */
export interface Destination<A> {
  /** Rows of one page, of time slice number `slice`. Slices may be written side by side. */
  readonly write: (rows: ReadonlyArray<A>, slice: number) => Promise<void>
  /**
   * All that was given to `write` before this was called is durable when it answers, and the mark holds
   * that and nothing else. No mark from a stream, which cannot be cut back.
   */
  readonly commit: () => Promise<DestinationMark | undefined>
  /** Slice `slice` is complete, and its part is ended. */
  readonly endSlice: (slice: number) => Promise<void>
  /** Ends all that is open. Answers with each file, in order. */
  readonly finish: () => Promise<ReadonlyArray<FileSummary>>
  /** Leaves everything as it stands, and closes it. May be called again, and after `finish`. */
  readonly abandon: () => Promise<void>
}

// interop

const isPartMark = (u: unknown): u is PartMark => {
  const { slice, piece, ended } = fieldsOf(u)
  return (
    isMark(u) &&
    Number.isSafeInteger(slice) &&
    Number.isSafeInteger(piece) &&
    typeof ended === 'boolean'
  )
}

/** Whether what was read from a checkpoint is a mark. */
export const isDestinationMark = (u: unknown): u is DestinationMark => {
  const { parts } = fieldsOf(u)
  return Array.isArray(parts) && parts.every(isPartMark)
}
