/** One run of a client. It warms up, measures, and tries another concurrency if the current one may be the limit. */
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
  skip,
  switchMap,
  take,
  takeUntil,
  takeWhile,
  tap,
} from 'rxjs'
import { login } from '../api/authentication.js'
import type { Client } from '../client/createClient.js'
import { BUSY, FULL, measuredWidth, widthFor } from '../client/measuredWidth.js'
import type { ExportError } from '../export/index.js'
import { E } from '../fp.js'
import type { AnyFailure } from '../http/Failure.js'
import type { Millis } from '../stream/index.js'
import { later } from '../stream/later.js'
import type { BenchResult, Ceiling } from './BenchResult.js'
import type { Measurement } from './measure.js'
import { type Case, type Lowered, verdictOf } from './verdict.js'
import type { Work } from './workload.js'

/** Limits of a client, after applying its share. */
export interface RunLimits {
  readonly ceiling: Ceiling
  readonly concurrency: number
}

export interface RunOptions {
  readonly client: Client
  readonly work: Work
  readonly limits: RunLimits
  readonly duration: Millis
  /** Concurrent requests; derived from round trips if absent. */
  readonly parallel?: number | undefined
  /** Replaces the units: does the work for the whole duration. Completes, or emits the reason why it failed. */
  readonly instead?: ((addRows: (rows: number) => void) => Observable<BenchFailure>) | undefined
  readonly timer: SchedulerLike
  /** The measurement. It has already counted the requests that prepared the work. */
  readonly measurement: Measurement
}

/** Progress of a run. Rates refer to the measured time. */
export interface RunProgress {
  /** Time since its start, in ms. */
  readonly elapsed: Millis
  /** Rows read or written so far. */
  readonly rows: number
  /** Rows per second. */
  readonly rowsPerSecond: number
  /** Requests per second. */
  readonly requestsPerSecond: number
  /** Requests refused because of limits (429). */
  readonly refused: number
  /** Concurrent requests. */
  readonly width: number
}

interface Main {
  readonly one: Case
  readonly figures: ReturnType<typeof figuresOf>
}

/** Figures that come from the run alone. */
export type Ran = Omit<
  BenchResult,
  'workload' | 'target' | 'environment' | 'began' | 'peers' | 'arrivals' | 'machine'
>

/** Why there is no result: a failed call or export. */
export type BenchFailure = AnyFailure | ExportError

/** Progress or, as the last event, the figures or the failure. */
export type RunEvent = E.Either<BenchFailure, RunProgress | Ran>

/** Share of a run that is not measured, and its bounds in ms. */
const WARM_UP = { part: 0.1, least: 500, most: 5_000 }
/** Share of a run after which another concurrency is tried if the current one may be the limit. */
const MAIN = 2 / 3
/** Share of the concurrent requests that is tried if the service does not allow more. */
const FEWER = 2 / 3

const TICK: Millis = 250

/** Maximum concurrency that is tried if the service sets no limit. */
const MOST = 100

/** Returns the limits of the scheduler that apply to the work. */
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

/** Runs work for `duration`, and emits the result. Cold. Unsubscribing aborts requests in flight. */
export const run = (options: RunOptions): Observable<RunEvent> =>
  defer(() => {
    const { client, work, duration, parallel, instead, timer, measurement } = options
    const { ceiling, concurrency } = options.limits
    const warmUp = Math.min(WARM_UP.most, Math.max(WARM_UP.least, duration * WARM_UP.part))
    const mainTime = (duration - warmUp) * MAIN
    const most = Math.min(concurrency, MOST)
    const width = new BehaviorSubject(parallel === undefined ? 1 : Math.min(parallel, most))
    let widths: ReadonlyArray<number> = [] // samples since the start, one per tick
    const start = () => {
      measurement.start(ceiling.perSecond)
      widths = []
    }
    const limits = { global: ceiling.perSecond, endpoint: ceiling.perSecond, concurrency: most }
    let hasSucceeded = false
    let main: Main | undefined
    let lowered: Lowered | undefined
    const called = new Set<string>() // endpoints
    const refusedAt = new Set<string>()
    let enough: number | undefined
    start()

    const listening = client.events.subscribe((event) => {
      // the pages of an export count as units once they are received
      if (instead !== undefined && event._tag === 'Answered' && event.status === 200) {
        measurement.unitDone()
      }
      if (event._tag === 'Answered') {
        called.add(event.endpoint)
        if (event.status === 429) refusedAt.add(event.endpoint)
      }
      if (event._tag === 'LimitChanged' && event.tier === ceiling.name) {
        lowered = event.allowed < event.limit ? event : undefined
      }
      if (event._tag === 'ConcurrencyFound' && parallel === undefined) {
        enough = event.isEnough ? event.requests : undefined
      }
    })
    if (parallel === undefined) {
      const events = client.events.pipe(
        filter((event) => !('endpoint' in event && event.endpoint === login.route)),
      )
      const found = measuredWidth({ events, limits: () => limits, now: () => timer.now() })
      // the first request is sent alone
      listening.add(found.pipe(skip(1)).subscribe((n) => main ?? width.next(n)))
    }

    /** Counts a unit. Returns a failure that precedes any success, because there is nothing to measure without responses. */
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

    const caseNow = (): Case => {
      const { refused, retries, failed } = measurement.summary()
      const { unit } = work
      const measured = measurement.measured()
      const sum = widths.reduce((sum, n) => sum + n, 0)
      const mean = widths.length === 0 ? width.value : Math.round(sum / widths.length)
      // refusals by a few of many endpoints do not show a lower global limit
      const isOfAll = ceiling.name !== 'global' || refusedAt.size > called.size / 2
      return {
        ...{ measured, ceiling, width: mean, enough, refused, retries, failed, unit },
        lowered: isOfAll ? lowered : undefined,
      }
    }

    /** Tries another concurrency if the current one may be the limit: a higher one, or a lower one if no more is allowed. */
    const tryAnother = (): void => {
      const one = caseNow()
      const { measured, width: value } = one
      const isBound = measured.underWay >= BUSY * value
      const isFull = measured.unitsPerSecond >= FULL * ceiling.perSecond
      if (!isBound || isFull || instead !== undefined) return
      const more = widthFor(ceiling.perSecond, measured.meanAnswer, most)
      const other = value >= most ? Math.floor(value * FEWER) : more
      if (other < 1 || (value < most && more <= value)) return
      main = { one, figures: figuresOf(measurement) }
      start()
      width.next(other)
    }

    const wait = (ms: Millis, then: () => void): Observable<never> =>
      later(ms, timer).pipe(tap(then), ignoreElements())
    const units =
      instead === undefined
        ? pool(work.next, width, most).pipe(mergeMap(count))
        : instead((rows) => measurement.addRows(rows))
    const working = merge(
      units,
      concat(
        wait(warmUp, start),
        wait(mainTime, tryAnother),
        wait(duration - warmUp - mainTime, () => width.complete()),
      ),
    )

    const over = new Subject<void>()
    const progress = interval(TICK, timer).pipe(
      takeUntil(over),
      tap(() => {
        widths = [...widths, width.value]
      }),
      map(() => E.right(progressOf(measurement, width.value))),
    )
    const failures = working.pipe(
      map((failure) => E.left(failure)),
      tap({ complete: () => over.next() }),
    )
    const result = defer(() => {
      const last = caseNow()
      const ran =
        main === undefined
          ? concluded({ one: last, figures: figuresOf(measurement) }, undefined, options)
          : concluded(main, last, options)
      return of(E.right({ ...ran, total: measurement.totals() }))
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

/** Figures measured since the start, and the factor that limited them. */
const figuresOf = (measurement: Measurement) => {
  const { seconds, rows, requests, rowsPerSecond, requestsPerSecond, ...measured } =
    measurement.measured()
  return {
    ...{ seconds, rows, requests, rowsPerSecond, requestsPerSecond },
    ...measurement.summary(),
    cpuSecondsPerMillionRows: measured.cpuSecondsPerMillionRows,
    subRuns: measurement.subRuns(),
  }
}

/** Returns the conclusion of a run. `tried`: the last part of the run, with another concurrency. */
const concluded = (
  { one, figures }: Main,
  tried: Case | undefined,
  { parallel, limits: { concurrency } }: RunOptions,
): Omit<Ran, 'total'> => {
  const { measured, ceiling, width } = one
  const other = tried && { width: tried.width, unitsPerSecond: tried.measured.unitsPerSecond }
  const verdict = verdictOf({ ...one, tried: other })
  const best = widthFor(ceiling.perSecond, measured.meanAnswer, concurrency)
  const isBetter = verdict.boundBy === 'concurrency' && other !== undefined && other.width > width
  return {
    ...{ ceiling, width },
    ...verdict,
    ...figures,
    bestWidth: isBetter
      ? { width: other.width, by: 'run', share: other.unitsPerSecond / ceiling.perSecond }
      : verdict.boundBy === 'quota' && parallel !== undefined && parallel !== best
        ? { width: best, by: 'computed', share: null }
        : { width, by: 'run', share: verdict.share },
  }
}

/**
 * Subscribes to `unit` repeatedly, up to `width` at a time. Lowering the width aborts nothing, because workers pause after
 * their current unit. Completes once `width` has completed and the last unit is done. `most` limits the width.
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
