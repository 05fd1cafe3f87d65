/** One run of an export: what it writes, what it counts, and what it keeps of that. */
import type { SchedulerLike } from 'rxjs'
import { defined } from '../../fp.js'
import type { AnyFailure } from '../../http/Failure.js'
import type { Page } from '../../stream/index.js'
import type { ExportOptions } from '../ExportOptions.js'
import { NO_PROGRESS, type Progress } from '../Progress.js'
import type { Known } from '../sortPage.js'
import type { Bounds } from './Bounds.js'
import { type Checkpoint, marksOf, showCheckpoint, VERSION } from './Checkpoint.js'
import { type Effort, NOTHING, plus, shownOf } from './Counts.js'
import { type Ending, entryOf, iso, unfinished } from './entry.js'
import type { Found } from './find.js'
import { allFacts } from './KeptFact.js'
import { addedTo, readAside, readKeys } from './keys.js'
import { manifestOf, showManifest } from './Manifest.js'
import type { ManifestRun } from './ManifestRun.js'
import type { Marks } from './Marks.js'
import { outputs } from './outputs.js'
import type { Purpose } from './Purpose.js'
import type { RunOptions, RunProgress } from './RunOptions.js'
import { replaceText, type SmallFiles } from './SmallFiles.js'
import type { Tally } from './Tally.js'

// model

/** A run that is going on. */
export interface Run<A, Q, P extends Page<AnyFailure, A, Q>>
  extends Required<Pick<ExportOptions<A, Q, P>, 'sink' | 'rejects' | 'commit'>>,
    Partial<Known> {
  /** With what earlier starts of this run counted. */
  readonly total: (progress: Progress<Q>) => RunProgress<Q>
  /** Ends the files, or leaves them as they are; writes the manifest. */
  readonly end: (progress: Progress<Q>) => Promise<RunProgress<Q>>
  /** Writes the manifest if that is possible still; never fails. Answers with what was committed last. */
  readonly fail: (error: unknown) => Promise<RunProgress<Q>>
  /** Cuts the files back to where they were durable; fails when they are not what they were. */
  readonly goOn: () => Promise<unknown>
  /** May be called again. */
  readonly abandon: () => Promise<void>
}

/** What it is done with, and what it found. */
export interface Means<Q> {
  readonly files: SmallFiles
  readonly timer: SchedulerLike
  readonly tally: Tally
  readonly found: Found<Q>
  readonly purpose: Purpose
}

// constructors

/** Opens no file before something is asked of it. */
export const runOf = <A, Q, P extends Page<AnyFailure, A, Q>>(
  { source, target, client, perSecond }: RunOptions<A, Q, P>,
  { files, timer, tally, found, purpose }: Means<Q>,
): Run<A, Q, P> => {
  const { paths } = target
  const { checkpoint, runs, stale } = found
  const number = runs.length + 1 // which of its folder it is
  const before = checkpoint?.counts ?? NOTHING
  const beganAt = timer.now()
  const started = checkpoint?.started ?? iso(beganAt)
  // where a row can come in two pages
  const known = source.repeats ? { seen: new Set<string>(), aside: new Set<string>() } : undefined
  const added = addedTo(known?.seen ?? new Set())
  let slices = before.slices
  let bounds: Bounds | undefined = checkpoint?.bounds
  let committed: Checkpoint<Q> | undefined = checkpoint

  const out = outputs<A>({
    files,
    open: (mark) => target.open(mark, number),
    file: paths.isFolder ? undefined : paths.out,
    rejects: paths.rejects(number),
    keys: paths.keys,
    from: marksOf(checkpoint),
    stale,
  })

  // what was counted

  const total = (progress: Progress<Q>): RunProgress<Q> => ({
    ...progress,
    ...shownOf(plus(before, progress)),
  })

  const effort = (): Effort => ({
    requests: before.requests + tally.requests(),
    refused: before.refused + tally.refused(),
    ms: before.ms + Math.max(0, timer.now() - beganAt), // the clock may have been set back
    starts: before.starts + 1,
  })

  /** What was committed, with what was spent since: waiting for a service that is gone, say. */
  const upToNow = (kept: Checkpoint<Q>): Checkpoint<Q> => ({
    ...kept,
    counts: { ...kept.counts, ...effort() },
  })

  const checkpointAt = (progress: Progress<Q>, marks: Marks): Checkpoint<Q> => ({
    version: VERSION,
    purpose,
    started,
    counts: { ...plus(before, progress), slices, ...effort() },
    ...marks,
    drift: allFacts(checkpoint?.drift ?? [], client?.drift() ?? []),
    ...defined({ bounds }),
    ...('next' in progress ? { position: progress.next } : {}),
  })

  // what is kept

  const filesAt = unfinished(target, number)

  const keep = async (next: Checkpoint<Q>): Promise<void> => {
    await replaceText(files, paths.checkpoint, showCheckpoint(next))
    committed = next
  }

  const commit = async (progress: Progress<Q>): Promise<void> =>
    keep(checkpointAt(progress, await out.commit()))

  const writeEntry = async (ending: Omit<Ending, 'finished' | 'manifest' | 'perSecond'>) => {
    const finished = timer.now()
    const entry = entryOf({ ...ending, finished, manifest: paths.manifest, perSecond })
    await replaceText(files, paths.manifest, showManifest(manifestOf([...runs, entry])))
    return entry
  }

  const complete = async (progress: Progress<Q>): Promise<ManifestRun> => {
    committed ??= checkpointAt(progress, { output: { parts: [] } })
    const finished = await out.finish()
    const entry = await writeEntry({ committed: upToNow(committed), progress, ...finished })
    await files.rm(paths.keys, { force: true }) // first: without a position, nothing asks for them
    await files.rm(paths.checkpoint, { force: true })
    return entry
  }

  return {
    ...known,
    sink: async (rows, page) => {
      const slice = source.sliceOf(page)
      bounds ??= source.boundsOf(page.position)
      await out.write(rows, slice?.number ?? 0, added())
      if (slice === undefined || slice.left.from < slice.left.to) return
      await out.endSlice(slice.number)
      slices = [...slices, { from: slice.from, to: slice.to, rows: slice.rows }]
    },
    rejects: out.reject,
    commit,
    total,
    end: async (progress) => {
      const all = total(progress)
      if (progress.ended) return { ...all, entry: await complete(progress) }
      await out.abandon()
      if (committed === undefined) return all
      const spent = upToNow(committed)
      await keep(spent).catch(() => {}) // one that is older is gone on with as well
      return { ...all, entry: await writeEntry({ committed: spent, progress, ...filesAt(spent) }) }
    },
    fail: async (error) => {
      if (committed === undefined) return NO_PROGRESS
      const why = error instanceof Error ? error.message : 'writing failed'
      const told = { committed: upToNow(committed), progress: NO_PROGRESS, error: why }
      await writeEntry({ ...told, ...filesAt(committed) }).catch(() => {})
      const { counts, position: next } = committed
      return { ...NO_PROGRESS, ...shownOf(counts), ...defined({ next }) }
    },
    goOn: async () => {
      await out.ready()
      if (known === undefined || checkpoint?.position === undefined) return
      const { keys, rejects } = checkpoint
      if (keys !== undefined) await readKeys(files, paths.keys, known.seen)
      added() // these are there
      if (rejects !== undefined) await readAside(files, paths.rejects(number), known.aside)
    },
    abandon: out.abandon,
  }
}
