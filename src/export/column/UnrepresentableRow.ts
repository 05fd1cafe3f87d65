/** A row that cannot be written without a change to what it says. */
import { hasRowText } from '../../stream/rawRows.js'
import { exportError } from '../ExportError.js'

// model

/** Why a row cannot be written without a change to what it says. */
export interface UnrepresentableRow {
  readonly _tag: 'UnrepresentableRow'
  /** The field, such as `amount` or `quote_summary.quotes.0.fee_amount`; empty for the row itself. */
  readonly field: string
  /** What the format can say there. */
  readonly expected: string
  /** Names the field and what was expected, and not the value. */
  readonly message: string
}

/** Undefined if the row fits. */
export type Fitting = (row: unknown) => UnrepresentableRow | undefined

// constructors

/** In words, the field at `path` and what was expected; of the row itself when there is no path. */
export const misfit = (path: ReadonlyArray<string>, expected: string): UnrepresentableRow => {
  const field = path.join('.')
  const message = `${field || 'the row'} should be ${expected}`
  return { _tag: 'UnrepresentableRow', field, expected, message }
}

// combinators

/** Throws an `UnrepresentableRow` for the first row that does not. */
export const allFit = <A>(
  format: { readonly misfit: (row: A, isExact: boolean) => UnrepresentableRow | undefined },
  rows: ReadonlyArray<A>,
): void => {
  const isExact = hasRowText(rows)
  let index = 0
  for (const row of rows) {
    const misfit = format.misfit(row, isExact)
    if (misfit !== undefined) {
      const { field, expected, message } = misfit
      throw exportError('UnrepresentableRow', message, { field, expected, index })
    }
    index++
  }
}
