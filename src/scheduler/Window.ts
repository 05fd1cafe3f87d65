/**
 * ```ts
 * const window: (options: Window) => Bucket
 * ```
 *
 * A rolling window. A place is free again when the request that took it has certainly, or as the
 * guard allows very probably, left the window of the server.
 *
 *     place taken at the start    |--------------------|
 *     known until when, 'safe'         from the answer on
 *     else                          from the departure on
 */
import type { Bucket } from './Bucket.js'
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

/** Places that were taken at the same moment and become free at the same moment. */
interface Group {
  readonly departed: Millis
  until: Millis
  count: number
  earlier: Group | undefined
  later: Group | undefined
}

export const window = (options: Window): Bucket => {
  const { key, limit, per, guard, slack, park, counts } = options
  const room = ceiling(limit, per)
  let used = 0
  let first: Group | undefined // by `until`
  let last: Group | undefined
  let unknown = Number.NEGATIVE_INFINITY // what departed until then knew nothing of the network
  let lesson = slack.lesson()
  let filled = Number.NEGATIVE_INFINITY // when the last place was taken

  /** One more place that was taken at `departed` becomes free at `until`. */
  const put = (departed: Millis, until: Millis): void => {
    let earlier = last // they come nearly in order
    while (earlier !== undefined && earlier.until > until) earlier = earlier.earlier
    if (earlier?.until === until && earlier.departed === departed) {
      earlier.count++
      return
    }
    const later = earlier === undefined ? first : earlier.later
    const group: Group = { departed, until, count: 1, earlier, later }
    if (earlier === undefined) first = group
    else earlier.later = group
    if (later === undefined) last = group
    else later.earlier = group
  }

  /** One place less of those that were taken at `departed`. False if it is free already. */
  const take = (departed: Millis): boolean => {
    let group = last
    while (group !== undefined && group.departed !== departed) group = group.earlier
    if (group === undefined || group.count === 0) return false
    group.count-- // an empty group goes when its time has come
    return true
  }

  const after = (departed: Millis): Millis =>
    departed + per + (typeof guard === 'number' ? guard : slack.value())

  /** What departed before anything was known of the network. */
  const learn = (): void => {
    if (lesson === slack.lesson()) return
    lesson = slack.lesson()
    for (let group = first; group !== undefined; group = group.later) {
      if (group.departed > unknown) return
      group.until = Math.min(group.until, after(group.departed) + slack.opening())
    }
  }

  const sweep = (now: Millis): void => {
    if (guard === 'learned') learn()
    while (first !== undefined && first.until <= now) {
      used -= first.count
      first = first.later
      if (first === undefined) last = undefined
      else first.earlier = undefined
    }
  }

  return {
    key,
    ceiling: room,
    park,
    counts,
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
    enter: (now) => {
      used++
      if (used >= limit) filled = now
    },
    departed: (at) => {
      if (guard === 'safe') return
      if (guard === 'learned' && !slack.known()) unknown = at
      put(at, at > unknown ? after(at) : after(at) + per)
    },
    answered: (departed, now, excess) => {
      if (guard === 'safe') {
        put(departed, now + per + TICK)
      } else if (guard === 'learned') {
        const late = slack.late(excess)
        if (late > 0 && take(departed)) put(departed, departed + per + late)
      }
    },
    givenBack: (departed, now) => {
      if (guard === 'safe') put(departed, now + per + TICK)
      else if (take(departed)) put(departed, now + TICK)
    },
    accepted: (now, took, excess) => {
      room.accepted(now)
      slack.answered(took, excess)
    },
    refused: (departed, now, retryAfter) => {
      counts.refused++
      const burst = room.refused(now, retryAfter)
      if (!burst && departed - filled < per) slack.refused(now)
      return burst
    },
    lost: (departed, until) => {
      if (guard === 'safe') put(departed, until + per + TICK)
    },
    left: () => {},
  }
}
