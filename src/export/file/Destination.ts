/** What a run writes into: a file, a folder of parts, a stream. */
import { fieldsOf } from '../../decode/unknown.js'
import { defined } from '../../fp.js'
import type { Mark } from './integrity.js'
import { type FileOptions, type FileSummary, isMark, openFile } from './RowFile.js'

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

/** Which file, how rows are written to it, and where it is gone on with. */
export interface ToFileOptions<A> extends Omit<FileOptions<A>, 'from'> {
  /** Cuts the file back to where it was committed, and goes on there; else it is begun anew. */
  readonly from?: DestinationMark
}

// constructors

/** One file for all slices, in the order they are written. Fails as `openFile` does. */
export const toFile = async <A>(given: ToFileOptions<A>): Promise<Destination<A>> => {
  const { from, ...options } = given
  const part = from?.parts[0]
  const file = await openFile({ ...options, ...defined({ from: part }) })
  return {
    write: async (rows) => {
      await file.write(rows)
    },
    commit: async () => ({
      parts: [{ slice: 0, piece: 1, ...(await file.commit()), ended: false }],
    }),
    endSlice: () => Promise.resolve(),
    finish: async () => [await file.finish()],
    abandon: file.abandon,
  }
}

// combinators

/** Gives up one after the other, also after one that cannot be closed; then fails with the first error. */
export const abandonAll = async (
  all: Iterable<Pick<Destination<never>, 'abandon'>>,
): Promise<void> => {
  const errors: Array<unknown> = []
  for (const one of all) {
    try {
      await one.abandon()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
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
