/**
 * ```ts
 * abstract class Line<By>
 * ```
 *
 * Places that are taken, in the order in which they become free: none does before those that stand before it.
 */
import type { Millis } from '../Clock.js'

/** Those that become free together. */
export interface Group<By> {
  readonly by: By
  count: number
  /** Whether one of their places is not taken at the server. */
  spare: boolean
  earlier: Group<By> | undefined
  later: Group<By> | undefined
}

export abstract class Line<By> {
  protected first: Group<By> | undefined = undefined
  protected last: Group<By> | undefined = undefined

  /** When they become free, if all before them are, as far as is known now. */
  protected abstract until(group: Group<By>, now: Millis): Millis

  freed(now: Millis): number {
    let { first } = this
    if (first === undefined || this.until(first, now) > now) return 0
    let count = 0
    for (; first !== undefined && this.until(first, now) <= now; first = first.later) {
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
      if (this.until(group, now) > now) break
      count += group.count
    }
    return count
  }

  next(now: Millis): Millis {
    return this.first === undefined ? Number.POSITIVE_INFINITY : this.until(this.first, now)
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
