/**
 * ```ts
 * const loan: (options: Loan) => Bucket
 * ```
 *
 * Places that somebody else keeps, such as a store that several machines share. Some are borrowed at a
 * time, so that what starts never waits for the store while any are left.
 */
import { first } from 'rxjs'
import type { Bucket } from './Bucket.js'
import { ceiling } from './Ceiling.js'
import type { Clock, Millis } from './Clock.js'
import type { Park } from './Park.js'
import type { Lent, Shared } from './Tier.js'

export interface Loan {
  readonly key: string
  readonly take: Shared<never>['take']
  readonly batch: number
  readonly clock: Clock
  readonly park: Park
  readonly counts: { refused: number }
  readonly changed: (bucket: Bucket, now: Millis) => void
}

/** The store is asked again so long after it has failed, or had nothing and did not say until when. */
const AGAIN: Millis = 1_000

export const loan = ({ key, take, batch, clock, park, counts, changed }: Loan): Bucket => {
  let places = 0
  let until = Number.POSITIVE_INFINITY // when what was borrowed is void
  let asking = false
  let closedUntil = Number.NEGATIVE_INFINITY

  const left = (now: Millis): number => (now < until ? places : 0)

  const answered = (granted: number, closed: Millis, valid: Millis): void => {
    const now = clock.now()
    asking = false
    places = left(now) + Math.max(0, granted)
    until = now + valid
    if (places === 0) closedUntil = now + Math.max(closed, 1)
    changed(self, now)
  }

  const ask = (): void => {
    if (asking) return
    asking = true
    take(key, batch)
      .pipe(first<Lent, Lent>(undefined, { places: 0 }))
      .subscribe({
        next: ({ places, wait = AGAIN, valid = AGAIN }) => answered(places, wait, valid),
        error: () => answered(0, AGAIN, 0),
      })
  }

  const self: Bucket = {
    key,
    park,
    counts,
    ceiling: ceiling(Number.POSITIVE_INFINITY, AGAIN),
    due: false,
    rank: 0,
    slot: -1,
    wait: (now) => {
      if (left(now) > 0) return 0
      if (now < closedUntil) return closedUntil - now
      ask()
      if (left(now) > 0) return 0
      return now < closedUntil ? closedUntil - now : Number.POSITIVE_INFINITY
    },
    room: left,
    used: () => 0,
    enter: () => {
      places--
    },
    accepted: () => false,
    kept: () => {},
    givenBack: () => {},
    lost: () => {},
    left: () => {},
    refused: () => {
      counts.refused++
      return false
    },
  }
  return self
}
