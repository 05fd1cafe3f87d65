import {
  finalize,
  isObservable,
  map,
  type Observable,
  of,
  Subscription,
  take,
  throwIfEmpty,
} from 'rxjs'
import { E, type IO, O } from '../../fp.js'
import { checkArgument, is } from '../../options/index.js'
import type { Millis } from '../Backoff.js'
import { mapLeft, mapRight } from '../either/ObservableEither.js'
import { type Page, type Paged, views } from '../Paged.js'
import {
  type PagePlan,
  type PageRequest,
  type Pull,
  pullLater,
  pullOf,
  pullPages,
} from '../Pull.js'
import { type Rows, undatedOnce, within } from './Rows.js'
import { readUntilSettled, type UnsettledRead } from './readUntilSettled.js'
import type { SnapshotPage, SnapshotPosition, Span } from './SnapshotPosition.js'
import { type PageWalk, type SliceOutcome, TimeField } from './TimeField.js'

/** The reason why reading a snapshot stopped. */
export type SnapshotCut<E> =
  | UnsettledRead<E>
  | Exclude<SliceOutcome, { _tag: 'Covered' | 'Nothing' }>

/** Options for reading a snapshot. */
export interface SnapshotOptions<E, A> {
  /** Emits the start position on each subscription, or the failure that ends the snapshot at once. */
  readonly position: Observable<E.Either<E, SnapshotPosition>>
  /** Returns the list of the rows of a span. It may include rows of the adjacent seconds. */
  readonly list: (span: Span) => {
    readonly pages: Observable<E.Either<E, Page<E, A, unknown>>>
  }
  /** Returns when a row was created, in ms since 1970, from the raw row; `NaN` if unreadable. */
  readonly time: (raw: unknown) => Millis
  /** Identifies a row. Rows without a key are compared by all fields. */
  readonly key: (raw: unknown) => string | undefined
  /** Builds the failure for a snapshot that stopped at `position`, after `pages` pages. */
  readonly cut: (cut: SnapshotCut<E>, position: SnapshotPosition, pages: number) => E
  /**
   * Maximum number of concurrent requests, each for its own time slice, or a stream of numbers. The stream is subscribed to
   * while the snapshot is read, and its latest number applies. Default 1.
   */
  readonly parallel?: number | Observable<number>
}

/** Rows that were received but not yet delivered. */
interface Ready<E, A> {
  readonly walk: PageWalk
  /** The span of which these are all rows. */
  readonly span: Span
  readonly rows: Rows<E, A>
}

/** Rows; or the reason why there are none; or `none` if another request is needed. */
type SliceAnswer<E, A> = E.Either<SnapshotCut<E>, O.Option<Ready<E, A>>>

const nothingCame = (): Error => new Error('list should emit a page, but emitted nothing')

/**
 * Reads a changing list as it was at one moment: every row that is in it from start to end is emitted once. The time range is
 * cut into slices. Each slice is read by requesting all rows that follow its current time; one response is consistent up to its
 * last second. Up to `parallel` slices are read at once; a reader that has finished takes over a part of the longest slice.
 * Throws an `InvalidOption` if `parallel` is not a number of requests.
 *
 *     time      |----------------------------------------|
 *     slice 1   ====>====>====>==|
 *     slice 2                    |====>====>==|
 *     slice 3                                 |====>=====|
 */
export const snapshot = <E, A>(
  options: SnapshotOptions<E, A>,
): Paged<E, A, SnapshotPosition, SnapshotPage<E, A>> => {
  const { position, parallel = 1 } = options
  if (!isObservable(parallel)) checkArgument('parallel', parallel, is.positiveIntOrInfinity)
  return views((prefetch) =>
    pullLater(
      position.pipe(
        map((start) =>
          E.isLeft(start) ? pullOf(start) : pullFrom(options, start.right, prefetch),
        ),
      ),
    ),
  )
}

const pullFrom = <E, A>(
  options: SnapshotOptions<E, A>,
  start: SnapshotPosition,
  prefetch: number,
): Pull<E.Either<E, SnapshotPage<E, A>>> => {
  const { parallel = 1 } = options
  let requests = 1
  const measuring = (isObservable(parallel) ? parallel : of(parallel)).subscribe((n) => {
    requests = n
  })
  const width = (): number => Math.max(requests, prefetch + 1)
  const concurrency = parallel === 1 ? () => 1 : width // a single slice is read in the order of the list
  const { next, close } = pullPages(snapshotPlan(options, start, concurrency), {
    width,
    concurrency,
  })
  return {
    next,
    close: () => {
      measuring.unsubscribe()
      close()
    },
  }
}

const snapshotPlan = <E, A>(
  { cut, ...asking }: SnapshotOptions<E, A>,
  start: SnapshotPosition,
  concurrency: IO<number>,
): PagePlan<SliceAnswer<E, A>, E.Either<E, SnapshotPage<E, A>>> => {
  const field = new TimeField(start, concurrency)
  const ask = asker(field, asking)
  const flights = new Subscription()
  const ready: Array<Ready<E, A>> = []
  let cutBy: SnapshotCut<E> | undefined
  let pages = 0

  const request = (walk: PageWalk): PageRequest<SliceAnswer<E, A>> => {
    walk.busy = true
    return {
      flight: flights,
      answer: ask(walk).pipe(
        finalize(() => {
          walk.busy = false
        }),
      ),
      receive: (answer) => {
        if (E.isLeft(answer)) {
          cutBy = answer.left
          flights.unsubscribe()
        } else if (O.isSome(answer.right)) ready.push(answer.right.value)
      },
    }
  }

  const pageOf = ({ walk, span, rows }: Ready<E, A>): SnapshotPage<E, A> => {
    const slice = field.deliver(walk, span, rows.items.length)
    const again = { ...span, number: slice.number, rows: 0, left: span }
    return {
      items: rows.items,
      raw: rows.raw,
      slice,
      position: { from: start.from, to: start.to, slices: [again], cut: slice.number },
      next: field.isDone() ? O.none : O.some(field.position()),
    }
  }

  return {
    next: () => {
      const walk = cutBy === undefined ? field.next() : undefined
      return walk && request(walk)
    },
    ready: () => ready.length,
    deliver: () => {
      const first = ready.shift()
      if (first !== undefined) {
        pages++
        return E.right(pageOf(first))
      }
      if (cutBy === undefined || field.isDone()) return undefined
      const position = field.position()
      field.clear()
      return E.left(cut(cutBy, position, pages))
    },
    isDone: () => field.isDone(),
    cancel: () => flights.unsubscribe(),
  }
}

/** Returns a function that requests the rows ahead of a walk and reports the result to the field. */
const asker = <E, A>(
  field: TimeField,
  { list, time, key }: Pick<SnapshotOptions<E, A>, 'list' | 'time' | 'key'>,
): ((walk: PageWalk) => Observable<SliceAnswer<E, A>>) => {
  const unseen = undatedOnce(time, key)
  const failed = (failure: E): SnapshotCut<E> => ({ _tag: 'Failed', failure })
  // a list without pages would be requested forever, or rows would be missing without a failure
  const pagesOf = (span: Span) => list(span).pages.pipe(throwIfEmpty(nothingCame))

  const keyAt =
    ({ raw }: Pick<Rows<E, A>, 'raw'>) =>
    (i: number) =>
      key(raw[i])

  const onePage = (walk: PageWalk): Observable<SliceAnswer<E, A>> => {
    const asked = walk.ahead
    const question = field.question(walk)
    const read = (page: Rows<E, A> & { readonly next: O.Option<unknown> }): SliceAnswer<E, A> => {
      const times = page.raw.map(time)
      const more = O.isSome(page.next)
      const outcome = field.receivePage(walk, { asked, question, times, key: keyAt(page), more })
      switch (outcome._tag) {
        case 'Covered': {
          const { span } = outcome
          const rows = within(span, times)(page)
          const hasUndated = times.some(Number.isNaN)
          return E.right(O.some({ walk, span, rows: hasUndated ? unseen(rows) : rows }))
        }
        case 'Nothing':
          return E.right(O.none)
        default:
          return E.left(outcome)
      }
    }
    return pagesOf(question).pipe(take(1), mapLeft(failed), map(E.chain(read)))
  }

  /** Reads all pages of a second that has more rows than fit on a page. */
  const allPages = (walk: PageWalk, span: Span): Observable<SliceAnswer<E, A>> => {
    const question = field.question(walk)
    const read = (rows: Rows<E, A>): O.Option<Ready<E, A>> => {
      const times = rows.raw.map(time)
      const answer = { asked: span, question, times, key: keyAt(rows), more: false }
      const outcome = field.receiveSecond(walk, span, answer)
      return outcome._tag === 'Covered'
        ? O.some({ walk, span, rows: unseen(within(span, times)(rows)) })
        : O.none
    }
    return readUntilSettled({ pages: pagesOf(question), key }).pipe(mapRight(read))
  }

  return (walk) =>
    walk.crowded === undefined || walk.missing !== undefined
      ? onePage(walk)
      : allPages(walk, walk.crowded)
}
