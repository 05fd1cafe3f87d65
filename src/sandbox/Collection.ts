/** Resources numbered from 0 in order of creation. Generated ones come first, then those that were added. */

export interface CollectionItem {
  /** Position in the order of creation. */
  readonly n: number
  readonly request_id: string
}

/** Resources that exist from the start, computed from their number, so a million of them cost as little as one. */
export interface Generated<A> {
  readonly count: number
  /** Returns the resource with this number. Equal numbers give equal resources. */
  readonly at: (n: number) => A
  readonly hasRequestId: (requestId: string) => boolean
}

/** Iterates over rows from number `from`, upwards or downwards. */
export type Walk<A> = (from: number, step: 1 | -1) => Iterable<A>

export class Collection<A extends CollectionItem> {
  /** Added and changed resources; `undefined` for a deleted one. */
  readonly #stored = new Map<number, A | undefined>()
  /** The `request_id`s of added resources, including deleted ones, because a `request_id` cannot be reused. */
  readonly #requestIds = new Set<string>()
  readonly #generated: Generated<A> | undefined
  #count: number
  /** Called after a resource was added (`isNew`) or replaced. */
  onStored: (row: A, isNew: boolean) => void = () => {}

  constructor(generated?: Generated<A>) {
    this.#generated = generated
    this.#count = generated?.count ?? 0
  }

  /** The number of the next resource to add. */
  get next(): number {
    return this.#count
  }

  hasRequestId(requestId: string): boolean {
    return this.#requestIds.has(requestId) || this.#generated?.hasRequestId(requestId) === true
  }

  get(n: number): A | undefined {
    if (n < 0 || n >= this.#count) return undefined
    return this.#stored.has(n) ? this.#stored.get(n) : this.#generated?.at(n)
  }

  add(row: A): void {
    this.#stored.set(this.#count++, row)
    this.#requestIds.add(row.request_id)
    this.onStored(row, true)
  }

  /** Replaces the resource with the same number. */
  replace(row: A): void {
    this.#stored.set(row.n, row)
    this.onStored(row, false)
  }

  readonly walk: Walk<A> = (from, step) => this.#rows(from, step)

  delete(n: number): void {
    this.#stored.set(n, undefined)
  }

  *#rows(from: number, step: 1 | -1): Generator<A> {
    const last = this.#count - 1
    const first = step === 1 ? Math.max(0, from) : Math.min(last, from)
    for (let n = first; n >= 0 && n <= last; n += step) {
      const row = this.get(n)
      if (row !== undefined) yield row
    }
  }
}
