/** Counts rows at the service. If the expected count is right, this takes one request. */
import type { AnyFailure } from '../../http/Failure.js'
import { type Asking, PollInterrupted } from '../Asking.js'
import type { LedgerPage, LedgerQuery, Seconds, Stretch } from '../Ledger.js'

/** A set of rows to count: those created in a time range, with one status or any. */
export interface Counted extends Stretch {
  /** Absent: rows of any status. */
  readonly status?: string | undefined
}

/** How the service interprets the bounds of a time filter. */
export type FilterBounds = 'inclusive' | 'half-open' | 'exclusive' | 'from exclusive'

/** Observed paging depth of the service, in rows. Kept from one night to the next. */
export interface PagingDepth {
  /** Number of rows at which it refused or failed to answer. */
  readonly refused?: number | undefined
  /** Largest number of rows at which it answered. */
  readonly answered: number
}

/** Thrown if the service does not page deep enough for a count. Internal: shorter ranges are counted instead. */
export class TooDeep extends Error {
  override readonly name = 'TooDeep'
}

/** Thrown if the service cannot count these rows at all. */
export class Uncountable extends Error {
  override readonly name = 'Uncountable'
}

/** Rows per page when counting, which is the service's default. Few are enough, because a count reads only one page. */
const COUNT_SIZE = 100

/** Highest page number of a list (our assumption: not in the API description). */
const LAST_PAGE = 9_999

/** Maximum rows per page (API limit). */
const MAX_SIZE = 2_000

/** Minimum rows per page (API limit). */
const MIN_SIZE = 10

/** Number of pages from the expected last page to the next page that is tried. Each further step is longer by this factor. */
const FIRST_STEP = 4
const STRIDE = 8

/** Counts and reads rows in ranges of time. Learns how the service treats bounds, and its paging depth. */
export class Counting<A> {
  readonly #asking: Asking<A>
  #bounds: FilterBounds = 'inclusive'
  #depth: PagingDepth

  constructor(asking: Asking<A>, depth: PagingDepth = { answered: 0 }) {
    this.#asking = asking
    this.#depth = depth
  }

  get depth(): PagingDepth {
    return this.#depth
  }

  /** Maximum number of rows in a range that is worth counting. */
  get mostRows(): number {
    return this.#depth.refused === undefined ? Number.POSITIVE_INFINITY : this.#depth.refused * 0.9
  }

  /**
   * Detects how the service interprets the bounds of a filter, using a row that the service is known to have. Resolves with
   * false if the row was not returned. Rejects with `Uncountable` if the service ignores the filter.
   */
  async calibrate(id: string, second: Seconds): Promise<boolean> {
    const questions: ReadonlyArray<readonly [FilterBounds, Seconds, Seconds]> = [
      ['inclusive', second, second],
      ['half-open', second, second + 1],
      ['from exclusive', second - 1, second],
      ['exclusive', second - 1, second + 1],
    ]
    for (const [bounds, from, to] of questions) {
      const { rows } = await this.#ask({ from, to, page: 0, size: COUNT_SIZE })
      if (rows.some(({ created }) => created < from || created > to)) {
        throw new Uncountable('it returns rows outside the requested time range')
      }
      if (!rows.some((row) => row.id === id)) continue
      this.#bounds = bounds
      return true
    }
    return false
  }

  /**
   * Counts rows. This takes one request if there are `expected` rows, or if only the number on the last page differs.
   *
   *     pages of 100    0 . . . . . . . . 11           expected 1,204: page 12 has 4 rows and no more
   *                                         12 <-- asked for: its rows, and whether there are more, prove the count
   */
  async count(rows: Counted, expected: number): Promise<number> {
    let size = Math.min(MAX_SIZE, Math.max(COUNT_SIZE, Math.ceil(expected / LAST_PAGE)))
    let followed = -1 // the last page that is known to have a successor
    let beyond = Number.POSITIVE_INFINITY // the first page that is known to be empty
    let step = FIRST_STEP
    let page = pageOf(expected, size)
    for (;;) {
      const answer = await this.page(rows, page, size)
      const count = answer.rows.length
      if (!answer.more && (count > 0 || page === 0)) return page * size + count
      if (answer.more && count >= MIN_SIZE && count < size) {
        size = count // the service has smaller pages than requested
        followed = -1
        beyond = Number.POSITIVE_INFINITY
        page = pageOf(expected, size)
        continue
      }
      if (answer.more) followed = page
      else beyond = page
      if (beyond - followed <= 1) return beyond * size // the page before it was full, and rows have moved in the meantime
      if (beyond === Number.POSITIVE_INFINITY) {
        page += step
        step *= STRIDE
      } else if (followed === -1) {
        page = Math.max(0, page - step)
        step *= STRIDE
      } else {
        page = Math.floor((followed + beyond) / 2)
      }
    }
  }

  /**
   * Reads a page of rows. Rejects with `TooDeep` if the service does not page that deep, with `Uncountable` if it refuses even
   * the first page, and with `PollInterrupted` for other failures.
   */
  async page({ status, from, to }: Counted, page: number, size: number): Promise<LedgerPage<A>> {
    const rows = page * size
    const query = { status, ...this.#filter(from, to), page, size }
    if (page > 0 && this.#depth.refused !== undefined && rows >= this.#depth.refused) {
      throw new TooDeep()
    }
    try {
      const answer = await this.#ask(query)
      this.#depth = { ...this.#depth, answered: Math.max(this.#depth.answered, rows) }
      return answer
    } catch (error) {
      if (!(error instanceof PollInterrupted) || error.failure === undefined) throw error
      const cause = causeOf(error.failure)
      if (page === 0 || cause === 'other') throw error
      // a fault may be an outage, in which case the first page fails too
      if (cause === 'fault') await this.#ask({ ...query, page: 0 })
      const { answered } = this.#depth
      this.#depth = {
        answered,
        refused: Math.max(size, Math.min(rows, Math.max(answered, rows / 2))),
      }
      throw new TooDeep()
    }
  }

  /** Returns the bounds to send to get exactly these seconds. */
  #filter(from: Seconds, to: Seconds): { from?: Seconds; to?: Seconds } {
    const isEarlier = this.#bounds === 'exclusive' || this.#bounds === 'from exclusive'
    const isLater = this.#bounds === 'exclusive' || this.#bounds === 'half-open'
    return {
      ...(from === Number.NEGATIVE_INFINITY ? {} : { from: isEarlier ? from - 1 : from }),
      to: isLater ? to + 1 : to,
    }
  }

  async #ask(query: LedgerQuery): Promise<LedgerPage<A>> {
    try {
      return await this.#asking.page(query)
    } catch (error) {
      if (query.page > 0 || !(error instanceof PollInterrupted) || error.failure === undefined)
        throw error
      throw causeOf(error.failure) === 'refused' ? new Uncountable(error.message) : error
    }
  }
}

const pageOf = (expected: number, size: number): number =>
  Math.max(0, Math.floor((expected - 1) / size))

/** Returns how the depth of a page may have caused a failure: the page was refused, or too slow. */
const causeOf = (failure: AnyFailure): 'refused' | 'fault' | 'other' => {
  const cause =
    failure._tag === 'Truncated' && failure.cause !== undefined ? failure.cause : failure
  switch (cause._tag) {
    case 'Refused':
      return cause.status === 403 ? 'other' : 'refused'
    case 'InvalidRequest':
      return 'refused'
    case 'ServerFault':
    case 'TimedOut':
      return 'fault'
    default:
      return 'other'
  }
}
