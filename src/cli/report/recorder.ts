/** Keeps of a run what a report shows of it, in bounded memory. */
import { Subscription } from 'rxjs'
import { login } from '../../api/authentication.js'
import { defined, type IO } from '../../fp.js'
import type { ClientEvent } from '../../http/ClientEvent.js'
import type { TierSnapshot } from '../../scheduler/index.js'
import { fresh } from '../Meter.js'
import type { Reading } from '../progress/Reading.js'
import type { Watch, Watched } from '../progress/watch.js'
import { add } from './Histogram.js'
import { happened, NONE } from './Incidents.js'
import type { Pauses, RateLimit, Recording } from './Recording.js'
import { series } from './Series.js'

// model

export interface Recorder {
  /** All until now, or until it was closed. */
  readonly recording: IO<Recording>
  readonly close: () => void
}

// constructors

/** Records from now on. */
export const recorder = (
  { client, timer }: Pick<Watched, 'client' | 'timer'>,
  { readings, now }: Watch,
): Recorder => {
  const started = timer.now() - now().ms
  const kept = series()
  const second = { number: -1, sent: 0 }
  let incidents = NONE
  let limit: RateLimit | undefined
  let logins = 0
  let pauses: Pauses = { count: 0, ms: 0 }
  let before = now()

  const sent = (ms: number): void => {
    const number = Math.floor(ms / 1_000)
    second.sent = number === second.number ? second.sent + 1 : 1
    second.number = number
    const bucket = kept.at(ms)
    bucket.sent++
    bucket.busiest = Math.max(bucket.busiest, second.sent)
  }

  const answered = (ms: number, took: number, status: number): void => {
    const bucket = kept.at(ms)
    add(bucket.latency, took)
    bucket.slowest = Math.max(bucket.slowest, took)
    if (status === 429) bucket.refused++
    if (status >= 500) bucket.failed++
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
          incidents = happened(`${event.endpoint}: ${event.status}`, ms)(incidents)
        }
        return
      case 'Unanswered':
        kept.at(ms).failed++
        incidents = happened(event.failure.message, ms)(incidents)
        return
      case 'Repeating':
        pauses = { count: pauses.count + 1, ms: pauses.ms + event.pause }
        return
      case 'Drifted': {
        const { endpoint, kind, path } = event.fact
        incidents = happened(`${endpoint}: ${kind}: ${path}`, ms)(incidents)
        return
      }
      case 'LoggedIn':
      case 'Recovered':
        return
    }
  }

  const read = (reading: Reading): void => {
    const { ms, meter, scheduler } = reading
    const bucket = kept.at(ms)
    const passed = Math.max(0, ms - before.ms)
    const [done, doneBefore] = [fresh(meter), fresh(before.meter)]
    bucket.rows += Math.max(0, done.rows - doneBefore.rows) // some may be taken back when it fails
    bucket.rejects += Math.max(0, done.rejects - doneBefore.rejects)
    bucket.seen += passed
    bucket.flying += scheduler.inFlight * passed
    bucket.waiting += scheduler.waiting * passed
    bucket.pausing += (scheduler.backingOff + reading.pauses) * passed
    const rates = scheduler.tiers.filter(isPerSecond)
    bucket.allowed = Math.min(bucket.allowed, ...rates.map(({ allowed }) => allowed))
    limit = lowest(rates) ?? limit
    before = reading
  }

  const keeping = new Subscription()
  keeping.add(client.events.subscribe(heard))
  keeping.add(readings.subscribe(read))

  return {
    recording: () => {
      const last = now()
      read(last)
      return {
        stretches: kept.stretches(last.ms),
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
