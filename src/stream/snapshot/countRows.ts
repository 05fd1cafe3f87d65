/** Counts the rows of a numbered list by reading few of its pages. */
import { concatChain, type ObservableEither, right } from '../either/ObservableEither.js'

// model

/** One page of a list that is counted. */
export interface CountedPage {
  readonly rows: number
  /** There are pages after it. */
  readonly more: boolean
}

export interface CountOptions<E> {
  /** Reads a page, numbered from 0. One beyond the end has no rows, and no more after it. */
  readonly page: (number: number) => ObservableEither<E, CountedPage>
  readonly pageSize: number
  /** Between the most and the fewest pages, for `about`. Default 1.1. */
  readonly precise?: number
}

/** Number of rows of a list. */
export interface RowCount {
  readonly rows: number
  /** `about`: 5 % more or less. `at least`: the list goes on after the last page that could be asked for. */
  readonly precision: 'exact' | 'about' | 'at least'
  /** Requests sent to find it out. */
  readonly probes: number
}

/** The pages between a first one that exists and a first one that does not. */
interface Bracket {
  /** Pages that are full, and not the last. */
  readonly least: number
  /** A page that is beyond the end; `Infinity` before one was found. */
  readonly beyond: number
  readonly probes: number
}

/** From one page to the next while none beyond the end is known. */
const STRIDE = 8

/** Default of `precise`. */
const PRECISE = 1.1

/** Highest page number: some lists have no more (not specified). */
const LAST_PAGE = 9_999

// constructors

/**
 * Counts the rows of a list: a page after eight times as many until one is beyond the end, then between. A list of one
 * page costs one request, one of a million rows at 2,000 a page nine. The list may change meanwhile.
 *
 *     pages    0       8                                72
 *     probes   |1------|2-------------|4------|5-|6-----|3
 */
export const countRows = <E>({
  page,
  pageSize,
  precise = PRECISE,
}: CountOptions<E>): ObservableEither<E, RowCount> => {
  const search = ({ least, beyond, probes }: Bracket): ObservableEither<E, RowCount> => {
    if (least > LAST_PAGE) return right({ rows: least * pageSize, precision: 'at least', probes })
    if (beyond <= least) return right({ rows: least * pageSize, precision: 'exact', probes })
    if (beyond <= least * precise) {
      const rows = Math.round(((least + beyond) / 2) * pageSize)
      return right({ rows, precision: 'about', probes })
    }
    const number = nextProbe(least, beyond)
    return page(number).pipe(
      concatChain(({ rows, more }): ObservableEither<E, RowCount> => {
        const sent = probes + 1
        if (more) return search({ least: number + 1, beyond, probes: sent })
        return rows > 0 || number === 0
          ? right({ rows: number * pageSize + rows, precision: 'exact', probes: sent })
          : search({ least, beyond: number, probes: sent })
      }),
    )
  }
  return search({ least: 0, beyond: Number.POSITIVE_INFINITY, probes: 0 })
}

const nextProbe = (least: number, beyond: number): number => {
  if (beyond === Number.POSITIVE_INFINITY) return Math.min(LAST_PAGE, least * STRIDE)
  return Math.min(beyond - 1, Math.max(least, Math.round(Math.sqrt(least * beyond))))
}
