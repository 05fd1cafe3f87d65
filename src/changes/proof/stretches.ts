/** Divides time into ranges with about equal numbers of rows. */
import type { Seconds } from '../Ledger.js'
import type { Counted } from './Counting.js'
import { type CountedTable, countOf } from './ProofTable.js'

/** Divides rows into up to `parts` ranges with about equal numbers of the table's rows. They cover all seconds of `rows`. */
export const stretchesOf = async (
  table: CountedTable,
  rows: Counted,
  parts: number,
): Promise<ReadonlyArray<Counted>> => {
  const total = await countOf(table, rows)
  const stretches: Array<Counted> = []
  let { from } = rows
  for (let part = 1; part < parts && total > 0; part++) {
    const start = await table.nth(rows, Math.floor((total * part) / parts))
    if (start === undefined || start > rows.to) break
    if (start <= from) continue
    stretches.push({ ...rows, from, to: start - 1 })
    from = start
  }
  return [...stretches, { ...rows, from }]
}

/**
 * Returns the last second of the earlier half. Halves are by rows of the table, or by time if the service has many more rows.
 * `undefined` if there is only one second.
 */
export const middleOf = async (
  table: CountedTable,
  rows: Counted,
  here: number,
  there: number,
): Promise<Seconds | undefined> => {
  const { to } = rows
  const from =
    rows.from === Number.NEGATIVE_INFINITY ? ((await table.nth(rows, 0)) ?? 0) : rows.from
  if (from >= to) return undefined
  const median =
    here > 1 && here >= there / 2 ? await table.nth(rows, Math.floor(here / 2)) : undefined
  const middle = median === undefined ? Math.floor((from + to) / 2) : median - 1
  return Math.min(to - 1, Math.max(from, middle))
}
