/** Logs in and reads a small page several times, through an ordinary client, and evaluates the responses. */
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

export interface ServiceToCheck extends Connection {
  readonly share: number
  readonly transport: Transport
  readonly timer: SchedulerLike
  readonly timeout?: Timeout
}

/** Responses so far, and the state of the client. */
interface Seen {
  readonly service: ServiceToCheck
  readonly pages: ReadonlyArray<Page<Failure, unknown, unknown>>
  readonly failures: ReadonlyArray<Failure>
  readonly events: ReadonlyArray<ClientEvent>
  /** Clock offsets, one per response with a `Date` header. */
  readonly skews: ReadonlyArray<SkewRange>
  readonly drift: ReadonlyArray<DriftFact>
  /** Limits after applying the share. */
  readonly tiers: ReadonlyArray<TierSnapshot>
}

/** Number of requests; far below any limit. */
const REQUESTS = 6
const PAGE_SIZE = 10
/** Time limits, shorter than those of an export, in ms. */
const TIMEOUT: Timeout = { connect: 10_000, headers: 15_000, body: 15_000, whole: 30_000 }
/** Token lifetime, in ms, below which tokens would be refreshed constantly. */
const SHORT_TOKEN = 120_000
/** Clock offset, in ms, above which there is a warning. */
const MAX_OFFSET = 2_000

const NO_PAGE = 'no page was received'
const UNORDERED = 'snapshots require rows sorted by time: an export may refuse this list'

// checks

const CHECKS = {
  login: ({ events, failures: [failure] }) => {
    const token = events.find((event) => event._tag === 'LoggedIn')
    if (token === undefined) {
      return failure === undefined ? skipped('no login was needed') : failedBy(failure)
    }
    return found(
      `accepted; the token is valid for ${duration(token.validFor)}`,
      { tokenMsLeft: token.validFor },
      token.validFor < SHORT_TOKEN ? 'check the clock of this machine' : undefined,
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
        `${number(undecodable.length)} of ${plural(length, 'charge')} could not be decoded: ${oneLine(bad.left.message)}`,
        facts,
        'an export rejects these rows and records the reason: report this to the maintainers',
      )
    }
    const rows =
      length === 0 ? 'no charges found' : `${plural(length, 'charge')} received and decoded`
    const newFields = strange.length === 0 ? '' : `; unknown to this version: ${strange.join(', ')}`
    return found(`${rows}${newFields}`, facts)
  },

  order: ({ pages: [first] }) => {
    if (first === undefined) return skipped(NO_PAGE)
    const times = first.raw.map((row) => millisOf(fieldsOf(row).created_at))
    if (times.some(Number.isNaN)) {
      return found('some charges have no valid created_at', { order: 'unreadable' }, UNORDERED)
    }
    const { order = null } = survey(times)
    if (order === null) return skipped('too few charges to tell', { order })
    if (order === 'none') return found('charges are not sorted by time', { order }, UNORDERED)
    return found(`charges are listed ${order === 'ascending' ? 'oldest' : 'newest'} first`, {
      order,
    })
  },

  /** Excludes the first request, which had to open a connection. */
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
      return failed(`no page was received after the first${reason}`, undefined, advice)
    const text = `min ${number(minMs)} ms, median ${number(medianMs)} ms, max ${number(maxMs)} ms (${plural(times.length, 'request')})`
    const unanswered = failure === undefined ? '' : `; ${number(failures.length)} failed${reason}`
    const facts = { minMs, medianMs, maxMs, requests: times.length, failed: failures.length }
    return found(`${text}${unanswered}`, facts, advice)
  },

  /** Intersects the ranges of clock offsets that the responses allow. */
  clock: ({ skews }) => {
    if (skews.length === 0) return skipped('the service does not send its time')
    const least = Math.max(...skews.map((skew) => skew.least))
    const most = Math.min(...skews.map((skew) => skew.most))
    if (least > most) {
      return found(
        'the times in the responses contradict each other',
        undefined,
        'a clock was changed during the check, or a cache answered instead of the service',
      )
    }
    const [offset, within] = [(least + most) / 2, (most - least) / 2]
    const size = Math.abs(offset)
    const side = offset > 0 ? 'behind' : 'ahead of'
    return found(
      size <= Math.min(within, MAX_OFFSET)
        ? `within ${duration(size + within)} of the service's clock`
        : `${duration(size)} ${side} the service's clock, give or take ${duration(within)}`,
      { offsetMs: Math.round(offset), withinMs: Math.round(within) },
      size > MAX_OFFSET
        ? 'correct the clock of this machine: it determines the age of webhook deliveries'
        : undefined,
    )
  },

  limits: ({ service: { environment, share }, tiers, events }) => {
    const limits: Readonly<Record<string, number>> = Object.fromEntries(
      tiers.map(({ name, limit }) => [name, limit]),
    )
    const { endpoint = 0, global = 0, concurrency = 0, logins = 0 } = limits
    const part = share < 1 ? `, ${percent(share)} of them` : ''
    const text = `${plural(endpoint, 'request')} per second per endpoint, ${number(global)} per second in total, ${number(concurrency)} concurrent, ${plural(logins, 'login')} per minute (${environment}${part})`
    const facts = { environment, share, ...limits }
    const lowered = tiers.flatMap(({ name, limit, allowed, lowered: message }) =>
      message === undefined ? [] : [explainLowered(name, { limit, allowed, message })],
    )
    if (lowered.length > 0) {
      const advice = 'set --environment test, or use part of the limits with --share'
      return found([text, ...lowered].join('; '), facts, advice)
    }
    return events.some((event) => event._tag === 'Answered' && event.status === 429)
      ? found(
          `${text}; a request was refused (429)`,
          facts,
          'another process is using this account: use part of the limits with --share',
        )
      : found(text, facts)
  },

  'API version': ({ service: { apiVersion = null } }) =>
    found(
      apiVersion === null
        ? "none requested, so the account's default applies"
        : `${apiVersion} is requested`,
      { apiVersion },
    ),
} as const satisfies Readonly<Record<string, (seen: Seen) => Verdict>>

const failedBy = (failure: Failure): Verdict =>
  failed(oneLine(failure.message), { failure: failure._tag }, adviceFor(failure))

const TRY_AGAIN = 'try again; if the problem persists, report it to the operator of the service'

const ADVICE: { readonly [Tag in Failure['_tag']]?: string } = {
  Unauthorized:
    'check PAYMENTS_CLIENT_ID and PAYMENTS_API_KEY, and that they belong to the environment of the base URL',
  Refused: 'check the base URL and the permissions of the API key',
  Undecodable: "check the base URL: the platform's responses look different",
  Throttled:
    'another process is using up the limits of this account: try again, or use part of them with --share',
  Unreachable: TRY_AGAIN,
  ServerFault: TRY_AGAIN,
  TimedOut: TRY_AGAIN,
}

const adviceFor = (failure: Failure): string | undefined => {
  if (failure._tag === 'Refused' && failure.status === 404) {
    return 'check the base URL, especially its path: it should not include /api/v1, which the client adds'
  }
  if (failure._tag === 'Undecodable' && failure.path === 'has_more') {
    return 'without it, the end of a list cannot be detected: report this to the operator of the service'
  }
  return failure._tag === 'Unreachable' && failure.code === 'FETCH_FAILED'
    ? 'a proxy between this machine and the service may require a login'
    : ADVICE[failure._tag]
}

// constructors

/** Skips all checks that would send a request to the API. */
export const skipService = (why: string): ReadonlyArray<Finding> =>
  Object.keys(CHECKS).map((check) => ({ check, ...skipped(why) }))

/** Emits a finding for each of `CHECKS`. Changes nothing. Retries only after a 401, with a new token. */
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
