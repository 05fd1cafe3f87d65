/** Why a run is not going faster. */
import { login } from '../../api/authentication.js'
import { widthFor } from '../../client/measuredWidth.js'
import { withoutUndefined } from '../../fp.js'
import type { ClientEvent } from '../../http/ClientEvent.js'
import { duration, number, plural, roundedDuration } from '../../report/text.js'
import type { SchedulerState } from '../../scheduler/index.js'

// client activity

export interface ClientActivity {
  /** Requests that wait to be sent again. */
  readonly pauses: ReadonlyArray<Pause>
  /** When the last answer came, or else the first request left, in ms. */
  readonly lastAnswer?: number
  /** Reason for the wait, in the words of the destination. */
  readonly refusal?: string
  /** Why the Redis of a shared quota cannot be used. */
  readonly quota?: string
  /** Mean time to an answer of the last pages, in ms. */
  readonly roundTrip?: number
}

interface Pause {
  /** In ms. */
  readonly until: number
  readonly because: string
}

export const NO_ACTIVITY: ClientActivity = { pauses: [] }

/** Weight of the last answer in the mean. */
const WEIGHT = 1 / 8

export const noteEvent =
  (event: ClientEvent, now: number) =>
  (activity: ClientActivity): ClientActivity => {
    switch (event._tag) {
      case 'Sent':
        return { lastAnswer: now, ...activity }
      case 'Answered': {
        const { endpoint, status, took } = event
        const { roundTrip = took } = activity
        return endpoint === login.route || status !== 200
          ? { ...activity, lastAnswer: now }
          : { ...activity, lastAnswer: now, roundTrip: roundTrip + (took - roundTrip) * WEIGHT }
      }
      case 'Unanswered':
        return { ...activity, lastAnswer: now }
      case 'Retrying': {
        const pause = { until: now + event.pause, because: event.failure.message }
        return { ...activity, pauses: [...pausedAt(activity, now), pause] }
      }
      case 'DestinationWait': {
        const { refusal: _, ...rest } = activity
        return { ...rest, ...withoutUndefined({ refusal: event.reason }) }
      }
      case 'QuotaChanged': {
        const { quota: _, ...rest } = activity
        return event.isAvailable ? rest : { ...rest, quota: event.message }
      }
      default:
        return activity
    }
  }

export const pausedAt = ({ pauses }: ClientActivity, now: number): ReadonlyArray<Pause> =>
  pauses.filter(({ until }) => until > now)

// stall reasons

/** All that a run waits for. Waits of a destination before the run has begun are reported by events alone. */
export type StallReason =
  /** A connection or the service failed: the first request is sent again in `ms`. */
  | { readonly _tag: 'Fault'; readonly ms: number; readonly because: string }
  /** Requests were refused (429), and wait to be sent again. */
  | { readonly _tag: 'Refused'; readonly requests: number }
  /** No answer has come for `ms`, with requests under way. */
  | { readonly _tag: 'Silence'; readonly ms: number; readonly requests: number }
  /** Nothing was requested for `ms` after an answer: its rows are still being written. */
  | { readonly _tag: 'Destination'; readonly ms: number; readonly because?: string }
  /** The Redis of a shared quota refuses, or does not answer. */
  | { readonly _tag: 'Quota'; readonly because: string }
  /** Refusals in a burst: another process uses the quota, and less of it is taken for a while. */
  | {
      readonly _tag: 'Lowered'
      readonly tier: string
      readonly allowed: number
      readonly limit: number
    }
  /** This number of concurrent requests, as given or as the service allows, leave some of the quota. */
  | {
      readonly _tag: 'Width'
      readonly requests: number
      /** Round trip of a page, in ms. */
      readonly roundTrip: number
      /** Concurrent requests that would use the quota up; absent where the service lets no more in. */
      readonly needed?: number
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

/** Concurrent requests: how many there may be, and how many there were in the last seconds. */
export interface WidthUsed {
  /** As given for the run; absent where it takes as many as use the quota up. */
  readonly given?: number | undefined
  readonly underWay: number
}

/** Part of the concurrent requests that is under way when their number is the bound: the rest is worked on. */
const BUSY = 0.8
/** Part of a rate limit from which on it is used up. */
const FULL = 0.93

/** Returns the reasons at `now` in ms, the gravest first. */
export const stallReasons = (
  activity: ClientActivity,
  state: SchedulerState,
  now: number,
  width: WidthUsed = { underWay: 0 },
): ReadonlyArray<StallReason> => {
  const { backingOff, inFlight, waiting, tiers } = state
  const [pause] = pausedAt(activity, now).toSorted((a, b) => a.until - b.until)
  const silence = now - (activity.lastAnswer ?? now)
  const tier = tiers.find(({ waiting }) => waiting > 0)
  const reasons: ReadonlyArray<StallReason | false | undefined> = [
    pause && { _tag: 'Fault', ms: pause.until - now, because: pause.because },
    backingOff > 0 && { _tag: 'Refused', requests: backingOff },
    inFlight > 0 && silence >= SLOW_ANSWER && { _tag: 'Silence', ms: silence, requests: inFlight },
    pause === undefined &&
      inFlight + waiting + backingOff === 0 &&
      silence >= SLOW_ANSWER && {
        ...{ _tag: 'Destination', ms: silence },
        ...withoutUndefined({ because: activity.refusal }),
      },
    activity.quota !== undefined && { _tag: 'Quota', because: activity.quota },
    ...tiers
      .filter(({ allowed, limit }) => allowed < limit)
      .map(
        ({ name, allowed, limit }) => ({ _tag: 'Lowered', tier: name, allowed, limit }) as const,
      ),
    waiting === 0 && widthReason(activity, state, width),
    tier && waiting > 0 && { _tag: 'Limit', tier: tier.name, requests: waiting, limit: tier.limit },
  ]
  return reasons.filter((reason) => reason !== false && reason !== undefined)
}

const widthReason = (
  { roundTrip }: ClientActivity,
  { tiers }: SchedulerState,
  { given = Number.POSITIVE_INFINITY, underWay }: WidthUsed,
): StallReason | undefined => {
  const rates = tiers.filter(({ kind, name }) => kind === 'rate' && name !== 'logins')
  const perSecond = Math.min(...rates.map(({ limit }) => limit))
  const used = Math.max(0, ...rates.map(({ share }) => share))
  const concurrency = Math.min(
    ...tiers.filter(({ kind }) => kind === 'concurrency').map(({ limit }) => limit),
  )
  const requests = Math.min(given, concurrency)
  if (roundTrip === undefined || used >= FULL || underWay < BUSY * requests) return undefined
  const needed = widthFor(perSecond, roundTrip, concurrency)
  if (needed > requests) return { _tag: 'Width', requests, roundTrip, needed }
  const isEnough = (requests * 1_000) / roundTrip >= perSecond
  return isEnough ? undefined : { _tag: 'Width', requests, roundTrip }
}

export const describeStall = (reason: StallReason): string => {
  switch (reason._tag) {
    case 'Fault':
      return `again in ${duration(reason.ms)}: ${reason.because}`
    case 'Refused':
      return `${plural(reason.requests, 'request')} refused (429): sent again after a pause`
    case 'Silence':
      return `no answer for ${roundedDuration(reason.ms)}: ${plural(reason.requests, 'request')} under way`
    case 'Destination':
      return `nothing written for ${roundedDuration(reason.ms)}: ${reason.because ?? 'the destination is slow or locked'}`
    case 'Quota':
      return reason.because
    case 'Lowered':
      return `${reason.tier} limit taken as ${number(reason.allowed)}, not ${number(reason.limit)}, after refusals: does another process use this account?`
    case 'Width': {
      const { requests, roundTrip, needed } = reason
      const concurrent = `${plural(requests, 'concurrent request')} at ${number(roundTrip)} ms a page`
      return needed === undefined
        ? `${concurrent}: the service allows no more`
        : `${concurrent}: --parallel ${needed} uses more of the quota`
    }
    case 'Limit':
      return `${plural(reason.requests, 'request')} behind the ${reason.tier} limit of ${number(reason.limit)}`
  }
}
