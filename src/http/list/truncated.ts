import type { Position } from '../../api/Paging.js'
import { defined } from '../../fp.js'
import type { Cut, SnapshotCut } from '../../stream/index.js'
import type { AnyFailure, Truncated } from '../Failure.js'
import { oneLine } from '../oneLine.js'

export interface CutAt<At> {
  readonly endpoint: string
  /** What is missing. */
  readonly position: At
  /** Pages that were delivered. */
  readonly pages: number
  /** The same for people: `ended before page_num 3, after 3 pages`. */
  readonly ended: string
}

type AnyCut<F> = Cut<F, Position> | SnapshotCut<F>

/** A list, or a snapshot, that could not be read to its end, and why: a failure, or what a guard says. */
export const truncated = <F extends AnyFailure, At>(
  { endpoint, position, pages, ended }: CutAt<At>,
  cut: AnyCut<F>,
): F | Truncated<At> => {
  const common = { _tag: 'Truncated', endpoint, position, pages } as const
  const where = `${endpoint}: incomplete: ${oneLine(ended)}:` // a bookmark is a text from outside
  if (cut._tag !== 'Failed') {
    return { ...common, attempts: 0, message: `${where} ${reasonOf(cut)}`, guard: cut._tag }
  }
  const { failure } = cut
  // nothing was delivered yet: not a list cut short, but a call that failed; where a list within it was cut
  // short, a snapshot is nevertheless to be gone on with from where it stands itself
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
      return cut.pages === 1 ? 'the last one was empty' : `the last ${cut.pages} were empty`
    case 'TooLong':
      return 'more than maxPages'
    case 'Moved':
      return cut.isUneven
        ? 'one second of it has pages of several lengths, which do not tell how many rows there are'
        : 'one second of it never rested'
    case 'Astray':
      return 'rows came from outside the time asked for'
    case 'Shapeless':
      return `the last ${cut.answers} answers had no order`
  }
}
