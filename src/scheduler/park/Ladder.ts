/**
 * ```ts
 * const ladder: <T extends Long<T>>() => Ladder<T>
 * ```
 *
 * Queues by length: the longest first, and of those of one length, the one that has had it longest.
 * One that grows or shrinks by one is moved in O(1): all of one length stand on one rung.
 */

export interface Long<T> {
  readonly length: number
  /** Where it stands. One is on one ladder at a time. */
  rung: Rung<T> | undefined
  ahead: T | undefined
  behind: T | undefined
}

export interface Rung<T> {
  length: number
  first: T | undefined
  last: T | undefined
  longer: Rung<T> | undefined
  shorter: Rung<T> | undefined
}

export interface Ladder<T> {
  readonly first: () => T | undefined
  readonly add: (item: T) => void
  readonly remove: (item: T) => void
  /** To be called after its length has changed by one. */
  readonly moved: (item: T) => void
}

export const ladder = <T extends Long<T>>(): Ladder<T> => new Rungs()

class Rungs<T extends Long<T>> implements Ladder<T> {
  private longest: Rung<T> | undefined = undefined
  private shortest: Rung<T> | undefined = undefined

  first(): T | undefined {
    return this.longest?.first
  }

  /** Near the end to which its length is nearer: those that wait are new, or among the longest. */
  add(item: T): void {
    const { length } = item
    const most = this.longest?.length ?? 0
    const least = this.shortest?.length ?? 0
    let longer: Rung<T> | undefined
    let shorter: Rung<T> | undefined
    if (length - least < most - length) {
      longer = this.shortest
      for (; longer !== undefined && longer.length < length; longer = longer.longer)
        shorter = longer
    } else {
      shorter = this.longest
      for (; shorter !== undefined && shorter.length > length; shorter = shorter.shorter) {
        longer = shorter
      }
    }
    if (longer?.length === length) this.stand(item, longer)
    else if (shorter?.length === length) this.stand(item, shorter)
    else this.stand(item, this.between(longer, shorter, length))
  }

  remove(item: T): void {
    const { rung } = item
    if (rung === undefined) return
    this.step(item, rung)
    if (rung.first === undefined) this.drop(rung)
  }

  moved(item: T): void {
    const { rung, length } = item
    if (rung === undefined) return
    const { longer, shorter } = rung
    const next = length > rung.length ? longer : shorter
    if (next?.length === length) {
      this.remove(item)
      this.stand(item, next)
    } else if (rung.first === rung.last) {
      rung.length = length
    } else {
      this.step(item, rung)
      const made =
        length > rung.length
          ? this.between(longer, rung, length)
          : this.between(rung, shorter, length)
      this.stand(item, made)
    }
  }

  private stand(item: T, rung: Rung<T>): void {
    const { last } = rung
    item.rung = rung
    item.ahead = last
    if (last === undefined) rung.first = item
    else last.behind = item
    rung.last = item
  }

  private step(item: T, rung: Rung<T>): void {
    const { ahead, behind } = item
    if (ahead === undefined) rung.first = behind
    else ahead.behind = behind
    if (behind === undefined) rung.last = ahead
    else behind.ahead = ahead
    item.rung = undefined
    item.ahead = undefined
    item.behind = undefined
  }

  private between(
    longer: Rung<T> | undefined,
    shorter: Rung<T> | undefined,
    length: number,
  ): Rung<T> {
    const made: Rung<T> = { length, first: undefined, last: undefined, longer, shorter }
    if (longer === undefined) this.longest = made
    else longer.shorter = made
    if (shorter === undefined) this.shortest = made
    else shorter.longer = made
    return made
  }

  private drop({ longer, shorter }: Rung<T>): void {
    if (longer === undefined) this.longest = shorter
    else longer.shorter = shorter
    if (shorter === undefined) this.shortest = longer
    else shorter.longer = longer
  }
}
