import { Heap, HeapEntry } from './Heap.js'

/** A key that takes turns with other keys (option `fair`). */
export type FairKey = string | undefined

/** An element of the linked list of a line. */
export interface LineItem<T extends LineItem<T>> {
  readonly key: FairKey
  /** Number of turns that its key gets for each turn of a key of weight 1. */
  readonly weight: number
  /** The line in which it waits, or last waited. */
  line: WaitingLine<T> | undefined
  previous: T | undefined
  next: T | undefined
}

/** Waiting items, first in, first out. An item can leave from any position. */
export class WaitingLine<T extends LineItem<T>> {
  first: T | undefined
  length = 0
  #last: T | undefined

  push(item: T): void {
    const last = this.#last
    item.line = this
    item.previous = last
    item.next = undefined
    if (last === undefined) this.first = item
    else last.next = item
    this.#last = item
    this.length++
  }

  remove(item: T): void {
    const isFirst = this.first === item
    const previous = isFirst ? undefined : item.previous
    const { next } = item
    if (previous === undefined) this.first = next
    else previous.next = next
    if (next === undefined) this.#last = previous
    // The `previous` of a first item is never read, and not writing it saves a cache miss per start.
    else if (!isFirst) next.previous = previous
    item.previous = undefined
    item.next = undefined
    this.length--
  }

  items(): ReadonlyArray<T> {
    const items: Array<T> = []
    for (let item = this.first; item !== undefined; item = item.next) items.push(item)
    return items
  }
}

class KeyLine<T extends LineItem<T>> extends WaitingLine<T> {
  readonly key: FairKey
  round: Round<T>

  constructor(key: FairKey, round: Round<T>) {
    super()
    this.key = key
    this.round = round
  }
}

/** Keys whose next items start at the same virtual time. With equal weights, there are two rounds: this one and the next. */
class Round<T extends LineItem<T>> {
  readonly lines: Array<KeyLine<T>> = []
  /** Number of lines that have had their turn. */
  served = 0
  /** Entry in the heap, ranked by virtual time. */
  readonly turn = new HeapEntry<Round<T>>(this)
}

/**
 * Items of several keys that take turns by weight: start-time fair queueing (Goyal, Vin and Cheng, 1996). A new key begins at
 * the virtual time of the item that was started last, so a key without waiting items cannot save up turns.
 */
export class KeyLines<T extends LineItem<T>> {
  length = 0
  #lines = new Map<FairKey, KeyLine<T>>()
  #rounds = new Heap<Round<T>>()
  /** The round that a line last joined. */
  #latest: Round<T> | undefined
  /** Virtual time: the start of the item started last. */
  #now = 0
  #changes = 0

  /** Returns the next item. A line without items is kept until its time has come; otherwise its key would gain a turn. */
  first(): T | undefined {
    for (;;) {
      const round = this.#rounds.first()?.item
      if (round === undefined) return undefined
      const line = round.lines[round.served]
      if (line !== undefined && line.length > 0) return line.first
      if (line === undefined) this.#rounds.remove(round.turn)
      else this.#lines.delete(line.key)
      round.served++
      this.#now = Math.max(this.#now, round.turn.rank)
    }
  }

  push(item: T): void {
    if (this.length === 0 && this.#lines.size > 1) {
      this.#lines = new Map()
      this.#rounds = new Heap()
      this.#latest = undefined
    }
    const line = this.#lines.get(item.key) ?? this.#add(item.key)
    line.push(item)
    this.length++
  }

  remove(item: T): void {
    item.line?.remove(item)
    this.length--
  }

  /** Records that the key of an item has had a turn. Must be called first for each item that was removed to be started. */
  started({ line, weight }: T): void {
    if (!(line instanceof KeyLine)) return
    const round: Round<T> = line.round
    this.#now = Math.max(this.#now, round.turn.rank)
    const time = round.turn.rank + 1 / weight
    const isLast = round.served === round.lines.length - 1
    if (isLast && this.#latest?.turn.rank !== time) {
      if (round.served > 0) round.lines.splice(0, round.served)
      round.served = 0
      this.#rank(round, time) // only one line is left, so no other round is needed
      this.#rounds.moved(round.turn)
    } else {
      round.served++
      line.round = this.#roundAt(time)
      line.round.lines.push(line)
    }
  }

  /** Returns the lines that have items, by key. */
  *waiting(): Iterable<readonly [FairKey, WaitingLine<T>]> {
    for (const entry of this.#lines) if (entry[1].length > 0) yield entry
  }

  #add(key: FairKey): KeyLine<T> {
    const line = new KeyLine<T>(key, this.#roundAt(this.#now))
    this.#lines.set(key, line)
    line.round.lines.push(line)
    return line
  }

  #roundAt(time: number): Round<T> {
    const first = this.#rounds.first()?.item
    if (first?.turn.rank === time) return first
    const latest = this.#latest
    if (latest !== undefined && latest.turn.rank === time && latest.turn.slot >= 0) return latest
    const round = new Round<T>()
    this.#rank(round, time)
    this.#rounds.add(round.turn)
    return round
  }

  /** Among rounds with the same time, the older one goes first. */
  #rank(round: Round<T>, time: number): void {
    round.turn.rank = time
    round.turn.order = ++this.#changes
    this.#latest = round
  }
}
