/** Measures a running client by means of its events. */
import type { SchedulerLike } from 'rxjs'
import { login } from '../api/authentication.js'
import type { IO } from '../fp.js'
import type { ClientEvent } from '../http/ClientEvent.js'
import { addTime, type Histogram, histogram, quantile } from '../report/histogram.js'
import type { Millis } from '../stream/index.js'
import type { BenchSecond, BenchTotals, Percentiles, SubRun } from './BenchResult.js'

/** Resources used by a process so far. */
export interface Usage {
  /** CPU time of all threads, in ms. */
  readonly cpu: Millis
  /** Resident memory, in bytes. */
  readonly memory: number
  /** Timers used to watch the event loop, and their total delay in ms. */
  readonly timers: { readonly fired: number; readonly late: Millis }
}

interface MeasuredMoment {
  readonly at: Millis
  readonly units: number
  readonly rows: number
  readonly requests: number
  readonly cpu: Millis
  readonly timers: Usage['timers']
}

/** Figures for the time between two marks. */
export interface Measured {
  readonly seconds: number
  readonly rows: number
  readonly requests: number
  readonly units: number
  readonly rowsPerSecond: number
  readonly requestsPerSecond: number
  readonly unitsPerSecond: number
  /** Share of one core that the process used. */
  readonly cpuShare: number
  readonly cpuSecondsPerMillionRows: number | null
  /** Average delay of a timer, in ms. A delay shows that the event loop was busy, or that the process was not scheduled. */
  readonly late: Millis
  /** Mean response time, in ms; 0 before the first response. */
  readonly meanAnswer: Millis
  /** Mean number of requests in flight. */
  readonly underWay: number
  /** Mean number of requests in the client's queue. */
  readonly waiting: number
}

/** Maximum number of parts into which a run is divided. */
const SUB_RUNS = 6

/**
 * Measures from mark to mark, and not between arbitrary moments, because a rolling window admits requests in bursts. If there
 * is a mark every `stride` units, which is the number that fits in a window, all bursts are cut at the same point:
 *
 *     units   ||||||     ||||||     ||||||     |||
 *     marks        ^          ^          ^
 */
export class Measurement {
  readonly #timer: Pick<SchedulerLike, 'now'>
  readonly #usage: IO<Usage>
  #stride = Number.POSITIVE_INFINITY
  readonly #began: Millis
  /** Counts at the start of the measured time. */
  #first: MeasuredMoment
  #marks: Array<MeasuredMoment> = []
  #units = 0
  #rows = 0
  #sent = 0
  /** Number of requests that have a response, or will never get one. */
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

  /** Starts the measured time, with a mark every `stride` units. Earlier counts are only in `totals`. */
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

  /** Counts rows of a unit that is not finished. */
  addRows(rows: number): void {
    this.#rows += rows
    this.#second().rows += rows
  }

  unitDone(): void {
    this.#units++
    if (this.#units % this.#stride !== 0) return
    this.sample()
    this.#marks.push(this.#mark())
  }

  callFailed(): void {
    this.#sinceStart.failed++
  }

  /** Samples the memory of the process. */
  sample(): void {
    this.#memory = Math.max(this.#memory, this.#usage().memory)
  }

  /** Time since the measured time started. */
  get elapsed(): Millis {
    return this.#timer.now() - this.#first.at
  }

  /** Returns the figures between the first and the last mark; with fewer than two marks, from the start until now. */
  measured(): Measured {
    const [first, last] = [this.#marks[0], this.#marks.at(-1)]
    return first === undefined || last === undefined || first === last
      ? this.#between(this.#first, this.#mark())
      : this.#between(first, last)
  }

  /** Returns the marked time in parts of about equal length. */
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

  /** Returns distributions, counts and maxima since the start. */
  summary() {
    return {
      ...this.#sinceStart,
      answer: percentiles(this.#answers),
      wait: percentiles(this.#waits),
      answers: bins(this.#answers),
      timeline: this.#seconds.map((second): BenchSecond => ({ ...second })),
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
    const fired = to.timers.fired - from.timers.fired
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
      late: (to.timers.late - from.timers.late) / Math.max(1, fired),
      cpuSecondsPerMillionRows: rows === 0 ? null : (cpu * 1_000) / rows,
      meanAnswer,
      underWay: (requests * meanAnswer) / ms, // Little's law
      waiting: (requests * meanWait) / ms,
    }
  }

  #mark(): MeasuredMoment {
    const units = this.#units
    const rows = this.#rows
    const { cpu, timers } = this.#usage()
    return { at: this.#timer.now(), units, rows, requests: this.#ended, cpu, timers }
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

/** Number of bins in a chart, from the shortest to the longest time. */
const CHART_BINS = 24

/** Returns bins of equal width from the shortest to the longest time. */
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
