/** How far a sync is, as kept at its destination. */
import * as t from 'io-ts'
import { causes } from '../../decode/index.js'
import { E } from '../../fp.js'
import type { ListDescription } from '../../http/list/List.js'
import { exportError } from '../ExportError.js'
import { ExportSpec, specOf } from '../run/ExportSpec.js'
import { KeptPosition } from '../SourcePage.js'

// model

const RunInProgress = t.readonly(
  t.intersection([
    t.type({
      /** Rows created from then on are read, in ms since 1970. 0: all. */
      from: t.number,
      /** Up to then, exclusive; of a list without times, when it began. */
      to: t.number,
    }),
    t.partial({
      /** The rest to read; absent when there is none. */
      position: KeptPosition,
      /** How much of its time range was read: 0 to 1. */
      share: t.number,
    }),
  ]),
)

/** A run that has not come to its end. */
export interface RunInProgress extends t.TypeOf<typeof RunInProgress> {}

/** Version of the layout. */
const VERSION = 1

const state = t.intersection([
  t.type({
    version: t.literal(VERSION),
    /** The list that is synced, and the account it is of. */
    spec: ExportSpec,
    /** Ids of rows that came and could not be written: they are read again. */
    rejected: t.readonlyArray(t.string),
    /** Rows that are not final are read again in turn: the last id that was. Empty: none. */
    reread: t.string,
  }),
  t.partial({
    /** All rows created from then on, in ms since 1970 ... */
    since: t.number,
    /** ... up to then are there; both are absent until a run has come to its end. */
    upTo: t.number,
    /** A run that has not come to its end. */
    run: RunInProgress,
  }),
])

/** How far a sync is. */
export interface SyncState extends t.TypeOf<typeof state> {}

// functions

/** Describes the list of a sync: another one is not written into the same table. */
export const syncSpec = (
  list: ListDescription<unknown>,
  account: string | undefined,
): SyncState['spec'] => {
  const { query } = list
  const { from_created_at: _, ...narrowed } = query
  const format = { name: 'ndjson', compress: 'none', columns: [] } as const
  return {
    ...specOf({ ...list, query: narrowed }, format, { account, written: {} }, '.'),
    format: {},
  }
}

/** Reads a state. Throws `Damaged`, and `SpecMismatch` if it is of another list. */
export const readSyncState = (
  destination: string,
  u: unknown,
  { resource, account, query }: SyncState['spec'],
): SyncState => {
  const read = state.decode(u)
  if (E.isLeft(read)) {
    const [{ path: field, expected }] = causes(read.left)
    const why = `${destination} has no checkpoint of this version: ${field} should be ${expected}`
    throw exportError('Damaged', why, { path: destination, field })
  }
  const { spec } = read.right
  const check = (field: string, isSame: boolean): void => {
    if (isSame) return
    const why = `${destination} is of another ${field}: name another table or folder`
    throw exportError('SpecMismatch', why, { path: destination, field })
  }
  check('resource', spec.resource === resource)
  check('account', spec.account === account)
  check('query', JSON.stringify(spec.query) === JSON.stringify(query))
  return read.right
}

/** The state of a sync that was never begun. */
export const newSyncState = (spec: SyncState['spec']): SyncState => ({
  version: VERSION,
  spec,
  rejected: [],
  reread: '',
})
