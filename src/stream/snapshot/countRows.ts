/** Counts the rows of a numbered list by reading only a few of its pages. */
import { concatChain, type ObservableEither, right } from '../either/ObservableEither.js'

export interface CountedPage {
  readonly rows: number
  /** True if more pages follow. */
  readonly more: boolean
}

export interface CountOptions<E> {
  /** Reads a page, numbered from 0. A page beyond the end has no rows and no successor. */
  readonly page: (number: number) => ObservableEither<E, CountedPage>
  /** Rows per page, as requested. A service may return fewer. */
  readonly pageSize: number
  /** Ratio between the maximum and the minimum number of pages up to which a count is `about`. Default 1.1. */
  readonly precise?: number
}

/** Number of rows of a list. */
export interface RowCount {
  /** The number of rows. */
  readonly rows: number
  /**
   * `about`: within 5 %, or an estimate if pages differ in length. `at least`: the list continues after the last page that could
   * be requested.
   */
  readonly precision: 'exact' | 'about' | 'at least'
  /** Rows per page, as in the first page of the response. */
  readonly pageSize: number
  /** Number of requests sent to count the rows. */
  readonly probes: number
}

/** The range that contains the last page. */
interface Bracket {
  /** Number of pages that are full and not the last. */
  readonly least: number
  /** Number of a page beyond the end; `Infinity` until one is found. */
  readonly beyond: number
  readonly probes: number
  readonly pageSize: number
  readonly isEven: boolean
}

/** Factor from one page number to the next while no page beyond the end is known. */
const STRIDE = 8

const PRECISE = 1.1

/** Highest page number (our assumption). Some lists have no higher ones. */
const LAST_PAGE = 9_999

/**
 * Counts the rows of a list. Multiplies the page number by eight until it is beyond the end, and then bisects. A list of one
 * page costs one request; a list of a million rows at 2,000 per page costs nine. The list may change while it is being counted.
 *
 *     pages    0       8                                72
 *     probes   |1------|2-------------|4------|5-|6-----|3
 */
export const countRows = <E>({
  page,
  pageSize: askedSize,
  precise = PRECISE,
}: CountOptions<E>): ObservableEither<E, RowCount> => {
  const search = ({ least, beyond, probes, ...pages }: Bracket): ObservableEither<E, RowCount> => {
    const { pageSize, isEven } = pages
    const count = (rows: number, precision: RowCount['precision'], sent = probes) =>
      right({ rows, precision, probes: sent, pageSize })
    const exact = isEven ? 'exact' : 'about'
    if (least > LAST_PAGE) return count(least * pageSize, 'at least')
    if (beyond <= least) return count(least * pageSize, exact)
    if (beyond <= least * precise) {
      return count(Math.round(((least + beyond) / 2) * pageSize), 'about')
    }
    const number = nextProbe(least, beyond)
    return page(number).pipe(
      concatChain(({ rows, more }): ObservableEither<E, RowCount> => {
        const sent = probes + 1
        if (more) {
          const size = number === 0 && rows > 0 ? rows : pageSize
          const shown = { pageSize: size, isEven: isEven && rows === size }
          return search({ least: number + 1, beyond, probes: sent, ...shown })
        }
        return rows > 0 || number === 0
          ? count(number * pageSize + rows, exact, sent)
          : search({ least, beyond: number, probes: sent, ...pages })
      }),
    )
  }
  return search({
    ...{ least: 0, beyond: Number.POSITIVE_INFINITY },
    ...{ probes: 0, pageSize: askedSize, isEven: true },
  })
}

const nextProbe = (least: number, beyond: number): number => {
  if (beyond === Number.POSITIVE_INFINITY) return Math.min(LAST_PAGE, least * STRIDE)
  return Math.round(Math.sqrt(least * beyond)) // below `beyond`, because it is rounded down if the two are adjacent
}
