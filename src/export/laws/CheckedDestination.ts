/** Your own destination under test. */
import type { Destination } from '../transfer/Destination.js'
import type { Operation } from './Owner.js'

/** A row in a test, identified by its key and version. */
export interface CheckedRow {
  /** The id of the row. */
  readonly key: string
  /** The version, starting at 1. A higher version is a later state of the row. */
  readonly version: number
}

/** A destination under test, initially empty, with access for the test. */
export interface CheckedDestination<A> {
  /**
   * Opens the destination as a new process would, sharing nothing with earlier ones. The test stops owners before and after
   * each method, and around each request or statement that you pass through `operation`.
   */
  readonly open: (operation: Operation) => Promise<Destination<A>>
  /** Reads the rows visible to a reader, as keys and versions, in any order. */
  readonly read: () => Promise<ReadonlyArray<CheckedRow>>
  /** Builds a row from its key (id) and a version, from 1; a higher version is a later state. Must be deterministic. */
  readonly row: (key: string, version: number) => A
  /** Places a foreign object next to the destination's data, such as an object or a batch of another program. */
  readonly plant: () => Promise<unknown>
  /** Resolves with true if that object still exists, unchanged. */
  readonly planted: () => Promise<boolean>
  /** Called after an owner was killed: closes its connections, or drops data that was not yet durable (safely on disk). */
  readonly killed?: () => Promise<void> | void
}
