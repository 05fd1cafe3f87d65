/** Counts rows at the service: one request where the count is known beforehand. */
import type { AnyFailure } from '../../http/Failure.js'
import { type Asking, PollInterrupted } from '../Asking.js'
import type { LedgerPage, LedgerQuery, Seconds, Stretch } from '../Ledger.js'

// model

/** The rows that are counted together: all, or those of a status, of a stretch of time. */
export interface Counted extends Stretch {
  /** Absent: rows of any status. */
  readonly status?: string | undefined
}

/** How the service reads the bounds of a filter by time. */
export type FilterBounds = 'inclusive' | 'half-open' | 'exclusive' | 'from exclusive'

/** How many rows deep the service pages, as far as it was seen. Kept from night to night. */
export interface Depth {
  /** It refused, or could not answer, at so many rows. */
  readonly refused?: number | undefined
  /** It answered at so many rows. */
  readonly answered: number
}

/** The service pages less deep than a count needs. Internal: shorter stretches are counted then. */
export class TooDeep extends Error {
  override readonly name = 'TooDeep'
}

/** The service does not count these rows at all. */
export class Uncountable extends Error {
  override readonly name = 'Uncountable'
}

/** Rows a page of a count: few, since only one page of a count is read. The service's own default. */
const COUNT_SIZE = 100

/** Highest page number that lists may have (default, not specified). */
const LAST_PAGE = 9_999

/** The most rows a page (interface, Limits). */
const MAX_SIZE = 2_000

/** The fewest rows a page (interface, Limits). */
const MIN_SIZE = 10

/** Pages from the expected last page to the next one that is tried; each further step is as many times longer. */
const FIRST_STEP = 4
const STRIDE = 8

// functions

/** Counts and reads rows of stretches of time, by bounds and depths that it learns. */
export class Counting<A> {
  readonly #asking: Asking<A>
  #bounds: FilterBounds = 'inclusive'
  #depth: Depth

  constructor(asking: Asking<A>, depth: Depth = { answered: 0 }) {
    this.#asking = asking
    this.#depth = depth
  }

  get depth(): Depth {
    return this.#depth
  }

  /** The most rows of a stretch that is worth a count. */
  get mostRows(): number {
    return this.#depth.refused === undefined ? Number.POSITIVE_INFINITY : this.#depth.refused * 0.9
  }

  /**
   * Finds out how the service reads the bounds of a filter, by a row that it is known to have. Resolves with false if the
   * row did not come at all. Rejects with `Uncountable` if the filter is not kept.
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
        throw new Uncountable('the service does not keep to a filter by time')
      }
      if (!rows.some((row) => row.id === id)) continue
      this.#bounds = bounds
      return true
    }
    return false
  }

  /**
   * Counts rows: with one request if there are `expected`, or as many on the last page.
   *
   *     pages of 100    0 . . . . . . . . 11           expected 1,204: page 12 has 4 rows and no more
   *                                         12 <-- asked for: its rows, and whether there are more, prove the count
   */
  async count(rows: Counted, expected: number): Promise<number> {
    let size = Math.min(MAX_SIZE, Math.max(COUNT_SIZE, Math.ceil(expected / LAST_PAGE)))
    let followed = -1 // the last page that is known to be followed by another
    let beyond = Number.POSITIVE_INFINITY // the first page that is known to have no row
    let step = FIRST_STEP
    let page = pageOf(expected, size)
    for (;;) {
      const answer = await this.page(rows, page, size)
      const count = answer.rows.length
      if (!answer.more && (count > 0 || page === 0)) return page * size + count
      if (answer.more && count >= MIN_SIZE && count < size) {
        size = count // the service has smaller pages than it was asked for
        followed = -1
        beyond = Number.POSITIVE_INFINITY
        page = pageOf(expected, size)
        continue
      }
      if (answer.more) followed = page
      else beyond = page
      if (beyond - followed <= 1) return beyond * size // the page before was full, and rows moved meanwhile
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
   * Reads a page of rows. Rejects with `TooDeep` if the service does not page as deep, with `Uncountable` if it refuses
   * even the first page, and with `PollInterrupted` for other failures.
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
      // a fault may be an outage: then the first page does not come either
      if (cause === 'fault') await this.#ask({ ...query, page: 0 })
      const { answered } = this.#depth
      this.#depth = {
        answered,
        refused: Math.max(size, Math.min(rows, Math.max(answered, rows / 2))),
      }
      throw new TooDeep()
    }
  }

  /** Returns the bounds to send, so that rows of exactly these seconds come. */
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

/** Says whether a failure may be one of the depth of a page: refused, or too slow. */
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
