/** A table in any database. Rows are buffered until a step, which is one transaction that also saves the state. */
import type { Store } from '../../store/Store.js'
import type { Millis } from '../../stream/index.js'
import type { RowCheck } from '../column/UnrepresentableRow.js'
import type { Reject } from '../source/sortPage.js'
import type { Destination, Prepared } from '../transfer/Destination.js'
import type { TableRows } from './tableRows.js'

export interface TableStep<A> {
  readonly rows: ReadonlyArray<A>
  readonly rejects: ReadonlyArray<Reject>
  /** Rows that are gone, and the time at which that was noticed, in ms since 1970. */
  readonly gone: ReadonlyArray<{ readonly id: string; readonly at: Millis }>
}

/** The owner of a step, and the step's place in its run. */
export interface StepOwner {
  /** Number of the owner. Later owners have higher numbers. */
  readonly fence: number
  /**
   * True if everything was read. Rejected rows of earlier runs are then removed, and rows of a list that is replaced take the
   * place of the existing ones.
   */
  readonly isLast: boolean
}

/** A table that has all its columns. */
export interface DatabaseTable<A> {
  /** Names the database in messages, without secrets. */
  readonly name: string
  readonly commitEvery: Millis
  readonly store: Store
  /** Columns that were missing and were added. */
  readonly added: ReadonlyArray<string>
  readonly check: RowCheck
  readonly rows: TableRows
  /** Prepares a step. Returns a `replace` of its store that also performs the step, in the same transaction. */
  readonly step: (step: TableStep<A>, owner: StepOwner) => Promise<Store['replace']>
}

const NOTHING: TableStep<never> = { rows: [], rejects: [], gone: [] }

export const tableDestination = <A>(table: DatabaseTable<A>): Destination<A> => {
  const { name, commitEvery, store, added, check, rows } = table
  let fence = 0
  let waiting: TableStep<A> = NOTHING
  const prepared = async (isLast: boolean): Promise<Prepared> => {
    const changes = waiting
    waiting = NOTHING
    return { store: { ...store, replace: await table.step(changes, { fence, isLast }) } }
  }
  const leave = (ids: ReadonlyArray<string>, at: Millis): void => {
    waiting = { ...waiting, gone: [...waiting.gone, ...ids.map((id) => ({ id, at }))] }
  }
  return {
    ...{ name, commitEvery, rows: 'byId', store, added, check },
    rowsThere: rows.ids,
    open: rows.open,
    counted: {
      ...rows.counted,
      markGone: async (some, at) =>
        leave(
          some.map(({ id }) => id),
          at,
        ),
    },
    children: { ...rows.children, markGone: async (_, ids, at) => leave(ids, at) },
    resume: async (_, taken) => {
      fence = taken.fence
    },
    write: async (page) => {
      waiting = { ...waiting, rows: waiting.rows.length === 0 ? page : [...waiting.rows, ...page] }
    },
    reject: async (page) => {
      waiting = { ...waiting, rejects: [...waiting.rejects, ...page] }
    },
    commit: () => prepared(false),
    finish: () => prepared(true),
    close: async () => {}, // everything is done in one transaction
  }
}
