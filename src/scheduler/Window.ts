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
import type { Park } from './Park.js'

export interface Window {
  readonly key: string
  readonly limit: number
  readonly per: Millis
  readonly guard: Guard
  readonly slack: Slack
  readonly park: Park
  readonly counts: { refused: number }
}

/** A refusal this share of a window after a place became free may be for lack of a guard. */
const CLOSE = 0.5

export const window = (options: Window): Bucket => {
  const { key, limit, per, guard, slack, park, counts } = options
  const room = ceiling(limit, per)
  let used = 0
  let first: Permit | undefined // of those that are known to become free, by when
  let last: Permit | undefined
  let freed = Number.NEGATIVE_INFINITY // when the last place became free
  let lesson = slack.lesson()

  const unlink = ({ earlier, later }: Permit): void => {
    if (earlier === undefined) first = later
    else earlier.later = later
    if (later === undefined) last = earlier
    else later.earlier = earlier
  }

  const link = (permit: Permit): void => {
    let earlier = last // they come nearly in order
    while (earlier !== undefined && earlier.until > permit.until) earlier = earlier.earlier
    const later = earlier === undefined ? first : earlier.later
    permit.earlier = earlier
    permit.later = later
    if (earlier === undefined) first = permit
    else earlier.later = permit
    if (later === undefined) last = permit
    else later.earlier = permit
  }

  const keep = (permit: Permit, until: Millis): void => {
    if (permit.until < Number.POSITIVE_INFINITY) unlink(permit)
    permit.until = until
    link(permit)
  }

  const depart = (permit: Permit, now: Millis): void => {
    if (permit.departed <= now) return
    permit.departed = now
    if (guard === 'learned') keep(permit, now + per + slack.value())
    else if (guard !== 'safe') keep(permit, now + per + guard)
  }

  /** What departed before anything was known of the network. */
  const learn = (): void => {
    if (lesson === slack.lesson()) return
    lesson = slack.lesson()
    if (guard !== 'learned') return
    for (let permit = first; permit !== undefined; permit = permit.later) {
      permit.until = permit.departed + per + slack.value()
    }
  }

  const sweep = (now: Millis): void => {
    learn()
    while (first !== undefined && first.until <= now) {
      first.free = true
      freed = first.until
      used--
      unlink(first)
    }
  }

  return {
    key,
    ceiling: room,
    park,
    rank: 0,
    slot: -1,
    wait: (now) => {
      sweep(now)
      const places = room.limit(now)
      const cool = room.wait(now)
      if (used < places) return cool
      return Math.max(cool, (first?.until ?? Number.POSITIVE_INFINITY) - now)
    },
    room: (now) => {
      sweep(now)
      const places = room.limit(now)
      return room.wait(now) > 0 ? 0 : Math.max(0, places - used)
    },
    used: (now) => {
      sweep(now)
      return used
    },
    enter: () => {
      used++
      return {
        freed,
        departed: Number.POSITIVE_INFINITY,
        until: Number.POSITIVE_INFINITY,
        free: false,
        earlier: undefined,
        later: undefined,
      }
    },
    departed: (permit, now) => {
      if (permit !== undefined) depart(permit, now)
    },
    answered: (permit, now) => {
      if (permit === undefined) return
      depart(permit, now)
      if (guard === 'safe') keep(permit, now + per + TICK)
    },
    givenBack: (permit, now) => {
      if (permit === undefined) return
      depart(permit, now)
      if (!permit.free) keep(permit, now + (guard === 'safe' ? per : 0) + TICK)
    },
    accepted: (now, excess) => {
      room.accepted(now)
      slack.answered(excess)
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
      if (permit === undefined) return
      depart(permit, now)
      if (guard === 'safe' && permit.until === Number.POSITIVE_INFINITY) {
        keep(permit, until + per + TICK)
      }
    },
    counts,
  }
}
