import type { LedgerRow, Seconds } from '../Ledger.js'
import type { Counted } from './Counting.js'

/**
 * A copy of the charges that can be counted by time. Rows marked as gone do not count; rows that came and could not be
 * written do, or they would be missed each night anew. Each method rejects with the error of the destination.
 */
export interface CountedTable {
  /** Resolves with how many there are. */
  readonly count: (rows: Counted) => Promise<number>
  /** Resolves with the second of the n-th row by time, from 0; `undefined` if there are not as many. */
  readonly nth: (rows: Counted, n: number) => Promise<Seconds | undefined>
  /** Resolves with their ids. */
  readonly ids: (rows: Counted) => Promise<ReadonlyArray<string>>
}

/** A copy that a proof can put right. */
export interface ProofTable<A> extends CountedTable {
  /** Puts rows in place, unless those that are there are newer. */
  readonly write: (rows: ReadonlyArray<LedgerRow<A>>) => Promise<void>
  /** Marks rows that the service has no more. They stay. */
  readonly markGone: (ids: ReadonlyArray<string>) => Promise<void>
}
