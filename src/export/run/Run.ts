/** One run of an export: what it writes, what it counts, and what it keeps of that. */
import type { Observable, SchedulerLike } from 'rxjs'
import { fieldsOf } from '../../decode/unknown.js'
import { defined } from '../../fp.js'
import type { ClientEvent } from '../../http/ClientEvent.js'
import type { ListDescription } from '../../http/list/List.js'
import { type FileSystem, removeFile, syncName } from '../../store/FileSystem.js'
import { steadyTimer } from '../../stream/steadyTimer.js'
import { exportError, isExportError } from '../ExportError.js'
import type { Source } from '../ExportSource.js'
import { type ExportListOptions, NO_PROGRESS, type Progress } from '../exportList.js'
import type { Known } from '../sortPage.js'
import {
  addFacts,
  type Bounds,
  type Checkpoint,
  type Effort,
  type Marks,
  marksOf,
  NOTHING,
  plus,
  type RowCounts,
} from './Checkpoint.js'
import type { ExportSpec } from './ExportSpec.js'
import {
  type Ending,
  iso,
  type ManifestRun,
  manifestOf,
  manifestRun,
  unfinished,
} from './Manifest.js'
import { addedTo, outputs, readKeys, readRejectedIds } from './outputs.js'
import type { ResumeState } from './ResumeState.js'
import type { Records } from './records.js'
import type { Target } from './Target.js'
import { addReasons, Totals } from './Totals.js'

// model

/** How a run stands. Counts are of all its resumptions together. */
export interface RunProgress extends Progress {
  /** Its entry in the manifest, unless nothing was written; with the last progress only. */
  readonly run?: ManifestRun
}

/** A run that is going on. */
export interface Run<A, B>
  extends Required<Pick<ExportListOptions<A, B>, 'sink' | 'rejects' | 'commit'>>,
    Partial<Known> {
  /** Adds what earlier starts of this run counted. */
  readonly total: (progress: Progress) => RunProgress
  /** Ends the files, or leaves them as they are; writes the manifest. */
  readonly end: (progress: Progress) => Promise<RunProgress>
  /** Writes the manifest if that is still possible; never rejects. Resolves with what was committed last. */
  readonly fail: (error: unknown) => Promise<RunProgress>
  /** Cuts the files back to where they were durable; rejects when they are not what they were. */
  readonly resume: () => Promise<unknown>
  /** Closes all files, when the write in progress is done. May be called again. */
  readonly abandon: () => Promise<void>
}

/** The means of a run, and the state that it found. */
export interface RunMeans<A, B> {
  readonly source: Source<A>
  readonly target: Target<B>
  readonly client: Pick<ListDescription<unknown>, 'drift' | 'perSecond' | 'serviceTime'>
  readonly files: FileSystem
  readonly records: Records
  readonly timer: SchedulerLike
  readonly counter: RequestCounter
  readonly found: ResumeState
  readonly spec: ExportSpec
}

/** Requests that a client sent since it was made. */
export interface RequestCounter {
  readonly requests: () => number
  readonly refused: () => number
  readonly close: () => void
}

// constructors

/** Counts requests until it is closed. */
export const countRequests = (events: Observable<ClientEvent>): RequestCounter => {
  let requests = 0
  let refused = 0
  const watching = events.subscribe((event) => {
    if (event._tag !== 'Answered') return
    requests++
    if (event.status === 429) refused++
  })
  return {
    requests: () => requests,
    refused: () => refused,
    close: () => watching.unsubscribe(),
  }
}

/** Opens no file before something is asked of it. */
export const runOf = <A, B>(means: RunMeans<A, B>): Run<A, B> => {
  const { source, target, client, files, records, timer, counter, found, spec } = means
  const { paths } = target
  const { checkpoint, runs, leftovers } = found
  const number = runs.length + 1 // which of its folder it is
  const before = checkpoint?.counts ?? NOTHING
  const steady = steadyTimer(timer)
  const beganAt = steady.now()
  const localTime = timer.now()
  let started = checkpoint?.started
  /** By the service's clock, where it has told its time: a later run reads on from then, whatever the clock here says. */
  const startedAt = (): string => {
    const now = client.serviceTime()
    started ??= iso(now === undefined ? localTime : now - (steady.now() - beganAt))
    return started
  }
  // where a row can come in two pages
  const known = source.repeats
    ? { seen: new Set<string>(), rejectedIds: new Set<string>() }
    : undefined
  const added = addedTo(known?.seen ?? new Set())
  let slices = before.slices
  const totals = new Totals(checkpoint?.totals)
  let reasons = checkpoint?.reasons ?? []
  let bounds: Bounds | undefined = checkpoint?.bounds
  let committed: Checkpoint | undefined = checkpoint
  let last: Promise<unknown> = Promise.resolve() // the write that was begun last

  const isShared = records.tookOver
  const clear = async (): Promise<void> => {
    if (checkpoint === undefined && records.hasCheckpoint()) await records.removeCheckpoint()
    if (leftovers.rows.length > 0) await records.checkOwner()
    for (const path of leftovers.rows) await files.rm(path, { force: true })
    if (leftovers.rows.length > 0) await syncName(files, paths.manifest)
    if (leftovers.manifest) await records.removeManifest()
  }

  const out = outputs<B>({
    files,
    open: () => target.open({ from: marksOf(checkpoint)?.output, isShared, run: number }),
    rejects: paths.rejects(number),
    keys: paths.keys,
    from: marksOf(checkpoint),
    isShared,
    clear,
    checkOwner: records.checkOwner,
  })

  // what was counted

  const total = (progress: Progress): RunProgress => ({
    ...progress,
    ...shownCounts(plus(before, progress)),
  })

  const effort = (): Effort => ({
    requests: before.requests + counter.requests(),
    refused: before.refused + counter.refused(),
    ms: before.ms + Math.max(0, steady.now() - beganAt), // a clock of the caller may be set back
    starts: before.starts + 1,
  })

  /** The last checkpoint, with the time and requests used since: waiting for a service that is gone, say. */
  const upToNow = (kept: Checkpoint): Checkpoint => ({
    ...kept,
    counts: { ...kept.counts, ...effort() },
  })

  const checkpointAt = (progress: Progress, marks: Marks): Checkpoint => ({
    purpose: spec,
    started: startedAt(),
    counts: { ...plus(before, progress), slices, ...effort() },
    ...marks,
    drift: addFacts(checkpoint?.drift ?? [], client.drift()),
    totals: totals.values(),
    reasons,
    ...defined({ bounds, share: progress.share }),
    ...('next' in progress ? { position: progress.next } : {}),
  })

  // what is kept

  const filesAt = unfinished(target, number)

  const keep = async (next: Checkpoint): Promise<void> => {
    await records.saveCheckpoint(next)
    committed = next
  }

  const writeEntry = async (ending: Omit<Ending, 'finished' | 'manifest' | 'perSecond'>) => {
    const finished = timer.now()
    const perSecond = client.perSecond()
    const entry = manifestRun({ ...ending, finished, manifest: paths.manifest, perSecond })
    // the manifest of a file is of the one under its name: that is complete, or there is none
    if (paths.isFolder || ending.progress.ended) {
      await records.saveManifest(manifestOf([...runs, entry]))
    }
    return entry
  }

  const complete = async (progress: Progress): Promise<ManifestRun> => {
    const { position: _, ...all } = committed ?? checkpointAt(progress, { output: { parts: [] } })
    const ended = upToNow({ ...all, ...(await out.finish()) })
    await keep(ended)
    const listed = await out.publish()
    const entry = await writeEntry({ committed: ended, progress, ...listed })
    if (listed.rejected === undefined) await removeFile(files, paths.rejects(number)) // of the rows before
    await removeFile(files, paths.keys) // without a position, they are not needed
    await records.removeCheckpoint()
    return entry
  }

  const end = async (progress: Progress): Promise<RunProgress> => {
    const all = total(progress)
    if (progress.ended) return { ...all, run: await complete(progress) }
    await out.abandon()
    if (committed === undefined) return all
    const spent = upToNow(committed)
    await keep(spent).catch((error: unknown) => {
      if (isExportError(error) && error._tag === 'Fenced') throw error
    }) // an older one can be resumed as well
    return { ...all, run: await writeEntry({ committed: spent, progress, ...filesAt(spent) }) }
  }

  const fail = async (error: unknown): Promise<RunProgress> => {
    if (committed === undefined) return NO_PROGRESS
    const why = messageOf(error)
    const ending = { committed: upToNow(committed), progress: NO_PROGRESS, error: why }
    const run = await writeEntry({ ...ending, ...filesAt(committed) }).catch(() => undefined)
    const { counts, position: next } = committed
    return { ...NO_PROGRESS, ...shownCounts(counts), ...defined({ next, run }) }
  }

  const write: Run<A, B>['sink'] = async (rows, { slice, position }) => {
    if (bounds === undefined) {
      bounds = source.boundsOf(position)
      if (found.replaces !== undefined) checkIsLater(found.replaces, { purpose: spec, bounds })
    }
    await out.write(rows, slice?.number ?? 0, added())
    totals.add(rows)
    if (slice === undefined || slice.left.from < slice.left.to) return
    await out.endSlice(slice.number)
    slices = [...slices, { from: slice.from, to: slice.to, rows: slice.rows }]
  }

  /** Remembers a write, so that files are closed when it is done. */
  const tracked = <T>(write: Promise<T>): Promise<T> => {
    last = write
    return write
  }

  return {
    ...known,
    total,
    sink: (rows, page) => tracked(write(rows, page)),
    rejects: (rows) =>
      tracked(
        out.reject(rows).then(() => {
          reasons = addReasons(reasons, rows)
        }),
      ),
    commit: (progress) =>
      tracked(
        out.commit().then(async (marks) => {
          await keep(checkpointAt(progress, marks))
          await out.publish()
        }),
      ),
    end: (progress) => tracked(end(progress)),
    fail: (error) => tracked(fail(error)),
    resume: async () => {
      await out.ready()
      if (isShared && checkpoint !== undefined) {
        await keep({ ...checkpoint, ...(await out.commit()) }) // before what was copied goes
      }
      await out.sweep()
      if (known === undefined || checkpoint?.position === undefined) return
      const { keys, rejects } = checkpoint
      if (keys !== undefined) await readKeys(files, paths.keys, known.seen)
      added() // these are there
      if (rejects !== undefined)
        await readRejectedIds(files, paths.rejects(number), known.rejectedIds)
    },
    abandon: async () => {
      await last.catch(() => {}) // reported where it was begun
      await out.abandon()
    },
  }
}

/** Throws an `OutputExists` if a snapshot of the same query ends before the one that it would replace: a clock went back. */
const checkIsLater = (
  before: Pick<ManifestRun, 'purpose' | 'bounds' | 'files'>,
  { purpose, bounds }: { readonly purpose: ExportSpec; readonly bounds: Bounds | undefined },
): void => {
  if (bounds === undefined || before.bounds === undefined || bounds.to >= before.bounds.to) return
  if (JSON.stringify(before.purpose.query) !== JSON.stringify(purpose.query)) return
  const [path = ''] = before.files.map((file) => file.path)
  const [is, was] = [iso(bounds.to), iso(before.bounds.to)]
  const why = `${path} has all up to ${was}, and this run would end at ${is}, so one of the clocks was wrong`
  throw exportError('OutputExists', why, { path })
}

/** The message of an error, of whatever realm. */
const messageOf = (error: unknown): string => String(fieldsOf(error).message ?? 'writing failed')

/** Repeated rows are told only where there are some. */
const shownCounts = ({
  rows,
  rejects,
  pages,
  repeated,
}: RowCounts): RowCounts | Omit<RowCounts, 'repeated'> =>
  repeated === 0 ? { rows, rejects, pages } : { rows, rejects, pages, repeated }
