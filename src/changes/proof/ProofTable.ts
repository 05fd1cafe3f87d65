import type { LedgerRow, Seconds, Stretch } from '../Ledger.js'
import type { Counted } from './Counting.js'

/** How many rows have each status. */
export type StatusCounts = ReadonlyMap<string, number>

/**
 * A copy of the charges that can be counted by time. Rows marked as gone do not count; rows that came and could not be
 * written do, or they would be missed each night anew. Each method rejects with the error of the destination.
 */
export interface CountedTable {
  /** Resolves with the counts of each of some stretches, which follow one another: one pass over the rows is enough. */
  readonly counts: (stretches: ReadonlyArray<Stretch>) => Promise<ReadonlyArray<StatusCounts>>
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

/** Counts some rows of a copy. */
export const countOf = async (
  table: Pick<CountedTable, 'counts'>,
  { status, ...stretch }: Counted,
): Promise<number> => {
  const [counts] = await table.counts([stretch])
  return counts === undefined ? 0 : countIn(counts, status)
}

/** Returns the rows of a status, or of all statuses. */
export const countIn = (counts: StatusCounts, status: string | undefined): number =>
  status === undefined ? [...counts.values()].reduce((a, b) => a + b, 0) : (counts.get(status) ?? 0)
