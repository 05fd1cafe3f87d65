/** Divides the time range of a snapshot among several readers. Tracks the part of each reader and the part that is left. */
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

/** The order and the speed of reading, as observed in responses. */
export interface WalkPace {
  readonly order: ListOrder
  /** The time that a full page spans, in ms. */
  readonly pageSpan: Millis
}

/** A slice that is being read. */
export interface PageWalk {
  readonly number: number
  /** The slice. It shrinks when a part of it is given to another walk. */
  whole: Span
  /** The part that no response has covered yet. */
  ahead: Span
  /** The part that has not been delivered yet. */
  left: Span
  /** Number of delivered rows. */
  rows: number
  pace: WalkPace | undefined
  /** A time span that does not fit in one page, and will be read page by page. */
  crowded: Span | undefined
  /** True while a request is in flight. */
  busy: boolean
  /** True if the walk was split off, and no response has shown yet whether it contains rows. */
  unproven: boolean
  /** Rows that a response showed but did not cover, by key. The next response must have them. */
  edge: ReadonlyMap<string, EdgeRow>
  /** Rows of `edge` that did not appear again. */
  missing: MissingRows | undefined
}

interface EdgeRow {
  readonly time: Millis
  /** The request whose response showed the row. */
  readonly shownBy: Span
}

/** Rows that did not appear again. The request that showed them is repeated, to check whether they still exist. */
interface MissingRows {
  readonly keys: ReadonlyArray<string>
  readonly shownBy: Span
}

/** A response, reduced to the times and keys of its rows. */
export interface AnswerRows {
  /** The part that was ahead of the walk when the request was sent. */
  readonly asked: Span
  /** The requested span. */
  readonly question: Span
  /** Times in ms since 1970; NaN if unreadable. */
  readonly times: ReadonlyArray<Millis>
  /** Returns the key of the i-th row, if it has one. */
  readonly key: (i: number) => string | undefined
  /** True if there are more rows than in this response. */
  readonly more: boolean
}

/** The conclusion from one response. */
export type SliceOutcome =
  /** The response has all rows of this span. */
  | { readonly _tag: 'Covered'; readonly span: Span }
  /** Further requests are needed. */
  | { readonly _tag: 'Nothing' }
  /** The service ignored the filter by time. */
  | { readonly _tag: 'OutsideFilter'; readonly asked: Span }
  /** Consecutive responses claimed that there are more rows, but showed none. */
  | { readonly _tag: 'Unordered'; readonly answers: number }
  /** The response contradicts the order of earlier ones, which may therefore have missed rows. */
  | { readonly _tag: 'OrderChanged' }
  /** This many rows of the list do not appear when requested by their time. */
  | { readonly _tag: 'RowsMissing'; readonly rows: number }

/** Maximum number of consecutive responses per walk that led only to splitting. A time in ms cannot be halved more often. */
const HALVINGS = 64
/** Number of walks for which parts are split off, however many are allowed. `HALVINGS` is multiplied by up to this number. */
const WALKS = 256

/** Initial distance, in pages, from a walk to the point where a part is split off. It doubles each time it is too short. */
const REACH = 8

const NOTHING: SliceOutcome = { _tag: 'Nothing' }

/** The time range of a snapshot, divided among walks. */
export class TimeField {
  readonly #start: SnapshotPosition
  readonly #width: IO<number>
  readonly #walks: Array<PageWalk>
  #slices: number
  #shown: Shown
  #isTrusted = false // a page that is not the last counted as complete up to its last row, because of the order of the rows
  #reach = REACH
  #isTrusting = true // false once a part that was split off was empty; then only parts proven to have rows are split
  #unordered = 0
  #margin = 0 // number of ms that each request adds before and after its time range

  /** `width`: returns the current maximum number of concurrent walks. */
  constructor(start: SnapshotPosition, width: IO<number>) {
    this.#start = start
    this.#width = width
    this.#walks = start.slices.filter(({ left }) => !isEmpty(left)).map(pageWalk)
    this.#slices = start.cut
  }

  /** Returns the walk whose request is next: one that is waiting, or else a new one that takes a part of the longest walk. */
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

  /** Returns the span to request: the part ahead of a walk, or the span in which missing rows were shown. */
  question({ ahead, whole, pace, crowded, missing, edge }: PageWalk): Span {
    if (missing !== undefined) return missing.shownBy
    const { from, to } = crowded ?? ahead
    // at the start of a slice, and in and after a crowded second, no response may have shown a row of this time yet; if the
    // service excludes its bounds, the row would then not be missed
    const isShown = [...edge.values()].some(({ time }) => time < from + SECOND)
    const isStart = pace === undefined || from === whole.from || crowded !== undefined
    const earlier = isStart || !isShown ? SECOND : this.#margin
    return { from: Math.max(0, from - earlier), to: to + this.#margin }
  }

  /** Processes a response to the request of a walk. */
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
        return this.#cover(walk, both(coverage.span, walk.ahead), rows) // the part that still belongs to this walk
    }
  }

  /** Processes all rows of a crowded span, in response to the request of a walk. */
  receiveSecond(walk: PageWalk, span: Span, rows: AnswerRows): SliceOutcome {
    if (this.#isDoubtful(walk, span, rows, rows.question.to > span.to)) return NOTHING
    if (rows.times.length > 0) this.#unordered = 0
    walk.unproven = false
    covered(walk, span, undefined)
    walk.edge = edgeOf(walk, rows)
    return { _tag: 'Covered', span }
  }

  /** Records a delivered page. Returns the slice, including this page. */
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

  /** Drops everything that is left to read. */
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
    // by now, that part may belong to another walk, which also ends there
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

  /** Returns true if rows at the edge of a walk are not among the rows of a span. Another request is then made. */
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
    else this.#margin = SECOND // the service may exclude its bounds, or round the times that it shows
    return true
  }
}

/** Processes the repeated response. The missing rows have either left the list, or the service loses them. */
const recheck = (walk: PageWalk, { keys }: MissingRows, rows: AnswerRows): SliceOutcome => {
  const found = keysWhere(rows, () => true)
  const present = keys.filter((key) => found.has(key))
  if (present.length > 0) return { _tag: 'RowsMissing', rows: present.length }
  walk.edge = new Map([...walk.edge].filter(([key]) => !keys.includes(key)))
  walk.missing = undefined
  return NOTHING
}

/** Returns the time from the first row to the last, at least a second. Long stretches before and after may be empty. */
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

/** Splits a walk in two. It keeps the part at its position, and the new walk gets the part beyond. */
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

/** Records a response that covers a part of a walk. */
const covered = (walk: PageWalk, span: Span, pace: WalkPace | undefined): void => {
  walk.ahead = without(walk.ahead, span)
  walk.crowded = undefined
  walk.pace = pace ?? walk.pace
}

// rows at the edge of a page

/** Returns the rows of a response that are still ahead of a walk. */
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
  /** True if the split is at the maximum distance from its walk. */
  readonly far: boolean
}

/** Minimum number of pages ahead of a walk at which a part of it is given away. */
const WORTH = 4

/**
 * Returns the time at which another walk helps most: the middle of the longest walk's remaining time, measured in estimated
 * pages. It is at most `reach` pages from the position of that walk, because the rows may end anywhere: a list that is read
 * from its newest row on may have no known start.
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
