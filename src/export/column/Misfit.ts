/** A row that cannot be written without a change to what it says. */
import { haveTexts } from '../asCame.js'

// model

/** Why a row cannot be written without a change to what it says. */
export interface Misfit {
  readonly _tag: 'Misfit'
  /** The field, such as `amount` or `quote_summary.quotes.0.fee_amount`; empty for the row itself. */
  readonly field: string
  /** What the format can say there. */
  readonly expected: string
  /** Names the field and what was expected, and not the value. */
  readonly message: string
}

/** Thrown by whoever is given such a row to write. Nothing of its page is written. */
export class DoesNotFit extends Error {
  override readonly name = 'DoesNotFit'
  readonly _tag = 'DoesNotFit'
  /** Why it cannot be written. */
  readonly misfit: Misfit
  /** Which row of its page, from 0. */
  readonly index: number

  constructor(misfit: Misfit, index: number) {
    super(misfit.message)
    this.misfit = misfit
    this.index = index
  }
}

/** Undefined if the row fits. */
export type Fitting = (row: unknown) => Misfit | undefined

// constructors

/** In words, the field at `path` and what was expected; of the row itself when there is no path. */
export const misfit = (path: ReadonlyArray<string>, expected: string): Misfit => {
  const field = path.join('.')
  const message = `${field || 'the row'} should be ${expected}`
  return { _tag: 'Misfit', field, expected, message }
}

// combinators

/** Throws `DoesNotFit` for the first row that does not. */
export const allFit = <A>(
  format: { readonly misfit: (row: A, asCame: boolean) => Misfit | undefined },
  rows: ReadonlyArray<A>,
): void => {
  const asCame = haveTexts(rows)
  let index = 0
  for (const row of rows) {
    const misfit = format.misfit(row, asCame)
    if (misfit !== undefined) throw new DoesNotFit(misfit, index)
    index++
  }
}

/** The rows of a page, parted. */
export interface Sifted<A> {
  /** The rows that fit; the page itself when all do. */
  readonly rows: ReadonlyArray<A>
  /** The others, each by its place in the page, from 0. */
  readonly misfits: ReadonlyArray<{ readonly index: number; readonly misfit: Misfit }>
}

/** Parts the rows of a page: those that can be written, and the others with the reason. */
export const sift =
  <A>(format: { readonly misfit: (row: A) => Misfit | undefined }) =>
  (page: ReadonlyArray<A>): Sifted<A> => {
    const misfits: Array<Sifted<A>['misfits'][number]> = []
    let index = 0
    for (const row of page) {
      const misfit = format.misfit(row)
      if (misfit !== undefined) misfits.push({ index, misfit })
      index++
    }
    if (misfits.length === 0) return { rows: page, misfits }
    const bad = new Set(misfits.map(({ index }) => index))
    return { rows: page.filter((_, index) => !bad.has(index)), misfits }
  }
