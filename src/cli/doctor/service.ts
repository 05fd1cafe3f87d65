/** Logs in and reads a small page a few times, through an ordinary client, and judges what comes back. */
import {
  concat,
  concatMap,
  defer,
  EMPTY,
  finalize,
  ignoreElements,
  type Observable,
  repeat,
  type SchedulerLike,
  take,
  tap,
} from 'rxjs'
import { login } from '../../api/authentication.js'
import { createClient } from '../../client/createClient.js'
import { millisOf } from '../../codec/Instant.js'
import type { DriftFact } from '../../decode/index.js'
import { oneLine } from '../../decode/redact.js'
import { fieldsOf } from '../../decode/unknown.js'
import { E } from '../../fp.js'
import type { ClientEvent } from '../../http/ClientEvent.js'
import type { Failure } from '../../http/Failure.js'
import { explainLowered } from '../../http/limits.js'
import { type SkewRange, skewRange } from '../../http/ServiceClock.js'
import type { Timeout, Transport } from '../../http/transport/Transport.js'
import { duration, number, percent, plural } from '../../report/text.js'
import type { TierSnapshot } from '../../scheduler/index.js'
import type { Page } from '../../stream/index.js'
import { survey } from '../../stream/snapshot/coverage.js'
import type { Connection } from '../connection.js'
import { type Finding, failed, found, skipped, type Verdict } from './Finding.js'

// model

export interface ServiceToCheck extends Connection {
  /** The part of the limits to use. */
  readonly share: number
  readonly transport: Transport
  readonly timer: SchedulerLike
  readonly timeout?: Timeout
}

/** Answers to the requests sent so far, and the state of their client. */
interface Seen {
  readonly service: ServiceToCheck
  readonly pages: ReadonlyArray<Page<Failure, unknown, unknown>>
  readonly failures: ReadonlyArray<Failure>
  readonly events: ReadonlyArray<ClientEvent>
  /** One for each answer with a `Date`. */
  readonly skews: ReadonlyArray<SkewRange>
  readonly drift: ReadonlyArray<DriftFact>
  /** Limits after the share. */
  readonly tiers: ReadonlyArray<TierSnapshot>
}

/** Far from any limit. */
const REQUESTS = 6
const PAGE_SIZE = 10
/** Shorter than those of an export, in ms. */
const TIMEOUT: Timeout = { connect: 10_000, headers: 15_000, body: 15_000, whole: 30_000 }
/** A token with a shorter life is renewed all the time, in ms. */
const SHORT_TOKEN = 120_000
/** A larger offset of the clock is a warning, in ms. */
const MAX_OFFSET = 2_000

const NO_PAGE = 'there is no page to tell it from'
const UNORDERED = 'snapshots need the order of time: an export may refuse this list'

// checks

const CHECKS = {
  login: ({ events, failures: [failure] }) => {
    const token = events.find((event) => event._tag === 'LoggedIn')
    if (token === undefined) {
      return failure === undefined ? skipped('no login was needed') : failedBy(failure)
    }
    return found(
      `accepted; the token is good for ${duration(token.validFor)}`,
      { tokenMsLeft: token.validFor },
      token.validFor < SHORT_TOKEN ? 'see whether the clock of this machine is right' : undefined,
    )
  },

  list: ({ pages: [first], failures: [failure], drift }) => {
    if (first === undefined) {
      return failure === undefined || failure.endpoint === login.route
        ? skipped('not logged in')
        : failedBy(failure)
    }
    const { length } = first.items
    const undecodable = first.items.filter(E.isLeft)
    const strange = drift.map(({ kind, path, example }) => oneLine(`${kind} ${path} (${example})`))
    const facts = { rows: length, undecodable: undecodable.length, drift: strange }
    const [bad] = undecodable
    if (bad !== undefined) {
      return failed(
        `${number(undecodable.length)} of ${plural(length, 'charge')} did not decode: ${oneLine(bad.left.message)}`,
        facts,
        'an export puts such rows aside, with the reason: report this to the maintainers',
      )
    }
    const rows =
      length === 0 ? 'there are no charges' : `${plural(length, 'charge')} received and decoded`
    const newFields = strange.length === 0 ? '' : `; new to this version: ${strange.join(', ')}`
    return found(`${rows}${newFields}`, facts)
  },

  order: ({ pages: [first] }) => {
    if (first === undefined) return skipped(NO_PAGE)
    const times = first.raw.map((row) => millisOf(fieldsOf(row).created_at))
    if (times.some(Number.isNaN)) {
      return found('rows without a time', { order: 'unreadable' }, UNORDERED)
    }
    const { order = null } = survey(times)
    if (order === null) return skipped('too few charges to tell', { order })
    if (order === 'none') return found('neither oldest nor newest first', { order }, UNORDERED)
    return found(`charges come ${order === 'ascending' ? 'oldest' : 'newest'} first`, { order })
  },

  /** Leaves out the first request, which had to connect. */
  'round trip': ({ pages: [first], failures, events }) => {
    if (first === undefined) return skipped(NO_PAGE)
    const times = events
      .filter((event) => event._tag === 'Answered')
      .filter(({ endpoint, status }) => endpoint !== login.route && status < 300)
      .map(({ took }) => took)
      .slice(1)
      .toSorted((a, b) => a - b)
    const [minMs = 0, maxMs = 0] = [times.at(0), times.at(-1)]
    const medianMs = times[Math.floor(times.length / 2)] ?? 0
    const [failure] = failures
    const reason = failure === undefined ? '' : `: ${oneLine(failure.message)}`
    const advice = failure && adviceFor(failure)
    if (times.length === 0)
      return failed(`no page came after the first${reason}`, undefined, advice)
    const text = `min ${number(minMs)} ms, median ${number(medianMs)} ms, max ${number(maxMs)} ms (${plural(times.length, 'request')})`
    const unanswered = failure === undefined ? '' : `; ${number(failures.length)} failed${reason}`
    const facts = { minMs, medianMs, maxMs, requests: times.length, failed: failures.length }
    return found(`${text}${unanswered}`, facts, advice)
  },

  /** Intersects the skews that the answers allow. */
  clock: ({ skews }) => {
    if (skews.length === 0) return skipped('the service does not tell its time')
    const least = Math.max(...skews.map((skew) => skew.least))
    const most = Math.min(...skews.map((skew) => skew.most))
    if (least > most) {
      return found(
        'the times of the answers contradict each other',
        undefined,
        'a clock was set meanwhile, or a cache answers in place of the service',
      )
    }
    const [offset, within] = [(least + most) / 2, (most - least) / 2]
    const size = Math.abs(offset)
    const side = offset > 0 ? 'behind' : 'ahead of'
    return found(
      size <= Math.min(within, MAX_OFFSET)
        ? `within ${duration(size + within)} of the service's`
        : `${duration(size)} ${side} the service's, give or take ${duration(within)}`,
      { offsetMs: Math.round(offset), withinMs: Math.round(within) },
      size > MAX_OFFSET
        ? 'set the clock of this machine: it judges the age of webhook deliveries'
        : undefined,
    )
  },

  limits: ({ service: { environment, share }, tiers, events }) => {
    const limits: Readonly<Record<string, number>> = Object.fromEntries(
      tiers.map(({ name, limit }) => [name, limit]),
    )
    const { endpoint = 0, global = 0, concurrency = 0, logins = 0 } = limits
    const part = share < 1 ? `, ${percent(share)} of them` : ''
    const text = `${plural(endpoint, 'request')} a second per endpoint, ${number(global)} a second in total, ${number(concurrency)} concurrent, ${plural(logins, 'login')} a minute (${environment}${part})`
    const facts = { environment, share, ...limits }
    const lowered = tiers.flatMap(({ name, limit, allowed, lowered: message }) =>
      message === undefined ? [] : [explainLowered(name, { limit, allowed, message })],
    )
    if (lowered.length > 0) {
      const advice = 'set --environment sandbox, or take a part of the limits with --share'
      return found([text, ...lowered].join('; '), facts, advice)
    }
    return events.some((event) => event._tag === 'Answered' && event.status === 429)
      ? found(
          `${text}; a request was refused for them`,
          facts,
          'another process uses this account: use part of the limits with --share',
        )
      : found(text, facts)
  },

  'API version': ({ service: { apiVersion = null } }) =>
    found(
      apiVersion === null
        ? "the account's default: none is requested"
        : `${apiVersion} is asked for`,
      { apiVersion },
    ),
} as const satisfies Readonly<Record<string, (seen: Seen) => Verdict>>

const failedBy = (failure: Failure): Verdict =>
  failed(oneLine(failure.message), { failure: failure._tag }, adviceFor(failure))

const TRY_AGAIN = 'try again; if it persists, report it to the operator of the service'

const ADVICE: { readonly [Tag in Failure['_tag']]?: string } = {
  Unauthorized:
    'check PAYMENTS_CLIENT_ID and PAYMENTS_API_KEY, and that they are of the environment that the base URL is of',
  Refused: 'check the base URL, and what the keys may do',
  Undecodable: 'check the base URL: this is not how the platform answers',
  Throttled:
    'another process uses up the limits of this account: try again, and use part of them with --share',
  Unreachable: TRY_AGAIN,
  ServerFault: TRY_AGAIN,
  TimedOut: TRY_AGAIN,
}

const adviceFor = (failure: Failure): string | undefined => {
  if (failure._tag === 'Refused' && failure.status === 404) {
    return 'check the base URL, above all its path: routes begin with /api/v1 themselves, so it ends before that'
  }
  if (failure._tag === 'Undecodable' && failure.path === 'has_more') {
    return 'the end of a list cannot be known without it: report this to the operator of the service'
  }
  return failure._tag === 'Unreachable' && failure.code === 'FETCH_FAILED'
    ? 'a proxy in between may require a login'
    : ADVICE[failure._tag]
}

// constructors

/** Skips all checks that would send a request to the API. */
export const skipService = (why: string): ReadonlyArray<Finding> =>
  Object.keys(CHECKS).map((check) => ({ check, ...skipped(why) }))

/** Emits a finding for each of `CHECKS`. Changes nothing, and retries only with a new token after a 401. */
export const checkService = (service: ServiceToCheck): Observable<Finding> =>
  defer(() => {
    const { transport, timer, timeout = TIMEOUT } = service
    const pages: Array<Page<Failure, unknown, unknown>> = []
    const failures: Array<Failure> = []
    const events: Array<ClientEvent> = []
    const skews: Array<SkewRange> = []
    const client = createClient({
      ...service,
      timeout,
      transport: (request) =>
        defer(() => {
          const sent = timer.now()
          return transport(request).pipe(
            tap((ea) => {
              const date = E.isRight(ea) ? ea.right.header('date') : undefined
              const skew = skewRange(date, { sent, received: timer.now() })
              if (skew !== undefined) skews.push(skew)
            }),
          )
        }),
      retry: { faults: 0, throttled: 0 },
      drift: true,
    })
    const listening = client.events.subscribe((event) => events.push(event))
    const read = client.charges.list({ page_size: PAGE_SIZE }).pages.pipe(
      take(1),
      tap((page) => (E.isRight(page) ? pages.push(page.right) : failures.push(page.left))),
      ignoreElements(),
    )
    const judge = (...checks: ReadonlyArray<keyof typeof CHECKS>): Observable<Finding> =>
      client.scheduler.state.pipe(
        take(1),
        concatMap(({ tiers }) => {
          const drift = client.drift()
          const seen = { service, pages, failures, events, skews, drift, tiers }
          return checks.map((check) => ({ check, ...CHECKS[check](seen) }))
        }),
      )
    return concat(
      read,
      judge('login', 'list', 'order'),
      defer(() => (failures.length > 0 ? EMPTY : read.pipe(repeat(REQUESTS - 1)))),
      judge('round trip', 'clock', 'limits', 'API version'),
    ).pipe(finalize(() => listening.unsubscribe()))
  })
