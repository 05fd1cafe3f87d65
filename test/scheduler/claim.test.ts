import { of } from 'rxjs'
import { describe, expect, it } from 'vitest'
import type { Bucket } from '../../src/scheduler/bucket/Bucket.js'
import { loan } from '../../src/scheduler/bucket/Loan.js'
import { places } from '../../src/scheduler/bucket/Places.js'
import { claim } from '../../src/scheduler/Claim.js'
import { clock } from '../../src/scheduler/Clock.js'
import { departure } from '../../src/scheduler/Departure.js'
import { flow } from '../../src/scheduler/Flow.js'
import { strand } from '../../src/scheduler/Strand.js'
import { virtualTimer } from '../support/simulated/virtualTimer.js'

const bucket = (): Bucket => places({ limit: 10, counts: { refused: 0 } })

/** One that waits for both buckets from 0 on; at 50, somebody else took a place of the second. */
const overtaken = () => {
  const [one, other] = [bucket(), bucket()]
  const waiting = strand(flow([one, other], [], 1), 0)
  other.enter(departure(50, false), 50)
  return { one, other, waiting, claimed: claim(100, () => {}) }
}

describe('a claim', () => {
  it('is made by one that was not served for the patience, and overtaken', () => {
    const { other, waiting, claimed } = overtaken()
    claimed.stopped(waiting, other, 100)
    expect(claimed.holder()).toBeUndefined()
    claimed.stopped(waiting, other, 101)
    expect(claimed.holder()).toBe(waiting)
  })

  /** Its limit pauses. */
  const refuse = (other: Bucket): void => {
    for (let i = 0; other.ceiling.wait(101) <= 0 && i < 100; i++) {
      other.refused(departure(50, false), 101, 5_000, false)
    }
    expect(other.ceiling.wait(101)).toBeGreaterThan(0)
  }

  it('is not made where a pause after refusals is what stops it', () => {
    const { other, waiting, claimed } = overtaken()
    refuse(other)
    claimed.stopped(waiting, other, 101)
    expect(claimed.holder()).toBeUndefined()
  })

  it('lasts ten seconds, or until a pause', () => {
    const { other, waiting, claimed } = overtaken()
    claimed.stopped(waiting, other, 101)
    claimed.expire(10_100)
    expect(claimed.holder()).toBe(waiting)
    claimed.expire(10_101)
    expect(claimed.holder()).toBeUndefined()

    const paused = overtaken()
    paused.claimed.stopped(paused.waiting, paused.other, 101)
    refuse(paused.other)
    paused.claimed.expire(101)
    expect(paused.claimed.holder()).toBeUndefined()
  })

  it('keeps the last place of a limit from others, and nothing that a shared store lends', () => {
    const counts = { refused: 0 }
    const last = places({ limit: 1, counts })
    const two = places({ limit: 2, counts })
    const full = bucket()
    const lent = loan({
      name: 'store',
      key: '',
      take: () => of({ places: 1 }),
      batch: 1,
      clock: clock(virtualTimer()),
      counts,
      changed: () => {},
    })
    const waiting = strand(flow([last, two, lent, full], [], 1), 0)
    const other = strand(flow([last, two, lent], [], 1), 0)
    full.enter(departure(50, false), 50)
    const claimed = claim(100, () => {})
    claimed.stopped(waiting, full, 101)
    expect(lent.wait(101)).toBe(0)
    const kept = [last, two, lent].map((one) => claimed.keeps(one, other, 101))
    expect(kept).toEqual([true, false, false])
    expect(claimed.keeps(last, waiting, 101)).toBe(false)
  })
})
