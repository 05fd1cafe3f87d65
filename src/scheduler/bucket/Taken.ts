/**
 * ```ts
 * interface Taken
 * ```
 *
 * The places of a rolling window that are taken, in the order in which they become free: when the
 * request that took it has certainly, or as the guard allows very probably, left the window of the server.
 */
import { type Millis, TICK } from '../Clock.js'
import type { Departure } from '../Departure.js'
import { type Group, Line } from './Line.js'

export interface Taken {
  readonly enter: (departure: Departure) => void
  /** One has been answered. True if the next may become free sooner than thought. */
  readonly answered: (now: Millis) => boolean
  /** One was refused, and its place stays taken: the server has counted one less. */
  readonly kept: (departure: Departure, now: Millis) => void
  /** One will have no answer. `until`: when at the latest the server has counted it. */
  readonly lost: (until: Millis) => void
  /** Whether one place of this departure is free now, which was not yet. */
  readonly giveBack: (departure: Departure, now: Millis) => boolean
  /** How many have become free since this was last asked. They stay free, whatever the guard learns. */
  readonly freed: (now: Millis) => number
  /** The same, to who only looks: they are free when somebody asks for them. */
  readonly free: (now: Millis) => number
  /** When the next one becomes free; `Infinity` when nobody knows. */
  readonly next: (now: Millis) => Millis
}

/** `spare`: whether a place of these is not taken at the server. */
type Held = (departure: Departure, spare: boolean) => Millis

/** Free a window after the departure, and as much later as `guard` says at that time. */
export const byDeparture = (per: Millis, guard: Held): Taken => new ByDeparture(per, guard)

/** Free a window after the answer: before it comes, nobody knows when. */
export const byAnswer = (per: Millis): Taken => new ByAnswer(per)

class ByDeparture extends Line<Departure> implements Taken {
  private readonly per: Millis
  private readonly guard: Held

  constructor(per: Millis, guard: Held) {
    super()
    this.per = per
    this.guard = guard
  }

  enter(departure: Departure): void {
    const { last } = this
    if (last !== undefined && last.by === departure) last.count++
    else this.put(departure, last)
  }

  answered(): boolean {
    return false
  }

  kept(departure: Departure): void {
    const group = this.of(departure)
    if (group !== undefined) group.spare = true
  }

  lost(): void {}

  giveBack(left: Departure): boolean {
    const group = this.of(left)
    if (group === undefined) return false
    group.count--
    if (group.count === 0) this.remove(group)
    return true
  }

  /** Until its turn is over, its bytes have not left, however long that takes. */
  protected until({ by, spare }: Group<Departure>, now: Millis): Millis {
    return (by.over ? by.at : now) + this.per + this.guard(by, spare)
  }

  private of(departure: Departure): Group<Departure> | undefined {
    let group = this.last
    while (group !== undefined && group.by !== departure) group = group.earlier
    return group
  }
}

class ByAnswer extends Line<Millis> implements Taken {
  private readonly per: Millis

  constructor(per: Millis) {
    super()
    this.per = per
  }

  enter(): void {}

  answered(now: Millis): boolean {
    const until = now + this.per + TICK
    let earlier = this.last // they come nearly in order
    while (earlier !== undefined && earlier.by > until) earlier = earlier.earlier
    if (earlier?.by === until) earlier.count++
    else this.put(until, earlier)
    return true
  }

  kept(_: Departure, now: Millis): void {
    this.answered(now)
  }

  lost(until: Millis): void {
    this.answered(until)
  }

  giveBack(_: Departure, now: Millis): boolean {
    this.answered(now)
    return false
  }

  protected until({ by }: Group<Millis>): Millis {
    return by
  }
}
