/**
 * ```ts
 * const park: (weights: ReadonlyArray<number>, patience: Millis) => Park
 * ```
 *
 * Strands that wait. Lanes take turns by their weights; within a lane the longest strand goes first,
 * but none before one that was not served for `patience`.
 */
import type { Millis } from './Clock.js'
import { type Heap, heap } from './Heap.js'
import type { Age, Strand } from './Strand.js'

export interface Park {
  readonly size: () => number
  readonly next: (now: Millis) => Strand | undefined
  readonly add: (strand: Strand) => void
  readonly remove: (strand: Strand) => void
  /** To be called after the length or the age of one that waits here has changed. */
  readonly moved: (strand: Strand) => void
  /** One of this lane went through: the turn passes on. */
  readonly went: (lane: number) => void
}

interface Lane {
  readonly longest: Heap<Strand>
  readonly oldest: Heap<Age>
  readonly weight: number
  /** What it has had, in shares of its weight. The least goes first. */
  had: number
}

export const park = (weights: ReadonlyArray<number>, patience: Millis): Park => {
  const lanes: ReadonlyArray<Lane> = weights.map((weight) => ({
    longest: heap(),
    oldest: heap(),
    weight,
    had: 0,
  }))
  let reached = 0
  let size = 0

  return {
    size: () => size,
    next: (now) => {
      let best: Lane | undefined
      for (const lane of lanes) {
        if (lane.longest.size() > 0 && (best === undefined || lane.had < best.had)) best = lane
      }
      const oldest = best?.oldest.first()
      return oldest !== undefined && now - oldest.rank > patience
        ? oldest.strand
        : best?.longest.first()
    },
    add: (strand) => {
      const lane = lanes[strand.lane]
      if (lane === undefined) return
      // A lane that had nothing to send does not save its turns up.
      if (lane.longest.size() === 0) lane.had = Math.max(lane.had, reached)
      lane.longest.add(strand)
      lane.oldest.add(strand.age)
      size++
    },
    remove: (strand) => {
      lanes[strand.lane]?.longest.remove(strand)
      lanes[strand.lane]?.oldest.remove(strand.age)
      size--
    },
    moved: (strand) => {
      lanes[strand.lane]?.longest.moved(strand)
      lanes[strand.lane]?.oldest.moved(strand.age)
    },
    went: (at) => {
      const lane = lanes[at]
      if (lane === undefined) return
      reached = Math.max(reached, lane.had)
      lane.had += 1 / lane.weight
    },
  }
}
