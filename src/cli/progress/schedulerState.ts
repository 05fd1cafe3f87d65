/** All that the command line reads of a scheduler's state. */
import type { SchedulerState, TierSnapshot } from '../../scheduler/index.js'

export type { SchedulerState } from '../../scheduler/index.js'

/** Before a scheduler has published its state. */
export const IDLE_SCHEDULER: SchedulerState = {
  waiting: 0,
  inFlight: 0,
  backingOff: 0,
  started: 0,
  refused: 0,
  tiers: [],
}

/** Returns the used part of the rate limit that is used most: 0 to 1, `undefined` where nothing is limited. */
export const quotaOf = ({ tiers }: SchedulerState): number | undefined => {
  const shares = tiers.filter(isRate).map(({ share }) => share)
  return shares.length === 0 ? undefined : Math.max(...shares)
}

/** Limits by name, after the share. */
export const limitsOf = ({ tiers }: SchedulerState): Readonly<Record<string, number>> =>
  Object.fromEntries(tiers.map(({ name, limit }) => [name, limit]))

export interface RateLimit {
  readonly name: string
  /** As configured, after the share. */
  readonly perSecond: number
}

export interface RequestRate {
  /** The lowest limit of requests a second; left out where there is none. */
  readonly limit?: RateLimit
  /** The lowest limit in force, after refusals. */
  readonly allowed: number
}

/** Leaves out the limit of logins, which counts minutes. */
export const requestRateOf = ({ tiers }: SchedulerState): RequestRate => {
  const rates = tiers.filter((tier) => isRate(tier) && tier.name !== 'logins')
  const [lowest] = rates.toSorted((a, b) => a.limit - b.limit)
  return {
    ...(lowest && { limit: { name: lowest.name, perSecond: lowest.limit } }),
    allowed: Math.min(...rates.map(({ allowed }) => allowed)),
  }
}

export const loweredTiers = ({ tiers }: SchedulerState): ReadonlyArray<TierSnapshot> =>
  tiers.filter(({ allowed, limit }) => allowed < limit)

/** Returns the first tier that requests wait for. */
export const bindingTier = ({ tiers }: SchedulerState): TierSnapshot | undefined =>
  tiers.find(({ waiting }) => waiting > 0)

const isRate = ({ kind, limit }: TierSnapshot): boolean =>
  kind === 'rate' && limit < Number.POSITIVE_INFINITY
