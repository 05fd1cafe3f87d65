/** Reasons why a run is not faster. */
import { login } from '../../api/authentication.js'
import { widthFor } from '../../client/measuredWidth.js'
import { withoutUndefined } from '../../fp.js'
import type { ClientEvent } from '../../http/ClientEvent.js'
import { duration, number, plural, roundedDuration } from '../../report/text.js'
import type { SchedulerState } from '../../scheduler/index.js'

// client activity

export interface ClientActivity {
  /** Requests waiting for a retry. */
  readonly pauses: ReadonlyArray<Pause>
  /** Time of the last response, or else of the first request, in ms. */
  readonly lastAnswer?: number
  /** Reason for the wait, as given by the destination. */
  readonly refusal?: string
  /** The reason why the Redis of a shared quota cannot be used. */
  readonly quota?: string
  /** Mean response time of the last pages, in ms. */
  readonly roundTrip?: number
  /** Number of concurrent requests beyond which more are not faster, as measured by the client. */
  readonly enough?: number
}

interface Pause {
  /** End of the pause, in ms. */
  readonly until: number
  readonly because: string
}

export const NO_ACTIVITY: ClientActivity = { pauses: [] }

/** Weight of the last response in the mean. */
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
      case 'ConcurrencyFound': {
        const { enough: _, ...rest } = activity
        return event.isEnough ? { ...rest, enough: event.requests } : rest
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

/** A reason for a wait during a run. Waits for a destination before the run starts are reported only as events. */
export type StallReason =
  /** A connection or the service failed. The first retry is in `ms`. */
  | { readonly _tag: 'Fault'; readonly ms: number; readonly because: string }
  /** Requests were refused (429) and wait for a retry. */
  | { readonly _tag: 'Refused'; readonly requests: number }
  /** No response has arrived for `ms`, although requests are in flight. */
  | { readonly _tag: 'Silence'; readonly ms: number; readonly requests: number }
  /** No request has been sent for `ms` since a response, because its rows are still being written. */
  | { readonly _tag: 'Destination'; readonly ms: number; readonly because?: string }
  /** The Redis of a shared quota refuses commands, or does not respond. */
  | { readonly _tag: 'Quota'; readonly because: string }
  /** There was a burst of refusals, because another process uses the quota. This process uses less of it for some time. */
  | {
      readonly _tag: 'Lowered'
      readonly tier: string
      readonly allowed: number
      readonly limit: number
    }
  /** The number of concurrent requests (as given, measured, or allowed by the service) is too low for the full quota. */
  | {
      readonly _tag: 'Width'
      readonly requests: number
      /** Round trip of a page, in ms. */
      readonly roundTrip: number
      /** `tried`: the client tried more, which was not faster. `given`: the service may allow more. */
      readonly by: 'given' | 'tried' | 'service'
      /** If a number was given: estimated number of concurrent requests that would use the full quota. */
      readonly needed?: number
    }
  /** Requests wait for a limit, because the quota is used up. */
  | {
      readonly _tag: 'Limit'
      readonly tier: string
      readonly requests: number
      readonly limit: number
    }

/** Time without a response that counts as a stall, in ms. For a local disk, it is `SLOW_DISK`. */
const SLOW_ANSWER = 5_000
const SLOW_DISK = 30_000

/** Concurrent requests: the maximum, and the mean over the last seconds. */
export interface WidthUsed {
  /** The number given for the run; absent if it is chosen automatically. */
  readonly given?: number | undefined
  readonly underWay: number
}

/** Share of concurrent requests in flight above which their number is the bottleneck. The others are being processed. */
const BUSY = 0.8
/** Used share of a rate limit at which the limit counts as used up. */
const FULL = 0.93

/** Returns the reasons at the time `now`, in ms, most severe first. */
export const stallReasons = (
  activity: ClientActivity,
  state: SchedulerState,
  now: number,
  width: WidthUsed = { underWay: 0 },
  isOnDisk = false,
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
      silence >= (isOnDisk ? SLOW_DISK : SLOW_ANSWER) && {
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
  { roundTrip, enough }: ClientActivity,
  { tiers }: SchedulerState,
  { given, underWay }: WidthUsed,
): StallReason | undefined => {
  const rates = tiers.filter(({ kind, name }) => kind === 'rate' && name !== 'logins')
  const perSecond = Math.min(...rates.map(({ limit }) => limit))
  const used = Math.max(0, ...rates.map(({ share }) => share))
  const concurrency = Math.min(
    ...tiers.filter(({ kind }) => kind === 'concurrency').map(({ limit }) => limit),
  )
  const found = given === undefined ? enough : undefined
  const requests = Math.min(given ?? enough ?? concurrency, concurrency)
  if (roundTrip === undefined || used >= FULL || underWay < BUSY * requests) return undefined
  if (found !== undefined) return { _tag: 'Width', requests, roundTrip, by: 'tried' }
  const needed = widthFor(perSecond, roundTrip, concurrency)
  if (needed > requests) return { _tag: 'Width', requests, roundTrip, by: 'given', needed }
  const isEnough = (requests * 1_000) / roundTrip >= perSecond
  return isEnough ? undefined : { _tag: 'Width', requests, roundTrip, by: 'service' }
}

/** Returns `20/s` for a rate, `50` for a number of concurrent requests. */
const limitText = (tier: string, limit: number): string =>
  `${number(limit)}${tier === 'global' || tier === 'endpoint' ? '/s' : ''}`

export const describeStall = (reason: StallReason): string => {
  switch (reason._tag) {
    case 'Fault':
      return `retrying in ${duration(reason.ms)}: ${reason.because}`
    case 'Refused':
      return `${plural(reason.requests, 'request')} refused (429): retrying after a pause`
    case 'Silence':
      return `no response for ${roundedDuration(reason.ms)}: ${plural(reason.requests, 'request')} in flight`
    case 'Destination':
      return `nothing written for ${roundedDuration(reason.ms)}: ${reason.because ?? 'the destination is slow or locked'}`
    case 'Quota':
      return reason.because
    case 'Lowered':
      return `${reason.tier} limit lowered from ${limitText(reason.tier, reason.limit)} to ${limitText(reason.tier, reason.allowed)} after refusals: is another process using this account?`
    case 'Width': {
      const { requests, roundTrip, by, needed } = reason
      const concurrent = `${plural(requests, 'concurrent request')} at ${number(roundTrip)} ms per page`
      if (by === 'tried') return `${concurrent}: more would not be faster`
      return needed === undefined
        ? `${concurrent}: the service allows no more`
        : `${concurrent}: --parallel ${needed} would use more of the quota (estimate)`
    }
    case 'Limit':
      return `${plural(reason.requests, 'request')} queued by the ${reason.tier} limit of ${limitText(reason.tier, reason.limit)}`
  }
}
