/** A row that cannot be written without changing its values. */
import { hasRowText } from '../../stream/rawRows.js'
import { exportError } from '../ExportError.js'

/** Why a row cannot be written without changing its values. */
export interface UnrepresentableRow {
  readonly _tag: 'UnrepresentableRow'
  /** The field, such as `amount` or `quote_summary.quotes.0.fee_amount`. Empty for the row itself. */
  readonly field: string
  /** The values that the format can represent there. */
  readonly expected: string
  /** One line that names the field and the expected values, but not the actual value. */
  readonly message: string
}

/** Returns why a row cannot be written exactly; `undefined` if it can. */
export type RowCheck = (row: unknown) => UnrepresentableRow | undefined

/** Describes a field of a row; the row itself if `path` is empty. */
export const unrepresentable = (
  path: ReadonlyArray<string>,
  expected: string,
): UnrepresentableRow => {
  const field = path.join('.')
  const message = `${field || 'the row'} should be ${expected}`
  return { _tag: 'UnrepresentableRow', field, expected, message }
}

/** Throws an `UnrepresentableRow` for the first row that the format cannot write exactly. */
export const checkRows = <A>(
  format: { readonly check: (row: A, isRaw: boolean) => UnrepresentableRow | undefined },
  rows: ReadonlyArray<A>,
): void => {
  const isRaw = hasRowText(rows)
  rows.forEach((row, index) => {
    const found = format.check(row, isRaw)
    if (found === undefined) return
    const { field, expected, message } = found
    throw exportError('UnrepresentableRow', message, { field, expected, index })
  })
}
