/** Why a run is not going faster. */
import type { SchedulerState, TierSnapshot } from '../../scheduler/index.js'
import { type Activity, pausing } from './Activity.js'
import { about, duration, number, plural } from './words.js'

// model

export type Wait =
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
const SILENCE = 5_000

// constructors

/** The gravest first. */
export const waits = (
  activity: Activity,
  state: SchedulerState,
  now: number,
): ReadonlyArray<Wait> => [
  ...fault(activity, now),
  ...(state.backingOff > 0 ? [{ _tag: 'Refused', requests: state.backingOff } as const] : []),
  ...silence(activity, state, now),
  ...state.tiers.filter(({ allowed, limit }) => allowed < limit).map(lowered),
  ...behind(state),
]

const fault = (activity: Activity, now: number): ReadonlyArray<Wait> => {
  const [first] = pausing(activity, now).toSorted((a, b) => a.until - b.until)
  return first === undefined
    ? []
    : [{ _tag: 'Fault', ms: first.until - now, because: first.because }]
}

const silence = (
  { heard }: Activity,
  { inFlight }: SchedulerState,
  now: number,
): ReadonlyArray<Wait> =>
  heard === undefined || inFlight === 0 || now - heard < SILENCE
    ? []
    : [{ _tag: 'Silence', ms: now - heard, requests: inFlight }]

const lowered = ({ name, allowed, limit }: TierSnapshot): Wait => ({
  _tag: 'Lowered',
  tier: name,
  allowed,
  limit,
})

const behind = ({ waiting, tiers }: SchedulerState): ReadonlyArray<Wait> => {
  const tier = tiers.find(({ waiting }) => waiting > 0)
  return tier === undefined || waiting === 0
    ? []
    : [{ _tag: 'Limit', tier: tier.name, requests: waiting, limit: tier.limit }]
}

// interop

export const inWords = (wait: Wait): string => {
  switch (wait._tag) {
    case 'Fault':
      return `again in ${duration(wait.ms)}: ${wait.because}`
    case 'Refused':
      return `${plural(wait.requests, 'request')} refused (429): sent again after a pause`
    case 'Silence':
      return `no answer for ${about(wait.ms)}: ${plural(wait.requests, 'request')} under way`
    case 'Lowered':
      return `${wait.tier} limit taken as ${number(wait.allowed)}, not ${number(wait.limit)}, after refusals: does somebody else use this account?`
    case 'Limit':
      return `${plural(wait.requests, 'request')} behind the ${wait.tier} limit of ${number(wait.limit)}`
  }
}
