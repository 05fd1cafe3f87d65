import type { Waits } from '../../store/Waits.js'
import type { ChildRows, CountedRows, Destination } from './Destination.js'

/** Questions to a destination. */
export type Queries = Pick<Destination<never>, 'open' | 'counted' | 'children'>

/** Queries whose waits are reported. */
export const watchedQueries = (to: Queries, waits: Waits): Queries => {
  const { counted, children } = to
  return {
    ...(to.open && { open: (final) => waits.during(async () => (await to.open?.(final)) ?? []) }),
    ...(counted && { counted: watchedCounts(counted, waits) }),
    ...(children && { children: watchedChildren(children, waits) }),
  }
}

const watchedCounts = (of: CountedRows, waits: Waits): CountedRows => ({
  counts: (...rows) => waits.during(() => of.counts(...rows)),
  nth: (...at) => waits.during(() => of.nth(...at)),
  ids: (...rows) => waits.during(() => of.ids(...rows)),
  versions: (rows) => waits.during(() => of.versions(rows)),
  markGone: (...rows) => waits.during(() => of.markGone(...rows)),
})

const watchedChildren = (of: ChildRows, waits: Waits): ChildRows => ({
  counts: () => waits.during(() => of.counts()),
  ids: (parent) => waits.during(() => of.ids(parent)),
  markGone: (...rows) => waits.during(() => of.markGone(...rows)),
})
