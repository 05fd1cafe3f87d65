/** Destinations of a sync: a table or a folder that also keeps how far the sync is. */

import type { Store } from '../../store/Store.js'
import type { Millis } from '../../stream/index.js'
import type { UnrepresentableRow } from '../column/UnrepresentableRow.js'
import type { Bounds } from '../run/Checkpoint.js'
import type { ExportSpec } from '../run/ExportSpec.js'

// model

/** The change of the rows in the step that replaces the checkpoint. */
export type Step<A> =
  /**
   * Rows are put in place by id: of two, the one with the later `updated_at` stays, and of two with the same the one
   * that comes last.
   */
  | { readonly kind: 'write'; readonly rows: ReadonlyArray<A> }
  /** A run ends: what was written takes the place of what was there (a list), or is merged with it (a folder). */
  | { readonly kind: 'finish'; readonly summary: SyncSummary }

/** A finished run, for the manifest of a folder. */
export interface SyncSummary {
  readonly spec: ExportSpec
  /** Rows that could not be written; they are read again by the next run. */
  readonly rejects: number
  /** Rows created from `from` on are there, up to `to`, in ms since 1970; of a list by time. */
  readonly bounds?: Bounds
}

/** Which rows are not final: those with another `status`, created before a time. */
export interface UnsettledQuery {
  readonly final: ReadonlyArray<string>
  /** In ms since 1970. */
  readonly createdBefore: Millis
  /** Ids come in rising order, from the first one after this; empty: from the first. */
  readonly after: string
  readonly limit: number
}

/** Rows that are not final. */
export interface Unsettled {
  readonly ids: ReadonlyArray<string>
  /** How many there are, whatever the limit. */
  readonly total: number
}

/**
 * A destination of a sync. Its rows change in the step that replaces the checkpoint, or not at all: an owner that was
 * shut out by a later one finds another version of the checkpoint, and changes nothing.
 *
 * Each method rejects with an `ExportError` when the destination refuses.
 */
export interface SyncTarget<in A> {
  /** Names the destination in messages, without secrets. */
  readonly name: string
  /** How often a step is done, where it is expensive, in ms. Default: for each page. */
  readonly commitEvery?: Millis
  /** Small texts, kept with the rows. */
  readonly store: Store
  /**
   * Prepares a step, as far as that changes nothing. Resolves with the same store, whose `replace` also does the step,
   * in one transaction.
   */
  readonly through: (step: Step<A>) => Promise<Store>
  /** Returns the reason why a row cannot be written without a change to its values. */
  readonly check: (row: A, isRaw?: boolean) => UnrepresentableRow | undefined
  readonly unsettled: (query: UnsettledQuery) => Promise<Unsettled>
  /** May be called again. */
  readonly close: () => Promise<void>
}
