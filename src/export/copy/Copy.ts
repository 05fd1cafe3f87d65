/** Rows written by a sync or an export, opened as a copy to be counted. */
import type { SchedulerLike } from 'rxjs'
import type { Seconds } from '../../changes/Ledger.js'
import type { CountedTable } from '../../changes/proof/ProofTable.js'
import { fieldsOf } from '../../decode/unknown.js'
import { withoutPrototype } from '../../fp.js'
import { stateIn } from '../../store/lease.js'
import type { Waits } from '../../store/Waits.js'
import { pauseBy } from '../../stream/later.js'
import type { Location } from '../location/Location.js'
import { noSuchTable } from '../sql/table.js'
import { SETTLING, withRejected } from '../sync/proveRows.js'
import { CHECKPOINT } from '../transfer/Destination.js'
import type { ExportSpec } from '../transfer/ExportSpec.js'
import { NO_UPKEEP, readTransferState, type Upkeep } from '../transfer/TransferState.js'

/** Rows written by a sync or an export, opened for reading only. */
export interface Copy {
  /** Name in messages, without secrets. */
  readonly name: string
  readonly spec: ExportSpec
  readonly counted: CountedTable
  /** Rows created from this time on are present; `-Infinity`: all. */
  readonly from: Seconds
  /** Rows created up to this second, inclusive, should be present. */
  readonly until: Seconds
  /** Set if only rows of this status are present. */
  readonly only?: string
  readonly close: () => Promise<void>
}

/** Returns the time range that a sync has covered. Excludes the last hour, whose late rows are left to the next run. */
export const spanOfSync = ({
  since = 0,
  upTo = Number.POSITIVE_INFINITY,
}: Pick<Upkeep, 'since' | 'upTo'>): Pick<Copy, 'from' | 'until'> => ({
  from: since <= 0 ? Number.NEGATIVE_INFINITY : Math.floor(since / 1_000),
  until: Math.floor(upTo / 1_000) - SETTLING,
})

/** Opens a database table. Rejects with an `ExportError`. */
export const tableCopy = async (
  at: Location & { readonly kind: 'sqlite' | 'postgres' },
  table: string,
  { timer, waits }: { readonly timer: SchedulerLike; readonly waits: Waits },
): Promise<Copy> => {
  const { name } = at
  const rows =
    at.kind === 'sqlite'
      ? await (await import('../sql/sqlite.js')).openSqliteTable(
          { path: name, pause: pauseBy(timer), waits },
          table,
        )
      : await (await import('../sql/postgres.js')).openPostgresTable({ at, waits }, table)
  try {
    const found = await rows.store.read(CHECKPOINT)
    const kept = found && stateIn(name)(found.text)
    if (fieldsOf(kept).sync === undefined) throw noSuchTable(name, table)
    const { spec, sync = NO_UPKEEP } = withoutPrototype(readTransferState(name, kept))
    return {
      name,
      spec,
      counted: withRejected(rows.counted, sync.rejected),
      ...spanOfSync(withoutPrototype(sync)),
      close: rows.close,
    }
  } catch (error) {
    await rows.close()
    throw error
  }
}
