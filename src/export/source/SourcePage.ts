/** The pages of a list or a snapshot, and where they stand. */
import * as t from 'io-ts'
import type { Observable } from 'rxjs'
import type { Position } from '../../api/Paging.js'
import type { Codec } from '../../codec/Codec.js'
import type { E } from '../../fp.js'
import type { AnyFailure } from '../../http/Failure.js'
import type { DrainOptions, Page, Slice, SnapshotPosition } from '../../stream/index.js'
import { isSnapshotPosition } from '../../stream/snapshot/SnapshotPosition.js'

/** Where a list or a snapshot stands. */
export type AnyPosition = Position | SnapshotPosition

/** A page of a list, or of a snapshot, whose pages are of slices. */
export interface SourcePage<A> extends Page<AnyFailure, A, AnyPosition> {
  /** The slice of time that a page of a snapshot is of, as it stands with this page. */
  readonly slice?: Slice
}

/** A page, or why there is none. */
export type PageOrFailure<A> = E.Either<AnyFailure, SourcePage<A>>

/** A list whose pages can be waited for. */
export interface Drainable<A> {
  /** Reads page after page; the next is asked for when `project` has completed. */
  readonly drain: <B>(
    project: (page: PageOrFailure<A>) => Observable<B>,
    options?: DrainOptions,
  ) => Observable<B>
}

/** A codec of what a guard tells. `name`: what it should be, in words. */
export const refined = <A>(name: string, is: (u: unknown) => u is A): t.Type<A, A, unknown> =>
  new t.Type(name, is, (u, context) => (is(u) ? t.success(u) : t.failure(u, context)), t.identity)

const isListPosition = t.union([t.type({ page_num: t.number }), t.type({ page: t.string })]).is

/** A position, as a state keeps it: of a list by its number or bookmark, of a snapshot by its slices. */
export const KeptPosition: Codec<AnyPosition> = refined<AnyPosition>(
  'where a list or a snapshot stands',
  (u): u is AnyPosition => isSnapshotPosition(u) || isListPosition(u),
)
