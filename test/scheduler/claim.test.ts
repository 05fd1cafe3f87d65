import { describe, expect, it } from 'vitest'
import type { Bucket } from '../../src/scheduler/Bucket.js'
import { claim } from '../../src/scheduler/Claim.js'
import { departure } from '../../src/scheduler/Departure.js'
import { flow } from '../../src/scheduler/Flow.js'
import { places } from '../../src/scheduler/Places.js'
import { strand } from '../../src/scheduler/Strand.js'

const bucket = (): Bucket => places({ key: '', limit: 10, counts: { refused: 0 } })

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

  it('is not made where a pause after refusals is what stops it', () => {
    const { other, waiting, claimed } = overtaken()
    for (let i = 0; other.ceiling.wait(101) <= 0 && i < 100; i++) {
      other.refused(departure(50, false), 101, 5_000, false)
    }
    expect(other.ceiling.wait(101)).toBeGreaterThan(0)
    claimed.stopped(waiting, other, 101)
    expect(claimed.holder()).toBeUndefined()
  })
})
