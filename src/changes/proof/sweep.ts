/** Re-reads a whole table, a part each night, to find errors that counts cannot show. */
import type { Asking } from '../Asking.js'
import { PAGE_SIZE, type Seconds } from '../Ledger.js'
import { type Counted, Counting, type PagingDepth, TooDeep } from './Counting.js'
import { type Healed, readWhole } from './Healing.js'
import { countOf, type ProofTable } from './ProofTable.js'
import { stretchesOf } from './stretches.js'

/** Position of the current round of sweeps. */
export interface SweepPosition {
  /** When the round began, in seconds since 1970. */
  readonly began: Seconds
  /** Rows created up to this second, inclusive, were read in this round. */
  readonly swept?: Seconds | undefined
  /** When the previous round began, if there was one. */
  readonly before?: Seconds | undefined
}

/** Result of a sweep. */
export interface Swept extends Healed {
  /** Where the next sweep continues. */
  readonly position: SweepPosition
}

export interface SweepOptions {
  /** Reads rows from this second on. Default: all. */
  readonly from?: Seconds | undefined
  /** Reads rows up to this second. */
  readonly until: Seconds
  /** The time, in seconds since 1970. */
  readonly now: Seconds
  /** Number of nights per round; 1 reads all rows now. */
  readonly nights: number
  /** Where the previous sweep ended. */
  readonly position?: SweepPosition | undefined
  /** Results of an earlier proof. */
  readonly depth?: PagingDepth | undefined
}

/** Maximum number of rows in a table that is read in full each night, which takes 24 requests. */
export const SWEPT_WHOLE = 48_000

/** Number of rows in a range that is read at a time. */
const CHUNK = 10 * PAGE_SIZE

/** Reads the next part of a table, up to `until`, and repairs it. */
export const sweep = async <A>(
  asking: Asking<A>,
  table: ProofTable<A>,
  { from: start = Number.NEGATIVE_INFINITY, until, now, nights, position, depth }: SweepOptions,
): Promise<Swept> => {
  const total = await countOf(table, { from: start, to: until })
  const isWhole = nights <= 1 || total <= SWEPT_WHOLE
  const last = isWhole ? undefined : position
  const round = last ?? { began: now, before: position?.began }
  const from = last?.swept === undefined ? start : last.swept + 1
  const rest = { from, to: until }
  const end = isWhole ? undefined : await table.nth(rest, Math.ceil(total / nights))
  const rows: Counted = { from, to: end ?? until }
  const counting = new Counting(asking, depth)
  const most = Math.min(CHUNK, counting.mostRows)
  const chunks = await stretchesOf(table, rows, Math.ceil((await countOf(table, rows)) / most))
  let late = 0
  let gone = 0
  for (const chunk of chunks) {
    try {
      const healed = await readWhole({ asking, counting, table }, chunk)
      late += healed.late
      gone += healed.gone
    } catch (error) {
      if (!(error instanceof TooDeep)) throw error // the proof reports what cannot be read
    }
  }
  const next: SweepPosition =
    end === undefined
      ? { began: now, before: round.began }
      : { began: round.began, before: round.before, swept: end }
  return { late, gone, position: next }
}
