import { type Subscription, throwError } from 'rxjs'
import { type Clock, type Millis, TICK } from './Clock.js'
import { FairQueue } from './FairQueue.js'
import { Heap, HeapEntry } from './Heap.js'
import type { QueuedRequest, RequestQueue } from './LimiterSet.js'
import type { Limiter } from './limiters/Limiter.js'

/** Queues that are parked at a limiter, since it is full. */
class Parking {
  readonly limiter: Limiter
  readonly queues: FairQueue<RequestQueue>
  /** When the limiter has room again. */
  readonly wakeUp: HeapEntry<Parking> = new HeapEntry<Parking>(this)
  /** Whether it is about to be looked at. */
  isDue = false

  constructor(limiter: Limiter, queues: FairQueue<RequestQueue>) {
    this.limiter = limiter
    this.queues = queues
  }
}

/** A guard shrinks while wake-ups are set: a limiter may have room so long before its own. */
const EARLY: Millis = 2 * TICK
/** Longest time for which permits are reserved: the request that holds the missing one may never end. */
const RESERVED: Millis = 10_000

/**
 * Starts requests as soon as all of their limiters have room.
 *
 * A queue whose first request cannot start is parked at one limiter that is full. When that limiter has room again, by
 * time or because a request has ended, the queues that are parked there are tried. When several have room at the same
 * moment, their queues are put together, so that the fairest choice among all of them is made.
 */
export class Dispatcher {
  private readonly clock: Clock
  private readonly weights: ReadonlyArray<number>
  private readonly maxQueueAge: Millis
  /** Queues that may be able to start a request. */
  private readonly ready: FairQueue<RequestQueue>
  /** Where there may be room now, and where there will be room in time. */
  private readonly due: Array<Parking> = []
  private readonly wakeUps = new Heap<Parking>()
  private timer: Subscription | undefined
  private timerAt: Millis = Number.POSITIVE_INFINITY
  private isRunning = false
  /** The queue that permits are reserved for, see `reserve`. */
  private overdue: RequestQueue | undefined
  private reservedUntil: Millis = 0

  /** `weights`: of the lanes; `maxQueueAge`: a queue that was not served for so long goes before longer ones. */
  constructor(clock: Clock, weights: ReadonlyArray<number>, maxQueueAge: Millis) {
    this.clock = clock
    this.weights = weights
    this.maxQueueAge = maxQueueAge
    this.ready = new FairQueue(weights, maxQueueAge)
  }

  /** A request waits. A retry was started before, and goes first. */
  enqueue(request: QueuedRequest, isRetry: boolean): void {
    const { queue } = request
    queue.push(request, isRetry)
    if (queue.parkedIn !== undefined) {
      queue.parkedIn.lengthChanged(queue)
      return
    }
    queue.servedAt = this.clock.now()
    this.ready.add(queue)
    this.run(queue.servedAt)
  }

  /** A request waits no longer. */
  remove(request: QueuedRequest): void {
    const { queue } = request
    queue.remove(request)
    if (queue.length > 0) {
      queue.parkedIn?.lengthChanged(queue)
      return
    }
    queue.parkedIn?.remove(queue)
    this.endReservation(queue)
    if (this.due.length > 0) this.run(this.clock.now())
    else if (!this.isRunning) this.setTimer()
  }

  /** A request ended or was answered: these limiters may have room. */
  changed(limiters: ReadonlyArray<Limiter>, now: Millis): void {
    for (const limiter of limiters) this.mark(parkingOf(limiter))
    this.run(now)
  }

  /** Permits of these limiters may be released sooner than was known; without `limiters`, those of all. */
  reschedule(now: Millis, limiters?: ReadonlyArray<Limiter>): void {
    const parkings =
      limiters === undefined ? this.wakeUps.items() : limiters.map((limiter) => parkingOf(limiter))
    for (const parking of parkings) {
      if (parking !== undefined && parking.queues.size > 0) this.setWakeUp(parking, now)
    }
    if (!this.isRunning) this.setTimer()
  }

  /** Queues whose next request waits for this limiter. */
  parkedAt(limiter: Limiter): number {
    return parkingOf(limiter)?.queues.size ?? 0
  }

  /** Not re-entrant: what is asked for meanwhile is done by the loop that runs. */
  private run(now: Millis): void {
    if (this.isRunning) return
    this.isRunning = true
    try {
      const { overdue } = this
      if (overdue !== undefined && (now >= this.reservedUntil || isClosed(overdue, now))) {
        this.endReservation(overdue)
      }
      for (let early = EARLY; this.collect(now, early); early = 0) this.round(now)
    } finally {
      this.isRunning = false
    }
    this.setTimer()
  }

  /** Marks the limiters whose time has come, or comes in `early` ms. Returns whether there is anything to do. */
  private collect(now: Millis, early: Millis): boolean {
    for (let next = this.wakeUps.first(); next !== undefined && next.rank <= now + early; ) {
      this.wakeUps.remove(next)
      this.mark(next.item)
      next = this.wakeUps.first()
    }
    return this.due.length > 0 || this.ready.size > 0
  }

  private mark(parking: Parking | undefined): void {
    if (parking === undefined || parking.isDue || parking.queues.size === 0) return
    parking.isDue = true
    this.due.push(parking)
  }

  private unmark(): Parking | undefined {
    const parking = this.due.pop()
    if (parking !== undefined) parking.isDue = false
    return parking
  }

  private round(now: Millis): void {
    if (this.overdue !== undefined) this.tryStart(this.overdue, now)
    if (this.due.length === 1 && this.ready.size === 0) {
      const only = this.unmark()
      if (only !== undefined) this.serve(only, now)
      return
    }
    for (let parking = this.unmark(); parking !== undefined; parking = this.unmark()) {
      this.gather(parking, now)
      this.setWakeUp(parking, now)
    }
    for (let queue = this.ready.next(now); queue !== undefined; queue = this.ready.next(now)) {
      this.tryStart(queue, now)
    }
  }

  /** Starts requests while this limiter has room, or parks their queues elsewhere. */
  private serve(parking: Parking, now: Millis): void {
    const { limiter, queues } = parking
    while (limiter.wait(now) <= 0) {
      const queue = queues.next(now)
      if (queue === undefined || (!this.tryStart(queue, now) && queue.parkedIn === queues)) break
    }
    this.setWakeUp(parking, now)
  }

  /** Makes as many queues ready as the limiter has room for. Not all of them can start when others are full. */
  private gather({ limiter, queues }: Parking, now: Millis): void {
    for (let room = limiter.room(now); room > 0; room--) {
      const queue = queues.next(now)
      if (queue === undefined) return
      queues.started(queue)
      queues.remove(queue)
      this.ready.add(queue)
    }
  }

  /** Starts the first request of a queue, or parks the queue at a limiter that is full. Returns whether it started. */
  private tryStart(queue: RequestQueue, now: Millis): boolean {
    const { first: request, parkedIn } = queue
    if (request === undefined || parkedIn === undefined) return false
    const full = queue.set.limiters.find((limiter) => !this.hasRoom(limiter, queue, now))
    if (full !== undefined) {
      this.park(queue, full, now)
      return false
    }
    queue.remove(request)
    queue.servedAt = now
    this.endReservation(queue)
    parkedIn.started(queue)
    if (queue.length === 0) parkedIn.remove(queue)
    else parkedIn.lengthChanged(queue)
    try {
      request.start(now)
    } catch (error) {
      throwError(() => error).subscribe() // reported as RxJS does: it stops no other request
    }
    return true
  }

  private park(queue: RequestQueue, limiter: Limiter, now: Millis): void {
    this.reserve(queue, limiter, now)
    const parking =
      parkingOf(limiter) ?? new Parking(limiter, new FairQueue(this.weights, this.maxQueueAge))
    limiter.parking = parking
    if (parking.queues === queue.parkedIn) return
    queue.parkedIn?.remove(queue)
    parking.queues.add(queue)
    this.setWakeUp(parking, now)
  }

  /**
   * Where keys of several tiers cross, one limiter of a queue may be full whenever another has room: requests that need
   * fewer permits overtake it for ever. So the last permit of each of its limiters is reserved for a queue that was
   * overtaken and not served for `maxQueueAge`. One queue at a time, so that no two wait for each other.
   */
  private reserve(queue: RequestQueue, full: Limiter, now: Millis): void {
    if (this.overdue !== undefined || queue.set.limiters.length === 1) return
    if (now - queue.servedAt <= this.maxQueueAge || isClosed(queue, now)) return
    if (full.acquiredAt <= queue.servedAt) return // it was not overtaken
    this.overdue = queue
    this.reservedUntil = now + RESERVED
  }

  private endReservation(queue: RequestQueue): void {
    if (this.overdue !== queue) return
    this.overdue = undefined
    for (const limiter of queue.set.limiters) this.mark(parkingOf(limiter))
  }

  private hasRoom(limiter: Limiter, queue: RequestQueue, now: Millis): boolean {
    return limiter.wait(now) <= 0 && (this.overdue === queue || !this.isReserved(limiter, now))
  }

  private isReserved(limiter: Limiter, now: Millis): boolean {
    return this.overdue?.set.limiters.includes(limiter) === true && limiter.room(now) <= 1
  }

  private setWakeUp({ limiter, queues, wakeUp }: Parking, now: Millis): void {
    let at = Number.POSITIVE_INFINITY
    if (queues.size > 0) {
      at = now + limiter.wait(now)
      if (at <= now && queues !== this.overdue?.parkedIn && this.isReserved(limiter, now)) {
        at = Math.min(now + limiter.more(now), this.reservedUntil)
      }
    }
    if (wakeUp.slot >= 0 && wakeUp.rank === at) return
    this.wakeUps.remove(wakeUp)
    wakeUp.rank = at
    if (at < Number.POSITIVE_INFINITY) this.wakeUps.add(wakeUp)
  }

  /** One timer, for the first limiter that queues wait for. None keeps an idle process alive. */
  private setTimer(): void {
    let first = this.wakeUps.first()
    while (first !== undefined && first.item.queues.size === 0) {
      this.wakeUps.remove(first) // all of its requests were cancelled
      first = this.wakeUps.first()
    }
    const at = first?.rank ?? Number.POSITIVE_INFINITY
    if (at === this.timerAt || (at > this.timerAt && at < Number.POSITIVE_INFINITY)) return
    this.timer?.unsubscribe()
    this.timer = undefined
    this.timerAt = at
    if (at === Number.POSITIVE_INFINITY) return
    const { clock } = this
    this.timer = clock.after(at - clock.now(), () => {
      this.timer = undefined
      this.timerAt = Number.POSITIVE_INFINITY
      this.run(clock.now())
    })
  }
}

const parkingOf = ({ parking }: Limiter): Parking | undefined =>
  parking instanceof Parking ? parking : undefined

/** Whether a limiter is closed after refusals, so that nothing is gained by reserving permits. */
const isClosed = ({ set }: RequestQueue, now: Millis): boolean =>
  set.limiters.some(({ limit }) => limit.closedFor(now) > 0)
