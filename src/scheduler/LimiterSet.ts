import type { Millis } from './Clock.js'
import type { FairQueue, WaitingQueue } from './FairQueue.js'
import { HeapEntry } from './Heap.js'
import { type JitterGuard, RoundTrips } from './JitterGuard.js'
import type { Limiter } from './limiters/Limiter.js'

/** The limiters that one kind of request is counted in, and the requests of that kind. */
export class LimiterSet {
  readonly limiters: ReadonlyArray<Limiter>
  readonly guards: ReadonlyArray<JitterGuard>
  /** The last of its limiters is that of a resource. */
  readonly isOfResource: boolean
  /** One queue for each lane. */
  readonly queues: ReadonlyArray<RequestQueue>
  readonly roundTrips = new RoundTrips()
  /** Requests sent, and not ended. */
  inFlight = 0
  /** Requests that were refused, and wait for their backoff to end. */
  backingOff = 0

  constructor(
    limiters: ReadonlyArray<Limiter>,
    guards: ReadonlyArray<JitterGuard>,
    lanes: number,
    isOfResource: boolean,
  ) {
    this.limiters = limiters
    this.guards = guards
    this.isOfResource = isOfResource
    this.queues = Array.from({ length: lanes }, (_, lane) => new RequestQueue(this, lane))
  }

  waiting(): number {
    return this.queues.reduce((sum, { length }) => sum + length, 0)
  }

  isIdle(): boolean {
    return this.inFlight + this.backingOff + this.waiting() === 0
  }
}

/** A request that waits in a queue, as an element of its linked list. */
export interface QueuedRequest {
  queue: RequestQueue
  /** Returns the queue that it belongs to by now: a resource of it may have got a limiter, or lost it. */
  queueNow(): RequestQueue
  previous: QueuedRequest | undefined
  next: QueuedRequest | undefined
  start(now: Millis): void
  /** Ends it with an error, if it still waits. */
  fail(error: unknown): void
}

/** The requests of one lane that wait for the same limiters, first in, first out. */
export class RequestQueue implements WaitingQueue<RequestQueue> {
  readonly set: LimiterSet
  readonly lane: number
  readonly goesFirst: boolean
  first: QueuedRequest | undefined
  length = 0
  servedAt: Millis = 0
  parkedIn: FairQueue<RequestQueue> | undefined
  readonly byLength = new HeapEntry<RequestQueue>(this)
  readonly byAge = new HeapEntry<RequestQueue>(this)
  #last: QueuedRequest | undefined
  /** Last of the requests at the front that were refused and came back. */
  #lastRetry: QueuedRequest | undefined

  constructor(set: LimiterSet, lane: number) {
    this.set = set
    this.lane = lane
    this.goesFirst = set.isOfResource
  }

  requests(): ReadonlyArray<QueuedRequest> {
    const requests: Array<QueuedRequest> = []
    for (let request = this.first; request !== undefined; request = request.next) {
      requests.push(request)
    }
    return requests
  }

  /** Appends a request. A retry goes to the front, behind the retries that are already there. */
  push(request: QueuedRequest, isRetry: boolean): void {
    const previous = isRetry ? this.#lastRetry : this.#last
    const next = previous === undefined ? this.first : previous.next
    request.previous = previous
    request.next = next
    if (previous === undefined) this.first = request
    else previous.next = request
    if (next === undefined) this.#last = request
    else next.previous = request
    if (isRetry) this.#lastRetry = request
    this.length++
  }

  remove(request: QueuedRequest): void {
    const isFirst = this.first === request
    const previous = isFirst ? undefined : request.previous
    const { next } = request
    if (this.#lastRetry === request) this.#lastRetry = previous
    if (previous === undefined) this.first = next
    else previous.next = next
    if (next === undefined) this.#last = previous
    // The `previous` of a first request is never read: leaving it alone saves a cache miss for each start.
    else if (!isFirst) next.previous = previous
    request.previous = undefined
    request.next = undefined
    this.length--
  }
}
