import type { Millis } from './Clock.js'
import type { FairQueue, WaitingQueue } from './FairQueue.js'
import { HeapEntry } from './Heap.js'
import { type JitterGuard, RoundTrips } from './JitterGuard.js'
import { type FairKey, KeyLines, type LineItem, WaitingLine } from './KeyLines.js'
import type { Limiter } from './limiters/Limiter.js'

/** The limiters that count one kind of request, and the requests of that kind. */
export class LimiterSet {
  readonly limiters: ReadonlyArray<Limiter>
  readonly guards: ReadonlyArray<JitterGuard>
  /** True if the last of its limiters belongs to a resource. */
  readonly isOfResource: boolean
  /** One queue for each lane. */
  readonly queues: ReadonlyArray<RequestQueue>
  readonly roundTrips = new RoundTrips()
  inFlight = 0
  /** Refused requests waiting for their backoff. */
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

export interface QueuedRequest extends LineItem<QueuedRequest> {
  queue: RequestQueue
  /** Returns the queue that it now belongs to, because one of its resources may have gained or lost a limiter. */
  queueNow(): RequestQueue
  start(now: Millis): void
  /** Ends it with an error, if it is still waiting. */
  fail(error: unknown): void
}

/** The requests of one lane that wait for the same limiters: refused ones that are retried come first, then keys take turns. */
export class RequestQueue implements WaitingQueue<RequestQueue> {
  readonly set: LimiterSet
  readonly lane: number
  readonly goesFirst: boolean
  servedAt: Millis = 0
  parkedIn: FairQueue<RequestQueue> | undefined
  readonly byLength = new HeapEntry<RequestQueue>(this)
  readonly byAge = new HeapEntry<RequestQueue>(this)
  readonly #retries = new WaitingLine<QueuedRequest>()
  readonly #keys = new KeyLines<QueuedRequest>()

  constructor(set: LimiterSet, lane: number) {
    this.set = set
    this.lane = lane
    this.goesFirst = set.isOfResource
  }

  get length(): number {
    return this.#retries.length + this.#keys.length
  }

  get first(): QueuedRequest | undefined {
    return this.#retries.first ?? this.#keys.first()
  }

  requests(): ReadonlyArray<QueuedRequest> {
    const lines = [this.#retries, ...[...this.#keys.waiting()].map(([, line]) => line)]
    return lines.flatMap((line) => line.items())
  }

  /** Adds a request. Retries go before all others. */
  push(request: QueuedRequest, isRetry: boolean): void {
    if (isRetry) this.#retries.push(request)
    else this.#keys.push(request)
  }

  remove(request: QueuedRequest): void {
    if (request.line === this.#retries) this.#retries.remove(request)
    else this.#keys.remove(request)
  }

  /** Records a turn. Must be called for each request that was removed to be started. */
  started(request: QueuedRequest): void {
    this.#keys.started(request)
  }

  /** Adds its number of requests per key to `counts`. */
  countByKey(counts: Map<FairKey, number>): void {
    const add = (key: FairKey, many: number) => counts.set(key, (counts.get(key) ?? 0) + many)
    for (const { key } of this.#retries.items()) add(key, 1)
    for (const [key, { length }] of this.#keys.waiting()) add(key, length)
  }
}
