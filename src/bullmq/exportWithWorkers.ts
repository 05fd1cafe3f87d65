/** Gives the slices of a plan to workers, and waits for them. */
import { type ConnectionOptions, type Job, Queue } from 'bullmq'
import {
  asyncScheduler,
  concat,
  concatMap,
  defer,
  timer as delay,
  last,
  map,
  type Observable,
  of,
  repeat,
  retry,
  shareReplay,
  takeWhile,
} from 'rxjs'
import { exportError } from '../export/ExportError.js'
import {
  type AssembleOptions,
  assemble,
  type ExportEvent,
  type ExportProgress,
  type ExportSliceOptions,
  type Manifest,
  type ManifestRun,
  type PlannedSlice,
  type SlicePlan,
} from '../export/index.js'
import { NO_PROGRESS } from '../export/source/exportList.js'
import { bracket } from '../export/transfer/bracket.js'
import { E, withoutUndefined } from '../fp.js'
import { checkOptions, is, type OptionsTable, required } from '../options/index.js'
import type { SnapshotPosition } from '../stream/index.js'
import { isSnapshotPosition, wholeOf } from '../stream/snapshot/SnapshotPosition.js'
import { RedisWatch } from './RedisWatch.js'
import {
  JOB_OPTIONS,
  jobIdOf,
  prefixOf,
  QUEUE,
  type SliceJob,
  type SliceProgress,
} from './sliceQueue.js'

// model

/** Options of `exportWithWorkers`. */
export interface ExportWithWorkersOptions
  extends Pick<ExportSliceOptions, 'out' | 'maxRejects' | 'timer' | 'env' | 'lease'>,
    Pick<AssembleOptions, 'maxMissing'> {
  /** A client of ioredis or node-redis, or how to connect, such as `{ url: 'redis://HOST' }`. */
  readonly connection: ConnectionOptions
  /**
   * Called within five seconds with why Redis or the destination is waited for, in its own words; once for each reason, and
   * when it answers again.
   * Default: `console.warn`.
   */
  readonly onWait?: ((message: string) => void) | undefined
}

const rules: OptionsTable<ExportWithWorkersOptions> = {
  out: required(is.nonEmptyString),
  connection: required(is.object('a client of Redis, or how to connect')),
  maxRejects: is.nonNegativeIntOrInfinity,
  maxMissing: is.nonNegativeIntOrInfinity,
  timer: is.rxScheduler(),
  onWait: is.fn(),
  env: is.object('variables by their names'),
  lease: is.int(1_000, 600_000),
}

/** The state of a slice in the queue. */
interface SliceState extends SliceProgress {
  readonly slice: PlannedSlice
  readonly isDone: boolean
  /** Why its last attempt failed. */
  readonly failed?: string
}

/** Between two looks at the jobs, in ms. */
const LOOK_EVERY = 500

/** A manifest is written in less than so many looks. */
const ASSEMBLE_TRIES = 60

// constructors

/**
 * Adds a job for each slice of a plan, waits until workers have exported them, and assembles the manifest. Emits the
 * progress of all together, as `exportTo` does. A slice whose job is there already is joined, so that the call can be
 * made again after a crash; one whose job Redis has lost is added again. Unsubscribing leaves the jobs to the workers.
 * Throws an `InvalidOption` at once for an option that cannot work.
 */
export const exportWithWorkers = (
  plan: SlicePlan,
  given: ExportWithWorkersOptions,
): Observable<ExportEvent> => {
  const { connection, onWait, ...options } = checkOptions(given, rules)
  const { out, timer = asyncScheduler } = options
  const watch = new RedisWatch({ onWait, timer })
  const open = async () => {
    const queue = new Queue<SliceJob>(QUEUE, { connection, prefix: prefixOf(plan.spec.account) })
    queue.on('error', (error) => watch.failed(error))
    return queue
  }
  return bracket(open, (queue: Queue<SliceJob>) => queue.close())((queue) => {
    const add = (slice: PlannedSlice) =>
      queue.add(
        `${slice.number} of ${slice.of}`,
        { out, slice, ...withoutUndefined({ maxRejects: options.maxRejects }) },
        { ...JOB_OPTIONS, jobId: jobIdOf(slice) },
      )
    let states: ReadonlyArray<SliceState> = plan.slices.map(unknownState)
    const look = async (): Promise<ReadonlyArray<SliceState>> => {
      states = await Promise.all(
        states.map(async (state) => {
          if (isSettled(state)) return state
          const job = await queue.getJob(jobIdOf(state.slice))
          if (job !== undefined) return stateOf(state, job)
          await add(state.slice)
          return state
        }),
      )
      return states
    }
    const begin = async (): Promise<void> => {
      for (const slice of plan.slices) {
        const job = await queue.getJob(jobIdOf(slice))
        if (job !== undefined && (await isOver(job))) await job.remove() // it is looked at again
        await add(slice)
      }
    }
    const done = async <T>(work: () => Promise<T>): Promise<T> => {
      const result = await watch.watched(work)
      watch.answered(true)
      return result
    }
    // a Redis that is gone comes back
    const looks = defer(() => done(look).catch(() => states)).pipe(
      repeat({ delay: () => delay(LOOK_EVERY, timer) }),
      takeWhile((now) => !now.every(isSettled), true),
      shareReplay({ bufferSize: 1, refCount: true }),
    )
    const progress = looks.pipe(map((now): ExportEvent => E.right(progressOf(now))))
    const end = looks.pipe(
      last(),
      concatMap((now) => ended(plan, now, { ...options, onWait })),
    )
    const begun: ExportEvent = E.right({ ...NO_PROGRESS, begun: { resumed: false } })
    const beginning = defer(() => done(begin)).pipe(
      retry({ delay: () => delay(LOOK_EVERY, timer) }),
    )
    return concat(of(begun), beginning.pipe(concatMap(() => concat(progress, end))))
  })
}

// states

const unknownState = (slice: PlannedSlice): SliceState => ({
  ...{ slice, isDone: false, rows: 0, rejects: 0, pages: 0 },
  next: wholeOf(slice),
})

const isSettled = ({ isDone, failed }: SliceState): boolean => isDone || failed !== undefined

const isOver = async (job: Job<SliceJob>): Promise<boolean> =>
  ['completed', 'failed'].includes(await job.getState())

const stateOf = async (before: SliceState, job: Job<SliceJob>): Promise<SliceState> => {
  const { slice } = before
  const state = await job.getState()
  if (state === 'failed') return { ...before, failed: job.failedReason ?? 'it failed' }
  if (state !== 'completed') return { ...before, ...reported(job.progress) }
  const { next: _, ...rest } = { ...before, ...reported(job.returnvalue) }
  return { ...rest, slice, isDone: true }
}

/** Returns the progress that a worker reported, if it did. */
const reported = (u: unknown): Partial<SliceProgress> => {
  if (typeof u !== 'object' || u === null) return {}
  const { rows, rejects, pages, next }: { [Name in keyof SliceProgress]?: unknown } = u
  return {
    ...(typeof rows === 'number' ? { rows } : {}),
    ...(typeof rejects === 'number' ? { rejects } : {}),
    ...(typeof pages === 'number' ? { pages } : {}),
    ...(isSnapshotPosition(next) ? { next } : {}),
  }
}

const sum = (states: ReadonlyArray<SliceState>, count: (state: SliceState) => number): number =>
  states.reduce((total, state) => total + count(state), 0)

/** Adds up the progress of all slices. */
const progressOf = (states: ReadonlyArray<SliceState>): ExportProgress => ({
  rows: sum(states, ({ rows }) => rows),
  rejects: sum(states, ({ rejects }) => rejects),
  pages: sum(states, ({ pages }) => pages),
  ended: false,
  ...withoutUndefined({ next: restOf(states) }),
})

/** Returns what is left of all slices, as the position of one snapshot. */
const restOf = (states: ReadonlyArray<SliceState>): SnapshotPosition | undefined => {
  const open = states.flatMap(({ next }) => (isSnapshotPosition(next) ? next.slices : []))
  const [first, end] = [states[0]?.slice, states.at(-1)?.slice]
  if (first === undefined || end === undefined || open.length === 0) return undefined
  const slices = open.map((slice, i) => ({ ...slice, number: i + 1 }))
  return { from: first.from, to: end.to, slices, cut: slices.length }
}

// the end

const ended = (
  plan: SlicePlan,
  states: ReadonlyArray<SliceState>,
  { out, ...options }: Omit<ExportWithWorkersOptions, 'connection'>,
): Observable<ExportEvent> => {
  const failed = states.filter((state) => state.failed !== undefined)
  if (failed.length > 0) {
    const why = failed.map(({ slice, failed }) => `slice ${slice.number} of ${slice.of}: ${failed}`)
    const missing = failed.map(({ slice }) => slice.number)
    const details = { path: out, missing, foreign: [], overlapping: [] }
    return of(E.left(exportError('NotAssembled', `workers failed: ${why.join('; ')}`, details)))
  }
  const { timer, env, lease, maxMissing, onWait } = options
  const how = withoutUndefined({ timer, env, lease, maxMissing, onWait })
  return assembled(plan, { out, ...how }).pipe(
    map(
      E.map((manifest): ExportProgress => {
        const run = wholeRun(manifest)
        const { rows, rejects } = run
        return { rows, rejects, pages: sum(states, ({ pages }) => pages), ended: true, run }
      }),
    ),
  )
}

/** Assembles, after another command that waits for the same slices is done with that. */
const assembled = (
  plan: SlicePlan,
  options: Parameters<typeof assemble>[1],
  tries = ASSEMBLE_TRIES,
): ReturnType<typeof assemble> =>
  assemble(plan, options).pipe(
    concatMap((manifest) =>
      E.isLeft(manifest) && manifest.left._tag === 'Locked' && tries > 1
        ? delay(LOOK_EVERY, options.timer ?? asyncScheduler).pipe(
            concatMap(() => assembled(plan, options, tries - 1)),
          )
        : of(manifest),
    ),
  )

/** Adds up the runs of all slices. */
const wholeRun = ({ runs }: Manifest): ManifestRun => {
  const [first] = runs
  if (first === undefined) throw new Error('a plan has at least one slice')
  const total = (count: (run: ManifestRun) => number | undefined): number =>
    runs.reduce((all, run) => all + (count(run) ?? 0), 0)
  const finished = runs.map((run) => run.finished).sort()
  const started = runs.map((run) => run.started).sort()
  const { bounds: _, rejected: __, quota: ___, ms: ____, ...rest } = first
  return {
    ...rest,
    complete: runs.every(({ complete }) => complete),
    missing: runs.flatMap(({ missing }) => missing),
    started: started[0] ?? first.started,
    finished: finished.at(-1) ?? first.finished,
    rows: total(({ rows }) => rows),
    rejects: total(({ rejects }) => rejects),
    requests: total(({ requests }) => requests),
    refused: total(({ refused }) => refused),
    starts: total(({ starts }) => starts),
    slices: runs.flatMap(({ slices }) => slices),
    drift: runs.flatMap(({ drift }) => drift),
    files: runs.flatMap(({ files }) => files),
  }
}
