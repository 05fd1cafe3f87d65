/** The charges at the service, as pages and by id: what proofs, status lists and streams of changes read. */
import type { E } from '../fp.js'
import type { AnyFailure } from '../http/Failure.js'
import type { Millis, ObservableEither } from '../stream/index.js'

/** Whole seconds since 1970: the precision of filters by time. */
export type Seconds = number

/** Seconds one after the other, both bounds included. */
export interface Stretch {
  /** `-Infinity`: from the first row on. */
  readonly from: Seconds
  /** The last second. */
  readonly to: Seconds
}

/** Rows to ask the service for: all of them, unless narrowed. Both bounds are included, if the service keeps to that. */
export interface LedgerQuery {
  /** Any status, also one that this version of the interface does not name. */
  readonly status?: string | undefined
  /** Rows created in that second or later. */
  readonly from?: Seconds | undefined
  /** Rows created in that second or earlier. */
  readonly to?: Seconds | undefined
  /** The number of the page, from 0. */
  readonly page: number
  /** Rows a page. */
  readonly size: number
}

/** A row as the service sent it, and the fields that tell its place and its version. */
export interface LedgerRow<A> {
  /** Empty if it has none. */
  readonly id: string
  /** Any text; empty if it cannot be read. */
  readonly status: string
  /** When it was created, in whole seconds; 0 if that cannot be read. */
  readonly created: Seconds
  /** When it was changed last, in ms since 1970; NaN if that cannot be read. */
  readonly updated: Millis
  /** The row as it came. */
  readonly raw: unknown
  /** The decoded row, or why it does not decode. */
  readonly row: E.Either<AnyFailure, A>
}

/** A page of rows. */
export interface LedgerPage<A> {
  /** Its rows, in the order of the list. */
  readonly rows: ReadonlyArray<LedgerRow<A>>
  /** There are pages after it. */
  readonly more: boolean
}

/** The charges at the service. Each request is cold, and is aborted when it is unsubscribed from. */
export interface Ledger<A> {
  /** Reads a page. */
  readonly page: (query: LedgerQuery) => ObservableEither<AnyFailure, LedgerPage<A>>
  /** Reads a row by its id. One that does not decode is a row nevertheless. */
  readonly retrieve: (id: string) => ObservableEither<AnyFailure, LedgerRow<A>>
  /** Returns the time at the service in ms since 1970; `undefined` before the first answer. */
  readonly serviceTime: () => Millis | undefined
  /** Returns the time of this machine in ms since 1970. */
  readonly now: () => Millis
}

/** Rows a page where all rows are wanted: the maximum (interface, Limits). */
export const PAGE_SIZE = 2_000
