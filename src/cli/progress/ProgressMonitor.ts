/** Takes samples of a run while it goes on. */
import {
  interval,
  map,
  type Observable,
  type SchedulerLike,
  Subject,
  Subscription,
  share,
  takeUntil,
} from 'rxjs'
import type { Client } from '../../client/createClient.js'
import { defined, type IO } from '../../fp.js'
import type { SchedulerState, TierSnapshot } from '../../scheduler/index.js'
import { countedInThisRun, type ExportCounters } from '../ExportCounters.js'
import { NO_ACTIVITY, noteEvent, pausedAt } from './ClientActivity.js'
import type { ProgressSample } from './ProgressSample.js'
import { stallReasons } from './StallReason.js'
import { addSample, rowsPerSecond, type Throughput, timeLeft } from './Throughput.js'

// model

/** What samples are taken of. */
export interface MonitoredRun {
  readonly client: Pick<Client, 'events' | 'scheduler'>
  readonly counters: IO<ExportCounters>
  readonly timer: SchedulerLike
}

/** Readings of a run, until it is closed. */
export interface ProgressMonitor {
  /** As often as a scheduler shows itself. */
  readonly samples: Observable<ProgressSample>
  /** Also when it is closed. */
  readonly current: IO<ProgressSample>
  /** Ends `samples`: nothing is left that keeps a process alive. */
  readonly close: () => void
}

// constructors

/** From one sample to the next, in ms. */
const SAMPLE_INTERVAL = 250

/** Watches a run from now on. */
export const monitorProgress = ({ client, counters, timer }: MonitoredRun): ProgressMonitor => {
  const started = timer.now()
  let activity = NO_ACTIVITY
  let pace: Throughput = [{ at: 0, rows: 0 }]
  let scheduler: SchedulerState = IDLE_SCHEDULER

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

  const read = (): ProgressSample => {
    const now = timer.now()
    const at = now - started
    const counted = counters()
    const { rows, rejects } = countedInThisRun(counted)
    const { share } = counted.estimate
    pace = addSample({ at, rows: rows + rejects, ...defined({ share }) })(pace)
    const msLeft = timeLeft(pace)
    const rates = scheduler.tiers.filter(isRate)
    return {
      elapsedMs: at,
      counters: counted,
      rowsPerSecond: rowsPerSecond(pace),
      ...defined({ msLeft }),
      ...(rates.length === 0 ? {} : { quota: Math.max(...rates.map(({ share }) => share)) }),
      scheduler,
      paused: pausedAt(activity, now).length,
      stallReasons: stallReasons(activity, scheduler, now),
    }
  }

  return {
    samples: interval(SAMPLE_INTERVAL, timer).pipe(map(read), takeUntil(closed), share()),
    current: read,
    close: () => watching.unsubscribe(),
  }
}

/** Of a scheduler, before it shows itself. */
const IDLE_SCHEDULER: SchedulerState = {
  waiting: 0,
  inFlight: 0,
  backingOff: 0,
  started: 0,
  refused: 0,
  tiers: [],
}

const isRate = ({ kind, limit }: TierSnapshot): boolean =>
  kind === 'rate' && limit < Number.POSITIVE_INFINITY
