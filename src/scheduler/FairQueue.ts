import type { Millis } from './Clock.js'
import { Heap, type HeapEntry } from './Heap.js'

/** A queue that waits in a fair queue. */
export interface WaitingQueue<T extends WaitingQueue<T>> {
  readonly lane: number
  readonly length: number
  /** It waits for a narrower limit as well, so its turn is when that has room, however short it is. */
  readonly goesFirst: boolean
  /** When a request of it was last started, or when it began to wait. */
  readonly servedAt: Millis
  /** Where it waits; `undefined` while it is empty. */
  parkedIn: FairQueue<T> | undefined
  readonly byLength: HeapEntry<T>
  readonly byAge: HeapEntry<T>
}

/** Rank before all lengths. */
const FIRST = -Number.MAX_VALUE

interface Lane<T> {
  readonly weight: number
  readonly longest: Heap<T>
  readonly oldest: Heap<T>
  /** Starts so far divided by the weight: the lane with the least is next. */
  served: number
}

/**
 * Queues that wait for a permit, and whose turn it is. Lanes take turns by weight. Within a lane the longest queue
 * goes first, which shortens the whole job when its keys have unequal loads, but none before a queue that was not
 * served for `maxAge`.
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
    // A lane with nothing to send saves no turns up.
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

  /** Call it for each start, so that the turn passes on to the next lane. */
  started(queue: T): void {
    const lane = this.#lanes[queue.lane]
    if (lane === undefined) return
    this.#served = Math.max(this.#served, lane.served)
    lane.served += 1 / lane.weight
  }

  /** Among queues of one length, the one that has had it for longest goes first. */
  #rankByLength({ byLength, length, goesFirst }: T): void {
    byLength.rank = goesFirst ? FIRST : -length
    byLength.order = ++this.#changes
  }

  /** A queue that was not served for too long. Serving a queue leaves its rank as it is; it is corrected here. */
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
