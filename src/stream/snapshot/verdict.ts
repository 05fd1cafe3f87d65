/** What one answer says of the stretch of time that was asked for: pure. */
import { isEmpty, SECOND, type Span, secondAfter, secondOf, splitNear } from './Span.js'

// model

export type Order = 'ascending' | 'descending'

export type Verdict =
  /** All rows of `span` are in the answer, since one answer is consistent in itself. */
  | { readonly _tag: 'Covers'; readonly span: Span; readonly order: Order | undefined }
  /** Nothing can be said of a part of it: to be asked for in two halves. */
  | { readonly _tag: 'Halves'; readonly at: number }
  /** More rows than a page has are in `span`, which cannot be split: to be read by pages. */
  | { readonly _tag: 'Crowded'; readonly span: Span }
  /** Rows from elsewhere: the filter by time was not kept. */
  | { readonly _tag: 'Astray' }

/** An answer to "all from `asked.from` to `asked.to`". */
export interface Answered {
  readonly asked: Span
  /** Of the rows, as they came, in ms since 1970; NaN for what cannot be read. */
  readonly times: ReadonlyArray<number>
  /** Whether there are more rows than came. */
  readonly more: boolean
  /** The order of the list, if an answer before this one told it. */
  readonly known: Order | undefined
}

// constructors

/**
 * An answer without more covers all that was asked for. Another has the first rows of its order: in
 * ascending order all up to the last row's second, in descending order all after it. Only the second
 * at the far end may go on in the next page.
 *
 *     asked       |------------------------------|
 *     rows         .. . ... .  . .:
 *     covers      |--------------|
 */
export const verdict = ({ asked, times, more, known }: Answered): Verdict => {
  const { low, high, order } = survey(times)
  if (low < secondOf(asked.from) || high >= secondAfter(asked.to) + SECOND)
    return { _tag: 'Astray' }
  if (!more) return { _tag: 'Covers', span: asked, order }

  const found = order ?? (low === high ? known : undefined)
  if (found === undefined) {
    const at = splitNear(asked, (asked.from + asked.to) / 2)
    return at === undefined ? { _tag: 'Crowded', span: asked } : { _tag: 'Halves', at }
  }
  const covered =
    found === 'ascending'
      ? { from: asked.from, to: Math.min(asked.to, secondOf(high)) }
      : { from: Math.max(asked.from, secondOf(low) + SECOND), to: asked.to }
  return isEmpty(covered)
    ? { _tag: 'Crowded', span: farSecond(asked, found) }
    : { _tag: 'Covers', span: covered, order: found }
}

/** The second that a walk in this order is at. */
const farSecond = ({ from, to }: Span, order: Order): Span =>
  order === 'ascending'
    ? { from, to: Math.min(to, secondOf(from) + SECOND) }
    : { from: Math.max(from, secondAfter(to) - SECOND), to }

/** The ends of what came, and its order where it has one: rows of one moment have none. */
const survey = (times: ReadonlyArray<number>) => {
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
  const order: Order | undefined = rises === falls ? undefined : rises ? 'ascending' : 'descending'
  return { low, high, order }
}
