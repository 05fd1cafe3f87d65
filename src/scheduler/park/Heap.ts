/**
 * ```ts
 * const heap: <T extends Ranked>() => Heap<T>
 * ```
 *
 * A binary heap, lowest rank first, whose members know their slot, so that any of them can be moved
 * or taken out in O(log n). A member is in one heap at a time.
 */

export interface Ranked {
  rank: number
  /** Where in its heap it is; -1 in none. */
  slot: number
}

export interface Heap<T extends Ranked> {
  readonly size: () => number
  readonly first: () => T | undefined
  readonly all: () => ReadonlyArray<T>
  /** At most so many of them. */
  readonly some: (most: number) => ReadonlyArray<T>
  readonly add: (item: T) => void
  readonly remove: (item: T) => void
  /** To be called after the rank of a member has changed. */
  readonly moved: (item: T) => void
}

export const heap = <T extends Ranked>(): Heap<T> => new Binary()

class Binary<T extends Ranked> implements Heap<T> {
  private readonly items: Array<T> = []

  size(): number {
    return this.items.length
  }

  first(): T | undefined {
    return this.items[0]
  }

  all(): ReadonlyArray<T> {
    return [...this.items]
  }

  some(most: number): ReadonlyArray<T> {
    return this.items.slice(0, most)
  }

  add(item: T): void {
    item.slot = this.items.length
    this.items.push(item)
    this.sooner(item)
  }

  remove(item: T): void {
    const last = this.items.pop()
    const slot = item.slot
    item.slot = -1
    if (last === undefined || last === item) return
    this.put(last, slot)
    this.moved(last)
  }

  moved(item: T): void {
    this.sooner(item)
    this.later(item)
  }

  private sooner(item: T): void {
    const { items } = this
    let slot = item.slot
    while (slot > 0) {
      const above = (slot - 1) >> 1
      const parent = items[above]
      if (parent === undefined || parent.rank <= item.rank) break
      this.put(parent, slot)
      slot = above
    }
    this.put(item, slot)
  }

  private later(item: T): void {
    const { items } = this
    let slot = item.slot
    for (;;) {
      let below = 2 * slot + 1
      if (below >= items.length) break
      let child = items[below]
      const other = below + 1 < items.length ? items[below + 1] : undefined
      if (child === undefined) break
      if (other !== undefined && other.rank < child.rank) {
        below++
        child = other
      }
      if (child.rank >= item.rank) break
      this.put(child, slot)
      slot = below
    }
    this.put(item, slot)
  }

  private put(item: T, slot: number): void {
    this.items[slot] = item
    item.slot = slot
  }
}
