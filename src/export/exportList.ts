import { concat, defer, from, map, type Observable, of } from 'rxjs'
import type { Position } from '../api/Paging.js'
import { E } from '../fp.js'
import type { Failure } from '../http/Failure.js'
import type { Page, Paged } from '../stream/index.js'
import type { Sink } from './Sink.js'

// model

/** How far an export is. */
export interface Progress {
  /** Rows written. */
  readonly rows: number
  /** Rows that did not decode, and went to `rejects`. */
  readonly rejects: number
  readonly pages: number
  /** Whether the list was read to its end; rows that did not decode are told by `rejects`. */
  readonly ended: boolean
  /** Why it was not. */
  readonly failure?: Failure
}

/** A row that did not decode. */
export interface Reject {
  readonly position: Position
  /** Which row of its page, from 0. */
  readonly index: number
  readonly reason: string
  /** As it came. */
  readonly row: unknown
}

export interface ExportOptions<A> {
  readonly sink: Sink<A>
  /** Takes the rows that do not decode. */
  readonly rejects: Sink<Reject>
}

// constructors

const START: Progress = { rows: 0, rejects: 0, pages: 0, ended: false }

/**
 * Writes a list into a sink, page by page, and tells after each how far it is; the last word is with
 * `ended` or with a `failure`. The page after the next is asked for when this one is written. What a
 * sink throws is the error of the stream.
 */
export const exportList =
  <A>({ sink, rejects }: ExportOptions<A>) =>
  (list: Pick<Paged<Failure, A, Position>, 'drain'>): Observable<Progress> =>
    defer(() => {
      let progress = START

      const write = async (page: Page<Failure, A, Position>): Promise<Progress> => {
        const { good, bad } = sorted(page)
        await sink(good)
        if (bad.length > 0) await rejects(bad)
        return {
          ...progress,
          rows: progress.rows + good.length,
          rejects: progress.rejects + bad.length,
          pages: progress.pages + 1,
        }
      }

      const pages = list.drain((page) =>
        (E.isLeft(page) ? of({ ...progress, failure: page.left }) : from(write(page.right))).pipe(
          map((next) => {
            progress = next
            return next
          }),
        ),
      )

      const end = defer(() =>
        progress.failure === undefined ? of({ ...progress, ended: true }) : of(),
      )
      return concat(pages, end)
    })

const sorted = <A>({ items, raw, position }: Page<Failure, A, Position>) => {
  const good: Array<A> = []
  const bad: Array<Reject> = []
  for (const [index, item] of items.entries()) {
    if (E.isRight(item)) good.push(item.right)
    else bad.push({ position, index, reason: item.left.message, row: raw[index] })
  }
  return { good, bad }
}
