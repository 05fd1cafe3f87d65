/** Samples a run while it goes on: the base of the progress line, of `--progress json`, and of the report. */
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
import { countedInThisRun, type ExportCounters } from './ExportCounters.js'
import { NO_ACTIVITY, noteEvent, pausedAt, type StallReason, stallReasons } from './StallReason.js'
import { addSample, rowsPerSecond, type Throughput, timeLeft } from './Throughput.js'

// model

export interface ProgressSample {
  /** Since the run began. */
  readonly elapsedMs: number
  readonly counters: ExportCounters
  /** Over the last seconds. */
  readonly rowsPerSecond: number
  /** Left out when there is too little to compute it from. */
  readonly msLeft?: number
  /** Used part of the rate limit that is used most, 0 to 1; left out when there is none. */
  readonly quota?: number
  readonly scheduler: SchedulerState
  /** Requests that wait for a fault to pass; they are in no queue of the scheduler. */
  readonly paused: number
  /** The gravest first. */
  readonly stallReasons: ReadonlyArray<StallReason>
}

export interface MonitoredRun {
  readonly client: Pick<Client, 'events' | 'scheduler'>
  readonly counters: IO<ExportCounters>
  readonly timer: SchedulerLike
  /** Concurrent requests, where they were given. */
  readonly parallel?: number | undefined
  /** False where rows are read and sent: then a pause between requests is no wait for a destination. Default true. */
  readonly writesRows?: boolean | undefined
}

/** Returns whether a run that writes no rows can wait for this: it has no destination, and `--parallel` does not change it. */
const isOfClient = ({ _tag }: StallReason): boolean => _tag !== 'Destination' && _tag !== 'Width'

export interface ProgressMonitor {
  /** Four a second until it is closed. */
  readonly samples: Observable<ProgressSample>
  /** Takes a sample, also after it is closed. */
  readonly current: IO<ProgressSample>
  readonly close: () => void
}

/** In ms. */
const SAMPLE_INTERVAL = 250

/** Samples of which the requests under way are the mean: those of three seconds. */
const RECENT = 12

/** Before a scheduler has published its state. */
const IDLE_SCHEDULER: SchedulerState = {
  waiting: 0,
  inFlight: 0,
  backingOff: 0,
  started: 0,
  refused: 0,
  tiers: [],
}

// constructors

/** Monitors a run that begins now. */
export const monitorProgress = ({
  client,
  counters,
  timer,
  parallel,
  writesRows = true,
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
    const reasons = stallReasons(activity, scheduler, now, { given: parallel, underWay })
    return {
      elapsedMs,
      counters: counted,
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

/** Returns the used part of the rate limit that is used most: 0 to 1, `undefined` where nothing is limited. */
const quotaOf = ({ tiers }: SchedulerState): number | undefined => {
  const shares = tiers.filter(isRate).map(({ share }) => share)
  return shares.length === 0 ? undefined : Math.max(...shares)
}

export const isRate = ({ kind, limit }: TierSnapshot): boolean =>
  kind === 'rate' && limit < Number.POSITIVE_INFINITY
