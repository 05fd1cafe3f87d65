/** The time of a snapshot, walked by several: who reads which part of it, and what is left. */
import type { Slice, SnapshotPosition } from './Slice.js'
import { both, isEmpty, type Span, splitNear, without } from './Span.js'
import { type Shown, verdict } from './verdict.js'
import { bestSplit, covered, sliceOf, splitAt, type Walk, walkOf } from './Walk.js'

// model

/** What one answer came to. */
export type Outcome =
  /** It has all rows of this stretch. */
  | { readonly _tag: 'Covered'; readonly span: Span }
  /** It led to asking otherwise. */
  | { readonly _tag: 'Nothing' }
  /** The service did not keep the filter by time. */
  | { readonly _tag: 'Astray'; readonly asked: Span }
  /** Answer after answer said that there is more, and showed nothing of it. */
  | { readonly _tag: 'Shapeless'; readonly answers: number }

export interface Field {
  /** The walk to ask for: one that waits, or else a new one, with a part of the longest. */
  readonly next: () => Walk | undefined
  /** One answer to "all from `asked.from` to `asked.to`". */
  readonly tell: (walk: Walk, asked: Span, times: ReadonlyArray<number>, more: boolean) => Outcome
  /** All rows of a crowded stretch were read: so many. */
  readonly pass: (walk: Walk, span: Span, rows: number) => void
  /** A page of a walk is given to who asked: the slice as it stands with it. */
  readonly deliver: (walk: Walk, span: Span, rows: number) => Slice
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

export const fieldOf = (start: SnapshotPosition, width: number): Field => {
  const walks = start.slices.filter(({ left }) => !isEmpty(left)).map(walkOf)
  let slices = start.cut
  let shown: Shown
  let reach = REACH
  let trust = 1 // parts that may be split off before it is known whether there is anything in them
  let shapeless = 0

  const split = (walk: Walk, at: number): Walk => {
    const beyond = splitAt(walk, at, ++slices)
    walks.push(beyond)
    return beyond
  }

  /** Where there was nothing the rows have ended, maybe: on with care. */
  const prove = (walk: Walk, more: boolean, hasRows: boolean): void => {
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
      const said = verdict({ asked, times, more, known: shown })
      if (said._tag === 'Astray') return { _tag: 'Astray', asked }
      shown = said.shown
      switch (said._tag) {
        case 'Crowded':
          walk.crowded = said.span
          return NOTHING
        case 'Halves':
          shapeless++
          if (shapeless > HALVINGS * Math.min(width, WALKS))
            return { _tag: 'Shapeless', answers: shapeless }
          // that part may be another walk's by now, up to there and no further too
          if (splitNear(walk.ahead, said.at) === said.at) split(walk, said.at)
          return NOTHING
        case 'Covers': {
          shapeless = 0
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
      if (rows > 0) shapeless = 0
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
