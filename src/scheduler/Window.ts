/**
 * ```ts
 * const window: (options: Window) => Bucket
 * ```
 *
 * A rolling window. A place is free again when the request that took it has certainly, or as the
 * guard allows very probably, left the window of the server.
 */
import type { Bucket, Permit } from './Bucket.js'
import { ceiling } from './Ceiling.js'
import { type Millis, TICK } from './Clock.js'
import type { Guard, Slack } from './Guard.js'
import { park } from './Park.js'

export interface Window {
  readonly key: string
  readonly limit: number
  readonly per: Millis
  readonly guard: Guard
  readonly slack: Slack
  readonly weights: ReadonlyArray<number>
  readonly counts: { refused: number }
}

/** A refusal this share of a window after a place became free may be for lack of a guard. */
const CLOSE = 0.5

export const window = (options: Window): Bucket => {
  const { key, limit, per, guard, slack, weights, counts } = options
  const safe = guard === 'safe'
  const room = ceiling(limit, per)
  let used = 0
  let firstOut: Permit | undefined // by departure
  let lastOut: Permit | undefined
  let firstIn: Permit | undefined // by `counted`
  let lastIn: Permit | undefined
  let freed = Number.NEGATIVE_INFINITY // when the last place became free

  const out = (): Millis => {
    while (firstOut?.free === true) firstOut = firstOut.next
    if (firstOut === undefined) lastOut = undefined
    if (safe || firstOut === undefined) return Number.POSITIVE_INFINITY
    return firstOut.departed + per + (guard === 'learned' ? slack.value() : guard)
  }

  const counted = (): Millis => {
    while (firstIn?.free === true) firstIn = firstIn.later
    if (firstIn === undefined) lastIn = undefined
    else firstIn.earlier = undefined
    return firstIn === undefined ? Number.POSITIVE_INFINITY : firstIn.counted + per + TICK
  }

  const soonest = (): Millis => Math.min(out(), counted())

  const sweep = (now: Millis): void => {
    for (let at = soonest(); at <= now; at = soonest()) {
      const permit = counted() <= now ? firstIn : firstOut
      if (permit === undefined) return
      permit.free = true
      used--
      freed = at
    }
  }

  /** Into the list by `counted`, which is nearly in order. */
  const insert = (permit: Permit): void => {
    let earlier = lastIn
    while (earlier !== undefined && earlier.counted > permit.counted) earlier = earlier.earlier
    const later = earlier === undefined ? firstIn : earlier.later
    permit.earlier = earlier
    permit.later = later
    if (earlier === undefined) firstIn = permit
    else earlier.later = permit
    if (later === undefined) lastIn = permit
    else later.earlier = permit
  }

  const settle = (permit: Permit | undefined, now: Millis, at: Millis): void => {
    if (permit === undefined || permit.counted < Number.POSITIVE_INFINITY) return
    permit.departed = Math.min(permit.departed, now)
    permit.counted = at
    if (!permit.free && typeof guard === 'string') insert(permit)
  }

  return {
    key,
    ceiling: room,
    park: park(weights),
    rank: 0,
    slot: -1,
    wait: (now) => {
      sweep(now)
      const places = room.limit(now)
      const cool = room.wait(now)
      return used < places ? cool : Math.max(cool, soonest() - now)
    },
    used: (now) => {
      sweep(now)
      return used
    },
    enter: () => {
      const permit: Permit = {
        freed,
        departed: Number.POSITIVE_INFINITY,
        counted: Number.POSITIVE_INFINITY,
        free: false,
        next: undefined,
        earlier: undefined,
        later: undefined,
      }
      used++
      if (!safe) {
        if (lastOut === undefined) firstOut = permit
        else lastOut.next = permit
        lastOut = permit
      }
      return permit
    },
    departed: (permit, now) => {
      if (permit !== undefined) permit.departed = Math.min(permit.departed, now)
    },
    answered: (permit, now, at) => settle(permit, now, safe ? now : at),
    accepted: (now, roundTrip) => {
      room.accepted(now)
      slack.answered(roundTrip)
    },
    refused: (permit, now, retryAfter) => {
      counts.refused++
      const burst = room.refused(now, retryAfter)
      if (!burst && permit !== undefined && permit.departed - permit.freed < CLOSE * per) {
        slack.refused(now)
      }
      return burst
    },
    left: (permit, now, until) => {
      if (safe) settle(permit, now, until)
      else if (permit !== undefined) permit.departed = Math.min(permit.departed, now)
    },
    counts,
  }
}
