import type { OpenCharge } from '../KnownCharges.js'
import type { LedgerRow, Seconds, Stretch } from '../Ledger.js'
import type { Counted } from './Counting.js'

/** Number of rows per status. */
export type StatusCounts = ReadonlyMap<string, number>

/**
 * A copy of the charges whose rows can be counted by time. Rows marked as gone are not counted. Rejected rows are, because they
 * would otherwise be reported as missing every night. Each method rejects with the error of the destination.
 */
export interface CountedTable {
  /** Resolves with the counts of consecutive ranges, in one pass over the rows. */
  readonly counts: (stretches: ReadonlyArray<Stretch>) => Promise<ReadonlyArray<StatusCounts>>
  /** Resolves with the second of the n-th row by time, from 0; `undefined` if there are fewer rows. */
  readonly nth: (rows: Counted, n: number) => Promise<Seconds | undefined>
  /** Resolves with the rows. */
  readonly find: (rows: Counted) => Promise<ReadonlyArray<OpenCharge>>
}

/** A copy that a proof can repair. */
export interface ProofTable<A> extends CountedTable {
  /** Upserts rows, unless the existing ones are newer. */
  readonly write: (rows: ReadonlyArray<LedgerRow<A>>) => Promise<void>
  /** Marks rows that the service no longer has. They are not counted from then on. */
  readonly markGone: (rows: ReadonlyArray<OpenCharge>) => Promise<void>
  /** Removes rows that were stored with a different time of creation. */
  readonly moved: (rows: ReadonlyArray<OpenCharge>) => Promise<void>
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
