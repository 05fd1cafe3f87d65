/** Records, in bounded memory, what a report shows of a run. */
import { Subscription } from 'rxjs'
import { login } from '../../api/authentication.js'
import { type IO, withoutUndefined } from '../../fp.js'
import type { ClientEvent } from '../../http/ClientEvent.js'
import { addTime, type Histogram, histogram, mergeHistograms } from '../../report/histogram.js'
import type { SchedulerState } from '../../scheduler/index.js'
import { countedInThisRun } from '../progress/ExportCounters.js'
import {
  isRate,
  type MonitoredRun,
  type ProgressMonitor,
  type ProgressSample,
} from '../progress/ProgressMonitor.js'
import { describeStall, type StallReason } from '../progress/StallReason.js'

// model

export interface Recording {
  readonly intervals: ReadonlyArray<Interval>
  readonly incidents: Incidents
  /** The limit of requests a second that binds first; left out where there is none. */
  readonly limit?: RateLimit
  readonly logins: number
  readonly pauses: Pauses
  /** The most frequent reason why it was not faster, in words, with the share of the time; absent where it was rare. */
  readonly stall?: { readonly because: string; readonly share: number }
}

/** Refusals, faults and drift of a run. */
export interface Incidents {
  readonly kinds: ReadonlyMap<string, Incident>
  /** Incidents of further kinds. */
  readonly others: number
}

/** All incidents of a kind; times are in ms since the start. */
export interface Incident {
  readonly text: string
  readonly count: number
  readonly first: number
  readonly last: number
}

/** How often requests were put off until a fault had passed, and for how long in all. */
export interface Pauses {
  readonly count: number
  readonly ms: number
}

interface RateLimit {
  readonly name: string
  /** As configured, after the share. */
  readonly perSecond: number
}

export interface Recorder {
  /** Returns all until now, or until it was closed. */
  readonly recording: IO<Recording>
  readonly close: () => void
}

export const NO_INCIDENTS: Incidents = { kinds: new Map(), others: 0 }

/** A service may send any number of different messages. */
const MAX_KINDS = 40

// combinators

export const addIncident =
  (text: string, at: number) =>
  ({ kinds, others }: Incidents): Incidents => {
    const before = kinds.get(text)
    if (before === undefined && kinds.size >= MAX_KINDS) return { kinds, others: others + 1 }
    const { count, first } = before ?? { count: 0, first: at }
    return {
      kinds: new Map(kinds).set(text, { text, count: count + 1, first, last: at }),
      others,
    }
  }

/** Returns the lowest limit of requests a second, and the lowest in force after refusals. Logins count minutes. */
const requestRateOf = ({
  tiers,
}: SchedulerState): { readonly limit?: RateLimit; readonly allowed: number } => {
  const rates = tiers.filter((tier) => isRate(tier) && tier.name !== 'logins')
  const [lowest] = rates.toSorted((a, b) => a.limit - b.limit)
  return {
    ...(lowest && { limit: { name: lowest.name, perSecond: lowest.limit } }),
    allowed: Math.min(...rates.map(({ allowed }) => allowed)),
  }
}

// constructors

/** Records from now on. */
export const recorder = (
  { client, timer }: Pick<MonitoredRun, 'client' | 'timer'>,
  { samples, current }: ProgressMonitor,
): Recorder => {
  const started = timer.now() - current().elapsedMs
  const timeline = new Timeline()
  const second = { number: -1, sent: 0 }
  let incidents = NO_INCIDENTS
  let limit: RateLimit | undefined
  let logins = 0
  let pauses: Pauses = { count: 0, ms: 0 }
  let before = current()
  const stalls = new StallTally()

  const onEvent = (event: ClientEvent): void => {
    const ms = timer.now() - started
    const stats = timeline.at(ms)
    const incident = (text: string): void => {
      incidents = addIncident(text, ms)(incidents)
    }
    switch (event._tag) {
      case 'Sent': {
        if (event.endpoint === login.route) {
          logins++ // it counts toward limits of its own
          return
        }
        const number = Math.floor(ms / 1_000)
        second.sent = number === second.number ? second.sent + 1 : 1
        second.number = number
        stats.sent++
        stats.busiest = Math.max(stats.busiest, second.sent)
        return
      }
      case 'Answered': {
        const { endpoint, status, took } = event
        addTime(stats.latency, took)
        stats.slowest = Math.max(stats.slowest, took)
        if (status === 429) stats.refused++
        if (status >= 500) stats.failed++
        if (status >= 300) incident(`${endpoint}: ${status}`)
        return
      }
      case 'Unanswered':
        stats.failed++
        incident(event.failure.message)
        return
      case 'Retrying':
        pauses = { count: pauses.count + 1, ms: pauses.ms + event.pause }
        return
      case 'Drifted': {
        const { endpoint, kind, path } = event.fact
        incident(`${endpoint}: ${kind}: ${path}`)
        return
      }
      case 'LoggedIn':
      case 'Recovered':
      case 'RequestIdGenerated':
        return
    }
  }

  const onSample = (sample: ProgressSample): void => {
    const { elapsedMs, scheduler } = sample
    const stats = timeline.at(elapsedMs)
    const passed = Math.max(0, elapsedMs - before.elapsedMs)
    const rate = requestRateOf(scheduler)
    const done = countedInThisRun(sample.counters)
    const doneBefore = countedInThisRun(before.counters)
    // rows are taken back when their commit fails
    stats.rows += Math.max(0, done.rows - doneBefore.rows)
    stats.rejects += Math.max(0, done.rejects - doneBefore.rejects)
    stats.observedMs += passed
    stats.inFlightMs += scheduler.inFlight * passed
    stats.waitingMs += scheduler.waiting * passed
    stats.pausedMs += (scheduler.backingOff + sample.paused) * passed
    stats.allowed = Math.min(stats.allowed, rate.allowed)
    limit = rate.limit ?? limit
    stalls.add(sample.stallReasons[0])
    before = sample
  }

  const listening = new Subscription()
  listening.add(client.events.subscribe(onEvent))
  listening.add(samples.subscribe(onSample))

  return {
    recording: () => {
      const last = current()
      onSample(last)
      const intervals = timeline.intervals(last.elapsedMs)
      const stall = stalls.most()
      return { intervals, incidents, ...withoutUndefined({ limit, stall }), logins, pauses }
    },
    close: () => listening.unsubscribe(),
  }
}

/** A rarer reason is none, as a share of the time. */
const LEAST_SHARE = 0.1

/** Counts samples by their gravest reason. */
class StallTally {
  #samples = 0
  readonly #kinds = new Map<string, { count: number; because: string }>()

  add(reason: StallReason | undefined): void {
    this.#samples++
    if (reason === undefined) return
    const count = (this.#kinds.get(reason._tag)?.count ?? 0) + 1
    this.#kinds.set(reason._tag, { count, because: describeStall(reason) })
  }

  most(): Recording['stall'] {
    const [most] = [...this.#kinds.values()].sort((a, b) => b.count - a.count)
    if (most === undefined || most.count < LEAST_SHARE * this.#samples) return undefined
    return { because: most.because, share: most.count / this.#samples }
  }
}

// intervals

/** Counted in place: there are thousands of requests a minute. */
export interface IntervalStats {
  rows: number
  rejects: number
  /** Requests that left, without logins. */
  sent: number
  /** The most of them in any one second of the clock. */
  busiest: number
  refused: number
  failed: number
  readonly latency: Histogram
  /** In ms. */
  slowest: number
  /** Requests under way, behind a limit, and after a refusal or a fault: their number times ms. */
  inFlightMs: number
  waitingMs: number
  pausedMs: number
  /** How much of the interval those three cover. */
  observedMs: number
  /** The lowest limit in force, in requests a second. */
  allowed: number
}

export const emptyStats = (): IntervalStats => ({
  rows: 0,
  rejects: 0,
  sent: 0,
  busiest: 0,
  refused: 0,
  failed: 0,
  latency: histogram(),
  slowest: 0,
  inFlightMs: 0,
  waitingMs: 0,
  pausedMs: 0,
  observedMs: 0,
  allowed: Number.POSITIVE_INFINITY,
})

const mergeStats = (a: IntervalStats, b: IntervalStats): IntervalStats => ({
  rows: a.rows + b.rows,
  rejects: a.rejects + b.rejects,
  sent: a.sent + b.sent,
  busiest: Math.max(a.busiest, b.busiest),
  refused: a.refused + b.refused,
  failed: a.failed + b.failed,
  latency: mergeHistograms(a.latency, b.latency),
  slowest: Math.max(a.slowest, b.slowest),
  inFlightMs: a.inFlightMs + b.inFlightMs,
  waitingMs: a.waitingMs + b.waitingMs,
  pausedMs: a.pausedMs + b.pausedMs,
  observedMs: a.observedMs + b.observedMs,
  allowed: Math.min(a.allowed, b.allowed),
})

// timeline

/** Times are in ms since the start of the run. */
export interface Interval {
  readonly from: number
  readonly to: number
  readonly stats: IntervalStats
}

/** Length at first, in ms: limits are in requests a second. */
const LENGTH = 1_000
/** As many as fit on a chart: four minutes of seconds, or eight hours of two minutes. */
const MAX_INTERVALS = 240

/**
 * Merges neighbours when there are too many intervals:
 *
 *     1 s each    |a|b|c|d|
 *     2 s each    | ab| cd|  |  |
 */
export class Timeline {
  #length = LENGTH
  #all: Array<IntervalStats> = []

  readonly #most: number

  constructor(most = MAX_INTERVALS) {
    this.#most = most
  }

  /** Returns the counters of the interval that `ms` is in. */
  at(ms: number): IntervalStats {
    while (ms >= this.#length * this.#most) this.#halve()
    const index = Math.max(0, Math.floor(ms / this.#length))
    while (this.#all.length < index) this.#all.push(emptyStats())
    const stats = this.#all[index] ?? emptyStats()
    this.#all[index] = stats
    return stats
  }

  /** Returns all intervals of a run that ended after `ms`. */
  intervals(ms: number): ReadonlyArray<Interval> {
    const all = this.#all.map((stats, i) => {
      const from = i * this.#length
      return { from, to: Math.max(Math.min(from + this.#length, ms), from + 1), stats }
    })
    const [before, last] = [all.at(-2), all.at(-1)]
    if (before === undefined || last === undefined) return all
    if (last.to - last.from >= this.#length / 2) return all
    // rates over less than half an interval say nothing
    const stats = mergeStats(before.stats, last.stats)
    return [...all.slice(0, -2), { from: before.from, to: last.to, stats }]
  }

  #halve(): void {
    this.#length *= 2
    this.#all = this.#all.flatMap((stats, i) => {
      if (i % 2 === 1) return []
      const next = this.#all[i + 1]
      return [next === undefined ? stats : mergeStats(stats, next)]
    })
  }
}
