/** Reads a table whole, a part of it each night: it finds what counts cannot. */
import type { Asking } from '../Asking.js'
import { PAGE_SIZE, type Seconds } from '../Ledger.js'
import { type Counted, Counting, type Depth, TooDeep } from './Counting.js'
import { type Healed, readWhole } from './Healing.js'
import { countOf, type ProofTable } from './ProofTable.js'
import { stretchesOf } from './stretches.js'

// model

/** How far the present round of sweeps is. */
export interface SweepPosition {
  /** When the round began, in seconds since 1970. */
  readonly began: Seconds
  /** Rows created up to then, that second included, were read in this round. */
  readonly swept?: Seconds | undefined
  /** When the round before this one began, if there was one. */
  readonly before?: Seconds | undefined
}

/** Result of a sweep. */
export interface Swept extends Healed {
  /** Where the next sweep goes on. */
  readonly position: SweepPosition
}

export interface SweepOptions {
  /** Rows from that second on are read. Default: all. */
  readonly from?: Seconds | undefined
  /** Rows up to that second are read. */
  readonly until: Seconds
  /** The time, in seconds since 1970. */
  readonly now: Seconds
  /** The nights that a round takes. 1: all rows now. */
  readonly nights: number
  /** Where the sweep before ended. */
  readonly position?: SweepPosition | undefined
  /** Findings of an earlier proof. */
  readonly depth?: Depth | undefined
}

/** A table of as many rows is read whole each night: 24 requests. */
export const SWEPT_WHOLE = 48_000

/** Rows of a stretch that is read at a time. */
const CHUNK = 10 * PAGE_SIZE

// functions

/** Reads the next part of a table, of time from its beginning to `until`, and puts it right. */
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
      if (!(error instanceof TooDeep)) throw error // the proof names what cannot be read
    }
  }
  const next: SweepPosition =
    end === undefined
      ? { began: now, before: round.began }
      : { began: round.began, before: round.before, swept: end }
  return { late, gone, position: next }
}
