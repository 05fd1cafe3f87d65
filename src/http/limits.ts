import { type Limits, MINUTE, SECOND } from '../api/limits.js'
import { concurrency, rate, type Tier } from '../scheduler/index.js'
import type { RateLimitKey } from './RateLimitKey.js'

/**
 * The limits of the interface, for a scheduler: those of `limits.production`, or of your own. A login counts
 * toward the global limit and its own, not toward that of endpoints (default, not specified by the interface
 * document).
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
