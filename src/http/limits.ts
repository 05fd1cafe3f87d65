/** The limits of the interface, and the scheduler of a client that keeps them. */
import { take } from 'rxjs'
import { login } from '../api/authentication.js'
import type { AnyEndpoint, Route } from '../api/Endpoint.js'
import { type Limits, limits, MINUTE, SECOND, unlimited } from '../api/limits.js'
import { fieldsOf } from '../decode/unknown.js'
import { withoutUndefined } from '../fp.js'
import { is, type OptionRule } from '../options/index.js'
import { concurrency, rate, type Scheduler, type Tier } from '../scheduler/index.js'
import type { PreparedRequest } from './request/prepareRequest.js'

// model

/** The key under which a scheduler counts a request. */
export interface RateLimitKey {
  /** The route, such as `GET /api/v1/charges`. */
  readonly endpoint: Route
  /** The path as sent, without the query: `/api/v1/charges/chg_1`; absent for a login. */
  readonly path?: string
  /** The client id that logs in; absent for every other call. */
  readonly login?: string
  /** The account that the call is made for; absent for one's own. */
  readonly onBehalfOf?: string
}

/** Lanes of a client's scheduler. */
export const PRIORITIES = ['interactive', 'bulk'] as const

/** The lane of a request: which goes first when limits bind. */
export type Priority = (typeof PRIORITIES)[number]

/** Limits that reading a list is under, of which this client may use its `share`: rates a second. */
export interface ListLimits extends Pick<Limits, 'global' | 'endpoint' | 'concurrency'> {}

// rules

/** Accepts schedulers with the lanes that calls wait in. */
export const schedulerRule: OptionRule<Scheduler<RateLimitKey>> = {
  accepts: (u) => {
    const lanes = fieldsOf(fieldsOf(u).core).lanes
    return Array.isArray(lanes) && PRIORITIES.every((lane) => lanes.includes(lane))
  },
  expected: `a scheduler of a client, or of createScheduler with the lanes ${PRIORITIES.join(' and ')}`,
}

/** Accepts limits of the caller's own, for the option `limits`. */
export const limitsRule = is.group<Partial<Limits>>({
  global: is.positiveIntOrInfinity,
  endpoint: is.positiveIntOrInfinity,
  concurrency: is.positiveIntOrInfinity,
  logins: is.positiveIntOrInfinity,
})

// constructors

/**
 * Returns the tiers of a scheduler that keeps these limits, such as `limits.production`. A login counts toward the
 * global limit and its own, not toward that of endpoints (default, not specified by the interface document).
 */
export const tiers = (limits: Limits): ReadonlyArray<Tier<RateLimitKey>> => [
  concurrency({ name: 'concurrency', limit: limits.concurrency }),
  rate({ name: 'global', limit: limits.global, per: SECOND }),
  rate({
    name: 'endpoint',
    limit: limits.endpoint,
    per: SECOND,
    key: ({ endpoint, login }) => (login === undefined ? endpoint : undefined),
  }),
  rate({ name: 'logins', limit: limits.logins, per: MINUTE, key: ({ login }) => login }),
]

/** Returns the key of a request. Logins are counted by the client id that logs in. */
export const rateLimitKey = (
  { route: endpoint }: Pick<AnyEndpoint, 'route'>,
  { path, headers }: Pick<PreparedRequest, 'path' | 'headers'>,
  onBehalfOf?: string,
): RateLimitKey =>
  endpoint === login.route
    ? { endpoint, login: headers['x-client-id'] ?? '' }
    : { endpoint, path, ...withoutUndefined({ onBehalfOf }) }

/**
 * Returns what the platform may limit singly: a path with an id, as an account sees it, and an account at an endpoint. A
 * list has no id: its limit is that of its endpoint.
 */
export const resources = ({
  endpoint,
  path = '',
  onBehalfOf,
}: RateLimitKey): ReadonlyArray<string> => {
  const account = `${endpoint} ${onBehalfOf ?? ''}`
  return [
    ...(endpoint.includes('{') ? [`${account} ${path}`] : []),
    ...(onBehalfOf === undefined ? [] : [account]),
  ]
}

// combinators

/** Probes and the window of a rate make the level that is found differ from the real limit by this part of it. */
const TOLERANCE = 1 / 10

/**
 * Asks for the likely reason why less than a limit is admitted, after words such as `10 of 20 a second are admitted`: about
 * as much as the sandbox allows suggests that the client was made for the other environment.
 */
export const explainLowered = (
  tier: string,
  change: { readonly limit: number; readonly allowed: number; readonly message: string },
): string => {
  const question = isOfSandbox(tier, change)
    ? "is environment: 'sandbox' meant?"
    : 'does another process use this account?'
  return `${change.message}: ${question}`
}

const isOfSandbox = (
  tier: string,
  { limit, allowed }: { readonly limit: number; readonly allowed: number },
): boolean => {
  if (tier !== 'global' && tier !== 'endpoint' && tier !== 'concurrency') return false
  const { production, sandbox } = limits
  const real = sandbox[tier]
  // A concurrency limit is halved to find the real one, so it may be little more than half of it.
  const least = tier === 'concurrency' ? real / 2 : (1 - TOLERANCE) * real
  return limit === production[tier] && allowed >= least && allowed <= (1 + TOLERANCE) * real
}

/** Returns the present limits of a scheduler that lists are under; `Infinity` for each that it does not have. */
export const listLimitsOf = <R>(scheduler: Scheduler<R>): ListLimits => {
  const found = { ...unlimited }
  scheduler.state.pipe(take(1)).subscribe(({ tiers }) => {
    for (const { name, limit, per = SECOND } of tiers) {
      if (name === 'global' || name === 'endpoint' || name === 'concurrency') {
        found[name] = limit * (SECOND / per)
      }
    }
  })
  return found
}
