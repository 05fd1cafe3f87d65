/** A file of rows that can be cut back to where it was durable, and gone on with. */
import { fieldsOf } from '../../decode/unknown.js'
import type { Sink } from '../Sink.js'

// model

/** Up to where a file stands; plain JSON, for a checkpoint. */
export interface Mark {
  /** Bytes of the file up to there, compressed or not. */
  readonly bytes: number
  /** Rows in these bytes. */
  readonly rows: number
  /** SHA-256 of these bytes, in hex: tells the file from another in its place. */
  readonly sha256: string
}

/** A file that is complete. */
export interface FileSummary {
  /** The path, as it was given. */
  readonly path: string
  /** Rows in the file. */
  readonly rows: number
  /** Bytes of the file, as they are there: compressed, if it is. */
  readonly bytes: number
  /** SHA-256 of the whole file, in hex. */
  readonly sha256: string
}

/**
 * What is asked of it is done one at a time, in the order it was asked. After a failure nothing more is
 * written, and everything fails alike; what was committed stays.
 */
export interface RowFile<in A> {
  /**
   * Answers when the rows are taken, which is before they are on the disk: what becomes of that is told by
   * what is asked next. Rejects with `DoesNotFit`, and writes nothing of the page, when a row of it cannot
   * be said exactly.
   */
  readonly write: Sink<A>
  /**
   * All that was given to `write` so far is on the disk when this answers. The file can be cut back to
   * the mark. Ends a compressed frame, and a row group.
   */
  readonly commit: () => Promise<Mark>
  /** How many bytes it has so far; rows that wait for their frame or row group come on top. */
  readonly size: () => number
  /** Ends it (closing bracket, footer), durable. Nothing can be written any more: all but `abandon` rejects. */
  readonly finish: () => Promise<FileSummary>
  /** Leaves it as it stands and closes it. May be called again, and after `finish`. */
  readonly abandon: () => Promise<void>
}

// interop

const isCount = (u: unknown): u is number =>
  typeof u === 'number' && Number.isSafeInteger(u) && u >= 0

/** Whether what was read from a checkpoint is a mark of a file. */
export const isMark = (u: unknown): u is Mark => {
  const { bytes, rows, sha256 } = fieldsOf(u)
  return isCount(bytes) && isCount(rows) && typeof sha256 === 'string'
}
