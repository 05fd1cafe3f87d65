/** A table as a destination, in whichever database: rows wait for a step, which is one transaction with the state. */
import type { Store } from '../../store/Store.js'
import type { Millis } from '../../stream/index.js'
import type { RowCheck } from '../column/UnrepresentableRow.js'
import type { Reject } from '../source/sortPage.js'
import type { Destination, Prepared } from '../transfer/Destination.js'
import type { TableRows } from './tableRows.js'

// model

/** Changes of a step. */
export interface TableStep<A> {
  readonly rows: ReadonlyArray<A>
  readonly rejects: ReadonlyArray<Reject>
  /** Rows that are gone, and when that was found, in ms since 1970. */
  readonly gone: ReadonlyArray<{ readonly id: string; readonly at: Millis }>
}

/** The owner that makes a step, and what it is of its run. */
export interface StepOwner {
  /** Counts the owners. */
  readonly fence: number
  /** All was read: rejected rows of earlier runs go, and rows that replace others take their place. */
  readonly isLast: boolean
}

/** A table that has all of its columns. */
export interface DatabaseTable<A> {
  /** Names the database in messages, without secrets. */
  readonly name: string
  readonly commitEvery: Millis
  readonly store: Store
  /** Columns that it lacked. */
  readonly added: ReadonlyArray<string>
  readonly check: RowCheck
  readonly rows: TableRows
  /** Makes a step ready: returns a `replace` of its store that does the step, too, in one transaction. */
  readonly step: (step: TableStep<A>, owner: StepOwner) => Promise<Store['replace']>
}

const NOTHING: TableStep<never> = { rows: [], rejects: [], gone: [] }

// constructors

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
    ...{ name, commitEvery, store, added, check },
    rowsThere: rows.total,
    open: rows.open,
    counted: { ...rows.counted, markGone: async (ids, at) => leave(ids, at) },
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
    close: async () => {}, // all is done in one transaction
  }
}
