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
  readonly add: (item: T) => void
  readonly remove: (item: T) => void
  /** To be called after the rank of a member has changed. */
  readonly moved: (item: T) => void
}

export const heap = <T extends Ranked>(): Heap<T> => {
  const items: Array<T> = []

  const put = (item: T, slot: number): void => {
    items[slot] = item
    item.slot = slot
  }

  const up = (item: T): void => {
    let slot = item.slot
    while (slot > 0) {
      const above = (slot - 1) >> 1
      const parent = items[above]
      if (parent === undefined || parent.rank <= item.rank) break
      put(parent, slot)
      slot = above
    }
    put(item, slot)
  }

  const down = (item: T): void => {
    let slot = item.slot
    for (;;) {
      let below = 2 * slot + 1
      let child = items[below]
      if (child === undefined) break
      const other = items[below + 1]
      if (other !== undefined && other.rank < child.rank) {
        below++
        child = other
      }
      if (child.rank >= item.rank) break
      put(child, slot)
      slot = below
    }
    put(item, slot)
  }

  const moved = (item: T): void => {
    up(item)
    down(item)
  }

  return {
    size: () => items.length,
    first: () => items[0],
    all: () => [...items],
    add: (item) => {
      item.slot = items.length
      items.push(item)
      up(item)
    },
    remove: (item) => {
      const last = items.pop()
      const slot = item.slot
      item.slot = -1
      if (last === undefined || last === item) return
      put(last, slot)
      moved(last)
    },
    moved,
  }
}
