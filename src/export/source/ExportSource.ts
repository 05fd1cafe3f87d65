/** Sources of an export: lists and snapshots that say what they are, and can be resumed. */
import type { AnyFailure } from '../../http/Failure.js'
import type { ListDescription } from '../../http/list/List.js'
import type { Span } from '../../stream/index.js'
import { isSnapshotPosition } from '../../stream/snapshot/SnapshotPosition.js'
import type { AnyPosition, Drainable } from './SourcePage.js'
import { hasSecretField, withoutSecret } from './secretField.js'
import { untilStable } from './untilStable.js'

// model

/**
 * A source of an export: any list or snapshot of a client, such as `payments.charges.snapshot()`, also `.parallel()`.
 * The export takes its description from it, so that it cannot differ from the rows that are read.
 */
export interface ExportSource<A> extends Drainable<A> {
  /** Returns the rest of it after a position. */
  readonly from: (position: never) => Drainable<A>
  /** Describes the list, its address and its account. */
  readonly describe: () => ListDescription<A>
  /** Returns the part that was created at a time or later, for lists by time. */
  readonly since?: (time: string) => ExportSource<A>
}

/** A source as a run reads it. */
export interface Source<A> {
  /** The list, from its beginning or from where it stands. */
  readonly pages: (position?: AnyPosition) => Drainable<A>
  /** Returns whether a position may be one of it. */
  readonly isPosition: (position: AnyPosition) => boolean
  /** From when to when its rows were created, of a snapshot. */
  readonly boundsOf: (position: AnyPosition) => Span | undefined
  /** True if a row can come in two pages: then keys are kept from page to page. */
  readonly repeats: boolean
  /** Returns whether the service refused to continue from a bookmark that it no longer knows. */
  readonly isLost: (position: AnyPosition, failure: AnyFailure) => boolean
}

// constructors

/** Reads a source; a plain list that is to be `stable` is read until two readings have the same ids. */
export const sourceOf = <A>(given: ExportSource<A>, stable: boolean): Source<A> => {
  const { kind, codec, endpoint } = given.describe()
  const settled = stable ? untilStable(endpoint, given) : given
  const list = hasSecretField(codec) ? withoutSecret(settled) : settled
  return {
    pages: (position) => (position === undefined ? list : list.from(position as never)), // as its codec has it
    isPosition: (position) => isSnapshotPosition(position) === (kind === 'snapshot'),
    boundsOf: (position) =>
      isSnapshotPosition(position) ? { from: position.from, to: position.to } : undefined,
    repeats: kind === 'list',
    isLost: (position, failure) =>
      kind === 'list' &&
      'page' in position &&
      failure._tag === 'Refused' &&
      !failure.code.startsWith('http_') && // the service has said it, not a gateway
      UNKNOWN_BOOKMARK.includes(failure.status),
  }
}

/** Statuses that a service may answer to a bookmark that it does not know any more. */
const UNKNOWN_BOOKMARK: ReadonlyArray<number> = [400, 404, 410]
