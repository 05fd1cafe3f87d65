/**
 * ```ts
 * const probes: (most: number, per: Millis) => Probes
 * ```
 *
 * How much of a limit there is: lowered where the server allows less, and tried upward again, in steps
 * that double. A probe that is refused is taken back, and the next one comes later.
 *
 *     limit     20 |--- 10 ------- 11 -- 13 -- 17 -- 20
 */
import type { Millis } from '../Clock.js'

export interface Probes {
  /** How many places there are. */
  readonly limit: () => number
  /** Whether those are all that were configured. */
  readonly full: () => boolean
  /** When the next probe is due: `Infinity` when there is none. */
  readonly next: () => Millis
  readonly onTrial: (now: Millis) => boolean
  /** What is on trial was refused something. */
  readonly failed: (now: Millis) => void
  /** A window is over, and let in so many: where one failed in it, what it let in beyond the limit is tried. */
  readonly found: (letIn: number, now: Millis) => void
  readonly lower: (to: number, now: Millis) => void
  /** Where one is due. */
  readonly probe: (now: Millis) => void
}

/** Windows until all of the limit is tried once more, after it was lowered for the first time. */
const SECOND = 2
/** Windows from one probe to the next: at first, and at most, when probes were refused. */
const EVERY = 5
const EVERY_MOST = 60
/** Windows for which a probe is on trial, and until the next step when it is not refused. */
const TRIAL = 2

export const probes = (most: number, per: Millis): Probes => new Upward(most, per)

class Upward implements Probes {
  private readonly most: number
  private readonly per: Millis
  private current: number
  private before: number // the last probe
  private step = 1
  private every = EVERY
  private due: Millis = 0
  private judged: Millis = 0 // the last probe, until then
  private tried = 0 // in vain, in the present window

  constructor(most: number, per: Millis) {
    this.most = most
    this.per = per
    this.current = most
    this.before = most
  }

  limit(): number {
    return this.current
  }

  full(): boolean {
    return this.current === this.most
  }

  next(): Millis {
    return this.current < this.most ? this.due : Number.POSITIVE_INFINITY
  }

  onTrial(now: Millis): boolean {
    return now < this.judged
  }

  failed(now: Millis): void {
    this.tried = this.current
    this.every = Math.min(EVERY_MOST, this.every * 2)
    this.lower(this.before, now)
  }

  found(letIn: number, now: Millis): void {
    const found = Math.min(letIn, this.tried - 1)
    this.tried = 0
    if (found <= this.current) return
    this.current = found
    this.every = Math.max(EVERY, this.every / 2)
    this.judged = now + TRIAL * this.per
    this.due = Math.max(this.due, this.judged)
  }

  lower(to: number, now: Millis): void {
    const badLuck = this.full() && !this.onTrial(now) // perhaps: then all of it is tried at first
    this.current = Math.max(1, Math.min(this.current, to))
    this.step = badLuck ? this.most - this.current : 1
    this.due = now + (badLuck ? SECOND : this.every) * this.per
    this.judged = 0
  }

  probe(now: Millis): void {
    this.before = this.current
    this.current = Math.min(this.most, this.current + this.step)
    this.step *= 2
    this.judged = now + TRIAL * this.per
    this.due = this.judged
    if (!this.full() && this.step > 2) this.every = EVERY
  }
}
