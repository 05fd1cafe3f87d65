import type { AnyFailure } from '../http/Failure.js'

// model

/** How far an export is. */
export interface Progress<Q = unknown> {
  /** Rows written. */
  readonly rows: number
  /** Rows that did not decode, or did not fit, and went to `rejects`. */
  readonly rejects: number
  /** Pages read. */
  readonly pages: number
  /** Rows that had come before, and were left out. */
  readonly repeated?: number
  /** What asks for all that comes after these pages; left out at the end of the list. */
  readonly next?: Q
  /** Whether the list was read to its end; rows that were put aside are told by `rejects`. */
  readonly ended: boolean
  /** Why it was not. */
  readonly failure?: AnyFailure
  /** Why it was not, where nothing failed: it was told to stop, or there were more than `maxRejects`. */
  readonly cut?: 'stopped' | 'rejects'
}

// constructors

/** That of an export which has read nothing yet. */
export const NO_PROGRESS: Progress<never> = { rows: 0, rejects: 0, pages: 0, ended: false }

// combinators

/** Whether it is the last word: why it ended. */
export const isLast = ({ ended, failure, cut }: Progress): boolean =>
  ended || failure !== undefined || cut !== undefined
