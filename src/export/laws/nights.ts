/** Lists for games, and the moments at which owners are stopped, both drawn from a seed. */
import type { CheckedRow } from './CheckedDestination.js'
import type { StopAt } from './Owner.js'

/** `export`: a list that is appended once. The others are lists of `sync`: rows are upserted by id, or all replaced. */
export type ListKind = 'export' | 'by time' | 'replaced'

/** A list to write to a destination, in one run or, if interrupted, in several runs. */
export interface Night {
  readonly number: number
  readonly kind: ListKind
  readonly pages: ReadonlyArray<ReadonlyArray<CheckedRow>>
  /** Number of pages after which the run is stopped; absent if it is not stopped. */
  readonly stopAfter?: number
}

// chance

/** Generates whole numbers from a seed (mulberry32). */
export class Chance {
  #state: number

  constructor(seed: number) {
    this.#state = seed | 0
  }

  /** Returns a whole number from 0 up to, but not including, `end`. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end)
  }

  /** Returns a random moment of a run. Rare operations are as likely as frequent ones. */
  stopAmong(names: ReadonlyArray<string>): StopAt {
    const kinds = [...new Set(names)]
    const kind = kinds[this.below(kinds.length)]
    const those = names.flatMap((name, i) => (name === kind ? [i + 1] : []))
    return { nth: those[this.below(those.length)] ?? 1, after: this.below(2) === 1 }
  }

  nights(kind: ListKind): ReadonlyArray<Night> {
    let n = 1_000
    const some = (count: number): Array<CheckedRow> =>
      Array.from({ length: count }, () => ({ key: `key-${n++}`, version: 1 }))
    let rows = some(3 + this.below(8))
    const first = this.#night(1, kind, rows)
    if (kind === 'export') return [first]
    const later = [2, 3].map((number) => {
      const changed = rows.flatMap(({ key, version }, i): ReadonlyArray<CheckedRow> => {
        const fate = number === 2 && i < 3 ? i : this.below(3) // the second night contains each possible fate of a row
        return fate === 0 ? [] : [{ key, version: version + fate - 1 }]
      })
      const isEmpty = kind === 'replaced' && number === 3 && this.below(3) === 0
      const list = isEmpty ? [] : [...changed, ...some(1 + this.below(4))]
      const again = kind === 'by time' ? list.slice(0, 1).map(changedAgain) : [] // a row that is read twice in one run
      rows = [...again, ...list.slice(again.length)]
      return this.#night(number, kind, [...list, ...again])
    })
    return [first, ...later]
  }

  #night(number: number, kind: ListKind, rows: ReadonlyArray<CheckedRow>): Night {
    return { number, kind, pages: cut(rows, 1 + this.below(4)) }
  }
}

const changedAgain = ({ key, version }: CheckedRow): CheckedRow => ({ key, version: version + 1 })

export const cut = <A>(rows: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(rows.length / size) }, (_, page) =>
    rows.slice(page * size, (page + 1) * size),
  )
