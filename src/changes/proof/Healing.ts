/** Reads rows whole, and puts a copy right. */
import type { Asking } from '../Asking.js'
import { PAGE_SIZE } from '../Ledger.js'
import { type Counted, type Counting, TooDeep } from './Counting.js'
import { countOf, type ProofTable } from './ProofTable.js'
import { middleOf } from './stretches.js'

/** How a copy was put right. */
export interface Healed {
  /** Rows that were missing. */
  readonly late: number
  /** Rows that the service has no more, marked as gone. */
  readonly gone: number
}

/** The most rows that are asked for by id in one stretch. More are left to the next night. */
const MAX_RETRIEVALS = 2_000

/** Writes that put a copy right. */
export interface HealingOptions<A> {
  readonly asking: Asking<A>
  readonly counting: Counting<A>
  readonly table: ProofTable<A>
}

/**
 * Reads all rows of a stretch, and writes them. Asks by id for rows that the copy has and the list has not shown: they are
 * written as they stand, and marked as gone only where the service answers that it does not have them. Rejects with
 * `TooDeep` if a single second has more rows than the service pages to.
 */
export const readWhole = async <A>(
  { asking, counting, table }: HealingOptions<A>,
  rows: Counted,
): Promise<Healed> => {
  const before = await countOf(table, rows)
  const seen = new Set<string>()
  await readPages({ asking, counting, table }, rows, seen)
  const unseen = (await table.ids(rows)).filter((id) => !seen.has(id)).slice(0, MAX_RETRIEVALS)
  const gone: Array<string> = []
  for (const id of unseen) {
    const row = await asking.retrieve(id)
    if (row === undefined) gone.push(id)
    else await table.write([row])
  }
  if (gone.length > 0) await table.markGone(gone)
  const after = await countOf(table, rows)
  // of one status, rows come and go by a change of status as well
  const late = rows.status === undefined ? Math.max(0, after + gone.length - before) : 0
  return { late, gone: gone.length }
}

/** Reads pages of rows, and writes them: shorter stretches where the service does not page as deep. Adds their ids to `seen`. */
const readPages = async <A>(
  options: HealingOptions<A>,
  rows: Counted,
  seen: Set<string>,
): Promise<void> => {
  const { counting, table } = options
  // a second more on either side: the service may leave out its bounds
  const wider = { ...rows, from: rows.from - 1, to: rows.to + 1 }
  try {
    for (let page = 0, more = true; more; page++) {
      const answer = await counting.page(wider, page, PAGE_SIZE)
      for (const { id } of answer.rows) seen.add(id)
      if (answer.rows.length > 0) await table.write(answer.rows)
      more = answer.more
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
