/** Why a run is not going faster. */
import type { ClientEvent } from '../../http/ClientEvent.js'
import { duration, number, plural, roundedDuration } from '../../report/text.js'
import type { SchedulerState } from '../../scheduler/index.js'

// client activity

export interface ClientActivity {
  /** Requests that wait to be sent again. */
  readonly pauses: ReadonlyArray<Pause>
  /** When the last answer came, or else the first request left, in ms. */
  readonly lastAnswer?: number
}

interface Pause {
  /** In ms. */
  readonly until: number
  readonly because: string
}

export const NO_ACTIVITY: ClientActivity = { pauses: [] }

export const noteEvent =
  (event: ClientEvent, now: number) =>
  (activity: ClientActivity): ClientActivity => {
    switch (event._tag) {
      case 'Sent':
        return { lastAnswer: now, ...activity }
      case 'Answered':
      case 'Unanswered':
        return { ...activity, lastAnswer: now }
      case 'Retrying': {
        const pause = { until: now + event.pause, because: event.failure.message }
        return { ...activity, pauses: [...pausedAt(activity, now), pause] }
      }
      default:
        return activity
    }
  }

export const pausedAt = ({ pauses }: ClientActivity, now: number): ReadonlyArray<Pause> =>
  pauses.filter(({ until }) => until > now)

// stall reasons

export type StallReason =
  /** A connection or the service failed: the first request is sent again in `ms`. */
  | { readonly _tag: 'Fault'; readonly ms: number; readonly because: string }
  /** Requests were refused (429), and wait to be sent again. */
  | { readonly _tag: 'Refused'; readonly requests: number }
  /** No answer has come for `ms`, with requests under way. */
  | { readonly _tag: 'Silence'; readonly ms: number; readonly requests: number }
  /** Refusals in a burst: another process uses the quota, and less of it is taken for a while. */
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

/** A longer silence is a stall, in ms. */
const SLOW_ANSWER = 5_000

/** Returns the reasons at `now` in ms, the gravest first. */
export const stallReasons = (
  activity: ClientActivity,
  state: SchedulerState,
  now: number,
): ReadonlyArray<StallReason> => {
  const { backingOff, inFlight, waiting, tiers } = state
  const [pause] = pausedAt(activity, now).toSorted((a, b) => a.until - b.until)
  const silence = now - (activity.lastAnswer ?? now)
  const tier = tiers.find(({ waiting }) => waiting > 0)
  const reasons: ReadonlyArray<StallReason | false | undefined> = [
    pause && { _tag: 'Fault', ms: pause.until - now, because: pause.because },
    backingOff > 0 && { _tag: 'Refused', requests: backingOff },
    inFlight > 0 && silence >= SLOW_ANSWER && { _tag: 'Silence', ms: silence, requests: inFlight },
    ...tiers
      .filter(({ allowed, limit }) => allowed < limit)
      .map(
        ({ name, allowed, limit }) => ({ _tag: 'Lowered', tier: name, allowed, limit }) as const,
      ),
    tier && waiting > 0 && { _tag: 'Limit', tier: tier.name, requests: waiting, limit: tier.limit },
  ]
  return reasons.filter((reason) => reason !== false && reason !== undefined)
}

export const describeStall = (reason: StallReason): string => {
  switch (reason._tag) {
    case 'Fault':
      return `again in ${duration(reason.ms)}: ${reason.because}`
    case 'Refused':
      return `${plural(reason.requests, 'request')} refused (429): sent again after a pause`
    case 'Silence':
      return `no answer for ${roundedDuration(reason.ms)}: ${plural(reason.requests, 'request')} under way`
    case 'Lowered':
      return `${reason.tier} limit taken as ${number(reason.allowed)}, not ${number(reason.limit)}, after refusals: does somebody else use this account?`
    case 'Limit':
      return `${plural(reason.requests, 'request')} behind the ${reason.tier} limit of ${number(reason.limit)}`
  }
}
