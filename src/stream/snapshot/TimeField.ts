/** The time of a snapshot, walked by several readers: which part each of them reads, and what is left. */
import type { IO } from '../../fp.js'
import type { Millis } from '../Backoff.js'
import { coverageOf, type ListOrder, type Shown } from './coverage.js'
import {
  both,
  contains,
  isEmpty,
  SECOND,
  type Slice,
  type SnapshotPosition,
  type Span,
  splitNear,
  without,
} from './SnapshotPosition.js'

// model

/** The order and the speed of a walk, once an answer has shown them. */
export interface WalkPace {
  readonly order: ListOrder
  /** The time that a full page spans, in ms. */
  readonly pageSpan: Millis
}

/** A slice that is being read. */
export interface PageWalk {
  readonly number: number
  /** The slice; it gets shorter when a part of it is given to another walk. */
  whole: Span
  /** The part that no answer has covered. */
  ahead: Span
  /** The part that is not delivered. */
  left: Span
  /** Rows delivered. */
  rows: number
  pace: WalkPace | undefined
  /** A part to be read by pages next, since one page does not hold it. */
  crowded: Span | undefined
  /** An answer is on its way. */
  busy: boolean
  /** It was split off, and no answer has shown yet whether there is anything in it. */
  unproven: boolean
  /** Rows that an answer showed and did not cover, by their keys: the next one must have them. */
  edge: ReadonlyMap<string, EdgeRow>
  /** Rows of `edge` that did not come again. */
  missing: MissingRows | undefined
}

interface EdgeRow {
  readonly time: Millis
  /** The question whose answer showed it. */
  readonly shownBy: Span
}

/** Rows that did not come again: the question that showed them is asked once more, to see if they are still there. */
interface MissingRows {
  readonly keys: ReadonlyArray<string>
  readonly shownBy: Span
}

/** An answer: the times of its rows, and their keys. */
export interface AnswerRows {
  /** The part that the walk had ahead of it when it asked. */
  readonly asked: Span
  /** The span that was asked for. */
  readonly question: Span
  /** In ms since 1970; NaN for what cannot be read. */
  readonly times: ReadonlyArray<Millis>
  /** Returns the key of the i-th row; it may have none. */
  readonly key: (i: number) => string | undefined
  /** There are more rows than came. */
  readonly more: boolean
}

/** The conclusion from one answer. */
export type SliceOutcome =
  /** It has all rows of this stretch. */
  | { readonly _tag: 'Covered'; readonly span: Span }
  /** It led to asking otherwise. */
  | { readonly _tag: 'Nothing' }
  /** The service did not keep the filter by time. */
  | { readonly _tag: 'OutsideFilter'; readonly asked: Span }
  /** Answer after answer said that there is more, and showed nothing of it. */
  | { readonly _tag: 'Unordered'; readonly answers: number }
  /** An answer contradicts the order that others were read by: they may have left out rows. */
  | { readonly _tag: 'OrderChanged' }
  /** So many rows that are in the list do not come when they are asked for by their time. */
  | { readonly _tag: 'RowsMissing'; readonly rows: number }

/** Answers in a row, for each walk, that only led to splitting: a time in ms cannot be halved more often. */
const HALVINGS = 64
/** Walks that parts are split off for, and that count for `HALVINGS`, however many may be asked for at a time. */
const WALKS = 256

/** How far from its walk a part is split off first, in pages; twice as far each time that is too near. */
const REACH = 8

const NOTHING: SliceOutcome = { _tag: 'Nothing' }

/** The time of a snapshot, divided between walks. */
export class TimeField {
  readonly #start: SnapshotPosition
  readonly #width: IO<number>
  readonly #walks: Array<PageWalk>
  #slices: number
  #shown: Shown
  #isTrusted = false // a page with more after it was taken for complete up to its last row, by the order
  #reach = REACH
  #isTrusting = true // no part that was split off was empty: then only proven ones are split
  #unordered = 0
  #margin = 0 // ms that each question goes beyond what it is about

  /** `width`: the most walks at a time, now. */
  constructor(start: SnapshotPosition, width: IO<number>) {
    this.#start = start
    this.#width = width
    this.#walks = start.slices.filter(({ left }) => !isEmpty(left)).map(pageWalk)
    this.#slices = start.cut
  }

  /** Returns the walk to ask for: one that waits, or else a new one, with a part of the longest. */
  next(): PageWalk | undefined {
    const walks = this.#walks
    const waiting = walks.find(({ busy, ahead }) => !busy && !isEmpty(ahead))
    if (waiting !== undefined) return waiting
    if (walks.length >= WALKS) return undefined
    const proven = this.#isTrusting ? walks : walks.filter(({ unproven }) => !unproven)
    const best = bestSplit(proven, this.#reach)
    if (best?.far === true) this.#reach *= 2
    return best && this.#split(best.walk, best.at)
  }

  /** Returns the span to ask for: what a walk has ahead of it, or what showed rows that are missing now. */
  question({ ahead, whole, pace, crowded, missing, edge }: PageWalk): Span {
    if (missing !== undefined) return missing.shownBy
    const { from, to } = crowded ?? ahead
    // at the start of a slice, and in and after a crowded second, no answer may have shown a row of this time yet:
    // then it would not be missed if the service leaves out its bounds
    const isShown = [...edge.values()].some(({ time }) => time < from + SECOND)
    const isStart = pace === undefined || from === whole.from || crowded !== undefined
    const earlier = isStart || !isShown ? SECOND : this.#margin
    return { from: Math.max(0, from - earlier), to: to + this.#margin }
  }

  /** Takes an answer to the question of a walk. */
  receivePage(walk: PageWalk, rows: AnswerRows): SliceOutcome {
    const { asked, question, times, more } = rows
    if (walk.missing !== undefined) return recheck(walk, walk.missing, rows)
    const coverage = coverageOf({ asked, question, times, more, orderBefore: this.#shown })
    if (coverage._tag === 'OutsideFilter') return { _tag: 'OutsideFilter', asked }
    this.#shown = coverage.shown
    if (coverage.shown === 'none' && this.#isTrusted) return { _tag: 'OrderChanged' }
    switch (coverage._tag) {
      case 'Crowded':
        walk.crowded = coverage.span
        walk.edge = new Map([...edgeOf(walk, rows), ...walk.edge])
        return NOTHING
      case 'Halves':
        return this.#halve(walk, coverage.at)
      case 'Covers':
        return this.#cover(walk, both(coverage.span, walk.ahead), rows) // of what is this walk's still
    }
  }

  /** Takes all rows of a crowded stretch, in answer to the question of a walk. */
  receiveSecond(walk: PageWalk, span: Span, rows: AnswerRows): SliceOutcome {
    if (this.#isDoubtful(walk, span, rows, rows.question.to > span.to)) return NOTHING
    if (rows.times.length > 0) this.#unordered = 0
    walk.unproven = false
    covered(walk, span, undefined)
    walk.edge = edgeOf(walk, rows)
    return { _tag: 'Covered', span }
  }

  /** Takes note of a page that is delivered. Returns the slice as it stands with it. */
  deliver(walk: PageWalk, span: Span, rows: number): Slice {
    walk.left = without(walk.left, span)
    walk.rows += rows
    if (isEmpty(walk.left)) this.#walks.splice(this.#walks.indexOf(walk), 1)
    return sliceOf(walk)
  }

  position(): SnapshotPosition {
    const { from, to } = this.#start
    return { from, to, slices: this.#walks.map(sliceOf), cut: this.#slices }
  }

  isDone(): boolean {
    return this.#walks.length === 0
  }

  /** Drops all that is left to read. */
  clear(): void {
    this.#walks.length = 0
  }

  #split(walk: PageWalk, at: number): PageWalk {
    const beyond = splitAt(walk, at, ++this.#slices)
    this.#walks.push(beyond)
    return beyond
  }

  #halve(walk: PageWalk, at: number): SliceOutcome {
    this.#unordered++
    if (this.#unordered > HALVINGS * Math.min(this.#width(), WALKS)) {
      return { _tag: 'Unordered', answers: this.#unordered }
    }
    // that part may be another walk's by now, up to there and no further too
    if (splitNear(walk.ahead, at) === at) this.#split(walk, at)
    return NOTHING
  }

  #cover(walk: PageWalk, span: Span, rows: AnswerRows): SliceOutcome {
    const { asked, question, times, more } = rows
    if (this.#isDoubtful(walk, span, rows, question.to > asked.to)) return NOTHING
    this.#unordered = 0
    if (more) this.#isTrusted = true
    if (walk.unproven && times.length === 0) this.#isTrusting = false
    walk.unproven = false
    const order = more && this.#shown !== 'none' ? this.#shown : undefined
    covered(walk, span, order && { order, pageSpan: spanOf(times) })
    walk.edge = edgeOf(walk, rows)
    return { _tag: 'Covered', span }
  }

  /** Returns whether rows of the edge of a walk are not among those of a span: then it is asked for otherwise. */
  #isDoubtful(walk: PageWalk, span: Span, rows: AnswerRows, isWide: boolean): boolean {
    const edge = [...walk.edge].filter(([, { time }]) => contains(span, time))
    if (edge.length === 0) return false
    const moments = new Set(edge.map(([, { time }]) => time))
    const found = keysWhere(rows, (time) => moments.has(time))
    const missing = edge.filter(([key]) => !found.has(key))
    const [first] = missing
    if (first === undefined) return false
    const [, { shownBy }] = first
    const ofOneAnswer = missing.filter(([, row]) => row.shownBy === shownBy)
    if (isWide) walk.missing = { keys: ofOneAnswer.map(([key]) => key), shownBy }
    else this.#margin = SECOND // the service may leave out its bounds, or round the times that it shows
    return true
  }
}

/** Takes the answer to the question that showed missing rows: they left the list, or the service loses them. */
const recheck = (walk: PageWalk, { keys }: MissingRows, rows: AnswerRows): SliceOutcome => {
  const found = keysWhere(rows, () => true)
  const present = keys.filter((key) => found.has(key))
  if (present.length > 0) return { _tag: 'RowsMissing', rows: present.length }
  walk.edge = new Map([...walk.edge].filter(([key]) => !keys.includes(key)))
  walk.missing = undefined
  return NOTHING
}

/** Returns the time from the first row to the last, at least a second: before and after them there may be none for long. */
const spanOf = (times: ReadonlyArray<Millis>): Millis => {
  const readable = times.filter((time) => !Number.isNaN(time))
  const [first = 0, last = 0] = [readable[0], readable.at(-1)]
  return Math.max(SECOND, Math.abs(last - first))
}

// walks

const pageWalk = ({ number, from, to, rows, left }: Slice): PageWalk => ({
  number,
  whole: { from, to },
  ahead: left,
  left,
  rows,
  pace: undefined,
  crowded: undefined,
  busy: false,
  unproven: false,
  edge: new Map(),
  missing: undefined,
})

const sliceOf = ({ number, whole, rows, left }: PageWalk): Slice => ({
  ...whole,
  number,
  rows,
  left,
})

/** Splits a walk in two. It keeps the part that it is at; the one that comes out has the part beyond. */
const splitAt = (walk: PageWalk, at: number, number: number): PageWalk => {
  const { whole, ahead, left, pace } = walk
  const early = (span: Span): Span => ({ ...span, to: at })
  const late = (span: Span): Span => ({ ...span, from: at })
  const [near, far] = pace?.order === 'descending' ? [late, early] : [early, late]
  walk.whole = near(whole)
  walk.ahead = near(ahead)
  walk.left = near(left)
  return {
    ...pageWalk({ ...far(whole), number, rows: 0, left: far(left) }),
    ahead: far(ahead),
    pace,
    unproven: true,
  }
}

/** Takes note of an answer that covers a part of a walk. */
const covered = (walk: PageWalk, span: Span, pace: WalkPace | undefined): void => {
  walk.ahead = without(walk.ahead, span)
  walk.crowded = undefined
  walk.pace = pace ?? walk.pace
}

// rows at the edge of a page

/** Returns the rows of an answer that a walk still has ahead of it. */
const edgeOf = ({ ahead }: PageWalk, { question, times, key }: AnswerRows): PageWalk['edge'] => {
  const edge = new Map<string, EdgeRow>()
  times.forEach((time, i) => {
    const rowKey = contains(ahead, time) ? key(i) : undefined
    if (rowKey !== undefined) edge.set(rowKey, { time, shownBy: question })
  })
  return edge
}

const keysWhere = (
  { times, key }: AnswerRows,
  holds: (time: Millis) => boolean,
): ReadonlySet<string | undefined> => {
  const keys = new Set<string | undefined>()
  times.forEach((time, i) => {
    if (holds(time)) keys.add(key(i))
  })
  return keys
}

// where to split

export interface Split {
  readonly walk: PageWalk
  readonly at: number
  /** It is as far from its walk as it may be. */
  readonly far: boolean
}

/** Pages that a walk has before it, at least, when a part of it is given away. */
const WORTH = 4

/**
 * Returns where one more walk is of most use: in the middle of what the longest one has before it, by the pages
 * that it is thought to have; but no more than `reach` pages from where it is, since the rows
 * may end anywhere. A list that is read from its newest row on may have no known beginning at all.
 */
const bestSplit = (walks: ReadonlyArray<PageWalk>, reach: number): Split | undefined => {
  let best: Split | undefined
  let most = WORTH
  for (const walk of walks) {
    const { ahead, pace } = walk
    if (pace === undefined || isEmpty(ahead)) continue
    const { order, pageSpan } = pace
    const isOpen = order === 'descending' && ahead.from === 0
    const pages = isOpen ? Number.POSITIVE_INFINITY : (ahead.to - ahead.from) / pageSpan
    const near = Math.min((pages + 1) / 2, reach) * pageSpan
    if (pages < most || near >= ahead.to - ahead.from) continue
    const at = splitNear(ahead, order === 'descending' ? ahead.to - near : ahead.from + near)
    if (at === undefined) continue
    best = { walk, at, far: near === reach * pageSpan }
    most = pages
  }
  return best
}
