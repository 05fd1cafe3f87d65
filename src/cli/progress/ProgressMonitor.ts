/** Samples a run in progress, for the progress line and for `--progress json`. */
import {
  interval,
  map,
  type Observable,
  type SchedulerLike,
  Subject,
  Subscription,
  share,
  takeUntil,
  tap,
} from 'rxjs'
import type { Client } from '../../client/createClient.js'
import { type IO, withoutUndefined } from '../../fp.js'
import type { SchedulerState, TierSnapshot } from '../../scheduler/index.js'
import { countedInThisRun, type ExportCounters, NO_COUNTERS } from './ExportCounters.js'
import { NO_ACTIVITY, noteEvent, pausedAt, type StallReason, stallReasons } from './StallReason.js'
import { addSample, rowsPerSecond, type Throughput, timeLeft } from './Throughput.js'

export interface ProgressSample {
  readonly elapsedMs: number
  readonly counters: ExportCounters
  /** True if no row has arrived yet. */
  readonly isCounting: boolean
  /** Rows per second over the last seconds. */
  readonly rowsPerSecond: number
  /** Estimated time left; absent if there is too little data. */
  readonly msLeft?: number
  /** Used share of the rate limit that is used most, 0 to 1; absent without limits. */
  readonly quota?: number
  readonly scheduler: SchedulerState
  /** Requests that wait for a retry after a fault. They are not in a queue of the scheduler. */
  readonly paused: number
  /** Reasons for a stall, most severe first. */
  readonly stallReasons: ReadonlyArray<StallReason>
}

export interface MonitoredRun {
  readonly client: Pick<Client, 'events' | 'scheduler'>
  readonly counters: IO<ExportCounters>
  readonly timer: SchedulerLike
  readonly parallel?: number | undefined
  /** False if rows are read from a file and sent: a pause is then not a wait for a destination. Default true. */
  readonly writesRows?: boolean | undefined
  /** True if rows are written to a local disk, which may be slow for short periods. Default false. */
  readonly isOnDisk?: boolean | undefined
}

/** Returns true if the reason applies to a run that writes no rows. Such a run has no destination and no `--parallel`. */
const isOfClient = ({ _tag }: StallReason): boolean => _tag !== 'Destination' && _tag !== 'Width'

export interface ProgressMonitor {
  /** Emits four samples per second until closed. */
  readonly samples: Observable<ProgressSample>
  /** Takes a sample, even after closing. */
  readonly current: IO<ProgressSample>
  readonly close: () => void
}

/** Interval between samples, in ms. */
const SAMPLE_INTERVAL = 250

/** Number of samples (three seconds) over which the requests in flight are averaged. */
const RECENT = 12

/** State until the scheduler has published one. */
const IDLE_SCHEDULER: SchedulerState = {
  waiting: 0,
  inFlight: 0,
  backingOff: 0,
  started: 0,
  refused: 0,
  waitingKeys: 0,
  waitingByKey: [],
  tiers: [],
}

export const IDLE_SAMPLE: ProgressSample = {
  ...{ elapsedMs: 0, rowsPerSecond: 0, paused: 0, isCounting: true },
  ...{ counters: NO_COUNTERS, scheduler: IDLE_SCHEDULER, stallReasons: [] },
}

/** Monitors a run that starts now. */
export const monitorProgress = ({
  client,
  counters,
  timer,
  parallel,
  writesRows = true,
  isOnDisk,
}: MonitoredRun): ProgressMonitor => {
  const started = timer.now()
  let activity = NO_ACTIVITY
  let throughput: Throughput = [{ at: 0, rows: 0 }]
  let scheduler = IDLE_SCHEDULER
  let inFlight: ReadonlyArray<number> = []

  const closed = new Subject<void>()
  const watching = new Subscription(() => closed.next())
  watching.add(
    client.events.subscribe((event) => {
      activity = noteEvent(event, timer.now())(activity)
    }),
  )
  watching.add(
    client.scheduler.state.subscribe((state) => {
      scheduler = state
    }),
  )

  const current = (): ProgressSample => {
    const now = timer.now()
    const elapsedMs = now - started
    const counted = counters()
    const { rows, rejects } = countedInThisRun(counted)
    const { share } = counted
    const underWay = inFlight.reduce((sum, n) => sum + n, 0) / RECENT
    throughput = addSample({ at: elapsedMs, rows: rows + rejects, ...withoutUndefined({ share }) })(
      throughput,
    )
    const reasons = stallReasons(activity, scheduler, now, { given: parallel, underWay }, isOnDisk)
    return {
      elapsedMs,
      counters: counted,
      isCounting: writesRows && counted.pages === 0 && !counted.ended,
      rowsPerSecond: rowsPerSecond(throughput),
      ...withoutUndefined({ msLeft: timeLeft(throughput), quota: quotaOf(scheduler) }),
      scheduler,
      paused: pausedAt(activity, now).length,
      stallReasons: writesRows ? reasons : reasons.filter(isOfClient),
    }
  }

  return {
    samples: interval(SAMPLE_INTERVAL, timer).pipe(
      tap(() => {
        inFlight = [...inFlight, scheduler.inFlight].slice(-RECENT)
      }),
      map(current),
      takeUntil(closed),
      share(),
    ),
    current,
    close: () => watching.unsubscribe(),
  }
}

/** Returns the used share of the rate limit that is used most, 0 to 1; `undefined` without limits. */
const quotaOf = ({ tiers }: SchedulerState): number | undefined => {
  const shares = tiers.filter(isRate).map(({ share }) => share)
  return shares.length === 0 ? undefined : Math.max(...shares)
}

const isRate = ({ kind, limit }: TierSnapshot): boolean =>
  kind === 'rate' && limit < Number.POSITIVE_INFINITY
