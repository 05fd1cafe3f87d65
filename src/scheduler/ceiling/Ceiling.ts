/**
 * ```ts
 * const ceiling: (most: number, per: Millis, options?: CeilingOptions) => Ceiling
 * ```
 *
 * How much of a limit can be used. The server may allow less than it says, or somebody else may use
 * the same quota: bursts of refusals in two windows running stop the bucket for a window, after which it
 * goes on with what was let in meanwhile, and probes back up. A window that somebody else has used is waited for.
 *
 *     refused      |||||
 *     limit     20 |--- 0 ---| 10 ------- 11 -- 13 -- 17 -- 20
 */

import { type Millis, TICK } from '../Clock.js'
import { type Chronic, chronic } from './Chronic.js'
import { type Probes, probes } from './Probes.js'

/** One of a burst; one too many, while more was tried than was known to be there; or else by chance, perhaps. */
export type Verdict = 'burst' | 'trial' | 'chance'

export interface CeilingOptions {
  /** Whether a few are refused by the chance of a network. Default `true`. */
  readonly byChance?: boolean
  /** Whether it is of a window, which somebody else may have used up. Default `false`. */
  readonly isWindow?: boolean
}

export interface Ceiling {
  /** How many places there are at present. */
  readonly limit: (now: Millis) => number
  /** The same, when it was last asked for: who only looks has nothing tried. */
  readonly last: () => number
  /** Until the cool-down is over; 0 when there is none. */
  readonly wait: (now: Millis) => Millis
  readonly accepted: (now: Millis) => void
  /** What it was. `room`: the most that there can be room for, if that is known. */
  readonly refused: (departed: Millis, now: Millis, retryAfter: Millis, room?: number) => Verdict
  /**
   * Instead, where it is sent again at once. True if that is to be done: nothing tells of a lower limit, and
   * few were refused. It counts as one only when it is refused again.
   */
  readonly pardon: (departed: Millis, now: Millis) => boolean
  /** When more may be allowed without anybody asking: `Infinity` when all of it is. */
  readonly raised: () => Millis
  /** Nothing is known but the configured limit, or it was learned too long ago to matter. */
  readonly full: (now: Millis) => boolean
}

/** A burst is this share of the limit refused within a window, and at least `FEW`. */
const BURST = 0.5
const FEW = 3
/** So many limits refused in a row are no accident, even in one window. */
const HOPELESS = 3
/** Windows after one that was let in, or after an accident, that tell whether the next burst is one, too. */
const WHILE = 2
/** One that is refused came too early. So would the next: it waits for so long, and twice as long each time. */
const PAUSE: Millis = 4 * TICK
/** A whole number, as the others are: Infinity takes memory of its own. */
const NO_BOUND = 2 ** 30
/** The longest cool-down when nothing at all is let in, unless a window is longer. */
const COOL_MOST: Millis = 16_000
/** After so many windows without a request, what was learned does not matter. */
export const FORGOTTEN = 60

export const ceiling = (most: number, per: Millis, options: CeilingOptions = {}): Ceiling =>
  new Found(most, per, options)

class Found implements Ceiling {
  private readonly per: Millis
  private readonly isWindow: boolean
  private readonly probes: Probes
  private readonly chronic: Chronic
  private cooling = false
  private closedUntil: Millis = 0
  private windowEnd: Millis = 0
  private letIn = 0 // in the present window, or since it began to cool
  private letInAt: Millis // the last one
  private room = NO_BOUND // as those tell that were refused in the present window, or since it began to cool
  private refusals = 0 // in the present window
  private pardons = 0 // in the present window
  private row = 0 // refused since the last that was let in
  private pauses = 0
  private pausedAt: Millis = 0
  private barren = 0 // cool-downs in a row without one request let in
  private excused: Millis // the end of the window whose burst was an accident
  private excusedAt: Millis = 0 // what left before that was known is of it

  constructor(most: number, per: Millis, { byChance = true, isWindow = false }: CeilingOptions) {
    this.per = per
    this.isWindow = isWindow
    this.letInAt = -WHILE * per - TICK
    this.probes = probes(most, per)
    this.chronic = chronic(per, byChance)
    this.excused = -WHILE * per
  }

  limit(now: Millis): number {
    if (this.cooling || !this.probes.full()) this.turn(now)
    return this.probes.limit()
  }

  last(): number {
    return this.probes.limit()
  }

  wait(now: Millis): Millis {
    return Math.max(0, this.closedUntil - now)
  }

  accepted(now: Millis): void {
    if (now >= this.windowEnd || this.cooling) this.turn(now)
    this.letIn++
    this.letInAt = now
    this.row = 0
    this.pauses = 0
  }

  refused(departed: Millis, now: Millis, retryAfter: Millis, room = NO_BOUND): Verdict {
    this.turn(now)
    if (room < this.room) this.room = room
    this.row++
    if (departed >= this.excusedAt || now < this.excused) this.count()
    if (this.cooling) return 'burst'
    this.pause(departed, now)
    if (this.probes.onTrial(now)) {
      this.chronic.forget()
      this.probes.failed(now)
      return 'trial'
    }
    const limit = this.probes.limit()
    if (this.refusals >= Math.max(FEW, BURST * limit) || this.row >= Math.max(FEW, limit)) {
      return this.burst(departed, now, retryAfter)
    }
    const excess = this.chronic.excess(limit)
    if (excess > 0) this.lower(limit - excess, now)
    return 'chance'
  }

  pardon(departed: Millis, now: Millis): boolean {
    this.turn(now)
    const lower = this.chronic.windows() > 1 || !this.probes.full() || this.cooling
    const tried =
      this.probes.onTrial(now) ||
      now < this.excused + WHILE * this.per ||
      (this.pardons > 0 && departed >= this.pausedAt)
    if (lower || tried || this.pardons >= BURST * this.probes.limit()) return false
    this.pardons++
    this.pause(departed, now)
    return true
  }

  raised(): Millis {
    return this.cooling ? this.closedUntil : this.probes.next()
  }

  full(now: Millis): boolean {
    const unused = now - Math.max(this.windowEnd, this.closedUntil)
    return (this.probes.full() && !this.cooling) || unused > FORGOTTEN * this.per
  }

  private count(): void {
    this.chronic.refused(this.refusals === 0)
    this.refusals++
  }

  private pause(departed: Millis, now: Millis): void {
    if (departed < this.pausedAt) return // it left before that was known
    this.pausedAt = now
    this.closedUntil = now + Math.min(this.per, PAUSE * 2 ** this.pauses)
    this.pauses++
  }

  private lower(to: number, now: Millis): void {
    this.chronic.forget()
    this.probes.lower(to, now)
  }

  /** One window with a burst is an accident, such as a busy process; the next one is not, nor one with a `Retry-After`. */
  private burst(departed: Millis, now: Millis, retryAfter: Millis): Verdict {
    if (now >= this.excused + WHILE * this.per && retryAfter === 0) {
      this.excused = this.windowEnd
      this.excusedAt = now
    }
    const same = now < this.excused || departed < this.excusedAt
    if (!same || this.row >= HOPELESS * Math.max(FEW, this.probes.limit())) {
      this.cool(now, retryAfter)
      return 'burst'
    }
    if (this.isUsed(now)) this.closedUntil = Math.max(this.closedUntil, this.windowEnd)
    return 'chance'
  }

  /** Whether who begins, or goes on after a while, finds all of the window used by somebody else. */
  private isUsed(now: Millis): boolean {
    const limit = this.probes.limit()
    return (
      this.isWindow && limit >= FEW && this.row >= limit && now - this.letInAt > WHILE * this.per
    )
  }

  private cool(now: Millis, retryAfter: Millis): void {
    this.cooling = true
    const most = Math.max(COOL_MOST, this.per)
    this.closedUntil = now + Math.max(Math.min(most, this.per * 2 ** this.barren), retryAfter)
  }

  private turn(now: Millis): void {
    if (this.cooling && now >= this.closedUntil) {
      this.cooling = false
      this.barren = this.letIn === 0 ? this.barren + 1 : 0
      this.lower(Math.min(this.letIn, this.room), now)
      this.windowEnd = now
    }
    if (!this.cooling && now >= this.windowEnd) this.begin(now)
    this.chronic.turn(now)
    if (!this.cooling && now >= this.probes.next()) this.probes.probe(now)
  }

  /** The next window. */
  private begin(now: Millis): void {
    if (this.refusals > 0) this.chronic.letIn(this.letIn)
    else if (this.letIn >= this.probes.limit()) this.chronic.forget()
    this.probes.found(this.letIn, now)
    this.letIn = 0
    this.room = NO_BOUND
    this.refusals = 0
    this.pardons = 0
    this.windowEnd = now + this.per
  }
}
