/** The engine of exports and syncs. Writes pages of lists to a destination that it owns, counts them, and saves the state. */
import {
  asyncScheduler,
  catchError,
  concat,
  concatMap,
  defer,
  EMPTY,
  finalize,
  from,
  merge,
  NEVER,
  type Observable,
  of,
  ReplaySubject,
  Subject,
  takeUntil,
  throwError,
} from 'rxjs'
import type { Healed } from '../../changes/proof/Healing.js'
import { withoutPrototype, withoutUndefined } from '../../fp.js'
import type { AnyFailure } from '../../http/Failure.js'
import type { LeaseWait } from '../../store/lease.js'
import type { Waits } from '../../store/Waits.js'
import type { Millis } from '../../stream/index.js'
import { type ExportError, isExportError } from '../ExportError.js'
import {
  exportList,
  NO_PROGRESS,
  type Pace,
  type Progress,
  type WriteRows,
} from '../source/exportList.js'
import { estimateAt } from '../source/ProgressEstimate.js'
import type { SourcePage } from '../source/SourcePage.js'
import { addedTo, type Known, type Reject } from '../source/sortPage.js'
import type { Destination } from './Destination.js'
import { cutsOf } from './endings.js'
import { type ManifestKind, type ManifestRun, manifestRun, replaceManifest } from './Manifest.js'
import { type CountedClient, RunRecorder } from './RunRecorder.js'
import {
  type Beginning,
  type CutShort,
  messageOf,
  type Reading,
  type Rereads,
  rejectedRows,
  type SyncProof,
  summed,
  type TransferEvent,
  whyCut,
} from './TransferEvent.js'
import { type StateText, TransferSession } from './TransferSession.js'
import {
  NO_UPKEEP,
  type RejectedRow,
  type RunState,
  type TransferState,
  type Upkeep,
} from './TransferState.js'

export interface TransferPlan<A, B> extends Pace<A, B> {
  readonly kind: ManifestKind
  readonly destination: Destination<B>
  /** Where state and lease are stored; absent if the destination stores none. */
  readonly stateText: StateText | undefined
  readonly guard?: StateText | undefined
  /** True if the manifest also lists an unfinished run. */
  readonly listsUnfinished: boolean
  /** Returns how to start, given the stored state. Rejects with an `ExportError` if the state prevents a start. */
  readonly begin: (found: unknown) => Promise<Beginning>
  readonly restart: boolean
  /** True if each run reads its list from the beginning; see `Ownership`. */
  readonly replaces?: boolean
  readonly client: CountedClient
  readonly repeats: boolean
  /** Returns the one or more stages in which the list is read. Stages are skipped once the transfer has been cut short. */
  readonly stages: (transfer: Transfer<A, B>) => ReadonlyArray<() => Observable<TransferEvent>>
  readonly ended: (state: TransferState) => TransferState
  readonly onReject?: WriteRows<Reject> | undefined
  readonly lease?: Millis | undefined
  readonly deadline?: Millis | undefined
}

export class Transfer<A, B> {
  readonly session: TransferSession<B>
  readonly recorder: RunRecorder
  readonly plan: TransferPlan<A, B>
  /** Emits the reason when the transfer is cut short. */
  readonly cuts: Observable<CutShort>
  /** Rows that this transfer could not write, by id. */
  readonly rejected = new Map<string, RejectedRow>()
  /** Rows that were read again by id. */
  rereads: Rereads | undefined
  proof: SyncProof | undefined
  /** An error to report even though everything was written, because the service's data is implausible. */
  doubt: ExportError | undefined
  /** The repairs of a sweep, which re-reads every row, some of them each night. */
  swept: Healed | undefined
  readonly #asked: Millis
  readonly #beginning: Beginning
  readonly #known: Known | undefined
  readonly #added: () => ReadonlyArray<string>
  readonly #cuts = new ReplaySubject<CutShort>(1)
  #total = NO_PROGRESS
  #cut: CutShort | undefined
  /** Reason to end early. Ignored if everything has already been read. */
  #told: CutShort | undefined
  #latest: RunState | undefined
  #isDropped = false

  private constructor(
    plan: TransferPlan<A, B>,
    asked: Millis,
    session: TransferSession<B>,
    beginning: Beginning,
    known: Known | undefined,
  ) {
    const { timer = asyncScheduler, client } = plan
    this.plan = plan
    this.#asked = asked
    this.session = session
    this.recorder = new RunRecorder(client, timer, session.state.run)
    this.cuts = this.#cuts
    this.#beginning = beginning
    this.#known = known
    this.#added = addedTo(known?.seen ?? new Set())
    this.#added() // these rows exist
    this.#latest = session.state.run
  }

  /** Takes the lease of the destination. On failure, releases everything and rejects. `asked`: start of the deadline. */
  static async begin<A, B>(
    plan: TransferPlan<A, B>,
    asked: Millis,
    onWait: (wait: LeaseWait) => void,
    waits: Waits,
  ): Promise<Transfer<A, B>> {
    const { destination, stateText, guard, restart, timer = asyncScheduler, lease, repeats } = plan
    let beginning: Beginning | undefined
    const session = await TransferSession.begin({
      ...{ destination, stateText, guard, restart, timer, lease, onWait, waits },
      replaces: plan.replaces,
      stop: concat(plan.stop ?? NEVER, NEVER), // a signal that completes without emitting does not stop it
      begin: async (found) => {
        beginning = await plan.begin(found)
        return beginning.state
      },
    })
    try {
      const known =
        repeats && destination.keys !== undefined
          ? { seen: new Set<string>(), rejectedIds: new Set<string>() }
          : undefined
      if (known !== undefined && session.state.run?.position !== undefined) {
        await destination.keys?.read(known.seen, known.rejectedIds)
      }
      if (beginning === undefined) throw new Error('the session started without a start position')
      return new Transfer(plan, asked, session, beginning, known)
    } catch (error) {
      const cause = await session.causeOf(error)
      await session.close()
      throw cause
    }
  }

  /** Reads all stages, then ends. */
  events(): Observable<TransferEvent> {
    const over = new Subject<void>()
    const listening = this.#listen()
    const reading = concat(
      ...this.#stages(),
      defer(() => this.#end()),
    )
    return concat(
      of(this.#started()),
      merge(this.session.lost.pipe(takeUntil(over)), reading.pipe(finalize(() => over.next()))),
    ).pipe(
      catchError((error: unknown) =>
        from(this.session.causeOf(error)).pipe(
          concatMap((cause) =>
            concat(
              from(this.#fail(cause)),
              throwError(() => cause),
            ),
          ),
        ),
      ),
      finalize(() => listening.unsubscribe()),
    )
  }

  /** Ends the transfer early, for the first reason given. */
  endWith(cut: CutShort): void {
    this.#cut ??= cut
  }

  /** Ends the transfer because of a failure of the service or, without a failure, because it was stopped. */
  interrupt(failure: AnyFailure | undefined): void {
    this.endWith(failure ?? this.#told ?? 'stopped')
  }

  get upkeep(): Upkeep {
    return this.session.state.sync ?? NO_UPKEEP
  }

  get isCut(): boolean {
    return this.#cut !== undefined
  }

  async close(): Promise<void> {
    this.recorder.close()
    await this.session.close()
  }

  // stages

  /** Reads a list page by page, and adds to the counts of earlier stages. */
  read(reading: Reading<A>): Observable<TransferEvent> {
    const { source, position, share, boundsOf } = reading
    const { session, recorder, plan } = this
    const { destination } = session
    const { maxRejects = Number.POSITIVE_INFINITY, onReject } = plan
    const before = this.#total
    const earlier = recorder.total(before)
    let isFirst = true
    const bound = (page: SourcePage<A>): void => {
      recorder.bounds = boundsOf(page) ?? recorder.bounds
      if (isFirst && recorder.bounds !== undefined) this.#beginning.checkBounds?.(recorder.bounds)
      isFirst = false
    }
    return exportList<A, B>({
      ...plan,
      ...this.#known,
      list: source.pages(position),
      estimate: estimateAt(position, share, earlier.rows + earlier.rejects),
      check: destination.check,
      every: plan.every ?? destination.commitEvery,
      maxRejects: maxRejects - earlier.rejects,
      stop: this.cuts,
      write: (rows, page) =>
        session.tracked(async () => {
          bound(page)
          const { slice } = page
          const isLast = slice !== undefined && slice.left.from >= slice.left.to
          await destination.write(rows, { number: slice?.number ?? 0, isLast })
          const keys = this.#added()
          if (keys.length > 0) await destination.keys?.add(keys)
          recorder.rows(rows, page)
        }),
      rejects: (rows) =>
        session.tracked(async () => {
          await destination.reject(rows)
          recorder.rejects(rows)
          for (const row of rejectedRows(rows)) this.rejected.set(row.id, row)
          await onReject?.(rows)
        }),
      commit: (progress) => {
        const run = recorder.at(summed(before, progress), this.#known?.seen.size)
        this.#latest = run
        const { sync } = session.state
        if (sync === undefined) return this.keep({ ...session.state, run })
        const earlier = sync.rejected.filter(({ id }) => !this.rejected.has(id))
        const rejected = [...earlier, ...this.rejected.values()]
        return this.keep({ ...session.state, run, sync: { ...sync, rejected } })
      },
    }).pipe(
      concatMap((progress): Observable<TransferEvent> => {
        const { failure, cut, ended, ...rest } = progress
        this.#total = { ...rest, ...summed(before, progress), ended: false }
        if (!ended && failure === undefined && cut === undefined) return of(this.shown())
        const isLost = failure !== undefined && this.#isLost(reading, progress)
        if (isLost) {
          const event = { ...this.shown(), reread: failure }
          return concat(of(event), this.read({ source, boundsOf }))
        }
        if (failure !== undefined) this.endWith(failure)
        if (cut === 'rejects') this.endWith('rejects')
        if (cut === 'stopped') this.endWith(this.#told ?? 'stopped')
        return EMPTY
      }),
    )
  }

  /** Writes rows that were read by id, and saves the step. `finish`: these are all rows of the list. */
  async readAgain(
    rows: ReadonlyArray<B>,
    rejects: ReadonlyArray<Reject>,
    sync: Partial<Upkeep>,
    changed: number = rows.length,
    why: 'pace' | 'finish' = 'pace',
  ): Promise<TransferEvent> {
    const { session, recorder, plan } = this
    await session.tracked(async () => {
      if (rows.length > 0) await session.destination.write(rows, { number: 0, isLast: false })
      if (rejects.length > 0) await session.destination.reject(rejects)
    })
    recorder.rows(rows)
    recorder.rejects(rejects)
    if (rejects.length > 0) await plan.onReject?.(rejects)
    const total = this.#total
    this.#total = {
      ...total,
      rows: total.rows + Math.min(rows.length, changed),
      rejects: total.rejects + rejects.length,
    }
    await this.keep({ ...session.state, sync: { ...this.upkeep, ...sync } }, why)
    return this.shown()
  }

  /** Saves a state, together with everything that the destination was given before. */
  keep(state: Omit<TransferState, 'own'>, why: 'pace' | 'finish' = 'pace'): Promise<void> {
    const { session } = this
    const { destination } = session
    return session.tracked(async () => {
      const step = why === 'finish' ? await destination.finish() : await destination.commit(why)
      if (step === undefined) return
      await this.#dropManifest()
      await session.keep(step, state)
    })
  }

  /** Merges saved rows if the destination does not merge them immediately. The manifest then lists them. */
  place(): Promise<void> {
    const { session, recorder } = this
    return session.tracked(async () => {
      const step = await session.destination.place?.()
      if (step === undefined) return
      await session.keep(step, session.state)
      const run = recorder.ended(this.#latest ?? recorder.at(this.#total))
      await this.#saveManifest(this.#entry(run, undefined))
    })
  }

  // inside

  #started(): TransferEvent {
    const { session } = this
    const { run } = session.state
    const started = {
      resumed: run !== undefined,
      ...(session.tookOver ? { tookOver: true as const } : {}),
      ...this.#beginning.reads,
    }
    return {
      ...this.recorder.total({ ...NO_PROGRESS, ...withoutUndefined({ share: run?.share }) }),
      started,
    }
  }

  /** Listens for reasons to cut the transfer short. */
  #listen() {
    return cutsOf(this.plan, this.#asked).subscribe((cut) => {
      this.#told ??= cut
      this.#cuts.next(cut)
    })
  }

  #stages(): ReadonlyArray<Observable<TransferEvent>> {
    return this.plan.stages(this).map((stage) =>
      defer(() => {
        if (this.#told !== undefined) this.endWith(this.#told)
        return this.isCut ? EMPTY : stage()
      }),
    )
  }

  shown(): TransferEvent {
    return this.recorder.total(this.#total)
  }

  /** Returns true if the bookmark in a state is lost, but all rows read so far are known by key. */
  #isLost({ source, position }: Reading<A>, { pages, failure }: Progress): boolean {
    if (position === undefined || pages > 0 || failure === undefined) return false
    if (!source.isLost(position, failure)) return false
    // rows without a key, and rejected rows without an id, would be duplicated
    const { rows = 0, rejects = 0 } = this.session.state.run?.counts ?? {}
    const rejectedIds = this.plan.key === undefined ? this.#known?.rejectedIds?.size : 0
    return this.#known?.seen.size === rows && rejectedIds === rejects
  }

  #end(): Promise<TransferEvent> {
    return this.session.tracked(() => (this.isCut ? this.#stop() : this.#complete()))
  }

  async #complete(): Promise<TransferEvent> {
    const { session, plan, recorder } = this
    const shown = {
      ...this.shown(),
      ...{ share: 1, ended: true },
      ...withoutUndefined({ rereads: this.rereads, proof: this.proof, cut: this.doubt }),
    }
    const run = recorder.ended(this.#latest ?? recorder.at(this.#total))
    const step = await session.destination.finish()
    await this.#dropManifest()
    await session.keep(step, plan.ended({ ...session.state, run }))
    const { upTo } = withoutPrototype(this.upkeep)
    const progress = { ...shown, ...withoutUndefined({ upTo, unremoved: session.unremoved() }) }
    if (plan.stateText === undefined) return progress
    const entry = this.#entry(run, undefined)
    await this.#saveManifest(entry)
    if (plan.kind === 'export') await session.forget()
    return { ...progress, run: entry }
  }

  async #stop(): Promise<TransferEvent> {
    const { session, recorder } = this
    const event = { ...this.shown(), ...withoutUndefined({ cut: this.#cut }) }
    if (this.plan.stateText === undefined) {
      await session.destination.commit('stop')
      return event
    }
    if (this.#latest === undefined || session.state.run === undefined) return event
    const run = recorder.upToNow(this.#latest)
    try {
      const step = await session.destination.commit('stop')
      await session.keep(step ?? {}, { ...session.state, run })
    } catch (error) {
      if (isExportError(error) && error._tag === 'Fenced') throw error
      // an older state can be resumed as well
    }
    const entry = this.#entry(run, whyCut(this.#cut))
    if (this.plan.listsUnfinished) await this.#saveManifest(entry)
    return { ...event, run: entry }
  }

  /** Adds the run to the manifest if that is still possible. Never rejects. Resolves with the last saved progress. */
  async #fail(error: unknown): Promise<TransferEvent> {
    const { session, recorder, plan } = this
    const { run } = session.state
    if (plan.stateText === undefined) return this.shown()
    if (run === undefined) return NO_PROGRESS
    const entry = this.#entry(recorder.upToNow(run), this.#scrubbed(messageOf(error)))
    const isSaved =
      !this.plan.listsUnfinished ||
      (await this.#saveManifest(entry).then(
        () => true,
        () => false,
      ))
    const { rows, rejects, pages, repeated } = run.counts
    return {
      ...{ ...NO_PROGRESS, rows, rejects, pages },
      ...(repeated === 0 ? {} : { repeated }),
      ...withoutUndefined({ next: run.position, run: isSaved ? entry : undefined }),
    }
  }

  /** Removes secrets of the client, which a custom destination may include in its messages. */
  #scrubbed(text: string): string {
    return String(this.plan.redact?.(text) ?? text)
  }

  #entry(run: RunState, why: string | undefined): ManifestRun {
    const { client, kind, timer = asyncScheduler } = this.plan
    const { spec } = this.session.state
    const listed = this.session.listed() ?? { files: [] }
    const effort = { finished: timer.now(), perSecond: client.perSecond() }
    return manifestRun({ kind, spec, run, listed, why, ...effort })
  }

  /** Removes the manifest before rows that it lists are removed: it would otherwise present some rows as all rows. */
  async #dropManifest(): Promise<void> {
    const { session, plan } = this
    const { store } = session.destination
    if (!plan.restart || this.#isDropped || !plan.listsUnfinished) return
    this.#isDropped = true
    if (store === undefined) return
    await replaceManifest(store, plan.kind, undefined, () => session.checkOwner())
  }

  async #saveManifest(entry: ManifestRun): Promise<void> {
    const { session, plan } = this
    const { store } = session.destination
    if (store === undefined || session.listed() === undefined) return
    await replaceManifest(store, plan.kind, entry, () => session.checkOwner())
  }
}
