import {
  asyncScheduler,
  concat,
  defer,
  EMPTY,
  finalize,
  from,
  NEVER,
  type Observable,
  type SchedulerLike,
  takeUntil,
  takeWhile,
  tap,
} from 'rxjs'
import { E, O } from '../fp.js'
import type { AnyFailure } from '../http/Failure.js'
import { checked, is, type Rules } from '../options/index.js'
import type { Drain, Millis, Page } from '../stream/index.js'
import type { Sink } from './Sink.js'
import { type Reject, type Sorting, sortPage } from './sortPage.js'

// model

/** How far an export is. */
export interface Progress<Q = unknown> {
  /** Rows written. */
  readonly rows: number
  /** Rows that did not decode, or did not fit, and went to `rejects`. */
  readonly rejects: number
  /** Pages read. */
  readonly pages: number
  /** Rows that had come before, and were left out. */
  readonly repeated?: number
  /** What asks for all that comes after these pages; left out at the end of the list. */
  readonly next?: Q
  /** Whether the list was read to its end; rows that were put aside are told by `rejects`. */
  readonly ended: boolean
  /** Why it was not. */
  readonly failure?: AnyFailure
  /** Why it was not, where nothing failed: it was told to stop, or there were more than `maxRejects`. */
  readonly cut?: 'stopped' | 'rejects'
}

/** A list whose pages can be waited for: lists and snapshots of a client, also `.parallel(8)`. */
export interface Drainable<P> {
  /** Reads page after page; the next is asked for when `project` has completed. */
  readonly drain: <B>(
    project: (page: E.Either<AnyFailure, P>) => Observable<B>,
    options?: Drain,
  ) => Observable<B>
}

/** What is exported, and where to. */
export interface ExportOptions<A, Q, P extends Page<AnyFailure, A, Q>> extends Partial<Sorting<A>> {
  /** What is read: a list or a snapshot, such as `payments.charges.list()`. */
  readonly list: Drainable<P & Page<AnyFailure, A, Q>> // P alone would leave the type of its rows unknown
  /** Takes the rows of a page, and the page they are of. */
  readonly sink: (rows: ReadonlyArray<A>, page: P) => Promise<unknown>
  /** Takes the rows that are not written. */
  readonly rejects: Sink<Reject<Q>>
  /**
   * Makes durable what both sinks were given, and keeps what it is told: `next` goes on from there. Called
   * after the first page, then between pages once `every` ms have passed, and at the end if rows came
   * since. Not called after a sink has failed, nor when nobody listens any more.
   */
  readonly commit?: (progress: Progress<Q>) => Promise<unknown>
  /** In ms; 1,000 unless given. */
  readonly every?: Millis
  /**
   * The keys of rows that are not to be written again. Those that are written are added; without it,
   * rows are told apart within their page only.
   */
  readonly seen?: Set<string>
  /** Ends it when more rows than that are rejected: any number unless given. */
  readonly maxRejects?: number
  /** Its first value ends the export: what was read is written and committed. */
  readonly stop?: Observable<unknown>
  /** Tells when `every` has passed; `asyncScheduler` unless given. */
  readonly timer?: SchedulerLike
}

/** Whether it is the last word: why it ended. */
export const isLast = ({ ended, failure, cut }: Progress): boolean =>
  ended || failure !== undefined || cut !== undefined

// constructors

const idOf = (row: unknown): string | undefined =>
  typeof row === 'object' && row !== null && 'id' in row && typeof row.id === 'string'
    ? row.id
    : undefined

/** How an export goes, a run as well. */
export const paceRules = {
  key: is.work,
  shown: is.work,
  every: is.millis,
  maxRejects: is.anyNumber,
  stop: is.having('an Observable', 'pipe'),
  timer: is.timer,
}

const rules: Rules<ExportOptions<never, never, never>> = {
  list: is.needed(is.having('a list or a snapshot', 'drain')),
  sink: is.needed(is.work),
  rejects: is.needed(is.work),
  commit: is.work,
  seen: is.having('a Set', 'has', 'add'),
  misfit: is.work,
  ...paceRules,
}

/**
 * Writes a list into a sink, page by page, and tells after each how far it is. The page after the next
 * is asked for when this one is written. The last word has `ended`, a `failure`, or says why it was cut.
 * What a sink throws is the error of the stream. Throws an `InvalidOption` at once for an option that cannot
 * work. Unsubscribing aborts the request in flight; no sink is called any more, and nothing is committed.
 */
export const exportList = <A, Q, P extends Page<AnyFailure, A, Q>>(
  options: ExportOptions<A, Q, P>,
): Observable<Progress<Q>> => exportUnchecked(checked(options, rules))

/** The same, of options that were checked; they may be more than these. */
export const exportUnchecked = <A, Q, P extends Page<AnyFailure, A, Q>>(
  options: ExportOptions<A, Q, P>,
): Observable<Progress<Q>> =>
  defer(() => {
    const { list, sink, rejects, commit, every = 1_000, timer = asyncScheduler } = options
    const { maxRejects = Number.POSITIVE_INFINITY, stop = NEVER } = options
    const sort = sortPage<A>({
      key: options.key ?? idOf,
      misfit: options.misfit,
      shown: options.shown ?? ((raw) => raw),
    })
    let progress: Progress<Q> = { rows: 0, rejects: 0, pages: 0, ended: false }
    let committed = progress
    let committedAt = Number.NEGATIVE_INFINITY // after the first page: each start gets somewhere
    let failure: AnyFailure | undefined
    let stopped = false
    let left = false // nobody listens any more: nothing else is begun
    let working: Promise<unknown> = Promise.resolve()

    const keep = async (): Promise<void> => {
      if (left || committed === progress) return
      committed = progress
      await commit?.(progress)
      committedAt = timer.now()
    }

    const write = async (page: P): Promise<Progress<Q>> => {
      if (left) return progress
      const { good, bad, repeated } = sort(options.seen)(page)
      await sink(good, page)
      if (left) return progress
      if (bad.length > 0) await rejects(bad)
      const { next: _, ...before } = progress
      const again = (before.repeated ?? 0) + repeated
      progress = {
        ...before,
        rows: progress.rows + good.length,
        rejects: progress.rejects + bad.length,
        pages: progress.pages + 1,
        ...(again === 0 ? {} : { repeated: again }),
        ...(O.isSome(page.next) ? { next: page.next.value } : {}),
      }
      if (timer.now() - committedAt >= every) await keep()
      return progress
    }

    const pages = list.drain((page) => {
      if (E.isLeft(page)) {
        failure = page.left
        return EMPTY
      }
      const written = working.then(() => write(page.right))
      working = written // before it begins: it may be told to stop from within
      return from(written)
    })

    const stopping = stop.pipe(
      tap(() => {
        stopped = true
      }),
    )

    const end = async (): Promise<Progress<Q>> => {
      await working // a page that was being written when it was told to stop
      await keep()
      if (failure !== undefined) return { ...progress, failure }
      const isWhole = progress.pages > 0 && !('next' in progress)
      if (isWhole) return { ...progress, ended: true }
      if (progress.rejects > maxRejects) return { ...progress, cut: 'rejects' }
      return stopped ? { ...progress, cut: 'stopped' } : { ...progress, ended: true }
    }

    return concat(
      pages.pipe(
        takeUntil(stopping),
        takeWhile(({ rejects }) => rejects <= maxRejects, true),
      ),
      defer(() => from(end())),
    ).pipe(
      finalize(() => {
        left = true
      }),
    )
  })
