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
import { type Ladder, ladder } from './Ladder.js'
import type { Strand } from './Strand.js'

export interface Park {
  readonly size: () => number
  readonly next: (now: Millis) => Strand | undefined
  readonly add: (strand: Strand) => void
  readonly remove: (strand: Strand) => void
  /** To be called after one that waits here has become longer or shorter by one. */
  readonly moved: (strand: Strand) => void
  /** One of this lane went through: the turn passes on. */
  readonly went: (lane: number) => void
}

interface Lane {
  readonly longest: Ladder<Strand>
  readonly oldest: Heap<Strand>
  readonly weight: number
  /** What it has had, in shares of its weight. The least goes first. */
  had: number
}

export const park = (weights: ReadonlyArray<number>, patience: Millis): Park =>
  new Lanes(weights, patience)

class Lanes implements Park {
  private readonly patience: Millis
  private readonly lanes: ReadonlyArray<Lane>
  private reached = 0
  private count = 0

  constructor(weights: ReadonlyArray<number>, patience: Millis) {
    this.patience = patience
    this.lanes = weights.map((weight) => ({ longest: ladder(), oldest: heap(), weight, had: 0 }))
  }

  size(): number {
    return this.count
  }

  next(now: Millis): Strand | undefined {
    let best: Lane | undefined
    for (const lane of this.lanes) {
      if (lane.oldest.size() > 0 && (best === undefined || lane.had < best.had)) best = lane
    }
    return best === undefined ? undefined : (this.overdue(best, now) ?? best.longest.first())
  }

  add(strand: Strand): void {
    const lane = this.lanes[strand.lane]
    if (lane === undefined) return
    // A lane that had nothing to send does not save its turns up.
    if (lane.oldest.size() === 0) lane.had = Math.max(lane.had, this.reached)
    lane.longest.add(strand)
    strand.rank = strand.since
    lane.oldest.add(strand)
    this.count++
  }

  remove(strand: Strand): void {
    this.lanes[strand.lane]?.longest.remove(strand)
    this.lanes[strand.lane]?.oldest.remove(strand)
    this.count--
  }

  moved(strand: Strand): void {
    this.lanes[strand.lane]?.longest.moved(strand)
  }

  went(at: number): void {
    const lane = this.lanes[at]
    if (lane === undefined) return
    this.reached = Math.max(this.reached, lane.had)
    lane.had += 1 / lane.weight
  }

  /** One that was not served for too long. Being served does not move it until somebody looks here. */
  private overdue({ oldest }: Lane, now: Millis): Strand | undefined {
    for (let strand = oldest.first(); strand !== undefined; strand = oldest.first()) {
      if (now - strand.rank <= this.patience) return undefined
      if (strand.rank === strand.since) return strand
      strand.rank = strand.since
      oldest.moved(strand)
    }
    return undefined
  }
}
