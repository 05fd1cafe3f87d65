import { map, type Observable, take, throwIfEmpty } from 'rxjs'
import { E, O } from '../../fp.js'
import { mapLeft, mapRight, type ObservableEither } from '../ObservableEither.js'
import { crowd } from './crowd.js'
import type { Field } from './Field.js'
import { type Rows, undatedOnce, within } from './Rows.js'
import type { SnapshotCut, SnapshotOptions } from './SnapshotOptions.js'
import type { Span } from './Span.js'
import type { Walk } from './Walk.js'

// model

/** Rows that came, and wait to be delivered. */
export interface Ready<E, A> {
  readonly walk: Walk
  /** All rows of this stretch. */
  readonly span: Span
  readonly rows: Rows<E, A>
}

/** A bug of `list`: it would be asked again and again, or rows would be missing without a word. */
const nothingCame = (): Error => new Error('list should emit a page, and emitted nothing')

// constructors

/**
 * Asks for what a walk has before it, and tells the field what that came to: rows, or nothing but that
 * it has to be asked for otherwise.
 */
export const readAhead = <E, A>(
  field: Field,
  { list, time, key }: Pick<SnapshotOptions<E, A>, 'list' | 'time' | 'key'>,
): ((walk: Walk) => ObservableEither<SnapshotCut<E>, O.Option<Ready<E, A>>>) => {
  type Came = E.Either<SnapshotCut<E>, O.Option<Ready<E, A>>>
  const unseen = undatedOnce(time, key)

  const failed = (failure: E): SnapshotCut<E> => ({ _tag: 'Failed', failure })

  const pagesOf = (span: Span) => list(span).pages.pipe(throwIfEmpty(nothingCame))

  /** One answer to "all from here on". */
  const onePage = (walk: Walk): Observable<Came> => {
    const asked = walk.ahead
    const read = (page: Rows<E, A> & { readonly next: O.Option<unknown> }): Came => {
      const times = page.raw.map(time)
      const outcome = field.tell(walk, asked, times, O.isSome(page.next))
      switch (outcome._tag) {
        case 'Covered': {
          const { span } = outcome
          const rows = within(span, times)(page)
          const strays = times.some(Number.isNaN)
          return E.right(O.some({ walk, span, rows: strays ? unseen(rows) : rows }))
        }
        case 'Nothing':
          return E.right(O.none)
        default:
          return E.left(outcome)
      }
    }
    return pagesOf(asked).pipe(take(1), mapLeft(failed), map(E.chain(read)))
  }

  /** All pages of a second that one page does not hold. */
  const allPages = (walk: Walk, span: Span): Observable<Came> => {
    const read = (rows: Rows<E, A>): O.Option<Ready<E, A>> => {
      field.pass(walk, span, rows.raw.length)
      return O.some({ walk, span, rows: unseen(within(span, rows.raw.map(time))(rows)) })
    }
    return crowd({ pages: pagesOf(span), key }).pipe(mapRight(read))
  }

  return (walk) => (walk.crowded === undefined ? onePage(walk) : allPages(walk, walk.crowded))
}
