/**
 * ```ts
 * const ceiling: (limit: number, per: Millis) => Ceiling
 * ```
 *
 * How much of a limit can be used. The server may allow less than it says, or somebody else may use
 * the same quota: a burst of refusals stops the bucket for a window, after which it goes on with what
 * was let in meanwhile, and probes back up.
 *
 *     refused      |||||
 *     limit     20 |--- 0 ---| 10 ------- 11 -- 13 -- 17 -- 20
 */
import type { Millis } from './Clock.js'

export interface Ceiling {
  /** How many places there are at present. */
  readonly limit: (now: Millis) => number
  /** Until the cool-down is over; 0 when there is none. */
  readonly wait: (now: Millis) => Millis
  readonly accepted: (now: Millis) => void
  /** `accepted`: how many the window holds that were let in. True if it was one of a burst. */
  readonly refused: (now: Millis, retryAfter: Millis) => boolean
  /** Nothing is known but the configured limit. */
  readonly full: () => boolean
}

/** A burst is this share of the limit refused within a window, and at least `FEW`. */
const BURST = 0.5
const FEW = 3
/** Many single refusals tell the same: so many, and so many for a place, within `LONG` windows. */
const CHRONIC = 4
const CHRONIC_EACH = 0.2
const LONG = 10
/** Windows until all of the limit is tried once more. */
const SECOND = 2
/** Windows from one probe to the next: at first, and when probes were refused. */
const PROBE = 5
const PROBE_MOST = 60
/** The longest cool-down when nothing at all is let in, milliseconds. */
const COOL_MOST: Millis = 16_000

export const ceiling = (most: number, per: Millis): Ceiling => {
  let current = most
  let coolUntil = Number.NEGATIVE_INFINITY
  let cooling = false
  let barren = 0 // cool-downs in a row without one request let in
  let letIn = 0 // in the present window, or since it began to cool
  let refused = 0
  let row = 0 // refused since the last that was let in
  let windowEnd = Number.NEGATIVE_INFINITY
  let chronic = 0
  let chronicEnd = Number.NEGATIVE_INFINITY
  let probeAt = Number.POSITIVE_INFINITY
  let every = PROBE
  let step = 1
  let before = most // the limit before the last probe
  let onTrial = Number.NEGATIVE_INFINITY // a probe is judged until then

  const lower = (to: number, now: Millis): void => {
    const bad = current === most // perhaps it was bad luck: then all of it is tried again at first
    current = Math.max(1, Math.min(current, to))
    step = bad ? most - current : 1
    probeAt = now + (bad ? SECOND : every) * per
    onTrial = Number.NEGATIVE_INFINITY
    chronic = 0
  }

  const turn = (now: Millis): void => {
    if (cooling && now >= coolUntil) {
      cooling = false
      barren = letIn === 0 ? barren + 1 : 0
      lower(letIn, now)
      windowEnd = now
    }
    if (!cooling && now >= windowEnd) {
      letIn = 0
      refused = 0
      windowEnd = now + per
    }
    if (now >= chronicEnd) {
      chronic = 0
      chronicEnd = now + LONG * per
    }
    if (current < most && now >= probeAt && !cooling) {
      before = current
      current = Math.min(most, current + step)
      step *= 2
      onTrial = now + 2 * per
      probeAt = now + 2 * per
      if (current < most && step > 2) every = PROBE
    }
  }

  const cool = (now: Millis, retryAfter: Millis): void => {
    cooling = true
    coolUntil = now + Math.max(Math.min(COOL_MOST, per * 2 ** barren), retryAfter)
  }

  return {
    limit: (now) => {
      if (current < most || cooling) turn(now)
      return current
    },
    wait: (now) => (cooling ? Math.max(0, coolUntil - now) : 0),
    accepted: (now) => {
      turn(now)
      letIn++
      row = 0
    },
    refused: (now, retryAfter) => {
      turn(now)
      refused++
      chronic++
      row++
      if (cooling) return true
      if (now < onTrial) {
        every = Math.min(PROBE_MOST, every * 2)
        lower(before, now)
        return false
      }
      if (refused >= Math.max(FEW, BURST * current) || row >= Math.max(FEW, current)) {
        cool(now, retryAfter)
        return true
      }
      if (current < Number.POSITIVE_INFINITY && chronic >= CHRONIC + CHRONIC_EACH * current) {
        lower(current - Math.max(1, Math.round(chronic / LONG)), now)
      }
      return false
    },
    full: () => current === most && !cooling,
  }
}
