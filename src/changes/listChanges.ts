/** Changes to a list that is read in full in each poll. */
import type { Observable, SchedulerLike } from 'rxjs'
import { fromDate } from '../codec/Instant.js'
import { E } from '../fp.js'
import type { AnyFailure } from '../http/Failure.js'
import { is, type OptionsOf, type Resolved, resolveOptions, withDefault } from '../options/index.js'
import type { Page, Pages } from '../stream/index.js'
import { Absences } from './Absences.js'
import { PollInterrupted } from './Asking.js'
import { type FeedPage, failed } from './ChangeFeed.js'
import type { Changes } from './ChangesOptions.js'
import { changesOf } from './changes.js'
import { ListPoll } from './ListPoll.js'
import { polling } from './polling.js'

const table = {
  /** Interval between readings of the list, in ms. Default 10,000. */
  every: withDefault(is.positiveFinite, 10_000),
  /** Maximum number of rows that may disappear at once; see `RowsGone`. Default: 20, or 5 % of the known rows. */
  allowGone: is.int(0),
}

/** Options for the changes of a list that is read in full. */
export interface ListChangesOptions extends OptionsOf<typeof table> {}

export interface ListChangesSource<A> {
  readonly list: () => { readonly pages: Pages<AnyFailure, Page<AnyFailure, A, unknown>> }
  /** Returns true for rows in a final state, which the first reading does not emit. */
  readonly isFinal: (row: A) => boolean
  readonly timer: SchedulerLike
  readonly now: () => number
}

/** Throws an `InvalidOption` for invalid options. */
export const listChanges =
  <A>(source: ListChangesSource<A>) =>
  (given: ListChangesOptions = {}): Changes<A> => {
    const options = resolveOptions(given, table, { context: 'changes: ' })
    return changesOf((stop) => readings(source, options, stop))
  }

async function* readings<A>(
  { list, isFinal, timer, now }: ListChangesSource<A>,
  { every, allowGone: allowed }: Resolved<typeof table>,
  stop: Observable<void>,
): AsyncGenerator<FeedPage<A>, void, undefined> {
  const polls = new ListPoll<A>(new Absences({ name: 'changes', allowed, now }))
  let emitted = 0
  let isFirst = true
  async function* poll(): AsyncGenerator<FeedPage<A>, void, undefined> {
    const upTo = fromDate(new Date(now()))
    for await (const { news, doubt } of polls.next(pagesUntil(stop, list().pages))) {
      if (doubt !== undefined) yield failed(doubt)
      yield news.flatMap(({ row, isNew, remember }) => {
        if (isFirst && E.isRight(row) && isFinal(row.right)) {
          remember()
          return []
        }
        const event = E.isLeft(row)
          ? row
          : E.right({
              kind: isNew ? ('added' as const) : ('changed' as const),
              value: row.right,
              position: { upTo, emitted: emitted++ },
            })
        return [{ event, acknowledge: remember }]
      })
    }
    isFirst = false
  }
  try {
    yield* polling({ every, timer, stop, poll, outage: failed<A> })
  } catch (error) {
    if (!(error instanceof PollInterrupted)) throw error
  }
}

/** Iterates over a list. If stopped, aborts the request in flight and rejects with `PollInterrupted`. */
async function* pagesUntil<P>(
  stop: Observable<void>,
  list: Pages<AnyFailure, P>,
): AsyncGenerator<E.Either<AnyFailure, P>, void, undefined> {
  const pages = list[Symbol.asyncIterator]()
  let isStopped = false
  const stopping = stop.subscribe(() => {
    isStopped = true
    void pages.return?.()
  })
  try {
    yield* pages
  } finally {
    stopping.unsubscribe()
  }
  if (isStopped) throw new PollInterrupted(undefined)
}
