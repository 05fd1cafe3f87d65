/** Judges how much of a span one answer covers: pure. */
import { isEmpty, SECOND, type Span, secondAfter, secondOf, splitNear } from './SnapshotPosition.js'

// model

export type ListOrder = 'ascending' | 'descending'

/** The order of a list, as far as answers have shown it: `none` once they contradict each other, or themselves. */
export type Shown = ListOrder | 'none' | undefined

export type Coverage =
  /** All rows of `span` are in the answer, since one answer is consistent in itself. */
  | { readonly _tag: 'Covers'; readonly span: Span; readonly shown: Shown }
  /** Nothing can be said of a part of it: to be asked for in two halves. */
  | { readonly _tag: 'Halves'; readonly at: number; readonly shown: Shown }
  /** More rows than a page has are in `span`, which cannot be split: to be read by pages. */
  | { readonly _tag: 'Crowded'; readonly span: Span; readonly shown: Shown }
  /** Rows from elsewhere: the filter by time was not kept. */
  | { readonly _tag: 'OutsideFilter' }

/** An answer to "all from `asked.from` to `asked.to`". */
export interface Answered {
  readonly asked: Span
  /** The span of the question, if it was wider: rows from all of it may come. Default: `asked`. */
  readonly question?: Span
  /** Times of the rows, as they came, in ms since 1970; NaN for one that cannot be read. */
  readonly times: ReadonlyArray<number>
  /** There are more rows than came. */
  readonly more: boolean
  /** The order that the answers before this one have shown. */
  readonly orderBefore: Shown
}

// constructors

/**
 * An answer without more covers all that was asked for. Another has the first rows of its order: in
 * ascending order all up to the last row's second, in descending order all after it. Only the second
 * at the far end may go on in the next page. In a list that has shown itself to have no order, only answers without
 * more cover anything.
 *
 *     asked       |------------------------------|
 *     rows         .. . ... .  . .:
 *     covers      |--------------|
 */
export const coverageOf = ({
  asked,
  question = asked,
  times,
  more,
  orderBefore,
}: Answered): Coverage => {
  const { low, high, order } = survey(times)
  if (low < secondOf(question.from) || high >= secondAfter(question.to) + SECOND)
    return { _tag: 'OutsideFilter' }
  const shown = together(orderBefore, order)
  if (!more) return { _tag: 'Covers', span: asked, shown }

  const hasTimes = low <= high
  if (!hasTimes || shown === undefined || shown === 'none') {
    const at = splitNear(asked, (asked.from + asked.to) / 2)
    return at === undefined
      ? { _tag: 'Crowded', span: asked, shown }
      : { _tag: 'Halves', at, shown }
  }
  const covered =
    shown === 'ascending'
      ? { from: asked.from, to: Math.min(asked.to, secondOf(high)) }
      : { from: Math.max(asked.from, secondOf(low) + SECOND), to: asked.to }
  return isEmpty(covered)
    ? { _tag: 'Crowded', span: farSecond(asked, shown), shown }
    : { _tag: 'Covers', span: covered, shown }
}

/** The second that a walk in this order is at. */
const farSecond = ({ from, to }: Span, order: ListOrder): Span =>
  order === 'ascending'
    ? { from, to: Math.min(to, secondOf(from) + SECOND) }
    : { from: Math.max(from, secondAfter(to) - SECOND), to }

/** Combines the orders of all answers before with that of one more. */
const together = (before: Shown, order: Shown): Shown => {
  if (before === undefined || order === undefined) return before ?? order
  return before === order ? before : 'none'
}

/** Returns the earliest and the latest time of rows, and the order that they show: rows of one moment show none. */
export const survey = (times: ReadonlyArray<number>) => {
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  let last = Number.NaN
  let rises = false
  let falls = false
  for (const time of times) {
    if (Number.isNaN(time)) continue
    if (time < low) low = time
    if (time > high) high = time
    if (time > last) rises = true
    if (time < last) falls = true
    last = time
  }
  return { low, high, order: orderOf(rises, falls) }
}

const orderOf = (rises: boolean, falls: boolean): Shown => {
  if (rises && falls) return 'none'
  if (rises) return 'ascending'
  return falls ? 'descending' : undefined
}
