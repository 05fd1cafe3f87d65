/** Takes readings of a run while it goes on. */
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
import type { Client } from '../../client.js'
import { defined, type IO } from '../../fp.js'
import type { SchedulerState, TierSnapshot } from '../../scheduler/index.js'
import { fresh, type Meter } from '../Meter.js'
import { IDLE, noted, pausing } from './Activity.js'
import { type Pace, rowsPerSecond, sampled, timeLeft } from './Pace.js'
import type { Reading } from './Reading.js'
import { waits } from './Wait.js'

// model

/** What readings are taken of. */
export interface Watched {
  readonly client: Pick<Client, 'events' | 'scheduler'>
  readonly meter: IO<Meter>
  readonly timer: SchedulerLike
}

/** Readings of a run, until it is closed. */
export interface Watch {
  /** As often as a scheduler shows itself. */
  readonly readings: Observable<Reading>
  /** Also when it is closed. */
  readonly now: IO<Reading>
  /** Ends `readings`: nothing is left that keeps a process alive. */
  readonly close: () => void
}

// constructors

/** From one reading to the next, in ms. */
const EVERY = 250

/** Watches a run from now on. */
export const watch = ({ client, meter, timer }: Watched): Watch => {
  const started = timer.now()
  let activity = IDLE
  let pace: Pace = [{ at: 0, rows: 0 }]
  let scheduler: SchedulerState = NOTHING

  const closed = new Subject<void>()
  const watching = new Subscription(() => closed.next())
  watching.add(
    client.events.subscribe((event) => {
      activity = noted(event, timer.now())(activity)
    }),
  )
  watching.add(
    client.scheduler.state.subscribe((state) => {
      scheduler = state
    }),
  )

  const read = (): Reading => {
    const now = timer.now()
    const at = now - started
    const counted = meter()
    const { rows, rejects } = fresh(counted)
    const { share } = counted.coverage
    pace = sampled({ at, rows: rows + rejects, ...defined({ share }) })(pace)
    const msLeft = timeLeft(pace)
    const rates = scheduler.tiers.filter(isRate)
    return {
      ms: at,
      meter: counted,
      rowsPerSecond: rowsPerSecond(pace),
      ...defined({ msLeft }),
      ...(rates.length === 0 ? {} : { quota: Math.max(...rates.map(({ share }) => share)) }),
      scheduler,
      pauses: pausing(activity, now).length,
      waits: waits(activity, scheduler, now),
    }
  }

  return {
    readings: interval(EVERY, timer).pipe(map(read), takeUntil(closed), share()),
    now: read,
    close: () => watching.unsubscribe(),
  }
}

/** Of a scheduler, before it shows itself. */
const NOTHING: SchedulerState = {
  waiting: 0,
  inFlight: 0,
  backingOff: 0,
  started: 0,
  refused: 0,
  tiers: [],
}

const isRate = ({ kind, limit }: TierSnapshot): boolean =>
  kind === 'rate' && limit < Number.POSITIVE_INFINITY
