/** Judges which part of a span one response covers. Pure. */
import { isEmpty, SECOND, type Span, secondAfter, secondOf, splitNear } from './SnapshotPosition.js'

export type ListOrder = 'ascending' | 'descending'

/** The order of a list, as shown by responses. `none`: responses contradict each other, or themselves. */
export type Shown = ListOrder | 'none' | undefined

export type Coverage =
  /** All rows of `span` are in the response, because a single response is consistent. */
  | { readonly _tag: 'Covers'; readonly span: Span; readonly shown: Shown }
  /** A part of the span is uncertain. It must be requested in two halves. */
  | { readonly _tag: 'Halves'; readonly at: number; readonly shown: Shown }
  /** `span` has more rows than fit on a page but cannot be split, so it must be read page by page. */
  | { readonly _tag: 'Crowded'; readonly span: Span; readonly shown: Shown }
  /** Some rows are outside the requested time: the service ignored the filter. */
  | { readonly _tag: 'OutsideFilter' }

/** A response to the request "all from `asked.from` to `asked.to`". */
export interface Answered {
  readonly asked: Span
  /** The requested span if it was wider than `asked`; rows from all of it may appear. Default: `asked`. */
  readonly question?: Span
  /** Times of the rows in their order, in ms since 1970; NaN if unreadable. */
  readonly times: ReadonlyArray<number>
  /** True if there are more rows than in this response. */
  readonly more: boolean
  /** The order shown by earlier responses. */
  readonly orderBefore: Shown
}

/**
 * Judges a response. The last page covers the whole request. Any other response has the first rows in its order: in ascending
 * order, all rows up to the second of the last row; in descending order, all rows after it. Only the second at the far end may
 * continue on the next page. In a list without an order, only a last page covers anything.
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

/** Returns the second that a walk in this order has reached. */
const farSecond = ({ from, to }: Span, order: ListOrder): Span =>
  order === 'ascending'
    ? { from, to: Math.min(to, secondOf(from) + SECOND) }
    : { from: Math.max(from, secondAfter(to) - SECOND), to }

/** Combines the orders of all earlier responses with the order of one more. */
const together = (before: Shown, order: Shown): Shown => {
  if (before === undefined || order === undefined) return before ?? order
  return before === order ? before : 'none'
}

/** Returns the earliest and the latest time of rows, and the order that they show. Rows with equal times show no order. */
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
