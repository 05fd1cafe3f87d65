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
  /** Rows a page, as asked for: a service may cap it. */
  readonly pageSize: number
  /** Between the most and the fewest pages, for `about`. Default 1.1. */
  readonly precise?: number
}

/** Number of rows of a list. */
export interface RowCount {
  readonly rows: number
  /** `about`: 5 % more or less, or an estimate where pages are of several lengths. `at least`: the list goes on after the last page that could be asked for. */
  readonly precision: 'exact' | 'about' | 'at least'
  /** Rows a page, as the service makes them: those of its first page. */
  readonly pageSize: number
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
  readonly pageSize: number
  readonly isEven: boolean
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
  return Math.min(beyond - 1, Math.max(least, Math.round(Math.sqrt(least * beyond))))
}
