/**
 * The proof that a copy of the charges is complete: counts of the service against counts of the copy.
 *
 * A copy knows how many rows it has, so the page of the list that should be the last one is asked for. If it has exactly
 * the rest, and no page after it, the service has as many rows: one request, however many rows there are. Counted are all
 * rows, and those of each final status, in eight stretches of time each, up to a time that lies an hour back: what moves
 * there is found by other means.
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
 * Rows are written as the service shows them, and marked as gone only when it answers so by id. A wrong count, as of rows
 * that move meanwhile, thus costs requests and never data. Not seen are opposite errors in one stretch: a row missing,
 * and one that is there and should not be. Reading all finds them; see `sweep`.
 */
import type { Asking } from '../Asking.js'
import { PAGE_SIZE, type Seconds, type Stretch } from '../Ledger.js'
import { type Counted, Counting, type Depth, TooDeep, Uncountable } from './Counting.js'
import { readWhole } from './Healing.js'
import {
  type CountedTable,
  countIn,
  countOf,
  type ProofTable,
  type StatusCounts,
} from './ProofTable.js'
import { middleOf, stretchesOf } from './stretches.js'

// model

/** Rows that are counted differently here and there. */
export interface CountDifference extends Stretch {
  /** Absent: rows of any status. */
  readonly status?: string
  /** Rows of the copy. */
  readonly here: number
  /** Rows of the service; absent where it pages less deep than a count needs. */
  readonly there?: number
}

/** The result of a proof. */
export interface Proof {
  /** Rows of the copy up to `until`, those marked as gone aside. */
  readonly rows: number
  /** Rows up to that second were counted, that one included. */
  readonly until: Seconds
  /** Rows that were missing and are here now. */
  readonly late: number
  /** Rows that the service has no more, marked as gone now. */
  readonly gone: number
  /**
   * Where nothing was put right: charges that are open in the copy, and have become final at the service since, as far as
   * counts tell.
   */
  readonly settled?: number
  /** The copy has other counts than the service in these stretches. None: it is complete. */
  readonly differences: ReadonlyArray<CountDifference>
  /** How deep the service pages, for the next proof. */
  readonly depth: Depth
  /** Why the service could not be counted at all. */
  readonly uncountable?: string
}

export interface ProofOptions {
  /** Rows from that second on are counted. Default: all. */
  readonly from?: Seconds | undefined
  readonly until: Seconds
  /** The statuses that do not change by themselves; rows of others are listed. */
  readonly final: ReadonlyArray<string>
  /** The copy has rows of this status only. */
  readonly only?: string | undefined
  /** Findings of an earlier proof. */
  readonly depth?: Depth | undefined
}

/** Stretches of a class: opposite errors go unseen only within one. */
const STRETCHES = 8

/** Rows that are read rather than cut further: one page. */
const LEAF = PAGE_SIZE

/** Requests for counts are worth it until as many would have read this many rows each. */
const ROWS_A_REQUEST = PAGE_SIZE

/** How often a stretch is put right and counted again, before it is reported as different. */
const ROUNDS = 2

// functions

/** Counts a copy against the service, puts right what differs, and counts that again. */
export const prove = <A>(
  asking: Asking<A>,
  table: ProofTable<A>,
  options: ProofOptions,
): Promise<Proof> => new Prover(asking, table, table, options).prove()

/**
 * Counts a copy against the service, and changes nothing. Where the service has more rows of a final status, by no more
 * than the copy has open ones there, these have become final since it was made.
 */
export const compare = <A>(
  asking: Asking<A>,
  table: CountedTable,
  options: ProofOptions,
): Promise<Proof> => new Prover(asking, table, undefined, options).prove()

class Prover<A> {
  readonly #asking: Asking<A>
  readonly #table: CountedTable
  /** The table, if it is to be put right. */
  readonly #healed: ProofTable<A> | undefined
  readonly #options: ProofOptions
  readonly #counting: Counting<A>
  readonly #differences: Array<CountDifference> = []
  /** Counts of the copy, until rows are put right: one pass over it serves all stretches and statuses. */
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

  /** Asks for rows that are here, in seconds that have few. One may be gone: then another is asked for. */
  async #calibrate(all: Counted): Promise<void> {
    const total = await countOf(this.#table, all)
    for (const part of [2, 3, 5]) {
      const second = await this.#table.nth(all, Math.floor(total / part))
      if (second === undefined) continue
      const ids = await this.#table.ids({ from: second, to: second })
      const [id] = ids
      if (id === undefined || ids.length > CROWDED) continue
      if (await this.#counting.calibrate(id, second)) return
    }
  }

  /** Checks the rows of a status in stretches that follow one another. */
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

  /** Counts a stretch, whatever the depth that the service pages to. `here`: the rows of the copy. */
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

  /** Counts the open rows of the copy, which can have become rows of a final status: 0 where all rows are counted. */
  async #openIn({ status, ...rows }: Counted): Promise<number> {
    if (status === undefined) return 0
    const [counts = new Map()] = await this.#table.counts([rows])
    const final = this.#options.final.map((one) => countIn(counts, one))
    return countIn(counts, undefined) - final.reduce((a, b) => a + b, 0)
  }

  /** Finds where rows differ, of which the service has so many, and puts it right. */
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
    // by the sum: exact, unless rows moved meanwhile
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

/** Rows of a second that may be more than a page of a count has. */
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
