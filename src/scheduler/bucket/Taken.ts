/**
 * ```ts
 * interface Taken
 * ```
 *
 * The places of a rolling window that are taken, in the order in which they become free: when the
 * request that took it has certainly, or as the guard allows very probably, left the window of the server.
 *
 *     place taken at the start       |-----------------|
 *     byAnswer: known until when         from the answer on
 *     byDeparture                     from the departure on
 */
import { type Millis, TICK } from '../Clock.js'
import type { Departure } from '../Departure.js'

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
  readonly next: () => Millis
}

/** `spare`: whether a place of these is not taken at the server. */
type Held = (departure: Departure, spare: boolean) => Millis

/** Free a window after the departure, and as much later as `guard` says at that time. */
export const byDeparture = (per: Millis, guard: Held): Taken => new ByDeparture(per, guard)

/** Free a window after the answer. */
export const byAnswer = (per: Millis): Taken => new ByAnswer(per)

/** Those that become free together. */
interface Group<By> {
  readonly by: By
  count: number
  /** Whether one of their places is not taken at the server. */
  spare: boolean
  earlier: Group<By> | undefined
  later: Group<By> | undefined
}

abstract class Line<By> {
  protected first: Group<By> | undefined = undefined
  protected last: Group<By> | undefined = undefined

  protected abstract until(group: Group<By>): Millis

  freed(now: Millis): number {
    let { first } = this
    if (first === undefined || this.until(first) > now) return 0
    let count = 0
    for (; first !== undefined && this.until(first) <= now; first = first.later) {
      count += first.count
    }
    this.first = first
    if (first === undefined) this.last = undefined
    else first.earlier = undefined
    return count
  }

  free(now: Millis): number {
    let count = 0
    for (let group = this.first; group !== undefined; group = group.later) {
      if (this.until(group) > now) break
      count += group.count
    }
    return count
  }

  next(): Millis {
    return this.first === undefined ? Number.POSITIVE_INFINITY : this.until(this.first)
  }

  /** One more, behind `earlier`; at the front without it. */
  protected put(by: By, earlier: Group<By> | undefined): void {
    const later = earlier === undefined ? this.first : earlier.later
    const group = { by, count: 1, spare: false, earlier, later }
    if (earlier === undefined) this.first = group
    else earlier.later = group
    if (later === undefined) this.last = group
    else later.earlier = group
  }

  protected remove({ earlier, later }: Group<By>): void {
    if (earlier === undefined) this.first = later
    else earlier.later = later
    if (later === undefined) this.last = earlier
    else later.earlier = earlier
  }
}

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

  protected until({ by, spare }: Group<Departure>): Millis {
    return by.at + this.per + this.guard(by, spare)
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
