/** The stages of a sync, one after the other, until one of them is cut short. */
import {
  asyncScheduler,
  concat,
  defer,
  EMPTY,
  finalize,
  from,
  ignoreElements,
  map,
  merge,
  NEVER,
  type Observable,
  of,
  ReplaySubject,
  takeUntil,
  tap,
} from 'rxjs'
import { fromDate } from '../../codec/Instant.js'
import { toMillis } from '../../codec/times.js'
import { defined, E } from '../../fp.js'
import { rowId } from '../../http/answer/rowId.js'
import type { AnyFailure } from '../../http/Failure.js'
import type { ListDescription } from '../../http/list/List.js'
import type { Millis } from '../../stream/index.js'
import { later } from '../../stream/later.js'
import { truncated } from '../column/json.js'
import { type ExportError, exportError } from '../ExportError.js'
import { type ExportSource, sourceOf } from '../ExportSource.js'
import { exportList, NO_PROGRESS, type Progress } from '../exportList.js'
import { LOOKBACK } from '../exportTo.js'
import { iso } from '../run/Manifest.js'
import type { Drainable } from '../SourcePage.js'
import { stripped } from '../secretField.js'
import { reread } from './reread.js'
import type {
  SyncEvent,
  SyncOptions,
  SyncProgress,
  SyncRereads,
  TimedSource,
} from './SyncOptions.js'
import type { SyncSession } from './SyncSession.js'
import type { RunInProgress } from './SyncState.js'

// model

/** What is read, and how. */
export interface Reading<A> {
  /** A list that can be narrowed by time. */
  readonly timed: TimedSource<A> | undefined
  /** The list, whole. */
  readonly list: ExportSource<A>
  readonly options: SyncOptions
}

/** Why a run ends before its end. */
type Cut = 'stopped' | ExportError | AnyFailure

/** Kept by id in the checkpoint, which is written with each page. */
const MAX_REJECTS = 1_000

/** A request each: less than two minutes of the quota. */
const MAX_REREADS = 2_000

const PARALLEL = 4

// constructors

/** Reads into a destination that is owned. Cold. */
export const runSync = <A>(session: SyncSession<A>, reading: Reading<A>): Observable<SyncEvent> =>
  defer(() => {
    const { deadline = Number.POSITIVE_INFINITY, stop = NEVER } = reading.options
    const { timer = asyncScheduler } = reading.options
    const cuts = new ReplaySubject<Cut>(1)
    const listening = merge(
      stop.pipe(map((): Cut => 'stopped')),
      later(deadline, timer).pipe(map((): Cut => deadlinePassed(deadline))),
    ).subscribe(cuts)
    return new SyncRun(session, reading, cuts)
      .events()
      .pipe(finalize(() => listening.unsubscribe()))
  })

class SyncRun<A> {
  private readonly session: SyncSession<A>
  private readonly reading: Reading<A>
  private readonly cuts: Observable<Cut>
  private readonly scrub: ListDescription<A>['scrub']
  private total: Progress = NO_PROGRESS
  private cut: Cut | undefined
  private rereads: SyncRereads | undefined

  constructor(session: SyncSession<A>, reading: Reading<A>, cuts: Observable<Cut>) {
    this.session = session
    this.reading = reading
    this.cuts = cuts
    this.scrub = reading.list.describe().scrub
  }

  events(): Observable<SyncEvent> {
    const { timed } = this.reading
    const stages =
      timed === undefined
        ? [() => this.readAll()]
        : [() => this.resume(timed), () => this.catchUp(timed), () => this.rereadUnsettled(timed)]
    return concat(
      of(E.right(this.begun())),
      ...stages.map((stage) => defer(() => (this.cut === undefined ? stage() : EMPTY))),
      defer(() => this.end()),
    )
  }

  private begun(): SyncProgress {
    const { found } = this.session
    const from = found?.from ?? this.from()
    return {
      ...NO_PROGRESS,
      begun: { resumed: found !== undefined, ...(from > 0 ? { from: iso(from) } : {}) },
    }
  }

  // stages

  /** Reads what an earlier run has left. */
  private resume(timed: TimedSource<A>): Observable<SyncEvent> {
    const { found } = this.session
    if (found === undefined) return EMPTY
    const { position } = found
    const rest =
      position === undefined
        ? EMPTY
        : this.read(sourceOf(this.snapshot(timed, found), false).pages(position), found)
    return concat(rest, this.reached(found))
  }

  /** Reads what came since the last run, and what may have changed. */
  private catchUp(timed: TimedSource<A>): Observable<SyncEvent> {
    const run = { started: this.now(), from: this.from() }
    const source = sourceOf(this.snapshot(timed, run), false)
    return concat(this.read(source.pages(), run), this.reached(run))
  }

  /** Reads a list that cannot be narrowed by time. */
  private readAll(): Observable<SyncEvent> {
    const { list, options } = this.reading
    const run = { started: this.now(), from: 0 }
    const source = sourceOf(list, options.untilStable ?? false)
    return concat(this.read(source.pages(), run), this.reached(run))
  }

  private rereadUnsettled(timed: TimedSource<A>): Observable<SyncEvent> {
    const { maxRereads = MAX_REREADS, parallel = PARALLEL } = this.reading.options
    const { rows, rejects } = this.total
    return reread({
      session: this.session,
      retrieve: timed.retrieve,
      createdBefore: this.from(),
      limit: maxRereads,
      parallel,
    }).pipe(
      takeUntil(this.cuts.pipe(tap((cut) => this.endWith(cut)))),
      map((progress) => {
        const { failure, ...counts } = progress
        if (failure !== undefined) this.endWith(failure)
        this.rereads = { done: counts.done, total: counts.total, gone: counts.gone }
        this.total = { ...this.total, rows: rows + counts.rows, rejects: rejects + counts.rejects }
        return E.right(this.total)
      }),
    )
  }

  /** Ends the run; or says why it ended before. */
  private end(): Observable<SyncEvent> {
    const { cut, total, rereads } = this
    if (cut === 'stopped') return of(E.right<never, SyncProgress>({ ...total, stopped: true }))
    if (cut !== undefined) return of(E.left(cut))
    return from(this.session.finish()).pipe(
      map(() => {
        const { upTo } = this.session.state
        return E.right<never, SyncProgress>({
          ...total,
          ended: true,
          ...defined({ rereads, upTo: upTo === undefined ? undefined : iso(upTo) }),
        })
      }),
    )
  }

  private endWith(cut: Cut): void {
    this.cut ??= cut
  }

  // what they have in common

  /** Reads a list into the destination, page by page, and adds to what earlier stages counted. */
  private read(list: Drainable<A>, run: RunInProgress): Observable<SyncEvent> {
    const { session, total: before, cuts, scrub } = this
    const { onReject, maxRejects = MAX_REJECTS, timer } = this.reading.options
    let rows: ReadonlyArray<A> = []
    let rejected = session.state.rejected
    return exportList<A>({
      list,
      check: session.target.check,
      redact: (raw) => scrub(truncated(stripped(raw))),
      every: 0, // each page is a step
      maxRejects,
      stop: cuts.pipe(tap((cut) => this.endWith(cut))),
      ...defined({ timer }),
      sink: async (page) => {
        rows = page
      },
      rejects: async (bad) => {
        const ids = bad.flatMap(({ row }) => rowId(row) ?? [])
        rejected = [...new Set([...rejected, ...ids])]
        await onReject?.(bad)
      },
      commit: ({ next: position }) =>
        session.commit(rows, {
          ...session.state,
          rejected,
          run: { ...run, ...defined({ position }) },
        }),
    }).pipe(
      map(({ failure, cut, ended: _, ...progress }) => {
        if (failure !== undefined) this.endWith(failure)
        if (cut === 'rejects') this.endWith(tooManyRejects(session.target.name))
        this.total = { ...progress, ...plus(before, progress), ended: false }
        return E.right(this.total)
      }),
    )
  }

  /** Notes that a list was read to its end. */
  private reached({ started, from: first }: RunInProgress): Observable<never> {
    return defer(async () => {
      if (this.cut !== undefined) return
      const { run: _, since = first, ...state } = this.session.state
      await this.session.commit([], { ...state, since: Math.min(since, first), upTo: started })
    }).pipe(ignoreElements())
  }

  /** From when on rows are read, in ms since 1970. */
  private from(): Millis {
    const { since, lookback = LOOKBACK } = this.reading.options
    const { since: first, upTo } = this.session.state
    const wanted = since === undefined ? (first ?? 0) : toMillis(since)
    if (first === undefined || upTo === undefined || wanted < first) return wanted
    return Math.max(first, upTo - lookback)
  }

  private snapshot(timed: TimedSource<A>, { from }: RunInProgress): ExportSource<A> {
    const { parallel = PARALLEL } = this.reading.options
    const filter = from > 0 ? { from_created_at: fromDate(new Date(from)) } : {}
    return timed.snapshot(filter).parallel(parallel)
  }

  private now(): Millis {
    const { timer = asyncScheduler } = this.reading.options
    return timer.now()
  }
}

type RowCounts = Pick<Progress, 'rows' | 'rejects' | 'pages' | 'repeated'>

const plus = (one: RowCounts, other: RowCounts): RowCounts => ({
  rows: one.rows + other.rows,
  rejects: one.rejects + other.rejects,
  pages: one.pages + other.pages,
  repeated: (one.repeated ?? 0) + (other.repeated ?? 0),
})

const tooManyRejects = (name: string): ExportError =>
  exportError('TooManyRejects', 'more rows than maxRejects cannot be written', { path: name })

const deadlinePassed = (deadline: Millis): ExportError =>
  exportError('DeadlinePassed', `the deadline of ${deadline} ms has passed before the end`, {
    deadline,
  })
