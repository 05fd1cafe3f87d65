/**
 * ```ts
 * const chronic: (per: Millis, byChance: boolean) => Chronic
 * ```
 *
 * A few refusals in each of several windows, which tell of a lower limit as a burst does. One window that
 * lets in all of the limit, and refuses nothing, tells that there is none.
 */
import type { Millis } from '../Clock.js'

export interface Chronic {
  /** One was refused. `first`: of its window. */
  readonly refused: (first: boolean) => void
  /** A window with a refusal is over, and let in so many. */
  readonly letIn: (count: number) => void
  /** How much too high the limit is, by all that is known; 0 when nothing tells. */
  readonly excess: (limit: number) => number
  /** In how many windows there was a refusal. */
  readonly windows: () => number
  readonly forget: () => void
  /** What was longer ago is forgotten. */
  readonly turn: (now: Millis) => void
}

/** Fewer refusals than these tell nothing: so many, and so many more for each place of the limit. */
const FEW = 4
const EACH = 0.2
/** For each place, where none is refused by chance. */
const SURE_EACH = 0.08
/** Nor do those of fewer windows. */
const WINDOWS = 3
/** Windows after which all of it is forgotten. */
const LONG = 10

/** `byChance`: whether a few are refused by the chance of a network. */
export const chronic = (per: Millis, byChance: boolean): Chronic => new Chronicle(per, byChance)

class Chronicle implements Chronic {
  private readonly long: Millis
  private readonly each: number
  private refusals = 0
  private inWindows = 0
  private over = 0 // of these windows
  private letInOver = 0 // by those that are over
  private end: Millis = 0

  constructor(per: Millis, byChance: boolean) {
    this.long = LONG * per
    this.each = byChance ? EACH : SURE_EACH
  }

  refused(first: boolean): void {
    if (first) this.inWindows++
    this.refusals++
  }

  letIn(count: number): void {
    this.over++
    this.letInOver += count
  }

  /**
   * Who is sent again at once is refused several times, so that it may be less: down to what was let in, but not less
   * than half, since the first of those windows may have let in more than there is now.
   */
  excess(limit: number): number {
    if (this.refusals < FEW + this.each * limit || this.inWindows < WINDOWS) return 0
    const mean = Math.round(this.refusals / this.inWindows)
    const letIn = this.over > 0 ? Math.floor(this.letInOver / this.over) : 0
    return Math.min(mean, Math.max(limit - letIn, Math.round(mean / 2)))
  }

  windows(): number {
    return this.inWindows
  }

  forget(): void {
    this.refusals = 0
    this.inWindows = 0
    this.over = 0
    this.letInOver = 0
  }

  turn(now: Millis): void {
    if (now < this.end) return
    this.forget()
    this.end = now + this.long
  }
}
