/** Keeps of a run what a report shows of it, in bounded memory. */
import { Subscription } from 'rxjs'
import { login } from '../../api/authentication.js'
import { defined, type IO } from '../../fp.js'
import type { ClientEvent } from '../../http/ClientEvent.js'
import type { TierSnapshot } from '../../scheduler/index.js'
import { countedInThisRun } from '../ExportCounters.js'
import type { MonitoredRun, ProgressMonitor } from '../progress/ProgressMonitor.js'
import type { ProgressSample } from '../progress/ProgressSample.js'
import { add } from './Histogram.js'
import { addIncident, NO_INCIDENTS } from './Incidents.js'
import type { Pauses, RateLimit, Recording } from './Recording.js'
import { timeline } from './Timeline.js'

// model

export interface Recorder {
  /** All until now, or until it was closed. */
  readonly recording: IO<Recording>
  readonly close: () => void
}

// constructors

/** Records from now on. */
export const recorder = (
  { client, timer }: Pick<MonitoredRun, 'client' | 'timer'>,
  { samples, current: now }: ProgressMonitor,
): Recorder => {
  const started = timer.now() - now().elapsedMs
  const kept = timeline()
  const second = { number: -1, sent: 0 }
  let incidents = NO_INCIDENTS
  let limit: RateLimit | undefined
  let logins = 0
  let pauses: Pauses = { count: 0, ms: 0 }
  let before = now()

  const sent = (ms: number): void => {
    const number = Math.floor(ms / 1_000)
    second.sent = number === second.number ? second.sent + 1 : 1
    second.number = number
    const stats = kept.at(ms)
    stats.sent++
    stats.busiest = Math.max(stats.busiest, second.sent)
  }

  const answered = (ms: number, took: number, status: number): void => {
    const stats = kept.at(ms)
    add(stats.latency, took)
    stats.slowest = Math.max(stats.slowest, took)
    if (status === 429) stats.refused++
    if (status >= 500) stats.failed++
  }

  const heard = (event: ClientEvent): void => {
    const ms = timer.now() - started
    switch (event._tag) {
      case 'Sent':
        if (event.endpoint === login.route)
          logins++ // it counts toward limits of its own
        else sent(ms)
        return
      case 'Answered':
        answered(ms, event.took, event.status)
        if (event.status >= 300) {
          incidents = addIncident(`${event.endpoint}: ${event.status}`, ms)(incidents)
        }
        return
      case 'Unanswered':
        kept.at(ms).failed++
        incidents = addIncident(event.failure.message, ms)(incidents)
        return
      case 'Retrying':
        pauses = { count: pauses.count + 1, ms: pauses.ms + event.pause }
        return
      case 'Drifted': {
        const { endpoint, kind, path } = event.fact
        incidents = addIncident(`${endpoint}: ${kind}: ${path}`, ms)(incidents)
        return
      }
      case 'LoggedIn':
      case 'Recovered':
        return
    }
  }

  const read = (sample: ProgressSample): void => {
    const { elapsedMs: ms, counters, scheduler } = sample
    const stats = kept.at(ms)
    const passed = Math.max(0, ms - before.elapsedMs)
    const [done, doneBefore] = [countedInThisRun(counters), countedInThisRun(before.counters)]
    stats.rows += Math.max(0, done.rows - doneBefore.rows) // some may be taken back when it fails
    stats.rejects += Math.max(0, done.rejects - doneBefore.rejects)
    stats.observedMs += passed
    stats.inFlightMs += scheduler.inFlight * passed
    stats.waitingMs += scheduler.waiting * passed
    stats.pausedMs += (scheduler.backingOff + sample.paused) * passed
    const rates = scheduler.tiers.filter(isPerSecond)
    stats.allowed = Math.min(stats.allowed, ...rates.map(({ allowed }) => allowed))
    limit = lowest(rates) ?? limit
    before = sample
  }

  const keeping = new Subscription()
  keeping.add(client.events.subscribe(heard))
  keeping.add(samples.subscribe(read))

  return {
    recording: () => {
      const last = now()
      read(last)
      return {
        intervals: kept.intervals(last.elapsedMs),
        incidents,
        ...defined({ limit }),
        logins,
        pauses,
      }
    },
    close: () => keeping.unsubscribe(),
  }
}

/** The limits that count requests, by second; that of logins counts minutes. */
const isPerSecond = ({ kind, name, limit }: TierSnapshot): boolean =>
  kind === 'rate' && name !== 'logins' && limit < Number.POSITIVE_INFINITY

const lowest = (rates: ReadonlyArray<TierSnapshot>): RateLimit | undefined => {
  const [least] = rates.toSorted((a, b) => a.limit - b.limit)
  return least && { name: least.name, perSecond: least.limit }
}
