/** Logs in and reads a small page a few times, through an ordinary client, and judges what comes back. */
import {
  concat,
  concatMap,
  defer,
  finalize,
  map,
  type Observable,
  of,
  repeat,
  type SchedulerLike,
  take,
  tap,
  toArray,
} from 'rxjs'
import { login } from '../../api/authentication.js'
import type { Position } from '../../api/Paging.js'
import { createClient } from '../../client/createClient.js'
import type { Charge } from '../../codec/Charge.js'
import { millisOf } from '../../codec/Instant.js'
import type { DriftFact } from '../../decode/index.js'
import { oneLine } from '../../decode/redact.js'
import { fieldsOf } from '../../decode/unknown.js'
import { E, withoutUndefined } from '../../fp.js'
import type { ClientEvent } from '../../http/ClientEvent.js'
import type { Failure } from '../../http/Failure.js'
import { explainLowered } from '../../http/limits.js'
import type { Timeout, Transport } from '../../http/transport/Transport.js'
import { duration, number, percent, plural } from '../../report/text.js'
import type { SchedulerState } from '../../scheduler/index.js'
import type { Page } from '../../stream/index.js'
import type { Connection } from '../connection.js'
import { type Check, type Finding, failed, ok, skipped, warning } from './Finding.js'

// model

export interface ServiceToCheck {
  readonly connection: Connection
  /** The part of the limits to use. */
  readonly share: number
  readonly transport: Transport
  readonly timer: SchedulerLike
  readonly timeout?: Timeout
}

type ChargePage = E.Either<Failure, Page<Failure, Charge, Position>>

/** Far from any limit. */
const REQUESTS = 6
const PAGE_SIZE = 10
/** Shorter than those of an export, in ms. */
const TIMEOUT: Timeout = { connect: 10_000, headers: 15_000, body: 15_000, whole: 30_000 }
/** A token with a shorter life is renewed all the time, in ms. */
const SHORT_TOKEN = 120_000

const CHECKS: ReadonlyArray<Check> = [
  'login',
  'list',
  'order',
  'round trip',
  'clock',
  'limits',
  'API version',
]

// constructors

/** Skips all checks that would send a request to the API. */
export const skipService = (why: string): ReadonlyArray<Finding> =>
  CHECKS.map((check) => skipped(check, why))

/** Emits a finding for each of `CHECKS`. Changes nothing, and retries only with a new token after a 401. */
export const checkService = ({
  connection,
  share,
  transport,
  timer,
  timeout = TIMEOUT,
}: ServiceToCheck): Observable<Finding> =>
  defer(() => {
    const events: Array<ClientEvent> = []
    const answers: Array<DatedAnswer> = []
    const client = createClient({
      ...connection,
      share,
      transport: observeDates(timer, (answer) => answers.push(answer))(transport),
      timer,
      timeout,
      retry: { faults: 0, throttled: 0 },
      drift: true,
    })
    const listening = client.events.subscribe((event) => events.push(event))
    const page = client.charges.list({ page_size: PAGE_SIZE }).pages.pipe(take(1))

    const pageFindings = (first: ChargePage): Observable<Finding> =>
      concat(
        of(checkLogin(first, events), checkList(first, client.drift())),
        E.isLeft(first)
          ? of(skipped('order', NO_PAGE), skipped('round trip', NO_PAGE))
          : concat(
              of(checkOrder(first.right.raw)),
              page.pipe(
                repeat(REQUESTS - 1),
                toArray(),
                map((pages) => checkRoundTrip(pages, events)),
              ),
            ),
      )

    const finalFindings = defer(() =>
      client.scheduler.state.pipe(
        take(1),
        concatMap((state) => [
          checkClock(answers),
          checkLimits({ environment: connection.environment, share }, state, events),
          checkApiVersion(connection),
        ]),
      ),
    )

    return concat(page.pipe(concatMap(pageFindings)), finalFindings).pipe(
      finalize(() => listening.unsubscribe()),
    )
  })

const NO_PAGE = 'there is no page to tell it from'

/** Judges the login that the first page needed. */
const checkLogin = (first: ChargePage, events: ReadonlyArray<ClientEvent>): Finding => {
  const token = events.find((event) => event._tag === 'LoggedIn')
  if (token === undefined) {
    return E.isLeft(first) ? failedBy('login', first.left) : skipped('login', 'no login was needed')
  }
  const facts = { tokenMsLeft: token.validFor }
  const found = `accepted; the token is good for ${duration(token.validFor)}`
  return token.validFor < SHORT_TOKEN
    ? warning('login', found, { facts, advice: 'see whether the clock of this machine is right' })
    : ok('login', found, { facts })
}

const checkList = (first: ChargePage, drift: ReadonlyArray<DriftFact>): Finding => {
  if (E.isLeft(first)) {
    return first.left.endpoint === login.route
      ? skipped('list', 'not logged in')
      : failedBy('list', first.left)
  }
  const { items } = first.right
  const undecodable = items.filter(E.isLeft)
  const strange = drift.map(({ kind, path, example }) => oneLine(`${kind} ${path} (${example})`))
  const facts = { rows: items.length, undecodable: undecodable.length, drift: strange }
  const [bad] = undecodable
  if (bad !== undefined) {
    const count = `${number(undecodable.length)} of ${plural(items.length, 'charge')}`
    return failed('list', `${count} did not decode: ${oneLine(bad.left.message)}`, {
      facts,
      advice: 'an export puts such rows aside, with the reason: report this to the maintainers',
    })
  }
  const found =
    items.length === 0
      ? 'there are no charges'
      : `${plural(items.length, 'charge')} came and decoded`
  const newFields = strange.length === 0 ? '' : `; new to this version: ${strange.join(', ')}`
  return ok('list', `${found}${newFields}`, { facts })
}

/** Judges the order of one page by the times of its rows, as they came. */
const checkOrder = (rows: ReadonlyArray<unknown>): Finding => {
  const times = rows.map((row) => millisOf(fieldsOf(row).created_at))
  const steps = times.slice(1).map((time, i) => Math.sign(time - (times[i] ?? Number.NaN)))
  const [up, down] = [steps.includes(1), steps.includes(-1)]
  if (steps.some(Number.isNaN)) return unordered('rows without a time', 'unreadable')
  if (up && down) return unordered('neither oldest nor newest first', 'none')
  if (!up && !down) return skipped('order', 'too few charges to tell', { facts: { order: null } })
  return ok('order', `charges come ${up ? 'oldest' : 'newest'} first`, {
    facts: { order: up ? 'ascending' : 'descending' },
  })
}

const unordered = (found: string, order: string): Finding =>
  warning('order', found, {
    facts: { order },
    advice: 'snapshots need the order of time: an export may refuse this list',
  })

/** Times the requests after the first, which had to connect. */
const checkRoundTrip = (
  pages: ReadonlyArray<ChargePage>,
  events: ReadonlyArray<ClientEvent>,
): Finding => {
  const times = events
    .filter((event) => event._tag === 'Answered')
    .filter(({ endpoint, status }) => endpoint !== login.route && status < 300)
    .map(({ took }) => took)
    .slice(1)
    .toSorted((a, b) => a - b)
  const [minMs, maxMs] = [times.at(0), times.at(-1)]
  const medianMs = times[Math.floor(times.length / 2)]
  const failures = pages.filter(E.isLeft).map(({ left }) => left)
  const [failure] = failures
  const reason = failure === undefined ? '' : `: ${oneLine(failure.message)}`
  const advice = withoutUndefined({ advice: failure && adviceFor(failure) })
  if (minMs === undefined || maxMs === undefined || medianMs === undefined) {
    return failed('round trip', `no page came after the first${reason}`, advice)
  }
  const found = `${number(minMs)} ms at least, ${number(medianMs)} ms in the middle, ${number(maxMs)} ms at most, of ${plural(times.length, 'request')}`
  const facts = { minMs, medianMs, maxMs, requests: times.length, failed: failures.length }
  return failure === undefined
    ? ok('round trip', found, { facts })
    : warning('round trip', `${found}; ${number(failures.length)} failed${reason}`, {
        facts,
        ...advice,
      })
}

// clock

/** One answer, in ms since 1970. */
export interface DatedAnswer {
  /** By our clock. */
  readonly sent: number
  readonly received: number
  /** By the service's clock, in whole seconds: it was somewhere in that second. */
  readonly date: number
}

export interface ClockOffset {
  /** Added to our clock, it gives the service's, in ms. */
  readonly ms: number
  /** Largest error of `ms`. */
  readonly within: number
}

/** A larger offset is a warning, in ms. */
const MAX_OFFSET = 2_000

/** Wraps a transport: `tell` is called for each answer with a `Date`. */
const observeDates =
  (timer: SchedulerLike, onAnswer: (answer: DatedAnswer) => void) =>
  (transport: Transport): Transport =>
  (request) =>
    defer(() => {
      const sent = timer.now()
      return transport(request).pipe(
        tap((ea) => {
          const date = E.isRight(ea) ? Date.parse(ea.right.header('date') ?? '') : Number.NaN
          if (!Number.isNaN(date)) onAnswer({ sent, received: timer.now(), date })
        }),
      )
    })

/**
 * Intersects the offsets that each answer allows. Our clock stood between `sent` and `received` when the service
 * wrote `date`, and its clock in the second that begins with `date`:
 *
 *     ours     sent |------------| received
 *     theirs           |date  ...  +1 s|
 *
 * `undefined` without answers, and where they contradict each other, since a clock was set meanwhile.
 */
export const clockOffset = (answers: ReadonlyArray<DatedAnswer>): ClockOffset | undefined => {
  const least = Math.max(...answers.map(({ date, received }) => date - received))
  const most = Math.min(...answers.map(({ date, sent }) => date + 1_000 - sent))
  return answers.length === 0 || least > most
    ? undefined
    : { ms: (least + most) / 2, within: (most - least) / 2 }
}

const checkClock = (answers: ReadonlyArray<DatedAnswer>): Finding => {
  const offset = clockOffset(answers)
  if (offset === undefined) {
    return answers.length === 0
      ? skipped('clock', 'the service does not tell its time')
      : warning('clock', 'the times of the answers contradict each other', {
          advice: 'a clock was set meanwhile, or something between answers from a store',
        })
  }
  const { ms, within } = offset
  const facts = { offsetMs: Math.round(ms), withinMs: Math.round(within) }
  const side = ms > 0 ? 'behind' : 'ahead of'
  const found = `${duration(Math.abs(ms))} ${side} the service's, give or take ${duration(within)}`
  if (Math.abs(ms) > MAX_OFFSET) {
    const advice = 'set the clock of this machine: it judges the age of webhook deliveries'
    return warning('clock', found, { advice, facts })
  }
  const isSame = Math.abs(ms) <= within
  return ok('clock', isSame ? `that of the service, give or take ${duration(within)}` : found, {
    facts,
  })
}

// limits

/** By the names of their tiers, in the order that they are printed in. */
const LIMIT_WORDS: Readonly<Record<string, (limit: number) => string>> = {
  endpoint: (n) => `${plural(n, 'request')} a second an endpoint`,
  global: (n) => `${number(n)} a second in all`,
  concurrency: (n) => `${number(n)} concurrent`,
  logins: (n) => `${plural(n, 'login')} a minute`,
}

const checkLimits = (
  { environment, share }: { readonly environment: string; readonly share: number },
  state: SchedulerState,
  events: ReadonlyArray<ClientEvent>,
): Finding => {
  const limits: Readonly<Record<string, number>> = Object.fromEntries(
    state.tiers.map(({ name, limit }) => [name, limit]), // after the share
  )
  const phrases = Object.entries(LIMIT_WORDS).flatMap(([name, words]) =>
    limits[name] === undefined ? [] : [words(limits[name])],
  )
  const part = share < 1 ? `, ${percent(share)} of them` : ''
  const found = `${phrases.join(', ')} (${environment}${part})`
  const facts = { environment, share, ...limits }
  const lowered = state.tiers.flatMap(({ name, limit, allowed, lowered: message }) =>
    message === undefined ? [] : [explainLowered(name, { limit, allowed, message })],
  )
  if (lowered.length > 0) {
    return warning('limits', `${found}; ${lowered.join('; ')}`, {
      facts,
      advice: 'set --environment sandbox, or take a part of the limits with --share',
    })
  }
  return events.some((event) => event._tag === 'Answered' && event.status === 429)
    ? warning('limits', `${found}; a request was refused for them`, {
        facts,
        advice: 'another process uses this account: use part of the limits with --share',
      })
    : ok('limits', found, { facts })
}

const checkApiVersion = ({ apiVersion }: Connection): Finding =>
  apiVersion === undefined
    ? ok('API version', "the account's own: none is asked for", { facts: { apiVersion: null } })
    : ok('API version', `${apiVersion} is asked for`, { facts: { apiVersion } })

// failures

const failedBy = (check: 'login' | 'list', failure: Failure): Finding =>
  failed(check, oneLine(failure.message), {
    facts: { failure: failure._tag },
    ...withoutUndefined({ advice: adviceFor(failure) }),
  })

const TRY_AGAIN = 'try again; if it stays so, it is for the service to mend'

const adviceFor = (failure: Failure): string | undefined => {
  switch (failure._tag) {
    case 'Unauthorized':
      return 'check PAYMENTS_CLIENT_ID and PAYMENTS_API_KEY, and that they are of the environment that the base URL is of'
    case 'Refused':
      return failure.status === 404
        ? 'check the base URL, above all its path: routes begin with /api/v1 themselves, so it ends before that'
        : 'check the base URL, and what the keys may do'
    case 'Undecodable':
      return failure.path === 'has_more'
        ? 'no list can be told to be whole: this is for the service to mend'
        : 'check the base URL: this is not how the platform answers'
    case 'Throttled':
      return 'another process uses up the limits of this account: try again, and use part of them with --share'
    case 'Unreachable':
      return failure.code === 'FETCH_FAILED'
        ? 'see whether a proxy stands between that wants a login'
        : TRY_AGAIN
    case 'ServerFault':
    case 'TimedOut':
      return TRY_AGAIN
    default:
      return undefined
  }
}
