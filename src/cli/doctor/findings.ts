/** What is made of the service's answers: pure. */

import { login as LOGIN } from '../../api/authentication.js'
import type { Environment } from '../../api/limits.js'
import type { Position } from '../../api/Paging.js'
import type { Charge } from '../../codec/Charge.js'
import { Instant, toDate } from '../../codec/Instant.js'
import type { DriftFact } from '../../decode/index.js'
import { E } from '../../fp.js'
import type { ClientEvent } from '../../http/ClientEvent.js'
import type { Failure } from '../../http/Failure.js'
import type { SchedulerState } from '../../scheduler/index.js'
import type { Page } from '../../stream/index.js'
import { duration, number, percent, plain, plural } from '../progress/words.js'
import { offset, type Timed } from './Clocks.js'
import { type Finding, failed, ok, skipped, warning } from './Finding.js'

// model

/** What came of the first request. */
export type FirstPage = E.Either<Failure, Page<Failure, Charge, Position>>

/** A clock that is farther off is worth a word, in ms: snapshots end at the time of this machine. */
const OFF = 2_000
/** A token that is good for less is renewed all the time, in ms. */
const SHORT = 120_000

// constructors

export const login = (first: FirstPage, events: ReadonlyArray<ClientEvent>): Finding => {
  const token = events.find((event) => event._tag === 'LoggedIn')
  if (token !== undefined) {
    const facts = { tokenMsLeft: token.validFor }
    const found = `accepted; the token is good for ${duration(token.validFor)}`
    return token.validFor < SHORT
      ? warning('login', found, { facts, advice: 'see whether the clock of this machine is right' })
      : ok('login', found, { facts })
  }
  return E.isLeft(first) ? broken('login', first.left) : skipped('login', 'nobody had to log in')
}

export const list = (first: FirstPage, drift: ReadonlyArray<DriftFact>): Finding => {
  if (E.isLeft(first)) {
    return first.left.endpoint === LOGIN.route
      ? skipped('list', 'nobody is logged in')
      : broken('list', first.left)
  }
  const { items } = first.right
  const bad = items.find(E.isLeft)
  const count = items.filter(E.isLeft).length
  const strange = drift.map(({ kind, path, example }) => plain(`${kind} ${path} (${example})`))
  const facts = { rows: items.length, undecodable: count, drift: strange }
  if (bad !== undefined) {
    return failed(
      'list',
      `${number(count)} of ${plural(items.length, 'charge')} did not decode: ${plain(bad.left.message)}`,
      {
        facts,
        advice: 'an export puts such rows aside, with the reason: report this to the maintainers',
      },
    )
  }
  const known = strange.length === 0 ? '' : `; new to this version: ${strange.join(', ')}`
  const found =
    items.length === 0
      ? 'there are no charges'
      : `${plural(items.length, 'charge')} came and decoded`
  return ok('list', `${found}${known}`, { facts })
}

/** By the times of the rows of one page, as they came. */
export const order = (rows: ReadonlyArray<unknown>): Finding => {
  const times = rows.map(timeOf)
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

const timeOf = (row: unknown): number => {
  const { created_at }: { readonly created_at?: unknown } = Object(row)
  return Instant.is(created_at) ? toDate(created_at).getTime() : Number.NaN
}

/** Of the requests after the first, which had to connect, and what came of these: `pages`. */
export const roundTrip = (
  pages: ReadonlyArray<FirstPage>,
  events: ReadonlyArray<ClientEvent>,
): Finding => {
  const times = events
    .flatMap((event) =>
      event._tag === 'Answered' && event.endpoint !== LOGIN.route && event.status < 300
        ? [event.took]
        : [],
    )
    .slice(1)
    .toSorted((a, b) => a - b)
  const [minMs, maxMs] = [times.at(0), times.at(-1)]
  const medianMs = times[Math.floor(times.length / 2)]
  const failures = pages.flatMap((page) => (E.isLeft(page) ? [page.left] : []))
  const [failure] = failures
  const why = failure === undefined ? '' : `: ${plain(failure.message)}`
  const advice = failure === undefined ? {} : adviceFor(failure)
  if (minMs === undefined || maxMs === undefined || medianMs === undefined) {
    return failed('round trip', `no page came after the first${why}`, advice)
  }
  const found = `${number(minMs)} ms at least, ${number(medianMs)} ms in the middle, ${number(maxMs)} ms at most, of ${plural(times.length, 'request')}`
  const facts = { minMs, medianMs, maxMs, requests: times.length, failed: failures.length }
  return failure === undefined
    ? ok('round trip', found, { facts })
    : warning('round trip', `${found}; ${number(failures.length)} failed${why}`, {
        facts,
        ...advice,
      })
}

export const clock = (answers: ReadonlyArray<Timed>): Finding => {
  const found = offset(answers)
  if (found === undefined) {
    return answers.length === 0
      ? skipped('clock', 'the service does not tell its time')
      : warning('clock', 'the times of the answers contradict each other', {
          advice: 'a clock was set meanwhile, or something between answers from a store',
        })
  }
  const { ms, within } = found
  const facts = { offsetMs: Math.round(ms), withinMs: Math.round(within) }
  const far = `${duration(Math.abs(ms))} ${ms > 0 ? 'behind' : 'ahead of'} the service's, give or take ${duration(within)}`
  if (Math.abs(ms) > OFF) {
    const advice = `set the clock of this machine: exports end at its time, and ${ms > 0 ? 'leave out what was made last' : 'ask for what is not there yet'}`
    return warning('clock', far, { advice, facts })
  }
  return ok(
    'clock',
    Math.abs(ms) <= within ? `that of the service, give or take ${duration(within)}` : far,
    { facts },
  )
}

export const limits = (
  { environment, share }: { readonly environment: Environment; readonly share: number },
  { tiers }: SchedulerState,
  events: ReadonlyArray<ClientEvent>,
): Finding => {
  const words: Readonly<Record<string, string>> = {
    endpoint: 'requests a second an endpoint',
    global: 'a second in all',
    concurrency: 'at a time',
    login: 'logins a minute',
  }
  const of = (name: string) => tiers.find((tier) => tier.name === name)
  const kept = Object.entries(words).flatMap(([name, word]) => {
    const tier = of(name)
    return tier === undefined ? [] : [`${number(tier.limit)} ${word}`]
  })
  const found = `${kept.join(', ')} (${environment}${share < 1 ? `, ${percent(share)} of them` : ''})`
  const facts = {
    environment,
    share,
    ...Object.fromEntries(tiers.map(({ name, limit }) => [name, limit])),
  }
  return events.some((event) => event._tag === 'Answered' && event.status === 429)
    ? warning('limits', `${found}; a request was refused for them`, {
        facts,
        advice: 'somebody else uses this account: take a part of the limits with --share',
      })
    : ok('limits', found, { facts })
}

/** Commands ask for none. */
export const version: Finding = ok('API version', "the account's own: none is asked for", {
  facts: { apiVersion: null },
})

const broken = (check: 'login' | 'list', failure: Failure): Finding =>
  failed(check, plain(failure.message), {
    facts: { failure: failure._tag },
    ...adviceFor(failure),
  })

const adviceFor = (failure: Failure): { readonly advice?: string } => {
  switch (failure._tag) {
    case 'Unauthorized':
      return {
        advice:
          'check PAYMENTS_CLIENT_ID and PAYMENTS_API_KEY, and that they are of the environment that the base URL is of',
      }
    case 'Refused':
      return { advice: 'check the base URL, and what the keys may do' }
    case 'Undecodable':
      return { advice: 'check the base URL: this is not how the platform answers' }
    case 'Throttled':
      return {
        advice: 'somebody else uses this account up: try again, and take a part with --share',
      }
    case 'ServerFault':
    case 'Unreachable':
    case 'TimedOut':
      return { advice: 'try again; if it stays so, it is for the service to mend' }
    default:
      return {}
  }
}
