/** The limits of the API, and the client's scheduler that enforces them. */
import { take } from 'rxjs'
import { login } from '../api/authentication.js'
import type { AnyEndpoint, Route } from '../api/Endpoint.js'
import { type Limits, limits, MINUTE, SECOND, unlimited } from '../api/limits.js'
import { fieldsOf } from '../decode/unknown.js'
import { withoutUndefined } from '../fp.js'
import { is, type OptionRule } from '../options/index.js'
import {
  concurrency,
  type FairOptions,
  rate,
  type Scheduler,
  type Tier,
} from '../scheduler/index.js'
import { fairRule } from '../scheduler/safeKey.js'
import type { PreparedRequest } from './request/prepareRequest.js'

/** The key by which a scheduler counts a request. */
export interface RateLimitKey {
  /** The route, such as `GET /api/v1/charges`. */
  readonly endpoint: Route
  /** The path as sent, without the query: `/api/v1/charges/chg_1`. Absent for a login. */
  readonly path?: string
  /** The client id that logs in. Absent for every other call. */
  readonly login?: string
  /** The account that the call acts for. Absent for your own. */
  readonly onBehalfOf?: string
}

/** The lanes of a client's scheduler. */
export const PRIORITIES = ['interactive', 'bulk'] as const

/** The lane of a request. It decides the order of sending when limits are reached. */
export type Priority = (typeof PRIORITIES)[number]

/** The limits for reading a list, in requests per second. This client may use its `share` of them. */
export interface ListLimits extends Pick<Limits, 'global' | 'endpoint' | 'concurrency'> {}

// rules

/** Accepts schedulers with the client's lanes. */
export const schedulerRule: OptionRule<Scheduler<RateLimitKey>> = {
  accepts: (u) => {
    const lanes = fieldsOf(fieldsOf(u).core).lanes
    return Array.isArray(lanes) && PRIORITIES.every((lane) => lanes.includes(lane))
  },
  expected: `a client's scheduler, or one from createScheduler with the lanes ${PRIORITIES.join(' and ')}`,
}

export const limitsRule = is.group<Partial<Limits>>({
  global: is.positiveIntOrInfinity,
  endpoint: is.positiveIntOrInfinity,
  concurrency: is.positiveIntOrInfinity,
  logins: is.positiveIntOrInfinity,
})

export const fairnessRule: OptionRule<Partial<FairOptions<RateLimitKey>> | false> = {
  accepts: fairRule.accepts,
  expected: fairRule.expected,
  fields: { by: is.fn(), weight: is.fn() },
}

// constructors

/** Returns the keys for taking turns: by default the account that a call acts for. */
export const fairness = (
  given: Partial<FairOptions<RateLimitKey>> | false = {},
): FairOptions<RateLimitKey> | false => given && { by: accountOf, ...withoutUndefined(given) }

const accountOf = (key: RateLimitKey): string | undefined =>
  Object.hasOwn(key, 'onBehalfOf') ? key.onBehalfOf : undefined

/**
 * Returns the tiers (the set of limits) of a scheduler for these limits, such as `limits.production`. A login counts toward the
 * global limit and its own, but not toward those of endpoints (our assumption: not in the API description).
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
): RateLimitKey => {
  if (endpoint === login.route) return { endpoint, login: headers['x-client-id'] ?? '' }
  return onBehalfOf === undefined ? { endpoint, path } : { endpoint, path, onBehalfOf }
}

/**
 * Returns the resources that the platform may limit separately: a path with an id, as seen by an account; and an account at an
 * endpoint. A list has no id, and its limit is that of its endpoint.
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

/** Share by which the measured level may differ from the real limit, because of probes and the window of a rate. */
const TOLERANCE = 1 / 10

/**
 * Extends a message such as `10 of 20 per second are admitted` with the likely reason. A level close to that of the test
 * environment suggests that the client was created for the wrong environment.
 */
export const explainLowered = (
  tier: string,
  change: { readonly limit: number; readonly allowed: number; readonly message: string },
): string => {
  const question = isTestLimit(tier, change)
    ? "did you mean environment: 'test'?"
    : 'is another process using this account?'
  return `${change.message}: ${question}`
}

const isTestLimit = (
  tier: string,
  { limit, allowed }: { readonly limit: number; readonly allowed: number },
): boolean => {
  if (tier !== 'global' && tier !== 'endpoint' && tier !== 'concurrency') return false
  const { production, test } = limits
  const real = test[tier]
  // A concurrency limit is halved to find the real one, so the level may be only slightly above half of it.
  const least = tier === 'concurrency' ? real / 2 : (1 - TOLERANCE) * real
  return limit === production[tier] && allowed >= least && allowed <= (1 + TOLERANCE) * real
}

/** Returns the current limits of a scheduler for lists; `Infinity` for a limit that it does not have. */
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
