import type { Seconds } from '../../changes/Ledger.js'
import type { Counted } from '../../changes/proof/Counting.js'

/** Times of rows by status, sorted: what counts of a copy need. 16 bytes a row. */
export class RowIndex {
  /** By status; those of all rows under `undefined`. */
  readonly #added = new Map<string | undefined, Array<Seconds>>()
  /** Sorted times by status, made on the first count. */
  readonly #sorted = new Map<string | undefined, Float64Array>()

  /** Adds a row, before the first question. */
  add(created: Seconds, status: string): void {
    for (const name of [undefined, status]) {
      const times = this.#added.get(name)
      if (times === undefined) this.#added.set(name, [created])
      else times.push(created)
    }
  }

  count(rows: Counted): number {
    const [first, end] = this.#range(rows)
    return Math.max(0, end - first)
  }

  nth(rows: Counted, n: number): Seconds | undefined {
    const [first, end] = this.#range(rows)
    return first + n < end ? this.#timesOf(rows)[first + n] : undefined
  }

  #range(rows: Counted): readonly [number, number] {
    const times = this.#timesOf(rows)
    return [firstAt(times, rows.from), firstAt(times, rows.to + 1)]
  }

  #timesOf({ status }: Counted): Float64Array {
    const sorted = this.#sorted.get(status)
    if (sorted !== undefined) return sorted
    const times = Float64Array.from(this.#added.get(status) ?? []).sort()
    this.#added.delete(status)
    this.#sorted.set(status, times)
    return times
  }
}

/** Returns the index of the first time that is not before a second. */
const firstAt = (times: Float64Array, second: Seconds): number => {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((times[middle] ?? 0) < second) low = middle + 1
    else high = middle
  }
  return low
}
