import {
  asyncScheduler,
  concat,
  defer,
  EMPTY,
  finalize,
  from,
  NEVER,
  type Observable,
  takeUntil,
  takeWhile,
  tap,
} from 'rxjs'
import { E, O } from '../fp.js'
import { rowId } from '../http/answer/rawRows.js'
import type { AnyFailure } from '../http/Failure.js'
import { checkOptions } from '../options/index.js'
import type { Page } from '../stream/index.js'
import { type ExportOptions, exportRules } from './ExportOptions.js'
import { NO_PROGRESS, type Progress } from './Progress.js'
import { type Known, type Sorting, sortPage } from './sortPage.js'

/**
 * Writes a list into a sink, page by page, and tells after each how far it is. The page after the next
 * is asked for when this one is written. The last word has `ended`, a `failure`, or says why it was cut.
 * What a sink throws is the error of the stream. Throws an `InvalidOption` at once for an option that cannot
 * work. Unsubscribing aborts the request in flight; no sink is called any more, and nothing is committed.
 */
export const exportList = <A, Q, P extends Page<AnyFailure, A, Q>>(
  options: ExportOptions<A, Q, P>,
): Observable<Progress<Q>> => exportUnchecked(checkOptions(options, exportRules))

/** The same, of options that were checked; they may be more than these. `aside`: see `Known`. */
export const exportUnchecked = <A, Q, P extends Page<AnyFailure, A, Q>>(
  options: ExportOptions<A, Q, P> & Partial<Pick<Known, 'aside'>>,
): Observable<Progress<Q>> =>
  defer(() => {
    const { list, sink, rejects, commit, every = 1_000, timer = asyncScheduler } = options
    const { maxRejects = Number.POSITIVE_INFINITY, stop = NEVER } = options
    const key: Sorting<A>['key'] = options.key ?? rowId
    const { misfit, shown = (raw: unknown) => raw, seen, aside = new Set() } = options
    const known = seen && { seen, ...(options.key === undefined ? { aside } : {}) }
    const sort = sortPage<A>({ key, misfit, shown }, known)
    let progress: Progress<Q> = NO_PROGRESS
    let committed = progress
    let committedAt = Number.NEGATIVE_INFINITY // after the first page: each start gets somewhere
    let failure: AnyFailure | undefined
    let stopped = false
    let unsubscribed = false // nothing else is begun
    let working: Promise<unknown> = Promise.resolve()

    const keep = async (): Promise<void> => {
      if (unsubscribed || committed === progress) return
      committed = progress
      await commit?.(progress)
      committedAt = timer.now()
    }

    /** They were not written. */
    const forget = (rows: ReadonlyArray<A>): void => {
      for (const row of rows) {
        const name = key(row)
        if (name !== undefined) seen?.delete(name)
      }
    }

    const write = async (page: P): Promise<Progress<Q>> => {
      if (unsubscribed) return progress
      const { good, bad, repeated } = sort(page)
      try {
        await sink(good, page)
      } catch (error) {
        forget(good)
        throw error
      }
      if (unsubscribed) return progress
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
      const since = timer.now() - committedAt
      if (since >= every || since < 0) await keep() // or the clock was set back
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
      defer(end),
    ).pipe(
      finalize(() => {
        unsubscribed = true
      }),
    )
  })
