import type { SchedulerLike } from 'rxjs'
import type { ListDescription } from '../../http/list/List.js'
import type { Waits } from '../../store/Waits.js'
import type { Millis } from '../../stream/index.js'
import { pauseBy } from '../../stream/later.js'
import { shapeOf } from '../column/Shape.js'
import { shapeWithoutSecret } from '../source/secretField.js'
import { tableShape } from '../sql/TableColumn.js'
import type { Destination } from '../transfer/Destination.js'
import { type DestinationKind, destinationName } from './SyncOptions.js'

/** Which destination, and what is written there. */
export interface OpenDestinationOptions<A> {
  readonly kind: DestinationKind
  readonly to: string
  readonly table: string
  readonly list: ListDescription<A>
  /** How rows are put in place: all together, or by id. */
  readonly rows: RowKind
  readonly format: 'ndjson' | 'parquet'
  readonly env: Readonly<Record<string, string | undefined>> | undefined
  readonly timer: SchedulerLike
  /** Postgres: see `SyncOptions`. */
  readonly replaceNul: boolean
}

/** `replaced`: all rows of a run take the place of all that were there; others are merged by id. */
export type RowKind = 'replaced' | 'by time' | 'of parents'

/** A row that was updated later than that from now has the time of a wrong clock, which no later version has to outdo. */
const DAY: Millis = 86_400_000

/** Opens the destination. Rejects with an `ExportError`. */
export const openDestination =
  <A>({ kind, to, table, list, rows, format, env, timer, replaceNul }: OpenDestinationOptions<A>) =>
  async (waits: Waits): Promise<Destination<A>> => {
    const { codec, numbers } = list
    const shape = shapeWithoutSecret(shapeOf(codec))
    const pause = pauseBy(timer)
    const doubtful = timer.now() + DAY
    const replaces = rows === 'replaced'
    const common = { table, replaces, ofParents: rows === 'of parents', doubtful }
    switch (kind) {
      case 'sqlite': {
        const { sqliteDestination } = await import('../sql/sqlite.js')
        return sqliteDestination<A>({
          ...{ ...common, path: to, pause, waits },
          shape: tableShape(shape, { numbers, minorUnits: true }),
        })
      }
      case 'postgres': {
        const { postgresDestination } = await import('../sql/postgres.js')
        return postgresDestination<A>({
          ...{ ...common, url: to, name: destinationName(to), replaceNul, waits },
          shape: tableShape(shape, { numbers, minorUnits: false }),
        })
      }
      case 'folder': {
        const { openFolder } = await import('../folder/openFolder.js')
        return openFolder<A>({
          ...{ to, env, timer, waits, list: table, shape, numbers, replaces, format, doubtful },
        })
      }
    }
  }
