/** The pages of a list or a snapshot, and their positions. */
import * as t from 'io-ts'
import type { Observable } from 'rxjs'
import type { Position } from '../../api/Paging.js'
import type { Codec } from '../../codec/Codec.js'
import type { E } from '../../fp.js'
import type { AnyFailure } from '../../http/Failure.js'
import type { DrainOptions, Page, Slice, SnapshotPosition } from '../../stream/index.js'
import { isSnapshotPosition } from '../../stream/snapshot/SnapshotPosition.js'

export type AnyPosition = Position | SnapshotPosition

/** A page of a list, or of a slice of a snapshot. */
export interface SourcePage<A> extends Page<AnyFailure, A, AnyPosition> {
  /** The time slice of a snapshot's page, including this page. */
  readonly slice?: Slice
}

export type PageOrFailure<A> = E.Either<AnyFailure, SourcePage<A>>

/** A list with back-pressure. */
export interface Drainable<A> {
  /** Reads page after page. The next page is requested once `project` completes. */
  readonly drain: <B>(
    project: (page: PageOrFailure<A>) => Observable<B>,
    options?: DrainOptions,
  ) => Observable<B>
}

/** Creates a codec from a type guard. `name`: the expected value. */
export const refined = <A>(name: string, is: (u: unknown) => u is A): t.Type<A, A, unknown> =>
  new t.Type(name, is, (u, context) => (is(u) ? t.success(u) : t.failure(u, context)), t.identity)

const isListPosition = t.union([t.type({ page_num: t.number }), t.type({ page: t.string })]).is

/** A position as stored in a state: the page number or bookmark of a list, or the slices of a snapshot. */
export const KeptPosition: Codec<AnyPosition> = refined<AnyPosition>(
  'a position of a list or a snapshot',
  (u): u is AnyPosition => isSnapshotPosition(u) || isListPosition(u),
)
