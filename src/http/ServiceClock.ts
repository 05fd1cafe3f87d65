import type { TimestampProvider } from 'rxjs'
import type { IO } from '../fp.js'
import type { Millis } from '../stream/index.js'

export interface ServiceClockOptions {
  /** Counts the time since an answer: a clock that is not set meanwhile. */
  readonly timer: TimestampProvider
  /** Time of day at this machine, in ms since 1970. */
  readonly now: IO<Millis>
  /** Called once, when an answer shows a skew: the service's time less ours. */
  readonly onSkew: (skew: Millis) => void
}

/** A skew that is worth a word, in ms. */
const MIN_SKEW = 2_000

/** A `Date` is the beginning of the second in which an answer was written, in ms. */
const DATE_PRECISION = 1_000

/**
 * The time at the service, by the `Date` of its answers: the clock of this machine may be wrong by hours.
 *
 *     this machine    sent |------------| received
 *     service                  |Date ... +1 s|
 */
export class ServiceClock {
  readonly #options: ServiceClockOptions
  /** Added to the time of the timer, it gives the earliest time that it may be at the service. */
  #offset: Millis | undefined
  #isSkewTold = false

  constructor(options: ServiceClockOptions) {
    this.#options = options
  }

  /** Reads the `Date` of an answer that has just come, to a request that was sent at a time of the timer. */
  observe(date: string | undefined, sent: Millis): void {
    const { timer, now, onSkew } = this.#options
    const received = timer.now()
    const range = skewRange(date, { sent, received })
    if (range === undefined) return
    const { least, most } = range
    const before = this.#offset ?? least
    this.#offset = least <= before && before <= most ? before : least
    const ours = now() - received
    const skew = Math.min(0, most - ours) + Math.max(0, least - ours)
    if (this.#isSkewTold || Math.abs(skew) <= MIN_SKEW) return
    this.#isSkewTold = true
    onSkew(skew)
  }

  /** Returns the time at the service, never later than it is; `undefined` before the first answer. */
  now(): Millis | undefined {
    return this.#offset === undefined ? undefined : this.#options.timer.now() + this.#offset
  }
}

/** Bounds of a skew: the service's time less ours, in ms. */
export interface SkewRange {
  readonly least: Millis
  readonly most: Millis
}

/** Returns the skews that the `Date` of an answer allows; `undefined` where it has none that can be read. */
export const skewRange = (
  date: string | undefined,
  { sent, received }: { readonly sent: Millis; readonly received: Millis },
): SkewRange | undefined => {
  const written = Date.parse(date ?? '')
  return Number.isNaN(written)
    ? undefined
    : { least: written - received, most: written + DATE_PRECISION - sent }
}

/** Says a skew, the service's time less ours, in words. */
export const explainSkew = (skew: Millis): string => {
  const seconds = (Math.abs(skew) / 1_000).toFixed(0)
  return `the clock of this machine is ${seconds} s ${skew > 0 ? 'behind' : 'ahead of'} the service's, which counts for snapshots`
}
