import { E } from '../fp.js'
import type { AnyFailure } from '../http/Failure.js'
import type { Page } from '../stream/index.js'
import { asCame } from './asCame.js'

// model

/** A row that is not written, and why. */
export interface Reject<Q = unknown> {
  /** What asks for its page again. */
  readonly position: Q
  /** Which row of its page, from 0. */
  readonly index: number
  readonly reason: string
  /** As it came. */
  readonly row: unknown
}

/** The rows of a page, each where it belongs. */
export interface Sorted<A, Q> {
  readonly good: ReadonlyArray<A>
  readonly bad: ReadonlyArray<Reject<Q>>
  /** Rows that were there before. */
  readonly repeated: number
}

export interface Sorting<A> {
  /** Two rows with the same key are the same row; one without a key is like no other. */
  readonly key: (row: A) => string | undefined
  /** Why a row that decoded cannot be written all the same, if it cannot. */
  readonly misfit?: ((row: A) => { readonly message: string } | undefined) | undefined
  /** A row that did not decode, as it may be kept: without what is secret. */
  readonly shown: (raw: unknown) => unknown
}

// constructors

/** Rows whose key is in `seen` are left out; those that are written are added to it. */
export const sortPage =
  <A>({ key, misfit, shown }: Sorting<A>) =>
  (seen: Set<string>) =>
  <Q>({ items, raw, texts, position }: Page<AnyFailure, A, Q>): Sorted<A, Q> => {
    const good: Array<A> = []
    const from: Array<number> = [] // where in the page each of them stands
    let unchanged = texts !== undefined
    const bad: Array<Reject<Q>> = []
    let repeated = 0
    const reject = (index: number, reason: string): void => {
      bad.push({ position, index, reason, row: shown(raw[index]) })
    }
    let index = -1
    for (const item of items) {
      index++
      if (E.isLeft(item)) {
        reject(index, item.left.message)
        continue
      }
      const row = item.right
      const wrong = misfit?.(row)
      if (wrong !== undefined) {
        reject(index, wrong.message)
        continue
      }
      const name = key(row)
      const known = seen.size
      if (name !== undefined && seen.add(name).size === known) repeated++
      else {
        good.push(row)
        from.push(index)
        unchanged &&= row === raw[index]
      }
    }
    return { good: unchanged && texts ? asCame(good, of(from)(texts)) : good, bad, repeated }
  }

/** The texts of some of the rows. */
const of =
  (from: ReadonlyArray<number>) =>
  (texts: () => ReadonlyArray<string> | undefined) =>
  (): ReadonlyArray<string> | undefined => {
    const all = texts()
    return all?.length === from.length ? all : all && from.map((index) => all[index] ?? '')
  }
