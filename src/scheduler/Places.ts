/**
 * ```ts
 * const places: (options: Places) => Bucket
 * ```
 *
 * A limit on how many are under way at once. Those who left while the server may still be at work
 * for them keep their place until it has surely ended.
 */
import type { Bucket } from './Bucket.js'
import { ceiling } from './Ceiling.js'
import type { Millis } from './Clock.js'
import type { Park } from './Park.js'

export interface Places {
  readonly key: string
  readonly limit: number
  readonly park: Park
  readonly counts: { refused: number }
}

/** What a concurrency limit has instead of a window, where refusals are judged. */
const PERIOD: Millis = 1_000

export const places = ({ key, limit, park, counts }: Places): Bucket => {
  const room = ceiling(limit, PERIOD)
  const lingering: Array<Millis> = [] // until when, earliest first
  let used = 0

  const sweep = (now: Millis): void => {
    while ((lingering[0] ?? Number.POSITIVE_INFINITY) <= now) {
      lingering.shift()
      used--
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
      const limit = room.limit(now)
      const cool = room.wait(now)
      if (used < limit) return cool
      return Math.max(cool, (lingering[0] ?? Number.POSITIVE_INFINITY) - now)
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
    },
    departed: () => {},
    answered: () => {},
    givenBack: () => {},
    lost: () => {},
    accepted: (now) => room.accepted(now),
    refused: (_, now, retryAfter) => {
      counts.refused++
      return room.refused(now, retryAfter)
    },
    left: (now, until) => {
      if (until <= now) {
        used--
        return
      }
      let at = lingering.length
      while (at > 0 && (lingering[at - 1] ?? 0) > until) at--
      lingering.splice(at, 0, until)
    },
    counts,
  }
}
