interface Entry<A> {
  readonly value: A
  next: Entry<A> | undefined
}

/** A first-in, first-out list. With an array, each removal would move all remaining items. */
export class Fifo<A> {
  #first: Entry<A> | undefined
  #last: Entry<A> | undefined

  push(value: A): void {
    const entry = { value, next: undefined }
    if (this.#last === undefined) this.#first = entry
    else this.#last.next = entry
    this.#last = entry
  }

  shift(): Entry<A> | undefined {
    const first = this.#first
    this.#first = first?.next
    if (this.#first === undefined) this.#last = undefined
    return first
  }

  isEmpty(): boolean {
    return this.#first === undefined
  }
}
