interface Entry<A> {
  readonly value: A
  next: Entry<A> | undefined
}

/** A list, first in, first out: an array moves all that is behind what it loses. */
export class Fifo<A> {
  #first: Entry<A> | undefined
  #last: Entry<A> | undefined

  push(value: A): void {
    const entry = { value, next: undefined }
    if (this.#last === undefined) this.#first = entry
    else this.#last.next = entry
    this.#last = entry
  }

  /** Takes the first one out. */
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
