/**
 * ```ts
 * const park: <T extends Parked<T>>(weights: ReadonlyArray<number>, patience: Millis) => Park<T>
 * ```
 *
 * Queues that wait. Lanes take turns by their weights; within a lane the longest queue goes first,
 * but none before one that was not served for `patience`.
 */
import type { Millis } from '../Clock.js'
import { type Heap, heap, type Ranked } from './Heap.js'
import { type Ladder, type Long, ladder } from './Ladder.js'

/** A queue, ranked by its `since` as it was when somebody last looked. */
export interface Parked<T> extends Long<T>, Ranked {
  readonly lane: number
  /** When it was last served, or began to wait. */
  readonly since: Millis
}

export interface Park<T> {
  readonly size: () => number
  /** At most so many of each lane. */
  readonly some: (most: number) => ReadonlyArray<T>
  readonly next: (now: Millis) => T | undefined
  readonly add: (item: T) => void
  readonly remove: (item: T) => void
  /** To be called after one that waits here has become longer or shorter by one. */
  readonly moved: (item: T) => void
  /** One of this lane went through: the turn passes on. */
  readonly went: (lane: number) => void
}

interface Lane<T extends Parked<T>> {
  readonly longest: Ladder<T>
  readonly oldest: Heap<T>
  readonly weight: number
  /** What it has had, in shares of its weight. The least goes first. */
  had: number
}

export const park = <T extends Parked<T>>(
  weights: ReadonlyArray<number>,
  patience: Millis,
): Park<T> => new Rota(weights, patience)

class Rota<T extends Parked<T>> implements Park<T> {
  private readonly patience: Millis
  private readonly lanes: ReadonlyArray<Lane<T>>
  private reached = 0
  private count = 0

  constructor(weights: ReadonlyArray<number>, patience: Millis) {
    this.patience = patience
    this.lanes = weights.map((weight) => ({ longest: ladder(), oldest: heap(), weight, had: 0 }))
  }

  size(): number {
    return this.count
  }

  some(most: number): ReadonlyArray<T> {
    return this.lanes.flatMap(({ oldest }) => oldest.some(most))
  }

  next(now: Millis): T | undefined {
    let best: Lane<T> | undefined
    for (const lane of this.lanes) {
      if (lane.oldest.size() > 0 && (best === undefined || lane.had < best.had)) best = lane
    }
    return best === undefined ? undefined : (this.overdue(best, now) ?? best.longest.first())
  }

  add(item: T): void {
    const lane = this.lanes[item.lane]
    if (lane === undefined) return
    // A lane that had nothing to send does not save its turns up.
    if (lane.oldest.size() === 0) lane.had = Math.max(lane.had, this.reached)
    lane.longest.add(item)
    item.rank = item.since
    lane.oldest.add(item)
    this.count++
  }

  remove(item: T): void {
    this.lanes[item.lane]?.longest.remove(item)
    this.lanes[item.lane]?.oldest.remove(item)
    this.count--
  }

  moved(item: T): void {
    this.lanes[item.lane]?.longest.moved(item)
  }

  went(at: number): void {
    const lane = this.lanes[at]
    if (lane === undefined) return
    this.reached = Math.max(this.reached, lane.had)
    lane.had += 1 / lane.weight
  }

  /** One that was not served for too long. Being served does not move it until somebody looks here. */
  private overdue({ oldest }: Lane<T>, now: Millis): T | undefined {
    for (let item = oldest.first(); item !== undefined; item = oldest.first()) {
      if (now - item.rank <= this.patience) return undefined
      if (item.rank === item.since) return item
      item.rank = item.since
      oldest.moved(item)
    }
    return undefined
  }
}
