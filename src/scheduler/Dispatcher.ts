import { type Subscription, throwError } from 'rxjs'
import { type Clock, type Millis, TICK } from './Clock.js'
import { FairQueue } from './FairQueue.js'
import { Heap, HeapEntry } from './Heap.js'
import type { QueuedRequest, RequestQueue } from './LimiterSet.js'
import type { Limiter } from './limiters/Limiter.js'

/** Queues that are parked at a full limiter. */
class Parking extends FairQueue<RequestQueue> {
  readonly limiter: Limiter
  readonly wakeUp: HeapEntry<Parking> = new HeapEntry<Parking>(this)

  constructor(limiter: Limiter, weights: ReadonlyArray<number>, maxAge: Millis) {
    super(weights, maxAge)
    this.limiter = limiter
  }
}

/** How much earlier than its wake-up a limiter may have room, because a guard can shrink after the wake-up is set. */
const EARLY: Millis = 2 * TICK
/** Longest time for which permits are reserved. The request that holds the missing permit may never end. */
const RESERVED: Millis = 10_000
const NEVER: Millis = Number.POSITIVE_INFINITY

/**
 * Starts requests as soon as all of their limiters have room.
 *
 * A queue whose first request cannot start is parked at one full limiter. When that limiter has room again, by time or because
 * a request ended, its parked queues are tried. If several limiters have room at the same moment, their queues are considered
 * together, so the choice is the fairest among all of them.
 */
export class Dispatcher {
  readonly #clock: Clock
  readonly #weights: ReadonlyArray<number>
  readonly #maxQueueAge: Millis
  readonly #beforeStarting: () => void
  readonly #ready: FairQueue<RequestQueue>
  readonly #wakeUps = new Heap<Parking>()
  #timer: Subscription | undefined
  #timerAt: Millis = NEVER
  #isRunning = false
  /** The queue for which permits are reserved; see `reserve`. */
  #overdue: RequestQueue | undefined
  #reservedUntil: Millis = 0

  /**
   * `weights`: weights of the lanes. `maxQueueAge`: a queue that was not served for this long goes before longer ones.
   * `beforeStarting`: called before requests start, and may change limits, because timers fire late after the process was
   * suspended.
   */
  constructor(
    clock: Clock,
    weights: ReadonlyArray<number>,
    maxQueueAge: Millis,
    beforeStarting: () => void,
  ) {
    this.#beforeStarting = beforeStarting
    this.#clock = clock
    this.#weights = weights
    this.#maxQueueAge = maxQueueAge
    this.#ready = new FairQueue(weights, maxQueueAge)
  }

  /** Queues a request. A retry goes before all others. */
  enqueue(request: QueuedRequest, isRetry: boolean): void {
    const { queue } = request
    queue.push(request, isRetry)
    if (queue.parkedIn !== undefined) {
      queue.parkedIn.lengthChanged(queue)
      return
    }
    queue.servedAt = this.#clock.now()
    this.#ready.add(queue)
    this.#run(queue.servedAt)
  }

  remove(request: QueuedRequest): void {
    const { queue } = request
    queue.remove(request)
    if (queue.length > 0) {
      queue.parkedIn?.lengthChanged(queue)
      return
    }
    queue.parkedIn?.remove(queue)
    if (this.#overdue === queue) {
      const now = this.#clock.now()
      this.#endReservation(now)
      this.#run(now)
    } else if (!this.#isRunning) {
      this.#setTimer()
    }
  }

  /** Serves limiters that may have room because a request ended or got a response. */
  changed(limiters: ReadonlyArray<Limiter>, now: Millis): void {
    this.#wake(limiters, now)
    this.#run(now)
  }

  /** Sets new wake-ups for limiters that may release permits sooner than expected. */
  reschedule(limiters: ReadonlyArray<Limiter>, now: Millis): void {
    for (const { parking } of limiters) {
      if (parking instanceof Parking && parking.size > 0) this.#setWakeUp(parking, now)
    }
    if (!this.#isRunning) this.#setTimer()
  }

  parkedAt({ parking }: Limiter): number {
    return parking instanceof Parking ? parking.size : 0
  }

  #wake(limiters: ReadonlyArray<Limiter>, now: Millis): void {
    // Backwards: if several have room at once, the narrowest, which is last, is gathered first.
    for (let i = limiters.length - 1; i >= 0; i--) {
      const parking = limiters[i]?.parking
      if (parking instanceof Parking && parking.size > 0) this.#wakeAt(parking, now)
    }
  }

  #wakeAt({ wakeUp }: Parking, at: Millis): void {
    if (wakeUp.slot >= 0 && wakeUp.rank === at) return
    this.#wakeUps.remove(wakeUp)
    wakeUp.rank = at
    if (at < NEVER) this.#wakeUps.add(wakeUp)
  }

  /** Not re-entrant: the running loop also handles requests that arrive in the meantime. */
  #run(now: Millis): void {
    if (this.#isRunning) return
    this.#isRunning = true
    try {
      this.#beforeStarting()
      const overdue = this.#overdue
      if (overdue !== undefined && (now >= this.#reservedUntil || isClosed(overdue, now))) {
        this.#endReservation(now)
      }
      for (let early = EARLY; this.#round(now, now + early); early = 0);
    } finally {
      this.#isRunning = false
    }
    this.#setTimer()
  }

  /** Serves the limiters that have room at `until`. Returns true if there was anything to do. */
  #round(now: Millis, until: Millis): boolean {
    let due = this.#nextDue(until)
    if (due === undefined && this.#ready.size === 0) return false
    if (this.#overdue !== undefined) this.#tryStart(this.#overdue, now)
    const next = this.#wakeUps.first()
    if (due !== undefined && this.#ready.size === 0 && (next === undefined || next.rank > until)) {
      this.#serve(due, now)
      return true
    }
    const gathered: Array<Parking> = []
    for (; due !== undefined; due = this.#nextDue(until)) {
      this.#gather(due, now)
      gathered.push(due)
    }
    for (let queue = this.#ready.next(now); queue !== undefined; queue = this.#ready.next(now)) {
      this.#tryStart(queue, now)
    }
    for (const parking of gathered) this.#setWakeUp(parking, now)
    return true
  }

  #nextDue(until: Millis): Parking | undefined {
    const first = this.#wakeUps.first()
    if (first === undefined || first.rank > until) return undefined
    this.#wakeUps.remove(first)
    return first.item
  }

  /** Starts requests while this limiter has room; queues that are blocked elsewhere are parked there. */
  #serve(parking: Parking, now: Millis): void {
    while (parking.limiter.wait(now) <= 0) {
      const queue = parking.next(now)
      if (queue === undefined || (!this.#tryStart(queue, now) && queue.parkedIn === parking)) break
    }
    this.#setWakeUp(parking, now)
  }

  /** Makes as many queues ready as the limiter has room for. Not all of them can start if other limiters are full. */
  #gather(parking: Parking, now: Millis): void {
    for (let room = parking.limiter.room(now); room > 0; room--) {
      const queue = parking.next(now)
      if (queue === undefined) return
      parking.started(queue)
      parking.remove(queue)
      this.#ready.add(queue)
    }
  }

  /** Starts the first request of a queue, or parks the queue at a limiter that is full. Returns true if it started. */
  #tryStart(queue: RequestQueue, now: Millis): boolean {
    const { first: request, parkedIn } = queue
    if (request === undefined || parkedIn === undefined) return false
    const queueNow = request.queueNow()
    if (queueNow !== queue) {
      this.#move(request, queueNow, now)
      return true
    }
    for (const limiter of queue.set.limiters) {
      if (limiter.wait(now) <= 0 && (this.#overdue === queue || !this.#isReserved(limiter, now))) {
        continue
      }
      this.#park(queue, limiter, now)
      return false
    }
    queue.remove(request)
    queue.servedAt = now
    if (this.#overdue === queue) this.#endReservation(now)
    parkedIn.started(queue)
    if (queue.length === 0) parkedIn.remove(queue)
    else parkedIn.lengthChanged(queue)
    try {
      request.start(now)
    } catch (error) {
      throwError(() => error).subscribe() // reported in the same way as by RxJS, so it stops no other request
    }
    return true
  }

  /** Moves a request to the end of another queue. */
  #move(request: QueuedRequest, to: RequestQueue, now: Millis): void {
    const { queue } = request
    queue.remove(request)
    if (queue.length > 0) queue.parkedIn?.lengthChanged(queue)
    else queue.parkedIn?.remove(queue)
    if (this.#overdue === queue) this.#endReservation(now)
    request.queue = to
    to.push(request, false)
    if (to.parkedIn !== undefined) {
      to.parkedIn.lengthChanged(to)
      return
    }
    to.servedAt = now
    this.#ready.add(to)
  }

  #park(queue: RequestQueue, limiter: Limiter, now: Millis): void {
    this.#reserve(queue, limiter, now)
    limiter.parking ??= new Parking(limiter, this.#weights, this.#maxQueueAge)
    const { parking } = limiter
    if (parking === queue.parkedIn || !(parking instanceof Parking)) return
    queue.parkedIn?.remove(queue)
    parking.add(queue)
    this.#setWakeUp(parking, now)
  }

  /**
   * Reserves permits for an overtaken queue. If keys of several tiers overlap, one limiter of a queue may be full whenever
   * another has room. Requests that need fewer permits could then overtake the queue forever. If a queue was overtaken and not
   * served for `maxQueueAge`, the last permit of each of its limiters is therefore reserved for it. Permits are reserved for
   * only one queue at a time, so two queues never wait for each other.
   */
  #reserve(queue: RequestQueue, full: Limiter, now: Millis): void {
    if (this.#overdue !== undefined || queue.set.limiters.length === 1) return
    if (now - queue.servedAt <= this.#maxQueueAge || isClosed(queue, now)) return
    if (full.acquiredAt <= queue.servedAt) return // it was not overtaken
    this.#overdue = queue
    this.#reservedUntil = now + RESERVED
  }

  #endReservation(now: Millis): void {
    const overdue = this.#overdue
    this.#overdue = undefined
    if (overdue !== undefined) this.#wake(overdue.set.limiters, now)
  }

  #isReserved(limiter: Limiter, now: Millis): boolean {
    const overdue = this.#overdue
    if (overdue === undefined) return false
    return overdue.set.limiters.includes(limiter) && limiter.room(now) <= 1
  }

  #setWakeUp(parking: Parking, now: Millis): void {
    const { limiter } = parking
    let at = parking.size > 0 ? now + limiter.wait(now) : NEVER
    if (at <= now && parking !== this.#overdue?.parkedIn && this.#isReserved(limiter, now)) {
      at = Math.min(now + limiter.more(now), this.#reservedUntil)
    }
    this.#wakeAt(parking, at)
  }

  /** Sets the one timer, for the first limiter that queues wait for. It does not keep an idle process alive. */
  #setTimer(): void {
    let first = this.#wakeUps.first()
    while (first !== undefined && first.item.size === 0) {
      this.#wakeUps.remove(first) // all of its requests were cancelled
      first = this.#wakeUps.first()
    }
    const at = first?.rank ?? NEVER
    if (at === this.#timerAt || (at > this.#timerAt && at < NEVER)) return
    this.#timer?.unsubscribe()
    this.#timer = undefined
    this.#timerAt = at
    if (at === NEVER) return
    const clock = this.#clock
    this.#timer = clock.after(at - clock.now(), () => {
      this.#timer = undefined
      this.#timerAt = NEVER
      this.#run(clock.now())
    })
  }
}

/** Returns true if a limiter is closed after refusals; reserving permits would then gain nothing. */
const isClosed = ({ set }: RequestQueue, now: Millis): boolean =>
  set.limiters.some(({ limit }) => limit.closedFor(now) > 0)
