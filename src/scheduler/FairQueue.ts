import type { Millis } from './Clock.js'
import { Heap, type HeapEntry } from './Heap.js'

/** A queue inside a fair queue. */
export interface WaitingQueue<T extends WaitingQueue<T>> {
  readonly lane: number
  readonly length: number
  /** True if the queue also waits for a narrower limit. It is then served first when that limit has room, even if short. */
  readonly goesFirst: boolean
  /** Time at which a request of this queue last started, or at which the queue began to wait. */
  readonly servedAt: Millis
  /** The fair queue in which it waits; `undefined` while it is empty. */
  parkedIn: FairQueue<T> | undefined
  readonly byLength: HeapEntry<T>
  readonly byAge: HeapEntry<T>
}

/** A rank lower than the rank of any length. */
const FIRST = -Number.MAX_VALUE

interface Lane<T> {
  readonly weight: number
  readonly longest: Heap<T>
  readonly oldest: Heap<T>
  /** Number of starts divided by the weight. The lane with the lowest value is next. */
  served: number
}

/**
 * Queues that wait for a permit, and the order in which they are served. Lanes take turns by weight. Within a lane, the longest
 * queue goes first, which shortens the whole job if its keys have unequal loads. A queue that was not served for `maxAge` goes
 * before it.
 */
export class FairQueue<T extends WaitingQueue<T>> {
  size = 0
  readonly #lanes: ReadonlyArray<Lane<T>>
  readonly #maxAge: Millis
  #served = 0
  #changes = 0

  constructor(weights: ReadonlyArray<number>, maxAge: Millis) {
    this.#maxAge = maxAge
    this.#lanes = weights.map((weight) => {
      return { weight, longest: new Heap(), oldest: new Heap(), served: 0 }
    })
  }

  next(now: Millis): T | undefined {
    let best: Lane<T> | undefined
    for (const lane of this.#lanes) {
      if (lane.longest.first() === undefined) continue
      if (best === undefined || lane.served < best.served) best = lane
    }
    return best && (this.#overdue(best, now) ?? best.longest.first()?.item)
  }

  add(queue: T): void {
    const lane = this.#lanes[queue.lane]
    if (lane === undefined) return
    // A lane without requests does not save up turns.
    if (lane.longest.first() === undefined) lane.served = Math.max(lane.served, this.#served)
    queue.parkedIn = this
    this.#rankByLength(queue)
    lane.longest.add(queue.byLength)
    queue.byAge.rank = queue.servedAt
    lane.oldest.add(queue.byAge)
    this.size++
  }

  remove(queue: T): void {
    const lane = this.#lanes[queue.lane]
    if (lane === undefined) return
    queue.parkedIn = undefined
    lane.longest.remove(queue.byLength)
    lane.oldest.remove(queue.byAge)
    this.size--
  }

  lengthChanged(queue: T): void {
    this.#rankByLength(queue)
    this.#lanes[queue.lane]?.longest.moved(queue.byLength)
  }

  /** Records a start, so that lanes keep taking turns. Must be called for each start. */
  started(queue: T): void {
    const lane = this.#lanes[queue.lane]
    if (lane === undefined) return
    this.#served = Math.max(this.#served, lane.served)
    lane.served += 1 / lane.weight
  }

  /** Ranks a queue by its length. Among queues of equal length, the one that reached this length first goes first. */
  #rankByLength({ byLength, length, goesFirst }: T): void {
    byLength.rank = goesFirst ? FIRST : -length
    byLength.order = ++this.#changes
  }

  /** Returns a queue that has not been served for too long. Serving does not change a queue's rank, so it is corrected here. */
  #overdue({ oldest }: Lane<T>, now: Millis): T | undefined {
    let entry = oldest.first()
    while (entry !== undefined && now - entry.rank > this.#maxAge) {
      if (entry.rank === entry.item.servedAt) return entry.item
      entry.rank = entry.item.servedAt
      oldest.moved(entry)
      entry = oldest.first()
    }
    return undefined
  }
}
