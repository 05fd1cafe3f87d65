import type { TimestampProvider } from 'rxjs'
import type { IO } from '../fp.js'
import type { Millis } from '../stream/index.js'

export interface ServiceClockOptions {
  /** Clock for the time since a response. It is never set back or forward. */
  readonly timer: TimestampProvider
  /** Time of day at this machine, in ms since 1970. */
  readonly now: IO<Millis>
  /** Called once, when a response shows a skew: the service's time minus this machine's. */
  readonly onSkew: (skew: Millis) => void
}

/** Minimum skew that is reported, in ms. */
const MIN_SKEW = 2_000

/** Precision of a `Date` header, in ms. The header shows the start of the second in which a response was written. */
const DATE_PRECISION = 1_000

/**
 * The time at the service, taken from the `Date` header of its responses, because the clock of this machine may be wrong by
 * hours.
 *
 *     this machine    sent |------------| received
 *     service                  |Date ... +1 s|
 */
export class ServiceClock {
  readonly #options: ServiceClockOptions
  /** Difference between the earliest possible time at the service and the timer's time. */
  #offset: Millis | undefined
  #isSkewTold = false

  constructor(options: ServiceClockOptions) {
    this.#options = options
  }

  /** Reads the `Date` of a response that has just arrived. `sent`: the timer's time at which its request was sent. */
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

  /** Returns a lower bound of the time at the service; `undefined` before the first response. */
  now(): Millis | undefined {
    return this.#offset === undefined ? undefined : this.#options.timer.now() + this.#offset
  }
}

/** Bounds of a skew: the service's time minus ours, in ms. */
export interface SkewRange {
  readonly least: Millis
  readonly most: Millis
}

/** Returns the range of skews that a response's `Date` allows; `undefined` if there is no readable `Date`. */
export const skewRange = (
  date: string | undefined,
  { sent, received }: { readonly sent: Millis; readonly received: Millis },
): SkewRange | undefined => {
  const written = Date.parse(date ?? '')
  return Number.isNaN(written)
    ? undefined
    : { least: written - received, most: written + DATE_PRECISION - sent }
}

/** Describes a skew: the service's time minus this machine's. */
export const explainSkew = (skew: Millis): string => {
  const seconds = (Math.abs(skew) / 1_000).toFixed(0)
  return `the clock of this machine is ${seconds} s ${skew > 0 ? 'behind' : 'ahead of'} the service's clock, which snapshots use`
}
