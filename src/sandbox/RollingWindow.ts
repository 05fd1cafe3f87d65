/**
 * ```ts
 * const rollingWindow: (places: number, span: number) => RollingWindow
 * ```
 *
 * Counts what arrived within the last `span` milliseconds, at whatever moment it is asked. What
 * arrived at `t` counts until just before `t + span`.
 */

// model

export interface RollingWindow {
  readonly isFull: (now: number) => boolean
  readonly enter: (now: number) => void
}

// constructors

export const rollingWindow = (places: number, span: number): RollingWindow => {
  let arrivals: Array<number> = [] // earliest first
  let gone = 0 // how many at the front are out of the window

  return {
    isFull: (now) => {
      while ((arrivals[gone] ?? Number.POSITIVE_INFINITY) <= now - span) gone++
      if (gone > 1_000 && gone * 2 > arrivals.length) {
        arrivals = arrivals.slice(gone)
        gone = 0
      }
      return arrivals.length - gone >= places
    },
    enter: (now) => {
      if (places < Number.POSITIVE_INFINITY) arrivals.push(now)
    },
  }
}
