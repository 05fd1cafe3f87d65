/** The walks of a snapshot: each reads one slice from one end to the other, an answer at a time. */
import type { Millis } from '../Backoff.js'
import type { Slice } from './Slice.js'
import { isEmpty, type Span, splitNear, without } from './Span.js'
import type { Order } from './verdict.js'

// model

/** How a walk goes, once an answer has shown it. */
export interface Gait {
  readonly order: Order
  /** The time that a full page spans, in ms. */
  readonly pace: Millis
}

/** A slice that is being read. */
export interface Walk {
  readonly number: number
  /** The slice; it gets shorter when a part of it is given to another walk. */
  whole: Span
  /** What no answer has covered. */
  ahead: Span
  /** What is not delivered. */
  left: Span
  /** Rows delivered. */
  rows: number
  gait: Gait | undefined
  /** What has to be read by pages next, since one page does not hold it. */
  crowded: Span | undefined
  /** Whether an answer is on its way. */
  busy: boolean
  /** Whether it was split off for somebody, and no answer has shown yet whether there is anything in it. */
  unproven: boolean
}

// constructors

export const walkOf = ({ number, from, to, rows, left }: Slice): Walk => ({
  number,
  whole: { from, to },
  ahead: left,
  left,
  rows,
  gait: undefined,
  crowded: undefined,
  busy: false,
  unproven: false,
})

export const sliceOf = ({ number, whole, rows, left }: Walk): Slice => ({
  ...whole,
  number,
  rows,
  left,
})

/** Splits a walk in two. It keeps the part that it is at; the one that comes out has the part beyond. */
export const splitAt = (walk: Walk, at: number, number: number): Walk => {
  const { whole, ahead, left, gait } = walk
  const early = (span: Span): Span => ({ ...span, to: at })
  const late = (span: Span): Span => ({ ...span, from: at })
  const [near, far] = gait?.order === 'descending' ? [late, early] : [early, late]
  walk.whole = near(whole)
  walk.ahead = near(ahead)
  walk.left = near(left)
  return {
    ...walkOf({ ...far(whole), number, rows: 0, left: far(left) }),
    ahead: far(ahead),
    gait,
    unproven: true,
  }
}

/** Takes note of an answer that covers a stretch of a walk. */
export const covered = (walk: Walk, span: Span, gait: Gait | undefined): void => {
  walk.ahead = without(walk.ahead, span)
  walk.crowded = undefined
  walk.gait = gait ?? walk.gait
}

// where to split

export interface Split {
  readonly walk: Walk
  readonly at: number
  /** Whether it is as far from its walk as it may be. */
  readonly far: boolean
}

/** Pages that a walk has before it, at least, when a part of it is given away. */
const WORTH = 4

/**
 * Where one more walk is of most use: in the middle of what the longest one has before it, by the pages
 * that it is thought to have; but no more than `reach` pages from where it is, since nobody knows how far
 * the rows go on. A list that is read from its newest row on may have no known beginning at all.
 */
export const bestSplit = (walks: ReadonlyArray<Walk>, reach: number): Split | undefined => {
  let best: Split | undefined
  let most = WORTH
  for (const walk of walks) {
    const { ahead, gait } = walk
    if (gait === undefined || isEmpty(ahead)) continue
    const { order, pace } = gait
    const isOpen = order === 'descending' && ahead.from === 0
    const pages = isOpen ? Number.POSITIVE_INFINITY : (ahead.to - ahead.from) / pace
    const near = Math.min((pages + 1) / 2, reach) * pace
    if (pages < most || near >= ahead.to - ahead.from) continue
    const at = splitNear(ahead, order === 'descending' ? ahead.to - near : ahead.from + near)
    if (at === undefined) continue
    best = { walk, at, far: near === reach * pace }
    most = pages
  }
  return best
}
