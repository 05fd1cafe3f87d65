import { joinBytes } from './joinBytes.js'

/** The rows of a page as they came, letter by letter, cut out of its text only where they are wanted. */
export interface RowTexts {
  /** Rows there are. */
  readonly length: number
  /**
   * The texts of some of them, by their place from 0 and in rising order, as UTF-8: in what `allocate` gives, or in
   * new bytes of their own.
   */
  readonly join: (places: ReadonlyArray<number>, around: Around, allocate?: Allocate) => Uint8Array
}

/** A row among the texts of others. */
interface Placed {
  readonly texts: RowTexts
  /** From 0. */
  readonly place: number
}

/** What stands before, between and after rows. */
export interface Around {
  /** Before the first. */
  readonly before?: string
  /** Between two. */
  readonly between: string
  /** After the last. */
  readonly after?: string
}

/**
 * Gives `length` bytes, and not one more: what is written into them is taken whole. The first `kept` are those of the
 * bytes given before, the rest is undefined. They are overwritten by the next call.
 */
export type Allocate = (length: number, kept?: number) => Uint8Array

/** Some of the rows, as if there were no others. */
export const someOf = (places: ReadonlyArray<number>, texts: RowTexts): RowTexts => ({
  length: places.length,
  join: (some, around, allocate) =>
    texts.join(
      some.map((at) => places[at] ?? texts.length),
      around,
      allocate,
    ),
})

/** Rows of several answers, as if one had them all. */
export const gathered = (rows: ReadonlyArray<Placed>): RowTexts => ({
  length: rows.length,
  join: (
    places,
    { before = '', between, after = '' },
    allocate = (length) => new Uint8Array(length),
  ) => {
    const separator = encode(between)
    const parts = places.flatMap((at, i) => {
      const row = rows.slice(at, at + 1).map(({ texts, place }) => texts.join([place], NOTHING))
      return i === 0 ? row : [separator, ...row]
    })
    return joinBytes([encode(before), ...parts, encode(after)], allocate)
  },
})

const NOTHING: Around = { between: '' }

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
