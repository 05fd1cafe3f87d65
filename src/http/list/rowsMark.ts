import { O } from '../../fp.js'
import { rowId } from './idOf.js'

/**
 * What tells the rows of a page from those of every other, where that can be told: how many they are, and
 * the ids of the first, the middle and the last. Rows without ids may be equal and yet be others, and so
 * may one row alone, or rows that all carry one id. Where ids are unique, two pages that agree in these
 * repeat rows whatever stands between.
 */
export const rowsFingerprint = ({
  raw,
}: {
  readonly raw: ReadonlyArray<unknown>
}): O.Option<string> => {
  const ids = [raw[0], raw[raw.length >> 1], raw.at(-1)].map(rowId)
  return ids.every((id) => id !== undefined) && ids[0] !== ids[2]
    ? O.some(JSON.stringify([raw.length, ...ids]))
    : O.none
}
