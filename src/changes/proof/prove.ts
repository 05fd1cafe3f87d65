/**
 * Proves that a copy of the charges is complete, by comparing the counts of the service and the copy.
 *
 * The number of rows in the copy is known, so the expected last page of the list is requested. If that page has exactly the
 * remaining rows and no next page, the service has the same number of rows. This takes one request, however many rows there
 * are. All rows, and the rows of each final status, are counted in eight time ranges each, up to an hour ago; changes after
 * that are found by other means.
 *
 *     prove(class, a..b)
 *       n = rows here; s = rows there             one request if n = s
 *       n = s     proven
 *       n != s    s <= 2,000, or half of it missing, or one second, or many requests spent:
 *                   read a..b, write; ids here that did not come: asked for; 404: gone
 *                 else m = the second of the median row here
 *                   l = rows there in a..m        one request, mostly
 *                   descend into a..m with l, and into m+1..b with s - l
 *
 * Rows are written as received, and marked as gone only if the service answers 404 for their id. A wrong count, for example
 * because rows changed in the meantime, therefore costs requests but never data. Opposite errors in one range go undetected,
 * such as a missing row together with a row that should not exist. Reading all rows finds them; see `sweep`.
 */
import type { Asking } from '../Asking.js'
import { PAGE_SIZE, type Seconds, type Stretch } from '../Ledger.js'
import { type Counted, Counting, type PagingDepth, TooDeep, Uncountable } from './Counting.js'
import { readWhole } from './Healing.js'
import {
  type CountedTable,
  countIn,
  countOf,
  type ProofTable,
  type StatusCounts,
} from './ProofTable.js'
import { middleOf, stretchesOf } from './stretches.js'

/** A time range in which the counts of the copy and the service differ. */
export interface CountDifference extends Stretch {
  /** Absent: rows of any status. */
  readonly status?: string
  /** Number of rows in the copy. */
  readonly here: number
  /** Number of rows at the service. Absent if the service does not page deep enough to count them. */
  readonly there?: number
}

/** The result of a proof. */
export interface Proof {
  /** Number of rows in the copy up to `until`, without those marked as gone. */
  readonly rows: number
  /** Rows up to this second, inclusive, were counted. */
  readonly until: Seconds
  /** Number of rows that were missing and have been added. */
  readonly late: number
  /** Number of rows that the service no longer has, now marked as gone. */
  readonly gone: number
  /** If nothing was repaired: number of charges that are open in the copy but final at the service, judging by the counts. */
  readonly settled?: number
  /** Time ranges in which the counts of the copy and the service differ. Empty if the copy is complete. */
  readonly differences: ReadonlyArray<CountDifference>
  /** Paging depth of the service, for the next proof. */
  readonly depth: PagingDepth
  /** Why nothing could be counted at the service. */
  readonly uncountable?: string
}

export interface ProofOptions {
  /** Counts rows from this second on. Default: all. */
  readonly from?: Seconds | undefined
  readonly until: Seconds
  /** Final statuses. Rows of other statuses are listed instead of counted. */
  readonly final: ReadonlyArray<string>
  /** Set if the copy has only rows of this status. */
  readonly only?: string | undefined
  /** Results of an earlier proof. */
  readonly depth?: PagingDepth | undefined
}

/** Number of ranges per class. Opposite errors cancel out only if they are in the same range. */
const STRETCHES = 8

/** Number of rows that are read rather than divided further: one page. */
const LEAF = PAGE_SIZE

/** Rows per request: a request for a count is worthwhile if reading would take more than one request per this many rows. */
const ROWS_A_REQUEST = PAGE_SIZE

/** Number of times that a range is repaired and counted again before it is reported as different. */
const ROUNDS = 2

/** Compares the counts of a copy with those of the service, repairs the differences, and counts again. */
export const prove = <A>(
  asking: Asking<A>,
  table: ProofTable<A>,
  options: ProofOptions,
): Promise<Proof> => new Prover(asking, table, table, options).prove()

/**
 * Compares the counts of a copy with those of the service. Read-only. If the service has more rows of a final status, but not
 * more than the copy has open rows in that range, those rows became final after the copy was made.
 */
export const compare = <A>(
  asking: Asking<A>,
  table: CountedTable,
  options: ProofOptions,
): Promise<Proof> => new Prover(asking, table, undefined, options).prove()

class Prover<A> {
  readonly #asking: Asking<A>
  readonly #table: CountedTable
  /** The table if it is to be repaired. */
  readonly #healed: ProofTable<A> | undefined
  readonly #options: ProofOptions
  readonly #counting: Counting<A>
  readonly #differences: Array<CountDifference> = []
  /** Counts of the copy, valid until rows are repaired. One pass serves all ranges and statuses. */
  readonly #counts = new Map<Stretch, StatusCounts>()
  #late = 0
  #gone = 0
  #settled = 0

  constructor(
    asking: Asking<A>,
    table: CountedTable,
    healed: ProofTable<A> | undefined,
    options: ProofOptions,
  ) {
    this.#asking = asking
    this.#table = table
    this.#healed = healed
    this.#options = options
    this.#counting = new Counting(asking, options.depth)
  }

  async prove(): Promise<Proof> {
    const { from = Number.NEGATIVE_INFINITY, until, final, only } = this.#options
    const all: Counted = { from, to: until }
    let uncountable: string | undefined
    try {
      await this.#calibrate(all)
      const stretches = await stretchesOf(this.#table, { ...all, status: only }, STRETCHES)
      for (const status of only === undefined ? [undefined, ...final] : [only]) {
        await this.#checkEach(stretches, status)
      }
    } catch (error) {
      if (!(error instanceof Uncountable)) throw error
      uncountable = error.message
    }
    return {
      rows: await countOf(this.#table, all),
      until,
      late: this.#late,
      gone: this.#gone,
      ...(this.#settled === 0 ? {} : { settled: this.#settled }),
      differences: this.#differences,
      depth: this.#counting.depth,
      ...(uncountable === undefined ? {} : { uncountable }),
    }
  }

  /** Requests known rows from seconds that have few rows. Tries another row if one is gone. */
  async #calibrate(all: Counted): Promise<void> {
    const total = await countOf(this.#table, all)
    for (const part of [2, 3, 5]) {
      const second = await this.#table.nth(all, Math.floor(total / part))
      if (second === undefined) continue
      const rows = await this.#table.find({ from: second, to: second })
      const [row] = rows
      if (row === undefined || rows.length > CROWDED) continue
      if (await this.#counting.calibrate(row.id, second)) return
    }
  }

  /** Checks the rows of a status in consecutive ranges. */
  async #checkEach(stretches: ReadonlyArray<Stretch>, status: string | undefined): Promise<void> {
    for (const stretch of stretches) {
      if (!this.#counts.has(stretch)) {
        const counts = await this.#table.counts(stretches)
        for (const [i, one] of stretches.entries()) this.#counts.set(one, counts[i] ?? new Map())
      }
      const here = countIn(this.#counts.get(stretch) ?? new Map(), status)
      await this.#check({ ...stretch, status }, here)
    }
  }

  /** Counts a range, however deep the service pages. `here`: number of rows in the copy. */
  async #check(rows: Counted, here: number): Promise<void> {
    const parts = Math.ceil(here / this.#counting.mostRows)
    if (parts > 1 && rows.from < rows.to) {
      const shorter = await stretchesOf(this.#table, rows, parts)
      if (shorter.length > 1) {
        await this.#checkEach(shorter, rows.status)
        return
      }
    }
    try {
      await this.#compare(rows, here)
    } catch (error) {
      if (!(error instanceof TooDeep)) throw error
      const middle = await middleOf(this.#table, rows, here, here)
      if (middle === undefined) {
        this.#differences.push(differenceOf(rows, here, undefined))
        return
      }
      const halves = [
        { ...rows, to: middle },
        { ...rows, from: middle + 1 },
      ]
      await this.#checkEach(halves, rows.status)
    }
  }

  async #compare(rows: Counted, first: number): Promise<void> {
    let here = first
    let there = await this.#counting.count(rows, here)
    for (let round = 1; here !== there; round++) {
      const more = there - here
      if (this.#healed === undefined && more > 0 && more <= (await this.#openIn(rows))) {
        this.#settled += more
        return
      }
      if (this.#healed === undefined || round > ROUNDS) {
        this.#differences.push(differenceOf(rows, here, there))
        return
      }
      const most = this.#asking.requests() + Math.ceil(there / ROWS_A_REQUEST)
      await this.#descend(this.#healed, rows, there, most)
      here = await countOf(this.#table, rows)
      there = await this.#counting.count(rows, here)
    }
  }

  /** Counts the copy's open rows, which may have become final at the service. Returns 0 if rows of all statuses are counted. */
  async #openIn({ status, ...rows }: Counted): Promise<number> {
    if (status === undefined) return 0
    const [counts = new Map()] = await this.#table.counts([rows])
    const final = this.#options.final.map((one) => countIn(counts, one))
    return countIn(counts, undefined) - final.reduce((a, b) => a + b, 0)
  }

  /** Locates and repairs a difference. `there`: number of rows at the service. */
  async #descend(table: ProofTable<A>, rows: Counted, there: number, most: number): Promise<void> {
    const here = await countOf(table, rows)
    if (here === there) return
    const isLeaf = there <= LEAF || there - here > there / 2
    const middle =
      isLeaf || this.#asking.requests() > most
        ? undefined
        : await middleOf(table, rows, here, there)
    if (middle === undefined) return this.#read(table, rows)
    const earlier = { ...rows, to: middle }
    const inEarlier = await this.#counting.count(earlier, await countOf(table, earlier))
    await this.#descend(table, earlier, inEarlier, most)
    // by subtraction, which is exact unless rows have changed in the meantime
    await this.#descend(table, { ...rows, from: middle + 1 }, there - inEarlier, most)
  }

  async #read(table: ProofTable<A>, rows: Counted): Promise<void> {
    const options = { asking: this.#asking, counting: this.#counting, table }
    const { late, gone } = await readWhole(options, rows)
    this.#counts.clear()
    this.#late += late
    this.#gone += gone
  }
}

/** Maximum number of rows in one second that certainly fit on a page of a count. */
const CROWDED = 99

const differenceOf = (
  { status, from, to }: Counted,
  here: number,
  there: number | undefined,
): CountDifference => ({
  ...(status === undefined ? {} : { status }),
  from,
  to,
  here,
  ...(there === undefined ? {} : { there }),
})
