/**
 * ```ts
 * const places: (options: PlacesOptions) => Bucket
 * ```
 *
 * A limit on how many are under way at once. Those who left while the server may still be at work
 * for them keep their place until it has surely ended.
 */

import type { Millis } from '../Clock.js'
import { type Ceiling, ceiling } from '../ceiling/Ceiling.js'
import type { Departure } from '../Departure.js'
import type { Blame, Bucket } from './Bucket.js'
import { type Crowd, crowd } from './Crowd.js'

export interface PlacesOptions {
  readonly limit: number
  readonly counts: { refused: number }
}

/** What a concurrency limit has instead of a window, where refusals are judged. */
const PERIOD: Millis = 1_000

export const places = (options: PlacesOptions): Bucket => new AtOnce(options)

class AtOnce implements Bucket {
  due = false
  rank = 0
  slot = -1
  park: Bucket['park'] = undefined
  readonly ceiling: Ceiling
  readonly counts: { refused: number }
  letIn = 0
  entered: Millis = 0
  private readonly limit: number
  private readonly crowd: Crowd = crowd(PERIOD)
  private readonly lingering: Array<Millis> = [] // until when, earliest first
  private places = 0
  private open = 0 // of them, those that may still be answered
  private filled: Millis = -PERIOD // when the last place was taken

  constructor({ limit, counts }: PlacesOptions) {
    this.counts = counts
    this.limit = limit
    this.ceiling = ceiling(limit, PERIOD)
  }

  wait(now: Millis): Millis {
    const limit = this.ceiling.limit(now)
    const cool = this.ceiling.wait(now)
    return this.used(now) < limit ? cool : Math.max(cool, this.more(now))
  }

  more(now: Millis): Millis {
    this.used(now) // those that have become free are none of them
    return Math.min(this.lingering[0] ?? Number.POSITIVE_INFINITY, this.ceiling.raised()) - now
  }

  room(now: Millis): number {
    const limit = this.ceiling.limit(now)
    return this.ceiling.wait(now) > 0 ? 0 : Math.max(0, limit - this.used(now))
  }

  used(now: Millis): number {
    while (this.lingering.length > 0 && (this.lingering[0] ?? now) <= now) {
      this.lingering.shift()
      this.places--
    }
    return this.places
  }

  /** It has a place itself, which is not what it was refused for. */
  suspicion(departure: Departure, now: Millis): number {
    if (this.crowd.clears(departure)) return 0
    return (this.crowd.when(departure) - 1) / this.ceiling.limit(now)
  }

  idle(now: Millis): boolean {
    return this.used(now) === 0 && this.ceiling.full(now)
  }

  enter(departure: Departure, now: Millis): void {
    this.places++
    this.entered = now
    this.open++
    this.crowd.enter(departure, this.places, this.places - this.open)
    if (this.places >= this.limit) this.filled = now
  }

  accepted(departure: Departure, now: Millis): boolean {
    this.letIn++
    this.open--
    this.crowd.accepted(departure, now)
    this.ceiling.accepted(now)
    return false
  }

  kept(): void {
    this.open--
  }

  givenBack(): void {
    this.open--
  }

  lost(): void {
    this.open--
  }

  left(now: Millis, until: Millis): void {
    if (until <= now) {
      this.places--
      return
    }
    let at = this.lingering.length
    while (at > 0 && (this.lingering[at - 1] ?? 0) > until) at--
    this.lingering.splice(at, 0, until)
  }

  refused(departure: Departure, now: Millis, retryAfter: Millis): Blame {
    this.counts.refused++
    const { at } = departure
    if (this.ceiling.refused(at, now, retryAfter, this.crowd.others()) === 'burst') return 'burst'
    return at - this.filled < PERIOD ? 'chance' : 'others'
  }
}
