import { E, flow } from '../../fp.js'
import type { AnyFailure } from '../../http/Failure.js'
import type { Page } from '../../stream/index.js'
import type { Source } from './Source.js'

// model

/** A page with other rows in place of those that came. */
export interface MappedPage<B, Q, P> extends Page<AnyFailure, B, Q> {
  /** The page as it came. */
  readonly of: P
}

// combinators

/**
 * What an export reads, with each row changed by `f`: more fields, fewer or different ones. The format is made of a
 * codec of the new rows. Rows without an `id` need a `key` that identifies them. Rejected rows are kept as they came.
 * A row is mapped again when its page is read again, so `f` must return the same each time. Nothing at all
 * (`undefined`) is a row that is rejected.
 *
 *     pipe(fromSnapshot(payments.charges.snapshot()), mapRows(({ id, amount }) => ({ id, amount })))
 */
export const mapRows =
  <A, B>(f: (row: Readonly<A>) => B) =>
  <Q, P extends Page<AnyFailure, A, Q>>(
    source: Source<A, Q, P>,
  ): Source<B, Q, MappedPage<B, Q, P>> => {
    const mapped = (page: P): MappedPage<B, Q, P> => ({
      ...page,
      items: page.items.map(E.map(f)),
      of: page,
    })
    return {
      ...source,
      pages: (from) => {
        const list = source.pages(from)
        return { drain: (project, options) => list.drain(flow(E.map(mapped), project), options) }
      },
      sliceOf: ({ of }) => source.sliceOf(of),
    }
  }
