import type { Position } from '../../api/Paging.js'
import { defined } from '../../fp.js'
import type { Cut, SnapshotCut } from '../../stream/index.js'
import type { AnyFailure, Truncated } from '../Failure.js'
import { oneLine } from '../oneLine.js'

export interface TruncatedAt<At> {
  readonly endpoint: string
  /** Position of what is missing. */
  readonly position: At
  /** Number of pages delivered. */
  readonly pages: number
  /** The end of the list for people: `ended before page_num 3, after 3 pages`. */
  readonly ended: string
}

type AnyCut<F> = Cut<F, Position> | SnapshotCut<F>

/** Makes the failure of a list, or a snapshot, that ended early, from that of a page or the guard that stopped it. */
export const truncated = <F extends AnyFailure, At>(
  { endpoint, position, pages, ended }: TruncatedAt<At>,
  cut: AnyCut<F>,
): F | Truncated<At> => {
  const common = { _tag: 'Truncated', endpoint, position, pages } as const
  const where = `${endpoint}: incomplete: ${oneLine(ended.slice(0, 500))}:` // a bookmark is text from outside
  if (cut._tag !== 'Failed') {
    return { ...common, attempts: 0, message: `${where} ${reasonOf(cut)}`, guard: cut._tag }
  }
  const { failure } = cut
  // without a page, it is a call that failed. A snapshot whose inner list was truncated has a position of its own
  if (pages === 0 && failure._tag !== 'Truncated') return failure
  const { attempts, traceId } = failure
  const message = `${where} ${failure.message}`
  return { ...common, attempts, ...defined({ traceId }), cause: failure, message }
}

const reasonOf = (cut: Exclude<AnyCut<never>, { readonly _tag: 'Failed' }>): string => {
  switch (cut._tag) {
    case 'Repeated':
      return 'this page was read before'
    case 'SameRows':
      return 'this page was read before: its rows are those of an earlier one'
    case 'OnlyEmpty':
      return cut.pages === 1
        ? 'the last one had no new row'
        : `the last ${cut.pages} had no new row`
    case 'TooLong':
      return 'more than maxPages'
    case 'Moved':
      return cut.isUneven
        ? 'one second of it has pages of several lengths, which do not tell how many rows there are'
        : 'one second of it never rested'
    case 'OutsideFilter':
      return 'rows came from outside the time asked for'
    case 'Unordered':
      return `the last ${cut.answers} answers had no order`
  }
}
