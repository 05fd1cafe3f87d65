/**
 * ```ts
 * const park: (weights: ReadonlyArray<number>) => Park
 * ```
 *
 * The strands that wait for one bucket. Lanes take turns by their weights; within a lane the strand
 * of the lowest rank goes first.
 */
import { type Heap, heap } from './Heap.js'
import type { Strand } from './Strand.js'

export interface Park {
  readonly size: () => number
  readonly first: () => Strand | undefined
  readonly add: (strand: Strand) => void
  readonly remove: (strand: Strand) => void
  /** To be called after the rank of one that waits here has changed. */
  readonly moved: (strand: Strand) => void
  /** One of this strand went through: the turn passes on. */
  readonly went: (strand: Strand) => void
}

export const park = (weights: ReadonlyArray<number>): Park => {
  const lanes: ReadonlyArray<Heap<Strand>> = weights.map(() => heap())
  /** What each lane has had, in shares of its weight. The least goes first. */
  const had = weights.map(() => 0)
  let reached = 0
  let size = 0

  const next = (): number => {
    let best = -1
    for (let lane = 0; lane < lanes.length; lane++) {
      if (lanes[lane]?.size() === 0) continue
      if (best < 0 || (had[lane] ?? 0) < (had[best] ?? 0)) best = lane
    }
    return best
  }

  return {
    size: () => size,
    first: () => (size === 0 ? undefined : lanes[next()]?.first()),
    add: (strand) => {
      const lane = lanes[strand.lane]
      if (lane === undefined) return
      // A lane that had nothing to send does not save its turns up.
      if (lane.size() === 0) had[strand.lane] = Math.max(had[strand.lane] ?? 0, reached)
      lane.add(strand)
      size++
    },
    remove: (strand) => {
      lanes[strand.lane]?.remove(strand)
      size--
    },
    moved: (strand) => lanes[strand.lane]?.moved(strand),
    went: (strand) => {
      const before = had[strand.lane] ?? 0
      reached = Math.max(reached, before)
      had[strand.lane] = before + 1 / (weights[strand.lane] ?? 1)
    },
  }
}
