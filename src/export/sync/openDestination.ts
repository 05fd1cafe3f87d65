/** The destination of a sync, from its options. Options are validated first; the destination is opened later. */
import { asyncScheduler } from 'rxjs'
import type { ListDescription } from '../../http/list/List.js'
import { InvalidOption } from '../../options/index.js'
import type { Waits } from '../../store/Waits.js'
import { pauseBy } from '../../stream/later.js'
import { shapeOf } from '../column/Shape.js'
import type { MergedLocation } from '../location/Location.js'
import { shapeWithoutSecret } from '../source/secretField.js'
import { tableShape } from '../sql/TableColumn.js'
import { STATE } from '../sql/table.js'
import type { Destination } from '../transfer/Destination.js'
import { type ExportSpec, specOf } from '../transfer/ExportSpec.js'
import type { SyncReading } from './syncStages.js'

/** Options that apply only to some locations, and a description of these locations. */
const GOES_WITH = {
  format: [['folder', 'bucket'], 'folders and buckets'],
  table: [['sqlite', 'postgres'], 'databases'],
  replaceNul: [['postgres'], 'Postgres'],
} as const

/** Returns a function that opens the destination or rejects. Throws an `InvalidOption` for options that do not apply. */
export const destinationOf = <A>(
  reading: SyncReading<A>,
): ((waits: Waits) => Promise<Destination<A>>) => {
  const { options, to, description, family, list, following } = reading
  const kind = 'commit' in to ? 'own' : to.kind
  for (const name of ['format', 'table', 'replaceNul'] as const) {
    const [kinds, words] = GOES_WITH[name]
    if (options[name] === undefined || kinds.some((one) => one === kind)) continue
    const why = kind === 'own' ? 'a custom destination does not use it' : `it is only for ${words}`
    throw new InvalidOption(name, `omitted: ${why}`)
  }
  if ('commit' in to) {
    if (to.rows !== 'byId') {
      const why = `a destination whose rows are 'byId', because ${to.name} would add its rows again in each run`
      throw new InvalidOption('to', why)
    }
    if (family !== undefined && to.children === undefined) {
      throw new InvalidOption(
        'to',
        'a destination with children, because the rows belong to several parents',
      )
    }
    return async () => to
  }
  const { resource } = specOfSync(description, options.account)
  const table = options.table ?? family?.table ?? resource.replaceAll(/\W/g, '_')
  checkTable(to.kind, table)
  const { format = 'ndjson', env, timer = asyncScheduler, replaceNul = false } = options
  const shape = shapeWithoutSecret(shapeOf(description.codec))
  const replaces = list !== undefined
  const ofParents = family !== undefined
  const opening = { table, replaces, ofParents }
  switch (to.kind) {
    case 'sqlite':
      return async (waits) => {
        const { sqliteDestination } = await import('../sql/sqlite.js')
        return sqliteDestination<A>({
          ...{ ...opening, path: to.name, pause: pauseBy(timer), waits },
          shape: tableShape(shape, { minorUnits: true }),
        })
      }
    case 'postgres':
      return async (waits) => {
        const { postgresDestination } = await import('../sql/postgres.js')
        return postgresDestination<A>({
          ...{ ...opening, at: to, replaceNul, waits },
          shape: tableShape(shape, { minorUnits: false }),
        })
      }
    default:
      if (following !== undefined) {
        const why =
          'a database, because each poll would rewrite the files of a folder or bucket: for those, run sync regularly'
        throw new InvalidOption('to', why)
      }
      return async (waits) => {
        const { openFolder } = await import('../folder/openFolder.js')
        return openFolder<A>({
          ...opening,
          at: to,
          env,
          timer,
          waits,
          list: table,
          shape,
          format,
        })
      }
  }
}

/** Describes the list of a sync. A different list cannot be written into the same table. */
export const specOfSync = (
  list: ListDescription<unknown>,
  account: string | undefined,
): ExportSpec => {
  const { from_created_at: _, ...query } = list.query
  const format = { name: 'ndjson', compress: 'none', columns: [] } as const
  return { ...specOf({ ...list, query }, format, { account, written: {} }, '.'), format: {} }
}

/** Maximum length of a name in Postgres, minus that of `_rejects`. */
const NAME_LENGTH = 55

/** Throws an `InvalidOption` for an invalid table name. */
const checkTable = (kind: MergedLocation['kind'], table: string): void => {
  const check = (isWrong: boolean, expected: string): void => {
    if (isWrong) throw new InvalidOption('table', expected)
  }
  if (kind !== 'sqlite' && kind !== 'postgres') return
  const isState = table.replace(/.*\./, '').toLowerCase() === STATE
  check(isState, `a name other than ${STATE}, which stores the state`)
  const isLong = table.split('.').some((name) => name.length > NAME_LENGTH)
  check(isLong, `a name of at most ${NAME_LENGTH} characters`)
  if (kind === 'postgres') return
  check(table.includes('.'), 'a name without a dot, because SQLite has no schemas')
  const isOwn = /^sqlite_/i.test(table)
  check(isOwn, 'another name, because SQLite reserves names that begin with sqlite_')
}
