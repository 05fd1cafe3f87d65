import { fieldsOf } from '../../decode/unknown.js'
import { O } from '../../fp.js'

/** Returns the `id` of a row, by which rows are told apart unless another key is given. */
export const rowId = (row: unknown): string | undefined => {
  const { id } = fieldsOf(row)
  return typeof id === 'string' ? id : undefined
}

/**
 * Returns a text that differs between pages with different rows: the number of rows, and the ids of the first, the
 * middle and the last. None for rows without unique ids, which may be equal on different pages.
 */
export const rowsFingerprint = ({
  raw,
}: {
  readonly raw: ReadonlyArray<unknown>
}): O.Option<string> => {
  const ids = [raw[0], raw[raw.length >> 1], raw.at(-1)].map(rowId)
  return ids.every((id) => id !== undefined) && (raw.length === 1 || ids[0] !== ids[2])
    ? O.some(JSON.stringify([raw.length, ...ids]))
    : O.none
}
