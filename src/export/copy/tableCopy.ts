/** A table that a sync keeps, as a copy to count. */
import { fieldsOf } from '../../decode/unknown.js'
import { withoutPrototype } from '../../fp.js'
import { stateIn } from '../../store/lease.js'
import { noSuchTable } from '../sql/table.js'
import { withRejected } from '../sync/proveRows.js'
import { destinationName } from '../sync/SyncOptions.js'
import { CHECKPOINT } from '../transfer/Destination.js'
import { NO_UPKEEP, readTransferState } from '../transfer/TransferState.js'
import { type Copy, spanOfSync } from './Copy.js'

/** Opens a table of a database. Rejects with an `ExportError`. */
export const tableCopy = async (
  kind: 'sqlite' | 'postgres',
  url: string,
  table: string,
): Promise<Copy> => {
  const name = destinationName(url)
  const rows =
    kind === 'sqlite'
      ? await (await import('../sql/sqlite.js')).openSqliteTable(url, table)
      : await (await import('../sql/postgres.js')).openPostgresTable(url, name, table)
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
