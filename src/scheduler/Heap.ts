/** The place of one item in a heap. An item in two heaps has two entries. */
export class HeapEntry<T> {
  rank = 0
  order = 0
  /** Index in the heap; -1 outside. */
  slot = -1
  readonly item: T

  constructor(item: T) {
    this.item = item
  }
}

const precedes = <T>(a: HeapEntry<T>, b: HeapEntry<T>): boolean =>
  a.rank < b.rank || (a.rank === b.rank && a.order < b.order)

/** A binary heap, lowest rank first. Any entry can be moved or removed in O(log n). */
export class Heap<T> {
  readonly #entries: Array<HeapEntry<T>> = []

  first(): HeapEntry<T> | undefined {
    return this.#entries[0]
  }

  add(entry: HeapEntry<T>): void {
    entry.slot = this.#entries.length
    this.#entries.push(entry)
    this.#siftUp(entry)
  }

  remove(entry: HeapEntry<T>): void {
    const { slot } = entry
    if (slot < 0) return
    entry.slot = -1
    const last = this.#entries.pop()
    if (last === undefined || last === entry) return
    last.slot = slot
    this.moved(last)
  }

  /** Moves an entry to its place after its rank or order has changed. */
  moved(entry: HeapEntry<T>): void {
    const { slot } = entry
    this.#siftUp(entry)
    if (entry.slot === slot) this.#siftDown(entry)
  }

  #siftUp(entry: HeapEntry<T>): void {
    let { slot } = entry
    while (slot > 0) {
      const above = (slot - 1) >> 1
      const parent = this.#entries[above]
      if (parent === undefined || !precedes(entry, parent)) break
      this.#put(parent, slot)
      slot = above
    }
    this.#put(entry, slot)
  }

  #siftDown(entry: HeapEntry<T>): void {
    let { slot } = entry
    for (;;) {
      let below = 2 * slot + 1
      let child = this.#entries[below]
      if (child === undefined) break
      const other = this.#entries[below + 1]
      if (other !== undefined && precedes(other, child)) {
        below++
        child = other
      }
      if (!precedes(child, entry)) break
      this.#put(child, slot)
      slot = below
    }
    this.#put(entry, slot)
  }

  #put(entry: HeapEntry<T>, slot: number): void {
    this.#entries[slot] = entry
    entry.slot = slot
  }
}
