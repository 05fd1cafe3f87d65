/** Sources of an export: lists and snapshots that describe themselves and can be resumed. */
import type { AnyFailure } from '../../http/Failure.js'
import type { ListDescription } from '../../http/list/List.js'
import type { Span } from '../../stream/index.js'
import { isSnapshotPosition } from '../../stream/snapshot/SnapshotPosition.js'
import type { AnyPosition, Drainable } from './SourcePage.js'
import { hasSecretField, withoutSecret } from './secretField.js'
import { untilStable } from './untilStable.js'

/**
 * A source of an export: any list or snapshot of a client, such as `payments.charges.snapshot()`, with or without
 * `.parallel()`. The source describes itself, so the description always matches the rows.
 */
export interface ExportSource<A> extends Drainable<A> {
  /** Returns the rest of the list after a position. */
  readonly from: (position: never) => Drainable<A>
  /** Describes the list, its address and its account. */
  readonly describe: () => ListDescription<A>
}

/** A source in the form that a run reads. */
export interface Source<A> {
  /** The list, from its beginning or from a position. */
  readonly pages: (position?: AnyPosition) => Drainable<A>
  /** Returns true if a position may belong to it. */
  readonly isPosition: (position: AnyPosition) => boolean
  /** For a snapshot: the time range in which its rows were created. */
  readonly boundsOf: (position: AnyPosition) => Span | undefined
  /** True if a row can occur on two pages; keys are then remembered across pages. */
  readonly repeats: boolean
  /** Returns true if the service refused to continue from a bookmark that it no longer knows. */
  readonly isLost: (position: AnyPosition, failure: AnyFailure) => boolean
}

/** Reads a source. If `stable` is set, a plain list is read until two readings have the same ids. */
export const sourceOf = <A>(given: ExportSource<A>, stable: boolean): Source<A> => {
  const { kind, codec, endpoint } = given.describe()
  const settled = stable ? untilStable(endpoint, given) : given
  const list = hasSecretField(codec) ? withoutSecret(settled) : settled
  return {
    pages: (position) => (position === undefined ? list : list.from(position as never)), // as typed by its codec
    isPosition: (position) => isSnapshotPosition(position) === (kind === 'snapshot'),
    boundsOf: (position) =>
      isSnapshotPosition(position) ? { from: position.from, to: position.to } : undefined,
    repeats: kind === 'list',
    isLost: (position, failure) =>
      kind === 'list' &&
      'page' in position &&
      failure._tag === 'Refused' &&
      !failure.code.startsWith('http_') && // from the service and not from a gateway
      UNKNOWN_BOOKMARK.includes(failure.status),
  }
}

/** Statuses with which a service may reject a bookmark that it no longer knows. */
const UNKNOWN_BOOKMARK: ReadonlyArray<number> = [400, 404, 410]
