/** Reads rows in full and repairs a copy with them. */
import { type Asking, pagesOf } from '../Asking.js'
import type { OpenCharge } from '../KnownCharges.js'
import { PAGE_SIZE, type Seconds } from '../Ledger.js'
import { type Counted, type Counting, TooDeep } from './Counting.js'
import { countOf, type ProofTable } from './ProofTable.js'
import { middleOf } from './stretches.js'

/** Counts of repaired rows. */
export interface Healed {
  /** Rows that were missing. */
  readonly late: number
  /** Rows that the service no longer has, now marked as gone. */
  readonly gone: number
}

/** Maximum number of rows that are read by id in one range. Further rows are left to the next night. */
const MAX_RETRIEVALS = 2_000

/** Writes that repair a copy. */
export interface HealingOptions<A> {
  readonly asking: Asking<A>
  readonly counting: Counting<A>
  readonly table: ProofTable<A>
}

/**
 * Reads all rows of a range, and writes them. Rows of the copy that are missing from the list are read by id. They are updated,
 * or marked as gone, but only if the service answers 404. Rejects with `TooDeep` if a single second has more rows than the
 * service can page through.
 */
export const readWhole = async <A>(
  { asking, counting, table }: HealingOptions<A>,
  rows: Counted,
): Promise<Healed> => {
  const before = await countOf(table, rows)
  const seen = new Map<string, Seconds>()
  await readPages({ asking, counting, table }, rows, seen)
  const gone: Array<OpenCharge> = []
  const moved: Array<OpenCharge> = []
  let retrievals = 0
  for (const row of await table.find(rows)) {
    const listed = seen.get(row.id)
    if (listed === undefined && ++retrievals > MAX_RETRIEVALS) continue
    const found = listed === undefined ? await asking.retrieve(row.id) : undefined
    if (found !== undefined) await table.write([found])
    const created = listed ?? found?.created
    if (created === undefined) gone.push(row)
    else if (created !== row.created) moved.push(row)
  }
  if (moved.length > 0) await table.moved(moved)
  if (gone.length > 0) await table.markGone(gone)
  const after = await countOf(table, rows)
  // with a status filter, rows also appear and disappear because their status changes
  const late = rows.status === undefined ? Math.max(0, after + gone.length - before) : 0
  return { late, gone: gone.length }
}

/**
 * Reads pages of rows, and writes them. Uses shorter ranges if the service does not page deep enough. Adds the times of the
 * rows to `seen`, by id.
 */
const readPages = async <A>(
  options: HealingOptions<A>,
  rows: Counted,
  seen: Map<string, Seconds>,
): Promise<void> => {
  const { counting, table } = options
  // one more second on each side, because the service may treat bounds as exclusive
  const wider = { ...rows, from: rows.from - 1, to: rows.to + 1 }
  try {
    for await (const found of pagesOf((page) => counting.page(wider, page, PAGE_SIZE))) {
      for (const { id, created } of found.rows) seen.set(id, created)
      if (found.rows.length > 0) await table.write(found.rows)
    }
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error
    const here = await countOf(table, rows)
    const middle = await middleOf(table, rows, here, here)
    if (middle === undefined) throw error
    await readPages(options, { ...rows, to: middle }, seen)
    await readPages(options, { ...rows, from: middle + 1 }, seen)
  }
}
