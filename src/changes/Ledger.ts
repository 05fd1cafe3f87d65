/** The charges at the service, as pages and by id. Used by proofs, status lists and streams of changes. */
import type { E } from '../fp.js'
import type { AnyFailure } from '../http/Failure.js'
import type { ObservableEither } from '../stream/either/ObservableEither.js'
import type { Millis } from '../stream/index.js'

/** Whole seconds since 1970, which is the precision of filters by time. */
export type Seconds = number

/** A range of whole seconds, both bounds inclusive. */
export interface Stretch {
  /** The first second; `-Infinity`: from the first row. */
  readonly from: Seconds
  /** The last second. */
  readonly to: Seconds
}

/** Rows to request from the service: all of them unless narrowed. Both bounds are inclusive if the service honors that. */
export interface LedgerQuery {
  /** Any status, including undocumented ones. */
  readonly status?: string | undefined
  /** Rows created in this second or later. */
  readonly from?: Seconds | undefined
  /** Rows created in this second or earlier. */
  readonly to?: Seconds | undefined
  /** The number of the page, from 0. */
  readonly page: number
  /** Rows per page. */
  readonly size: number
}

/** A row as received, with the fields that give its position and version. */
export interface LedgerRow<A> {
  /** The id; empty if the row has none. */
  readonly id: string
  /** The status: any text, or empty if unreadable. */
  readonly status: string
  /** Time of creation, in whole seconds; 0 if unreadable. */
  readonly created: Seconds
  /** Time of the last change, in ms since 1970; `NaN` if unreadable. */
  readonly updated: Millis
  /** The row as received. */
  readonly raw: unknown
  /** The decoded row, or why it does not decode. */
  readonly row: E.Either<AnyFailure, A>
}

/** A page of rows. */
export interface LedgerPage<A> {
  /** Its rows, in the order of the list. */
  readonly rows: ReadonlyArray<LedgerRow<A>>
  /** True if there are more pages. */
  readonly more: boolean
}

/** The charges at the service. Each request is cold; unsubscribing aborts it. */
export interface Ledger<A> {
  /** Reads a page. */
  readonly page: (query: LedgerQuery) => ObservableEither<AnyFailure, LedgerPage<A>>
  /** Reads a row by its id, even if it does not decode. */
  readonly retrieve: (id: string) => ObservableEither<AnyFailure, LedgerRow<A>>
  /** Returns the time at the service in ms since 1970; `undefined` before the first response. */
  readonly serviceTime: () => Millis | undefined
  /** Returns the time of this machine in ms since 1970. */
  readonly now: () => Millis
}

/** Rows per page when reading all rows: the API maximum. */
export const PAGE_SIZE = 2_000
