/** Rows that a sync or an export has written, as a copy to count; and that of a table. */
import type { SchedulerLike } from 'rxjs'
import type { Seconds } from '../../changes/Ledger.js'
import type { CountedTable } from '../../changes/proof/ProofTable.js'
import { fieldsOf } from '../../decode/unknown.js'
import { withoutPrototype } from '../../fp.js'
import { stateIn } from '../../store/lease.js'
import type { Waits } from '../../store/Waits.js'
import { pauseBy } from '../../stream/later.js'
import { noSuchTable } from '../sql/table.js'
import { SETTLING, withRejected } from '../sync/proveRows.js'
import { destinationName } from '../sync/SyncOptions.js'
import { CHECKPOINT } from '../transfer/Destination.js'
import type { ExportSpec } from '../transfer/ExportSpec.js'
import { NO_UPKEEP, readTransferState, type Upkeep } from '../transfer/TransferState.js'

/** Rows that a sync or an export has written, opened for reading only. */
export interface Copy {
  /** Names it in messages, without secrets. */
  readonly name: string
  /** The list that it is of. */
  readonly spec: ExportSpec
  readonly counted: CountedTable
  /** Rows created from then on are there; `-Infinity`: all. */
  readonly from: Seconds
  /** Rows created up to then should be there, that second included. */
  readonly until: Seconds
  /** Only rows of this status are there. */
  readonly only?: string
  readonly close: () => Promise<void>
}

/** Returns the times that a sync has reached. Rows that came late in its last hour are left to its next run. */
export const spanOfSync = ({
  since = 0,
  upTo = Number.POSITIVE_INFINITY,
}: Pick<Upkeep, 'since' | 'upTo'>): Pick<Copy, 'from' | 'until'> => ({
  from: since <= 0 ? Number.NEGATIVE_INFINITY : Math.floor(since / 1_000),
  until: Math.floor(upTo / 1_000) - SETTLING,
})

/** Opens a table of a database. Rejects with an `ExportError`. */
export const tableCopy = async (
  kind: 'sqlite' | 'postgres',
  url: string,
  table: string,
  { timer, waits }: { readonly timer: SchedulerLike; readonly waits: Waits },
): Promise<Copy> => {
  const name = destinationName(url)
  const rows =
    kind === 'sqlite'
      ? await (await import('../sql/sqlite.js')).openSqliteTable(
          { path: url, pause: pauseBy(timer), waits },
          table,
        )
      : await (await import('../sql/postgres.js')).openPostgresTable({ url, name, waits }, table)
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
