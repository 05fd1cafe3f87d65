/** Counts of a client at work, from its events. */
import type { SchedulerLike } from 'rxjs'
import { login } from '../api/authentication.js'
import type { IO } from '../fp.js'
import type { ClientEvent } from '../http/ClientEvent.js'
import { addTime, type Histogram, histogram, quantile } from '../report/histogram.js'
import type { Millis } from '../stream/index.js'
import type { BenchTotals, Percentiles, Second, SubRun } from './BenchResult.js'

// model

/** CPU and memory that the process has taken so far. */
export interface Usage {
  /** Time of all its threads on a CPU, in ms. */
  readonly cpu: Millis
  /** Resident memory, in bytes. */
  readonly memory: number
}

/** Counts up to a moment. */
interface MeasuredMoment {
  readonly at: Millis
  readonly units: number
  readonly rows: number
  readonly requests: number
  readonly cpu: Millis
}

/** Figures of the time between two marks. */
export interface Measured {
  readonly seconds: number
  readonly rows: number
  readonly requests: number
  readonly units: number
  readonly rowsPerSecond: number
  readonly requestsPerSecond: number
  readonly unitsPerSecond: number
  /** Part of one core that the process had. */
  readonly cpuShare: number
  readonly cpuSecondsPerMillionRows: number | null
  /** Mean time of an answer, in ms; 0 before one came. */
  readonly meanAnswer: Millis
  /** Mean number of requests under way. */
  readonly underWay: number
  /** Mean number of requests in the queue of the client. */
  readonly waiting: number
}

/** Sub-runs that a run is divided into, at most. */
const SUB_RUNS = 6

// classes

/**
 * Measures from mark to mark, not from moment to moment. A rolling window lets requests in by bursts; a mark each
 * `stride` units, where a window holds that many, cuts all of them at the same place:
 *
 *     units   ||||||     ||||||     ||||||     |||
 *     marks        ^          ^          ^
 */
export class Measurement {
  readonly #timer: Pick<SchedulerLike, 'now'>
  readonly #usage: IO<Usage>
  #stride = Number.POSITIVE_INFINITY
  readonly #began: Millis
  /** At the start of the measured time. */
  #first: MeasuredMoment
  #marks: Array<MeasuredMoment> = []
  #units = 0
  #rows = 0
  #sent = 0
  /** Requests with an answer, or without hope of one. */
  #ended = 0
  #logins = 0
  #answered = 0
  #answerMs = 0
  #waitMs = 0
  #sinceStart = { refused: 0, retries: 0, failed: 0 }
  #answers: Histogram = histogram()
  #waits: Histogram = histogram()
  #seconds: Array<{ rows: number; requests: number; refused: number }> = []
  #memory = 0

  constructor(timer: Pick<SchedulerLike, 'now'>, usage: IO<Usage>) {
    this.#timer = timer
    this.#usage = usage
    this.#first = this.#mark()
    this.#began = this.#first.at
  }

  /**
   * Starts the measured time, with a mark each `stride` units: what came before is only in `totals`.
   */
  start(stride: number): void {
    this.#stride = Math.max(1, Math.round(stride))
    this.#first = this.#mark()
    this.#marks = []
    this.#sinceStart = { refused: 0, retries: 0, failed: 0 }
    this.#answers = histogram()
    this.#waits = histogram()
    this.#seconds = []
    this.#answered = 0
    this.#answerMs = 0
    this.#waitMs = 0
    this.#memory = 0
    this.sample()
  }

  observe(event: ClientEvent): void {
    if ('endpoint' in event && event.endpoint === login.route) {
      if (event._tag === 'Sent') this.#logins++
      return
    }
    switch (event._tag) {
      case 'Sent':
        this.#sent++
        this.#second().requests++
        if (event.attempt > 1) this.#sinceStart.retries++
        this.#waitMs += event.waited
        addTime(this.#waits, event.waited)
        return
      case 'Unanswered':
        this.#ended++
        return
      case 'Answered':
        this.#ended++
        this.#answered++
        this.#answerMs += event.took
        addTime(this.#answers, event.took)
        if (event.status !== 429) return
        this.#sinceStart.refused++
        this.#second().refused++
        return
      default:
        return
    }
  }

  /** Counts rows of a unit that is not done yet. */
  addRows(rows: number): void {
    this.#rows += rows
    this.#second().rows += rows
  }

  /** Counts a unit of work that is done. */
  unitDone(): void {
    this.#units++
    if (this.#units % this.#stride !== 0) return
    this.sample()
    this.#marks.push(this.#mark())
  }

  callFailed(): void {
    this.#sinceStart.failed++
  }

  /** Looks at the memory of the process. */
  sample(): void {
    this.#memory = Math.max(this.#memory, this.#usage().memory)
  }

  /** Time since the start of the measured time. */
  get elapsed(): Millis {
    return this.#timer.now() - this.#first.at
  }

  /** Figures between the first and the last mark; from the start until now before there are two. */
  measured(): Measured {
    const [first, last] = [this.#marks[0], this.#marks.at(-1)]
    return first === undefined || last === undefined || first === last
      ? this.#between(this.#first, this.#mark())
      : this.#between(first, last)
  }

  /** The marked time in parts of about the same length. */
  subRuns(): ReadonlyArray<SubRun> {
    const parts = Math.min(SUB_RUNS, this.#marks.length - 1)
    const cut = (part: number): MeasuredMoment | undefined =>
      this.#marks[Math.round((part * (this.#marks.length - 1)) / parts)]
    if (parts < 1) return [subRunOf(this.measured())]
    return Array.from({ length: parts }, (_, part) => [cut(part), cut(part + 1)]).flatMap(
      ([from, to]) => {
        if (from === undefined || to === undefined) return []
        return [subRunOf(this.#between(from, to))]
      },
    )
  }

  /** Distributions, counts and maxima since the start. */
  summary() {
    return {
      ...this.#sinceStart,
      answer: percentiles(this.#answers),
      wait: percentiles(this.#waits),
      answers: bins(this.#answers),
      timeline: this.#seconds.map((second): Second => ({ ...second })),
      peakMemory: this.#memory,
    }
  }

  totals(): BenchTotals {
    const sent = this.#sent
    const logins = this.#logins
    const rows = this.#rows
    return { requests: sent, logins, rows, seconds: (this.#timer.now() - this.#began) / 1_000 }
  }

  #between(from: MeasuredMoment, to: MeasuredMoment): Measured {
    const ms = Math.max(1e-6, to.at - from.at)
    const seconds = ms / 1_000
    const rows = to.rows - from.rows
    const requests = to.requests - from.requests
    const units = to.units - from.units
    const cpu = to.cpu - from.cpu
    const meanAnswer = this.#answerMs / Math.max(1, this.#answered)
    const meanWait = this.#waitMs / Math.max(1, this.#answered)
    return {
      seconds,
      rows,
      requests,
      units,
      rowsPerSecond: rows / seconds,
      requestsPerSecond: requests / seconds,
      unitsPerSecond: units / seconds,
      cpuShare: cpu / ms,
      cpuSecondsPerMillionRows: rows === 0 ? null : (cpu * 1_000) / rows,
      meanAnswer,
      underWay: (requests * meanAnswer) / ms, // Little's law
      waiting: (requests * meanWait) / ms,
    }
  }

  #mark(): MeasuredMoment {
    const units = this.#units
    const rows = this.#rows
    const ended = this.#ended
    return { at: this.#timer.now(), units, rows, requests: ended, cpu: this.#usage().cpu }
  }

  #second() {
    const index = Math.max(0, Math.floor(this.elapsed / 1_000))
    while (this.#seconds.length <= index) this.#seconds.push({ rows: 0, requests: 0, refused: 0 })
    return this.#seconds[index] ?? { rows: 0, requests: 0, refused: 0 }
  }
}

const subRunOf = ({ seconds, rowsPerSecond, requestsPerSecond, ...rest }: Measured): SubRun => ({
  ...{ seconds, rowsPerSecond, requestsPerSecond },
  cpuSecondsPerMillionRows: rest.cpuSecondsPerMillionRows,
})

// distributions

const percentiles = (counts: Histogram): Percentiles => ({
  p50: quantile(counts, 0.5) ?? null,
  p95: quantile(counts, 0.95) ?? null,
  p99: quantile(counts, 0.99) ?? null,
})

/** Bins that a chart shows between the shortest and the longest time. */
const CHART_BINS = 24

/** Bins of equal width from the shortest to the longest time. */
const bins = (counts: Histogram) => {
  const total = counts.reduce((sum, n) => sum + n, 0)
  if (total === 0) return []
  const low = quantile(counts, 1e-9) ?? 0
  const high = quantile(counts, 1) ?? low
  const width = Math.max(0.5, (high - low) / (CHART_BINS - 1))
  const found = Array.from({ length: CHART_BINS }, (_, i) => ({ from: low + i * width, count: 0 }))
  let seen = 0
  counts.forEach((count) => {
    if (count === 0) return
    seen += count
    const time = quantile(counts, seen / total) ?? 0
    const bin = found[Math.min(CHART_BINS - 1, Math.floor((time - low) / width))]
    if (bin !== undefined) bin.count += count
  })
  const last = found.findLastIndex(({ count }) => count > 0)
  return found.slice(0, last + 1)
}
