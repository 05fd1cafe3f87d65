/** The time of a snapshot, walked by several readers: which part each of them reads, and what is left. */
import type { Millis } from '../Backoff.js'
import { coverageOf, type Order, type Shown } from './coverage.js'
import {
  both,
  isEmpty,
  type Slice,
  type SnapshotPosition,
  type Span,
  splitNear,
  without,
} from './SnapshotPosition.js'

// model

/** How a walk goes, once an answer has shown it. */
export interface WalkPace {
  readonly order: Order
  /** The time that a full page spans, in ms. */
  readonly pace: Millis
}

/** A slice that is being read. */
export interface PageWalk {
  readonly number: number
  /** The slice; it gets shorter when a part of it is given to another walk. */
  whole: Span
  /** What no answer has covered. */
  ahead: Span
  /** What is not delivered. */
  left: Span
  /** Rows delivered. */
  rows: number
  gait: WalkPace | undefined
  /** What has to be read by pages next, since one page does not hold it. */
  crowded: Span | undefined
  /** Whether an answer is on its way. */
  busy: boolean
  /** Whether it was split off for somebody, and no answer has shown yet whether there is anything in it. */
  unproven: boolean
}

/** What one answer came to. */
export type Outcome =
  /** It has all rows of this stretch. */
  | { readonly _tag: 'Covered'; readonly span: Span }
  /** It led to asking otherwise. */
  | { readonly _tag: 'Nothing' }
  /** The service did not keep the filter by time. */
  | { readonly _tag: 'OutsideFilter'; readonly asked: Span }
  /** Answer after answer said that there is more, and showed nothing of it. */
  | { readonly _tag: 'Unordered'; readonly answers: number }

export interface TimeField {
  /** The walk to ask for: one that waits, or else a new one, with a part of the longest. */
  readonly next: () => PageWalk | undefined
  /** One answer to "all from `asked.from` to `asked.to`". */
  readonly tell: (
    walk: PageWalk,
    asked: Span,
    times: ReadonlyArray<number>,
    more: boolean,
  ) => Outcome
  /** All rows of a crowded stretch were read: so many. */
  readonly pass: (walk: PageWalk, span: Span, rows: number) => void
  /** A page of a walk is given to who asked: the slice as it stands with it. */
  readonly deliver: (walk: PageWalk, span: Span, rows: number) => Slice
  readonly position: () => SnapshotPosition
  readonly isDone: () => boolean
  /** Nothing is to be read any more. */
  readonly clear: () => void
}

/** Answers in a row, for each walk, that only led to splitting: a time in ms cannot be halved more often. */
const HALVINGS = 64
/** However many may walk at a time: so many of them that show nothing are enough. */
const WALKS = 256

/** How far from its walk a part is split off first, in pages; twice as far each time that is too near. */
const REACH = 8

const NOTHING: Outcome = { _tag: 'Nothing' }

// constructors

export const timeField = (start: SnapshotPosition, width: number): TimeField => {
  const walks = start.slices.filter(({ left }) => !isEmpty(left)).map(pageWalk)
  let slices = start.cut
  let shown: Shown
  let reach = REACH
  let trust = 1 // parts that may be split off before it is known whether there is anything in them
  let unordered = 0

  const split = (walk: PageWalk, at: number): PageWalk => {
    const beyond = splitAt(walk, at, ++slices)
    walks.push(beyond)
    return beyond
  }

  /** Where there was nothing the rows have ended, maybe: on with care. */
  const prove = (walk: PageWalk, more: boolean, hasRows: boolean): void => {
    walk.unproven = false
    if (more) trust++
    if (hasRows) return
    trust = 1
    reach = REACH
  }

  return {
    next: () => {
      const waiting = walks.find(({ busy, ahead }) => !busy && !isEmpty(ahead))
      if (waiting !== undefined) return waiting
      if (walks.filter(({ unproven }) => unproven).length >= trust) return undefined
      const best = bestSplit(walks, reach)
      if (best?.far === true) reach *= 2
      return best && split(best.walk, best.at)
    },

    tell: (walk, asked, times, more) => {
      const said = coverageOf({ asked, times, more, known: shown })
      if (said._tag === 'OutsideFilter') return { _tag: 'OutsideFilter', asked }
      shown = said.shown
      switch (said._tag) {
        case 'Crowded':
          walk.crowded = said.span
          return NOTHING
        case 'Halves':
          unordered++
          if (unordered > HALVINGS * Math.min(width, WALKS))
            return { _tag: 'Unordered', answers: unordered }
          // that part may be another walk's by now, up to there and no further too
          if (splitNear(walk.ahead, said.at) === said.at) split(walk, said.at)
          return NOTHING
        case 'Covers': {
          unordered = 0
          if (walk.unproven) prove(walk, more, times.length > 0)
          const pace = said.span.to - said.span.from
          const span = both(said.span, walk.ahead) // of what is this walk's still
          const order = more && shown !== 'none' ? shown : undefined
          covered(walk, span, order && { order, pace })
          return { _tag: 'Covered', span }
        }
      }
    },

    pass: (walk, span, rows) => {
      if (rows > 0) unordered = 0
      walk.unproven = false
      covered(walk, span, undefined)
    },

    deliver: (walk, span, rows) => {
      walk.left = without(walk.left, span)
      walk.rows += rows
      if (isEmpty(walk.left)) walks.splice(walks.indexOf(walk), 1)
      return sliceOf(walk)
    },

    position: () => ({
      from: start.from,
      to: start.to,
      slices: walks.map(sliceOf),
      cut: slices,
    }),

    isDone: () => walks.length === 0,

    clear: () => {
      walks.length = 0
    },
  }
}

// walks

export const pageWalk = ({ number, from, to, rows, left }: Slice): PageWalk => ({
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

export const sliceOf = ({ number, whole, rows, left }: PageWalk): Slice => ({
  ...whole,
  number,
  rows,
  left,
})

/** Splits a walk in two. It keeps the part that it is at; the one that comes out has the part beyond. */
export const splitAt = (walk: PageWalk, at: number, number: number): PageWalk => {
  const { whole, ahead, left, gait } = walk
  const early = (span: Span): Span => ({ ...span, to: at })
  const late = (span: Span): Span => ({ ...span, from: at })
  const [near, far] = gait?.order === 'descending' ? [late, early] : [early, late]
  walk.whole = near(whole)
  walk.ahead = near(ahead)
  walk.left = near(left)
  return {
    ...pageWalk({ ...far(whole), number, rows: 0, left: far(left) }),
    ahead: far(ahead),
    gait,
    unproven: true,
  }
}

/** Takes note of an answer that covers a stretch of a walk. */
export const covered = (walk: PageWalk, span: Span, gait: WalkPace | undefined): void => {
  walk.ahead = without(walk.ahead, span)
  walk.crowded = undefined
  walk.gait = gait ?? walk.gait
}

// where to split

export interface Split {
  readonly walk: PageWalk
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
export const bestSplit = (walks: ReadonlyArray<PageWalk>, reach: number): Split | undefined => {
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
