/** What an export reads: a list that can be gone on with. */
import type { Position } from '../../api/Paging.js'
import type { Codec } from '../../codec/Codec.js'
import type { AnyFailure } from '../../http/Failure.js'
import type { Page, Slice, SnapshotPage, SnapshotPosition } from '../../stream/index.js'
import type { Drainable } from '../ExportOptions.js'
import type { Bounds } from './Bounds.js'
import { KeptListPosition, KeptSnapshotPosition } from './positions.js'

// model

/** What an export reads: a list that can be gone on with, made by `fromList` or `fromSnapshot`. */
export interface Source<A, Q, P extends Page<AnyFailure, A, Q> = Page<AnyFailure, A, Q>> {
  /** The list, from its beginning or from where it stands. */
  readonly pages: (position?: Q) => Drainable<P>
  /** How a position of it is kept. */
  readonly position: Codec<Q>
  /** The slice of time that a page is of, as it stands with this page; undefined without slices. */
  readonly sliceOf: (page: P) => Slice | undefined
  /** From when to when its rows were created. */
  readonly boundsOf: (position: Q) => Bounds | undefined
  /** Whether a row can come in two pages: then keys are kept from page to page. */
  readonly repeats: boolean
  /** Whether the service refused to go on from there as from a place that it does not know any more. */
  readonly isLost?: (position: Q, failure: AnyFailure) => boolean
}

/** A list, or a snapshot, that goes on from where it stood. */
export interface Resumable<Q, P> extends Drainable<P> {
  /** What is left of it, from where it stood. */
  readonly from: (position: Q) => Drainable<P>
}

// constructors

/** All of the list, or what is left of it. */
const from =
  <Q, P>(list: Resumable<Q, P>) =>
  (position?: Q): Drainable<P> =>
    position === undefined ? list : list.from(position)

/** A list that stands still while it is read: `payments.charges.snapshot(...)`. */
export const fromSnapshot = <A>(
  snapshot: Resumable<SnapshotPosition, SnapshotPage<AnyFailure, A>>,
): Source<A, SnapshotPosition, SnapshotPage<AnyFailure, A>> => ({
  pages: from(snapshot),
  position: KeptSnapshotPosition,
  sliceOf: ({ slice }) => slice,
  boundsOf: ({ from, to }) => ({ from, to }),
  repeats: false,
})

/** What a service may say of a bookmark that it does not know any more. */
const LOST: ReadonlyArray<number> = [400, 404, 410]

/**
 * A plain list: `payments.batchTransfers.list(...)`. A row that comes again is left out, for which the
 * ids of all rows are kept: some 100 bytes a row. Where its bookmark is refused, it is read from its
 * beginning again, if all that was read is known by its ids.
 */
export const fromList = <A>(
  list: Resumable<Position, Page<AnyFailure, A, Position>>,
): Source<A, Position> => ({
  pages: from(list),
  position: KeptListPosition,
  sliceOf: () => undefined,
  boundsOf: () => undefined,
  repeats: true,
  isLost: (position, failure) =>
    'page' in position &&
    failure._tag === 'Refused' &&
    failure.incompleteBody !== true &&
    LOST.includes(failure.status),
})
