import type { Observable, SchedulerLike } from 'rxjs'
import type { E } from '../fp.js'
import type { AnyFailure } from '../http/Failure.js'
import { is, type OptionsTable, required } from '../options/index.js'
import type { DrainOptions, Millis, Page } from '../stream/index.js'
import type { Progress } from './Progress.js'
import type { Sink } from './Sink.js'
import type { Reject, Sorting } from './sortPage.js'

// model

/** A list whose pages can be waited for: lists and snapshots of a client, also `.parallel(8)`. */
export interface Drainable<P> {
  /** Reads page after page; the next is asked for when `project` has completed. */
  readonly drain: <B>(
    project: (page: E.Either<AnyFailure, P>) => Observable<B>,
    options?: DrainOptions,
  ) => Observable<B>
}

/** What is exported, and where to. */
export interface ExportOptions<A, Q, P extends Page<AnyFailure, A, Q>> extends Partial<Sorting<A>> {
  /** What is read: a list or a snapshot, such as `payments.charges.list()`. */
  readonly list: Drainable<P & Page<AnyFailure, A, Q>> // P alone would leave the type of its rows unknown
  /** Takes the rows of a page, and the page they are of. To change a row, map it to another one. */
  readonly sink: (rows: ReadonlyArray<Readonly<A>>, page: P) => Promise<unknown>
  /** Takes the rows that are not written. */
  readonly rejects: Sink<Reject<Q>>
  /**
   * Makes durable what both sinks were given, and keeps what it is told: `next` goes on from there. Called
   * after the first page, then between pages once `every` ms have passed, and at the end if rows came
   * since. Not called after a sink has failed, nor when nobody listens any more.
   */
  readonly commit?: (progress: Progress<Q>) => Promise<unknown>
  /** How often `commit` is called, in ms. Default 1,000. */
  readonly every?: Millis
  /**
   * The keys of rows that are not to be written again. Those that are written are added, and those of a page
   * that `sink` failed on are not. Without it, rows are told apart within their page only. Unless there is a
   * `key`, rejected rows are known by their ids, too, and given to `rejects` once.
   */
  readonly seen?: Set<string>
  /**
   * Ends it when more rows than that are rejected. Default: any number. A run that has more already is
   * not gone on with: see `CannotRun`.
   */
  readonly maxRejects?: number
  /** Its first value ends the export: what was read is written and committed. */
  readonly stop?: Observable<unknown>
  /** Tells when `every` has passed. Default `asyncScheduler`. */
  readonly timer?: SchedulerLike
}

// constructors

/** Of the options that say how an export goes, a run as well. */
export const paceRules = {
  key: is.fn(),
  shown: is.fn(),
  every: is.millis,
  maxRejects: is.nonNegativeIntOrInfinity,
  stop: is.withMethods('an Observable', 'pipe'),
  timer: is.rxScheduler(),
}

/** What each option must be. */
export const exportRules: OptionsTable<ExportOptions<never, never, never>> = {
  list: required(is.withMethods('a list or a snapshot', 'drain')),
  sink: required(is.fn()),
  rejects: required(is.fn()),
  commit: is.fn(),
  seen: is.withMethods('a Set', 'add', 'delete'),
  misfit: is.fn(),
  ...paceRules,
}
