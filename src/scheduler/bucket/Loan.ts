/**
 * ```ts
 * const loan: (options: LoanOptions) => Store
 * ```
 *
 * Places that somebody else keeps, such as a store that several machines share. As many are borrowed at a
 * time as are of use, so that what starts never waits for the store while any are left.
 */
import { Subscription } from 'rxjs'
import type { Clock, Millis } from '../Clock.js'
import { ceiling } from '../ceiling/Ceiling.js'
import type { Strand } from '../Strand.js'
import type { Lent, Shared } from '../Tier.js'
import { unhandled } from '../unhandled.js'
import type { Bucket, Store } from './Bucket.js'
import { AGAIN, lentBy } from './lent.js'
import { usable } from './usable.js'

export interface LoanOptions {
  readonly name: string
  readonly key: string
  readonly take: Shared<never>['take']
  readonly batch: number
  readonly failed?: ((error: unknown) => void) | undefined
  readonly clock: Clock
  readonly counts: { refused: number }
  readonly changed: (bucket: Bucket, now: Millis) => void
}

/** So many refused within a second, and all who wait for it stop for as long. */
const BURST = 3

/** A store does not tell how full it is: less than a limit that is, and more than one with room. */
const UNTOLD = 3 / 4
/** It learns nothing from refusals: half as much with each burst of them, until there were none for so long. */
const QUIET: Millis = 60_000

export const loan = (options: LoanOptions): Store => {
  const { name, key, take, batch, failed, clock, counts, changed } = options
  let places = 0
  let used = 0 // of those that were lent last
  let wanted = 0 // when it was asked last
  let usual = 0 // so many are used while they are valid, also by those who come later
  let letIn = 0
  let entered: Millis = 0
  let bursts = 0 // that its pauses did not end
  let until = Number.POSITIVE_INFINITY // when what was borrowed is void
  let asking = false
  let hadNone = false // when it was asked before
  let asked = Subscription.EMPTY
  let closedUntil = Number.NEGATIVE_INFINITY
  let refusals = 0 // since `refusedSince`
  let refusedSince = Number.NEGATIVE_INFINITY

  const left = (now: Millis): number => (now < until ? places : 0)

  /** Valid from when they were asked for: the store has lent them at some time since. */
  const answered = (granted: number, closed: Millis, lapsed: Millis): void => {
    const now = clock.now()
    asking = false
    places = Math.max(0, Math.floor(granted))
    used = 0
    until = lapsed
    hadNone = left(now) === 0
    if (hadNone) closedUntil = now + Math.max(closed, 1)
    changed(self, now)
  }

  const tell = (error: unknown): void => {
    try {
      failed?.(error)
    } catch (thrown) {
      unhandled(thrown)
    }
  }

  const lent = ({ places, wait, valid }: Required<Lent>, since: Millis): void => {
    const took = clock.now() - since
    const late = places >= 1 && valid <= took
    answered(places, late ? AGAIN : wait, since + valid)
    if (!late) return
    const why = `what was lent for ${valid} ms came after ${took} ms, and is not used`
    tell(new Error(`shared '${name}': ${why}`))
  }

  /** To be called when what was lent is used up or void. While it would be valid, one more would be of use. */
  const learn = (now: Millis): void => {
    if (places > 0) usual = used
    else if (used >= wanted && wanted < batch && now < until) usual = used + 1
  }

  const ask = (strand: Strand, now: Millis): void => {
    asking = true
    learn(now)
    wanted = usable({ strand, usual, park: self.park, most: batch, now })
    const current = new Subscription() // it may be deserted while it is being asked
    asked = current
    const one = lentBy(name, () => take(key, wanted)).subscribe({
      next: (answer) => lent(answer, now),
      error: (error) => {
        answered(0, AGAIN, 0)
        tell(error)
      },
    })
    current.add(one)
  }

  const self: Store = {
    park: undefined,
    counts,
    get letIn() {
      return letIn
    },
    get entered() {
      return entered
    },
    ceiling: ceiling(Number.POSITIVE_INFINITY, AGAIN),
    due: false,
    rank: 0,
    slot: -1,
    wait: (now) => {
      if (now < closedUntil) return closedUntil - now
      return asking ? Number.POSITIVE_INFINITY : 0
    },
    more: () => Number.POSITIVE_INFINITY,
    room: (now) => {
      if (now < closedUntil || asking) return 0
      return Math.max(1, left(now)) // one may ask
    },
    isClosed: (now) => now < closedUntil,
    isBarren: (now) => now < closedUntil || (asking && hadNone),
    borrow: (strand, now) => {
      if (left(now) === 0 && self.wait(now) === 0) ask(strand, now)
      return self.wait(now) === 0 && left(now) > 0
    },
    used: () => 0,
    suspicion: () => UNTOLD * 2 ** -bursts,
    idle: (now) => !asking && left(now) === 0 && now >= closedUntil,
    deserted: () => {
      asking = false
      try {
        asked.unsubscribe()
      } catch (error) {
        tell(error)
      }
    },
    enter: (_, now) => {
      places--
      used++
      entered = now
    },
    accepted: () => {
      letIn++
      return false
    },
    kept: () => {},
    givenBack: () => {},
    lost: () => {},
    left: () => {},
    refused: (_, now, retryAfter) => {
      counts.refused++
      if (now - refusedSince >= QUIET) bursts = 0
      if (now - refusedSince >= AGAIN) {
        refusals = 0
        refusedSince = now
      }
      refusals++
      if (refusals < BURST) return 'others'
      if (now >= closedUntil) bursts++
      closedUntil = Math.max(closedUntil, now + Math.max(AGAIN, retryAfter))
      return 'burst'
    },
  }
  return self
}
