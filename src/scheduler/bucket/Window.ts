/**
 * ```ts
 * const window: (options: WindowOptions) => Bucket
 * ```
 *
 * A rolling window: so many places, each taken for as long as the server may count it.
 */

import type { Millis } from '../Clock.js'
import { type Ceiling, ceiling } from '../ceiling/Ceiling.js'
import type { Departure } from '../Departure.js'
import type { Guard } from '../Guard.js'
import type { Slack } from '../slack/Slack.js'
import type { Blame, Bucket } from './Bucket.js'
import { type Spacing, spacing } from './Spacing.js'
import { byAnswer, byDeparture, type Taken } from './Taken.js'

export interface WindowOptions {
  readonly limit: number
  readonly per: Millis
  readonly guard: Guard
  readonly slack: Slack
  readonly counts: { refused: number }
}

const takenBy = ({ guard, per, slack }: WindowOptions): Taken => {
  if (guard === 'safe') return byAnswer(per)
  return byDeparture(per, guard === 'learned' ? slack.after : () => guard)
}

/**
 * On a network so even that the guard is less than this part of what a place is worth, a request alone is
 * refused hardly more often than a burst.
 */
const EVEN = 1 / 4

/** What has become free is dropped no later, while places are taken: who looks at the state counts it each time. */
const TIDY_EVERY: Millis = 1_000

export const window = (options: WindowOptions): Bucket => new Rolling(options)

class Rolling implements Bucket {
  due = false
  rank = 0
  slot = -1
  park: Bucket['park'] = undefined
  readonly ceiling: Ceiling
  readonly counts: { refused: number }
  letIn = 0
  entered: Millis = 0
  private allowed: number // as it was asked last
  private readonly per: Millis
  private readonly learned: Slack | undefined
  private readonly taken: Taken
  private spacing: Spacing | undefined = undefined // where one a window was refused
  private places = 0
  private tidyAt: Millis = 0
  private filled: Millis // when the last place was taken

  constructor(options: WindowOptions) {
    this.allowed = options.limit
    this.per = options.per
    this.learned = options.guard === 'learned' ? options.slack : undefined
    this.counts = options.counts
    this.ceiling = ceiling(options.limit, options.per, {
      byChance: options.guard !== 'safe',
      isWindow: true,
    })
    this.taken = takenBy(options)
    this.filled = -options.per
  }

  wait(now: Millis): Millis {
    const limit = this.ceiling.limit(now)
    this.allowed = limit
    const cool = this.closed(limit, now)
    if (this.places < limit || this.tidied(now) < limit) return cool
    return Math.max(cool, this.more(now))
  }

  more(now: Millis): Millis {
    this.tidied(now) // those that have become free are none of them
    return Math.min(this.taken.next(now), this.ceiling.raised()) - now
  }

  room(now: Millis): number {
    const limit = this.ceiling.limit(now)
    return this.closed(limit, now) > 0 ? 0 : Math.max(0, limit - this.tidied(now))
  }

  used(now: Millis): number {
    return this.places - this.taken.free(now)
  }

  suspicion(_: Departure, now: Millis): number {
    return this.tidied(now) / this.ceiling.limit(now)
  }

  idle(now: Millis): boolean {
    return this.tidied(now) === 0 && this.ceiling.full(now) && this.spacing?.idle(now) !== false
  }

  enter(departure: Departure, now: Millis): void {
    this.places++
    this.entered = now
    this.taken.enter(departure)
    this.spacing?.entered(now)
    if (now >= this.tidyAt) {
      this.tidyAt = now + Math.min(this.per, TIDY_EVERY)
      this.tidied(now)
    }
    if (this.places >= this.allowed) this.filled = now
  }

  accepted({ at }: Departure, now: Millis): boolean {
    this.letIn++
    this.spacing?.accepted(at)
    this.ceiling.accepted(now)
    return this.taken.answered(now)
  }

  kept(departure: Departure, now: Millis): void {
    this.taken.kept(departure, now)
  }

  givenBack(departure: Departure, now: Millis): void {
    if (this.taken.giveBack(departure, now)) this.places--
  }

  lost(until: Millis): void {
    this.taken.lost(until)
  }

  left(): void {}

  refused({ at }: Departure, now: Millis, retryAfter: Millis, soon: boolean): Blame {
    this.counts.refused++
    if (this.ceiling.limit(now) === 1) {
      this.spacing ??= spacing(this.per)
      this.spacing.refused(at)
    }
    const inUse = at - this.filled < this.per
    if (soon && inUse && this.isEven(now) && this.ceiling.pardon(at, now)) {
      this.learned?.refused(now)
      return 'luck'
    }
    const verdict = this.ceiling.refused(at, now, retryAfter)
    if (verdict === 'burst') {
      this.learned?.forgive()
      return verdict
    }
    if (!inUse) return 'others'
    const full = this.ceiling.full(now)
    if (verdict === 'chance') this.learned?.refused(now, full)
    return full ? 'chance' : 'others'
  }

  /** How long until it opens, whatever is free. */
  private closed(limit: number, now: Millis): Millis {
    const cool = this.ceiling.wait(now)
    if (this.spacing === undefined || limit > 1) return cool
    return Math.max(cool, Math.min(this.spacing.opens(), this.ceiling.raised()) - now)
  }

  private tidied(now: Millis): number {
    this.places -= this.taken.freed(now)
    return this.places
  }

  private isEven(now: Millis): boolean {
    const { learned } = this
    if (learned?.known() !== true) return false
    return learned.value() < (EVEN * this.per) / this.ceiling.limit(now)
  }
}
