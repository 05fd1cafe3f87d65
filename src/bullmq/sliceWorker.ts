/** A worker that exports the slices of a queue, until it is stopped. */
import {
  type ConnectionOptions,
  DelayedError,
  type Job,
  UnrecoverableError,
  WaitingError,
  Worker,
} from 'bullmq'
import {
  asyncScheduler,
  timer as delay,
  exhaustMap,
  firstValueFrom,
  interval,
  lastValueFrom,
  NEVER,
  Observable,
  ReplaySubject,
  race,
  retry,
  type SchedulerLike,
  take,
  tap,
} from 'rxjs'
import { exportError } from '../export/ExportError.js'
import {
  type ExportEvent,
  type ExportSliceOptions,
  exportSlice,
  isExportError,
  isRetryable,
  type PlannedSlice,
  type SliceClient,
} from '../export/index.js'
import { accountHash } from '../export/transfer/ExportSpec.js'
import { E, withoutUndefined } from '../fp.js'
import type { AnyFailure } from '../http/Failure.js'
import { checkOptions, is, type OptionsTable, required } from '../options/index.js'
import { later } from '../stream/later.js'
import { RedisWatch } from './RedisWatch.js'
import { allowRule, isAllowed, jobOf } from './sliceJobData.js'
import { prefixOf, QUEUE, type SliceJob, type SliceProgress } from './sliceQueue.js'

// model

/** Options of `sliceWorker`. */
export interface SliceWorkerOptions<A>
  extends Pick<ExportSliceOptions, 'parallel' | 'lease' | 'stop' | 'timer' | 'env' | 'account'> {
  /** The client that reads the slices. It takes jobs of its own account only. */
  readonly payments: SliceClient<A>
  /** A client of ioredis or node-redis, or how to connect, such as `{ url: 'redis://HOST' }`. */
  readonly connection: ConnectionOptions
  /**
   * Folders and `s3://` prefixes, each with a slash at its end, that jobs may write into: whatever can write to that Redis
   * can name one.
   */
  readonly allow: ReadonlyArray<string>
  /**
   * Called within five seconds with why Redis is waited for, in its own words; once for each reason, and when it answers again.
   * Default: `console.warn`.
   */
  readonly onWait?: ((message: string) => void) | undefined
  /** Slices at a time. Default 1. */
  readonly concurrency?: number | undefined
}

/** The progress of a slice. */
export interface SliceWorkerEvent {
  /** The folder that it goes into. */
  readonly out: string
  /** The slice. */
  readonly slice: PlannedSlice
  /** How far it is, or why it failed. */
  readonly event: ExportEvent
}

const rules: OptionsTable<SliceWorkerOptions<never>> = {
  payments: required(is.object('a client')),
  connection: required(is.object('a client of Redis, or how to connect')),
  allow: required(allowRule),
  onWait: is.fn(),
  concurrency: is.int(1),
  parallel: is.positiveIntOrInfinity,
  lease: is.int(1_000, 600_000),
  stop: is.withMethods('an Observable', 'pipe'),
  timer: is.rxScheduler(),
  env: is.object('variables by their names'),
  account: is.nonEmptyString,
}

/**
 * Time until a worker that is not heard of is replaced, in ms. Half of it is the lock of the job, after which the queue
 * gives it away; half is the lease of the slice, which the next worker watches.
 */
const LEASE = 15_000

/** Redis takes whole milliseconds. */
const part = (ms: number, parts: number): number => Math.ceil(ms / parts)

/** A slice is given back in less, unless Redis does not answer, in ms. */
const CLOSED_WITHIN = 8_000

/** Between two looks at Redis, in ms. */
const PING_EVERY = 1_500

/** Between two reports of progress, in ms. */
const REPORT_EVERY = 500

/** A worker that dies is no fault of its slice. */
const ANY_NUMBER = 1_000_000

/** Unless so many were lost, one after the other, and it came no further. */
const MOST_STALLS = 3

// constructors

/**
 * Exports slices that `exportWithWorkers` queued, one after the other, and emits how far each is. Cold: a subscription is
 * a worker. `stop` commits what was read, gives the slice back, and completes; so does unsubscribing, without an event.
 * Throws an `InvalidOption` at once for an option that cannot work.
 */
export const sliceWorker = <A>(given: SliceWorkerOptions<A>): Observable<SliceWorkerEvent> => {
  const options = checkOptions(given, rules)
  const { payments, connection, allow, concurrency = 1, lease = LEASE, stop = NEVER } = options
  const { timer = asyncScheduler } = options
  const { account } = options
  const half = part(lease, 2)
  const prefix = prefixOf(accountHash(payments.charges.snapshot({} as never).describe(), account))
  return new Observable((subscriber) => {
    const watch = new RedisWatch({ onWait: options.onWait, timer })
    const stopping = new ReplaySubject<unknown>(1) // also for a job that is fetched just then
    const work = async (job: Job<SliceJob>, token?: string): Promise<Partial<SliceProgress>> => {
      const read = jobOf(job.data)
      if (E.isLeft(read)) throw new UnrecoverableError(read.left)
      const { out, slice, maxRejects, stalls = 0 } = read.right
      if (job.stalledCounter - stalls >= MOST_STALLS) {
        const why = `${MOST_STALLS} workers were lost with it, one after the other, and it came no further`
        throw new UnrecoverableError(why)
      }
      const goesOn = (): void => {
        if (job.stalledCounter === (job.data.stalls ?? 0)) return
        const data = { ...job.data, stalls: job.stalledCounter }
        job.updateData(data).catch((error) => watch.failed(error)) // the next page does
      }
      if (!(await isAllowed(allow, out))) {
        const why = `${out} is not within what the worker allows: add it to allow (--allow) if it should be`
        const refused = exportError('UnusablePath', why, { path: out })
        subscriber.next({ out, slice, event: E.left(refused) })
        throw new UnrecoverableError(refused.message)
      }
      const report = reporter(job, timer, watch)
      const event = await lastValueFrom(
        exportSlice(payments, slice, {
          ...withoutUndefined({ ...pick(options), maxRejects }),
          ...{ out, timer, lease: half },
          stop: stopping,
        }).pipe(
          tap((event) => {
            subscriber.next({ out, slice, event })
            report(event)
            if (E.isRight(event) && event.right.pages > 0) goesOn()
          }),
        ),
      )
      if (E.isLeft(event)) return failed(job, event.left, timer.now() + half, token)
      const { ended, rows, rejects, pages } = event.right
      if (ended) return { rows, rejects, pages }
      await job.moveToWait(token)
      throw new WaitingError()
    }
    const worker = new Worker<SliceJob>(QUEUE, work, {
      ...{ connection, prefix, concurrency },
      lockDuration: half,
      stalledInterval: part(half, 3),
      maxStalledCount: ANY_NUMBER,
    })
    worker.on('error', (error) => watch.failed(error)) // a Redis that is gone comes back
    worker.on('active', () => watch.answered(true))
    // what it waits for at Redis has no end of its own
    const heartbeats = interval(PING_EVERY, timer)
      .pipe(
        exhaustMap(() =>
          watch.watched(async () => (await worker.backend.client).llen(worker.toKey('wait'))),
        ),
      )
      .pipe(retry({ delay: () => delay(PING_EVERY, timer) }))
      .subscribe(() => watch.answered(false))
    // without Redis, or with one that does not answer, it is closed as well
    const close = () =>
      firstValueFrom(
        race(
          worker.close().catch(() => {}),
          later(CLOSED_WITHIN, timer),
        ),
      )
    const stopped = stop.pipe(take(1)).subscribe((signal) => {
      stopping.next(signal)
      void close().then(() => subscriber.complete())
    })
    return () => {
      heartbeats.unsubscribe()
      stopped.unsubscribe()
      stopping.next(undefined)
      void close()
    }
  })
}

const pick = <A>({ parallel, env, account }: SliceWorkerOptions<A>) => ({ parallel, env, account })

/** Returns a reporter of progress to the queue. */
const reporter = (job: Job<SliceJob>, timer: SchedulerLike, watch: RedisWatch) => {
  let reported = Number.NEGATIVE_INFINITY
  return (event: ExportEvent): void => {
    if (E.isLeft(event) || timer.now() - reported < REPORT_EVERY) return
    reported = timer.now()
    const { rows, rejects, pages, next } = event.right
    const progress: SliceProgress = { rows, rejects, pages, ...withoutUndefined({ next }) }
    job.updateProgress({ ...progress }).catch((error) => watch.failed(error)) // the next report says it
  }
}

/** Decides whether a failed slice is tried again, and tells the queue. */
const failed = async (
  job: Job<SliceJob>,
  error: Extract<ExportEvent, { _tag: 'Left' }>['left'],
  later: number,
  token: string | undefined,
): Promise<never> => {
  if (error._tag === 'Locked') {
    await job.moveToDelayed(later, token) // another worker has it, or had it until now
    throw new DelayedError()
  }
  throw isFinal(error) ? new UnrecoverableError(error.message) : new Error(error.message)
}

/** Returns whether another attempt fails as well. */
const isFinal = (error: Extract<ExportEvent, { _tag: 'Left' }>['left'] | AnyFailure): boolean =>
  isExportError(error) ? !isRetryable(error) : error._tag === 'InvalidRequest'
