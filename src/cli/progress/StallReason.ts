/** Why a run is not going faster. */
import type { SchedulerState, TierSnapshot } from '../../scheduler/index.js'
import { duration, number, plural, roundedDuration } from '../text.js'
import { type ClientActivity, pausedAt } from './ClientActivity.js'

// model

export type StallReason =
  /** A connection or the service failed: the first request is sent again in `ms`. */
  | { readonly _tag: 'Fault'; readonly ms: number; readonly because: string }
  /** Requests were refused (429), and wait to be sent again. */
  | { readonly _tag: 'Refused'; readonly requests: number }
  /** No answer has come for `ms`, and some are awaited. */
  | { readonly _tag: 'Silence'; readonly ms: number; readonly requests: number }
  /** Refusals in a burst: somebody else uses the quota, and less of it is taken for a while. */
  | {
      readonly _tag: 'Lowered'
      readonly tier: string
      readonly allowed: number
      readonly limit: number
    }
  /** Requests wait for a limit: the quota is used up. */
  | {
      readonly _tag: 'Limit'
      readonly tier: string
      readonly requests: number
      readonly limit: number
    }

/** An answer that takes longer is worth a word, in ms. */
const SLOW_ANSWER = 5_000

// constructors

/** The gravest first. */
export const stallReasons = (
  activity: ClientActivity,
  state: SchedulerState,
  now: number,
): ReadonlyArray<StallReason> => [
  ...fault(activity, now),
  ...(state.backingOff > 0 ? [{ _tag: 'Refused', requests: state.backingOff } as const] : []),
  ...silence(activity, state, now),
  ...state.tiers.filter(({ allowed, limit }) => allowed < limit).map(lowered),
  ...behind(state),
]

const fault = (activity: ClientActivity, now: number): ReadonlyArray<StallReason> => {
  const [first] = pausedAt(activity, now).toSorted((a, b) => a.until - b.until)
  return first === undefined
    ? []
    : [{ _tag: 'Fault', ms: first.until - now, because: first.because }]
}

const silence = (
  { lastAnswer: heard }: ClientActivity,
  { inFlight }: SchedulerState,
  now: number,
): ReadonlyArray<StallReason> =>
  heard === undefined || inFlight === 0 || now - heard < SLOW_ANSWER
    ? []
    : [{ _tag: 'Silence', ms: now - heard, requests: inFlight }]

const lowered = ({ name, allowed, limit }: TierSnapshot): StallReason => ({
  _tag: 'Lowered',
  tier: name,
  allowed,
  limit,
})

const behind = ({ waiting, tiers }: SchedulerState): ReadonlyArray<StallReason> => {
  const tier = tiers.find(({ waiting }) => waiting > 0)
  return tier === undefined || waiting === 0
    ? []
    : [{ _tag: 'Limit', tier: tier.name, requests: waiting, limit: tier.limit }]
}

// interop

export const describeStall = (wait: StallReason): string => {
  switch (wait._tag) {
    case 'Fault':
      return `again in ${duration(wait.ms)}: ${wait.because}`
    case 'Refused':
      return `${plural(wait.requests, 'request')} refused (429): sent again after a pause`
    case 'Silence':
      return `no answer for ${roundedDuration(wait.ms)}: ${plural(wait.requests, 'request')} under way`
    case 'Lowered':
      return `${wait.tier} limit taken as ${number(wait.allowed)}, not ${number(wait.limit)}, after refusals: does somebody else use this account?`
    case 'Limit':
      return `${plural(wait.requests, 'request')} behind the ${wait.tier} limit of ${number(wait.limit)}`
  }
}
