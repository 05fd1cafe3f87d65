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
  Subject,
  takeUntil,
  tap,
} from 'rxjs'
import { fromDate } from '../../codec/Instant.js'
import { toMillis } from '../../codec/times.js'
import { bare, defined, E } from '../../fp.js'
import { rowId } from '../../http/answer/readAnswer.js'
import type { AnyFailure } from '../../http/Failure.js'
import type { ListDescription } from '../../http/list/List.js'
import type { Millis } from '../../stream/index.js'
import { later } from '../../stream/later.js'
import { truncated } from '../column/json.js'
import { type ExportError, exportError } from '../ExportError.js'
import { exportTable } from '../ExportOptions.js'
import { type ExportSource, type Source, sourceOf } from '../ExportSource.js'
import { exportList, NO_PROGRESS, type Progress } from '../exportList.js'
import { estimateAt } from '../ProgressEstimate.js'
import { iso } from '../run/Manifest.js'
import type { AnyPosition } from '../SourcePage.js'
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

// model

/** The list that is read, and how. */
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

/** Rows read again at a time: they use the limit of production up when each takes a second. */
const REREADS_AT_ONCE = 20

// constructors

/** Reads into a destination that is owned. Cold. */
export const runSync = <A>(session: SyncSession<A>, reading: Reading<A>): Observable<SyncEvent> =>
  defer(() => {
    const { deadline, stop = NEVER } = reading.options
    const { timer = asyncScheduler } = reading.options
    const cuts = new ReplaySubject<Cut>(1)
    const listening = merge(
      stop.pipe(map((): Cut => 'stopped')),
      deadline === undefined
        ? NEVER
        : later(deadline, timer).pipe(map((): Cut => deadlinePassed(deadline))),
    ).subscribe(cuts)
    const over = new Subject<void>()
    const events = new SyncRun(session, reading, cuts).events()
    return merge(session.lost.pipe(takeUntil(over)), events.pipe(finalize(() => over.next()))).pipe(
      finalize(() => listening.unsubscribe()),
    )
  })

class SyncRun<A> {
  private readonly session: SyncSession<A>
  private readonly reading: Reading<A>
  private readonly cuts: Observable<Cut>
  private readonly scrub: ListDescription<A>['scrub']
  private total: Progress = NO_PROGRESS
  private cut: Cut | undefined
  private rereads: SyncRereads | undefined
  /** Rows created from then on were read by time in this run, in ms since 1970. */
  private caughtUpFrom: Millis = 0
  /** Ids of rows that this run could not write: read again by the next one. */
  private readonly rejected = new Set<string>()

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
    const found = this.reading.timed === undefined ? undefined : this.session.found
    const from = found?.from ?? this.from()
    return {
      ...NO_PROGRESS,
      ...defined({ share: found?.share }),
      begun: { resumed: found !== undefined, ...(from > 0 ? { from: iso(from) } : {}) },
    }
  }

  // stages

  /** Reads what an earlier run has left. */
  private resume(timed: TimedSource<A>): Observable<SyncEvent> {
    const { found } = this.session
    if (found === undefined) return EMPTY
    const { position, from, share } = found
    const source = sourceOf(this.snapshot(timed, from), false)
    return concat(
      position === undefined ? EMPTY : this.read(source, from, position, share),
      this.reached(),
    )
  }

  /** Reads what came since the last run, and what may have changed. */
  private catchUp(timed: TimedSource<A>): Observable<SyncEvent> {
    const from = this.from()
    this.caughtUpFrom = from
    return concat(this.read(sourceOf(this.snapshot(timed, from), false), from), this.reached())
  }

  /** Reads a list that cannot be narrowed by time. */
  private readAll(): Observable<SyncEvent> {
    const { list, options } = this.reading
    return concat(this.read(sourceOf(list, options.untilStable ?? false), 0), this.reached())
  }

  private rereadUnsettled(timed: TimedSource<A>): Observable<SyncEvent> {
    const { maxRereads = MAX_REREADS, parallel = REREADS_AT_ONCE } = this.reading.options
    const { rows, rejects } = this.total
    return reread({
      session: this.session,
      retrieve: timed.retrieve,
      createdBefore: this.caughtUpFrom,
      limit: maxRereads,
      except: this.rejected,
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
    const { session, reading } = this
    const finished = reading.timed === undefined ? of(undefined) : session.finish(session.state)
    return from(finished).pipe(
      map(() => {
        const { upTo } = this.session.state
        return E.right<never, SyncProgress>({
          ...total,
          share: 1,
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
  private read(
    source: Source<A>,
    from: Millis,
    position?: AnyPosition,
    share?: number,
  ): Observable<SyncEvent> {
    const { session, total: before, cuts, scrub } = this
    const { onReject, maxRejects = MAX_REJECTS, timer } = this.reading.options
    let to = this.now()
    let rows: ReadonlyArray<A> = []
    let rejected = session.state.rejected
    return exportList<A>({
      list: source.pages(position),
      estimate: estimateAt(position, share),
      check: session.target.check,
      redact: (raw) => scrub(truncated(stripped(raw))),
      every: session.target.commitEvery ?? 0,
      maxRejects,
      stop: cuts.pipe(tap((cut) => this.endWith(cut))),
      ...defined({ timer }),
      sink: async (some, page) => {
        to = Math.floor(source.boundsOf(page.position)?.to ?? to)
        rows = rows.length === 0 ? some : [...rows, ...some]
      },
      rejects: async (bad) => {
        const ids = bad.flatMap(({ row }) => rowId(row) ?? [])
        for (const id of ids) this.rejected.add(id)
        rejected = [...new Set([...rejected, ...ids])]
        await onReject?.(bad)
      },
      commit: async ({ next, share }) => {
        const run = { from, to, ...defined({ position: next, share }) }
        await session.commit(rows, { ...session.state, rejected, run })
        rows = []
      },
    }).pipe(
      map(({ failure, cut, ended, share, ...progress }) => {
        if (failure !== undefined) this.endWith(failure)
        if (cut === 'rejects') this.endWith(tooManyRejects(session.target.name))
        // another stage may follow, with a range of its own
        const shares = [this.total.share, ended ? undefined : share].filter((n) => n !== undefined)
        const shown = shares.length === 0 ? {} : { share: Math.max(...shares) }
        this.total = { ...progress, ...plus(before, progress), ...shown, ended: false }
        return E.right(this.total)
      }),
    )
  }

  /** Notes that a list was read to its end. */
  private reached(): Observable<never> {
    return defer(async () => {
      const { run, since, ...state } = bare(this.session.state)
      if (this.cut !== undefined || run === undefined) return
      const { from: first, to: upTo } = run
      const next = { ...state, since: Math.min(since ?? first, first), upTo }
      await (this.reading.timed === undefined
        ? this.session.finish(next)
        : this.session.commit([], next))
    }).pipe(ignoreElements())
  }

  /** From when on rows are read, in ms since 1970. */
  private from(): Millis {
    const { since, lookback = exportTable.lookback.default } = this.reading.options
    const { since: first, upTo } = bare(this.session.state)
    const wanted = since === undefined ? (first ?? 0) : toMillis(since)
    if (first === undefined || upTo === undefined || wanted < first) return wanted
    return Math.max(first, upTo - lookback)
  }

  private snapshot(timed: TimedSource<A>, from: Millis): ExportSource<A> {
    const { parallel } = this.reading.options
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
