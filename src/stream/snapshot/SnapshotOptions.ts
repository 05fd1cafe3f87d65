import type { Observable } from 'rxjs'
import type { E } from '../../fp.js'
import type { Millis } from '../Backoff.js'
import type { Page } from '../paginate.js'
import type { Unsteady } from './crowd.js'
import type { Outcome } from './Field.js'
import type { SnapshotPosition } from './Slice.js'
import type { Span } from './Span.js'

/** Why a snapshot was given up. */
export type SnapshotCut<E> = Unsteady<E> | Extract<Outcome, { _tag: 'Astray' | 'Shapeless' }>

/** What a snapshot is read with. */
export interface SnapshotOptions<E, A> {
  /** What is to be read. */
  readonly position: SnapshotPosition
  /** The list of the rows of a stretch, which may have rows of the second on either side of it, too. */
  readonly list: (span: Span) => {
    readonly pages: Observable<E.Either<E, Page<E, A, unknown>>>
  }
  /** When a row was made, in ms since 1970, from the row as it came; NaN if that cannot be read. */
  readonly time: (raw: unknown) => Millis
  /** Two rows with the same key are the same row. One without goes by all that it says. */
  readonly key: (raw: unknown) => string | undefined
  /** The failure that ends a snapshot of which `position` is missing, after `pages` pages. */
  readonly cut: (cut: SnapshotCut<E>, position: SnapshotPosition, pages: number) => E
}
