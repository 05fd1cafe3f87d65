/** One run of a client: warm up, find the width, measure, and try the width that would be better. */
import {
  BehaviorSubject,
  concat,
  defer,
  filter,
  finalize,
  firstValueFrom,
  ignoreElements,
  interval,
  map,
  merge,
  mergeMap,
  type Observable,
  of,
  repeat,
  type SchedulerLike,
  Subject,
  switchMap,
  take,
  takeUntil,
  takeWhile,
  tap,
} from 'rxjs'
import type { Client } from '../client/createClient.js'
import { widthFor } from '../client/measuredWidth.js'
import type { ExportError } from '../export/index.js'
import { E } from '../fp.js'
import type { AnyFailure } from '../http/Failure.js'
import type { Millis } from '../stream/index.js'
import { later } from '../stream/later.js'
import type { BenchResult, Ceiling } from './BenchResult.js'
import type { Measurement } from './measure.js'
import { type Lowered, verdictOf } from './verdict.js'
import type { Work } from './workload.js'

// model

/** Limits of a client, after its share. */
export interface RunLimits {
  readonly ceiling: Ceiling
  readonly concurrency: number
}

export interface RunOptions {
  readonly client: Client
  readonly work: Work
  readonly limits: RunLimits
  readonly duration: Millis
  /** Concurrent requests; found from the round trips if left out. */
  readonly parallel?: number | undefined
  /** Does the work in place of units, for all of the duration. Completes, or emits why it failed. */
  readonly instead?: ((addRows: (rows: number) => void) => Observable<BenchFailure>) | undefined
  readonly timer: SchedulerLike
  /** Has counted what was requested to prepare the work. */
  readonly measurement: Measurement
}

/** How far a run is. Rates are of the measured time. */
export interface RunProgress {
  readonly elapsed: Millis
  readonly rows: number
  readonly rowsPerSecond: number
  readonly requestsPerSecond: number
  readonly refused: number
  readonly width: number
}

/** Figures of a run alone. */
export type Ran = Omit<
  BenchResult,
  'workload' | 'target' | 'environment' | 'began' | 'contenders' | 'arrivals' | 'machine'
>

export type BenchFailure = AnyFailure | ExportError

/** Progress; last, the figures, or why there are none. */
export type RunEvent = E.Either<BenchFailure, RunProgress | Ran>

/** The width before an answer has come. */
const FIRST_WIDTH = 8
/** Part of a run that is not measured, and its bounds. */
const WARM_UP = { part: 0.1, least: 500, most: 5_000 }
/** How often the width is adapted meanwhile. */
const STEPS = 6
/** Part of a run after which another width is tried, if the width is the bound. */
const MAIN = 2 / 3

const TICK: Millis = 250

/** Widest that is tried where the service sets no bound. */
const MOST = 100

// functions

/** Returns the limits that bind work, as a scheduler was given them. */
export const limitsOf = async (
  client: Client,
  work: Pick<Work, 'endpoints'>,
): Promise<RunLimits> => {
  const { tiers } = await firstValueFrom(client.scheduler.state)
  const limit = (name: string): number =>
    tiers.find((tier) => tier.name === name)?.limit ?? Number.POSITIVE_INFINITY
  const ofEndpoints = limit('endpoint') * work.endpoints
  const ceiling: Ceiling =
    ofEndpoints <= limit('global')
      ? { name: 'endpoint', perSecond: ofEndpoints }
      : { name: 'global', perSecond: limit('global') }
  return { ceiling, concurrency: limit('concurrency') }
}

/** Runs work for `duration`, and emits its result. Cold; unsubscribing aborts what is under way. */
export const run = (options: RunOptions): Observable<RunEvent> =>
  defer(() => {
    const { client, work, limits, duration, parallel, instead, timer, measurement } = options
    const { ceiling, concurrency } = limits
    const warmUp = Math.min(WARM_UP.most, Math.max(WARM_UP.least, duration * WARM_UP.part))
    const main = (duration - warmUp) * MAIN
    const width = new BehaviorSubject(Math.min(parallel ?? FIRST_WIDTH, concurrency))
    const start = () => measurement.start(ceiling.perSecond)
    let hasSucceeded = false
    let first: Ran | undefined
    let lowered: Lowered | undefined
    start()

    const listening = client.events.subscribe((event) => {
      // pages of an export are units when they are answered
      if (instead !== undefined && event._tag === 'Answered' && event.status === 200) {
        measurement.unitDone()
      }
      if (event._tag === 'LimitChanged' && event.tier === ceiling.name) {
        lowered = event.allowed < event.limit ? event : undefined
      }
    })

    /** Counts a unit. Returns a failure before any success: without answers, there is nothing to measure. */
    const count = (result: E.Either<AnyFailure, number>): ReadonlyArray<BenchFailure> => {
      if (E.isLeft(result)) {
        measurement.callFailed()
        return hasSucceeded ? [] : [result.left]
      }
      hasSucceeded = true
      measurement.addRows(result.right)
      measurement.unitDone()
      return []
    }

    /**
     * Lets as many requests be under way as the last round trips ask for. No more where requests wait for the limit
     * already: they would only lengthen each other's round trips.
     */
    const adapt = (): void => {
      const { meanAnswer, waiting } = measurement.measured()
      if (parallel !== undefined || meanAnswer === 0) return
      const wanted = widthFor(ceiling.perSecond, meanAnswer, concurrency)
      width.next(waiting >= 1 ? Math.min(wanted, width.value) : wanted)
      start()
    }

    /** Goes on with the best width, if the present one is the bound. */
    const tryBetter = (): void => {
      const ran = ranOf(measurement, width.value, lowered, options)
      if (ran.boundBy !== 'width' || instead !== undefined) return
      first = ran
      start()
      width.next(ran.bestWidth.width)
    }

    const wait = (ms: Millis, then: () => void): Observable<never> =>
      later(ms, timer).pipe(tap(then), ignoreElements())
    const units =
      instead === undefined
        ? pool(work.next, width, Math.min(concurrency, MOST)).pipe(mergeMap(count))
        : instead((rows) => measurement.addRows(rows))
    const working = merge(
      units,
      concat(
        ...Array.from({ length: STEPS }, () => wait(warmUp / STEPS, adapt)),
        wait(0, start),
        wait(main, tryBetter),
        wait(duration - warmUp - main, () => width.complete()),
      ),
    )

    const over = new Subject<void>()
    const progress = interval(TICK, timer).pipe(
      takeUntil(over),
      map(() => E.right(progressOf(measurement, width.value))),
    )
    const failures = working.pipe(
      map((failure) => E.left(failure)),
      tap({ complete: () => over.next() }),
    )
    const result = defer(() => {
      const ran = ranOf(measurement, width.value, lowered, options)
      return of(E.right(first === undefined ? ran : withBetter(first, ran)))
    })
    const events: Observable<RunEvent> = concat(merge(failures, progress), work.cleanUp, result)
    return events.pipe(
      takeWhile((event) => E.isRight(event), true),
      finalize(() => listening.unsubscribe()),
    )
  })

const progressOf = (measurement: Measurement, width: number): RunProgress => {
  measurement.sample()
  const { rows, rowsPerSecond, requestsPerSecond } = measurement.measured()
  const { refused } = measurement.summary()
  const { seconds } = measurement.totals()
  return { elapsed: seconds * 1_000, rows, rowsPerSecond, requestsPerSecond, refused, width }
}

const ranOf = (
  measurement: Measurement,
  width: number,
  lowered: Lowered | undefined,
  { parallel, work, limits: { ceiling, concurrency } }: RunOptions,
): Ran => {
  const measured = measurement.measured()
  const summary = measurement.summary()
  const { seconds, rows, requests, rowsPerSecond, requestsPerSecond, meanAnswer } = measured
  const { refused, failed } = summary
  const { unit } = work
  const verdict = verdictOf({
    ...{ measured, ceiling, width, concurrency, refused, failed, unit, lowered },
  })
  const best = widthFor(ceiling.perSecond, meanAnswer, concurrency)
  return {
    ...{ seconds, rows, requests, rowsPerSecond, requestsPerSecond, ceiling, width },
    ...verdict,
    ...summary,
    bestWidth:
      verdict.boundBy === 'width' || (parallel !== undefined && parallel !== best)
        ? { width: best, by: 'computed', share: null }
        : { width, by: 'run', share: verdict.share },
    cpuSecondsPerMillionRows: measured.cpuSecondsPerMillionRows,
    subRuns: measurement.subRuns(),
    total: measurement.totals(),
  }
}

/** Adds what the run with the best width reached. */
const withBetter = (first: Ran, second: Ran): Ran => ({
  ...first,
  bestWidth: { width: first.bestWidth.width, by: 'run', share: second.share },
  total: second.total,
})

/**
 * Subscribes to `unit` again and again, up to `width` at a time. A lower width aborts nothing: workers rest once
 * their unit is done. Completes when `width` has, and the last unit is done. `most` bounds the width.
 */
const pool = <A>(
  unit: Observable<A>,
  width: BehaviorSubject<number>,
  most: number,
): Observable<A> =>
  merge(
    ...Array.from({ length: most }, (_, worker) => {
      const isWanted = defer(() =>
        width.pipe(
          filter((wanted) => worker < wanted),
          take(1),
        ),
      )
      return isWanted.pipe(switchMap(() => unit.pipe(repeat({ delay: () => isWanted }))))
    }),
  )
