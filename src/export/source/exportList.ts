/** Reads a list page by page, for a function that writes its rows. */
import {
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
import { E, O, withoutPrototype, withoutUndefined } from '../../fp.js'
import { rowId } from '../../http/answer/readAnswer.js'
import type { AnyFailure } from '../../http/Failure.js'
import type { Millis } from '../../stream/index.js'
import { steadyTimer } from '../../stream/steadyTimer.js'
import { NOTHING_READ, type ProgressEstimate, updateEstimate } from './ProgressEstimate.js'
import type { AnyPosition, Drainable, SourcePage } from './SourcePage.js'
import { type Known, type Reject, type Sorting, sortPage } from './sortPage.js'

/** Receives the rows of a page, and resolves once they are written. At most one more page is requested before that. */
export type WriteRows<A> = (rows: ReadonlyArray<A>) => Promise<unknown>

/** The progress of reading a list. */
export interface Progress {
  /** Number of rows written. */
  readonly rows: number
  /** Number of rows that did not decode or do not fit the format, and were passed to `rejects`. */
  readonly rejects: number
  /** Number of pages read. */
  readonly pages: number
  /** Number of repeated rows that were dropped. */
  readonly repeated?: number
  /** Position of the rest of the list; absent at its end. */
  readonly next?: AnyPosition
  /** For a snapshot: share of the time range that has been read, 0 to 1 (1 at the end). Absent while unknown. */
  readonly share?: number
  /** True if the list was read to its end, even if rows were rejected. */
  readonly ended: boolean
  /** The failure that kept the list from being read to its end. */
  readonly failure?: AnyFailure
  /** Why the list was not read to its end, other than a failure: it was stopped, or `maxRejects` was exceeded. */
  readonly cut?: 'stopped' | 'rejects'
}

export const NO_PROGRESS: Progress = { rows: 0, rejects: 0, pages: 0, ended: false }

/** How rows are selected and identified, and when progress is saved. */
export interface Pace<A, B> extends Partial<Omit<Sorting<A, B>, 'check'>> {
  /** Interval between calls of `commit`, in ms. Default 1,000. */
  readonly every?: Millis
  /** Ends the list when more rows than this are rejected. Default: no limit. */
  readonly maxRejects?: number
  /** Stops the export when this emits: rows read so far are written and committed. */
  readonly stop?: Observable<unknown>
  /** Clock for `every`. Default `asyncScheduler`. */
  readonly timer?: SchedulerLike
}

export interface ExportListOptions<A, B = A>
  extends Pace<A, B>,
    Pick<Sorting<A, B>, 'check'>,
    Partial<Known> {
  readonly list: Drainable<A>
  /** Estimate of the progress before a resumption. */
  readonly estimate?: ProgressEstimate
  /** Receives the rows of a page, together with the page itself. */
  readonly write: (rows: ReadonlyArray<B>, page: SourcePage<A>) => Promise<unknown>
  /** Receives the rows that are not written. */
  readonly rejects: WriteRows<Reject>
  /**
   * Makes the rows passed to `write` and `rejects` durable: after the first page, then between pages once `every` ms have
   * passed, and at the end if there are new rows. Not called after `write` or `rejects` has failed, or after unsubscribing.
   */
  readonly commit?: (progress: Progress) => Promise<unknown>
}

/**
 * Writes a list page by page, and emits the progress after each. At most one page is read ahead. The last progress has `ended`,
 * a `failure`, or a `cut`. An exception from `write` becomes the error of the stream. Unsubscribing aborts the request in
 * flight; `write` is no longer called, and nothing is committed.
 */
export const exportList = <A, B = A>(given: ExportListOptions<A, B>): Observable<Progress> =>
  defer(() => {
    const options = withoutPrototype(given)
    const { list, write: writeRows, rejects, commit, every = 1_000 } = options
    const timer = steadyTimer(options.timer)
    const { maxRejects = Number.POSITIVE_INFINITY, stop = NEVER } = options
    const key: Sorting<A, B>['key'] = options.key ?? rowId
    const {
      filter,
      map,
      check,
      redact = (raw: unknown) => raw,
      seen,
      rejectedIds = new Set(),
    } = options
    const known = seen && { seen, ...(options.key === undefined ? { rejectedIds } : {}) }
    const sort = sortPage<A, B>({ filter, map, key, check, redact }, known)
    let { estimate = NOTHING_READ } = options
    let progress = NO_PROGRESS
    let committed = progress
    let committedAt = Number.NEGATIVE_INFINITY // after the first page, so that each start makes progress
    let failure: AnyFailure | undefined
    let stopped = false
    let unsubscribed = false // nothing else has been started
    let working: Promise<unknown> = Promise.resolve()

    const keep = async (): Promise<void> => {
      if (unsubscribed || committed === progress) return
      committed = progress
      await commit?.(progress)
      committedAt = timer.now()
    }

    /** Removes the keys of rows that were not written. */
    const forget = (rows: ReadonlyArray<B>): void => {
      for (const row of rows) {
        const name = key(row)
        if (name !== undefined) seen?.delete(name)
      }
    }

    const write = async (page: SourcePage<A>): Promise<Progress> => {
      if (unsubscribed) return progress
      const { good, bad, repeated } = sort(page)
      try {
        await writeRows(good, page)
      } catch (error) {
        forget(good)
        throw error
      }
      if (unsubscribed) return progress
      if (bad.length > 0) await rejects(bad)
      const { next: _, ...before } = progress
      const again = (before.repeated ?? 0) + repeated
      const left = O.toUndefined(page.next)
      if (left !== undefined && 'slices' in left) {
        estimate = updateEstimate(left, good.length + bad.length)(estimate)
      }
      progress = {
        ...before,
        rows: progress.rows + good.length,
        rejects: progress.rejects + bad.length,
        pages: progress.pages + 1,
        ...(again === 0 ? {} : { repeated: again }),
        ...withoutUndefined({ next: left, share: estimate.share }),
      }
      const since = timer.now() - committedAt
      if (since >= every || since < 0) await keep() // this also holds if the clock was set back
      return progress
    }

    const pages = list.drain((page) => {
      if (E.isLeft(page)) {
        failure = page.left
        return EMPTY
      }
      const written = working.then(() => write(page.right))
      working = written // before the write starts, because the write itself may trigger `stop`
      return from(written)
    })

    const stopping = stop.pipe(
      tap(() => {
        stopped = true
      }),
    )

    const end = async (): Promise<Progress> => {
      await working // a page that was being written when the export was stopped
      await keep()
      if (failure !== undefined) return { ...progress, failure }
      const isComplete = progress.pages > 0 && !('next' in progress)
      if (isComplete) return { ...progress, share: 1, ended: true }
      if (progress.rejects > maxRejects) return { ...progress, cut: 'rejects' }
      return stopped ? { ...progress, cut: 'stopped' } : { ...progress, share: 1, ended: true }
    }

    return concat(
      pages.pipe(
        takeUntil(stopping),
        takeWhile(({ rejects }) => rejects <= maxRejects, true),
      ),
      defer(end),
    ).pipe(
      finalize(() => {
        unsubscribed = true
      }),
    )
  })
