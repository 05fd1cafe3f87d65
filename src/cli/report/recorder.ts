/** Records, in bounded memory, what a report shows of a run. */
import { Subscription } from 'rxjs'
import { login } from '../../api/authentication.js'
import { defined, type IO } from '../../fp.js'
import type { ClientEvent } from '../../http/ClientEvent.js'
import { countedInThisRun } from '../progress/ExportCounters.js'
import type { MonitoredRun, ProgressMonitor, ProgressSample } from '../progress/ProgressMonitor.js'
import { type RateLimit, requestRateOf } from '../progress/schedulerState.js'
import { addTime, type Interval, Timeline } from './timeline.js'

// model

export interface Recording {
  readonly intervals: ReadonlyArray<Interval>
  readonly incidents: Incidents
  /** The limit of requests a second that binds first; left out where there is none. */
  readonly limit?: RateLimit
  readonly logins: number
  readonly pauses: Pauses
}

/** Refusals, faults and drift of a run. */
export interface Incidents {
  readonly kinds: ReadonlyMap<string, Incident>
  /** Incidents of further kinds. */
  readonly others: number
}

/** All incidents of a kind; times are in ms since the start. */
export interface Incident {
  readonly what: string
  readonly count: number
  readonly first: number
  readonly last: number
}

/** How often requests were put off until a fault had passed, and for how long in all. */
export interface Pauses {
  readonly count: number
  readonly ms: number
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
  (what: string, at: number) =>
  ({ kinds, others }: Incidents): Incidents => {
    const before = kinds.get(what)
    if (before === undefined && kinds.size >= MAX_KINDS) return { kinds, others: others + 1 }
    const { count, first } = before ?? { count: 0, first: at }
    return { kinds: new Map(kinds).set(what, { what, count: count + 1, first, last: at }), others }
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

  const onEvent = (event: ClientEvent): void => {
    const ms = timer.now() - started
    const stats = timeline.at(ms)
    const incident = (what: string): void => {
      incidents = addIncident(what, ms)(incidents)
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
      return { intervals, incidents, ...defined({ limit }), logins, pauses }
    },
    close: () => listening.unsubscribe(),
  }
}
