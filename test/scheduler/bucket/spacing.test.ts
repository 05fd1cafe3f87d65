import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Spacing, spacing } from '../../../src/scheduler/bucket/Spacing.js'

const PER = 1_000

/** Sends as soon as it may, to a server that lets one in each `real` ms: how many were let in, and how many not. */
const served = (tested: Spacing, real: number, from: number, until: number) => {
  let [letIn, refused, last, pause] = [0, 0, Number.NEGATIVE_INFINITY, 4]
  let at = from
  while (at < until) {
    if (at - last >= real) {
      tested.accepted(at)
      letIn++
      last = at
      pause = 4
      at = Math.max(at + PER, tested.opens())
    } else {
      tested.refused(at)
      refused++
      at = Math.max(at + pause, tested.opens())
      pause = Math.min(PER, 2 * pause)
    }
  }
  return { letIn, refused, ended: at }
}

describe('a window that is longer than it says', () => {
  it('is found, to a tenth at worst, for a few refusals, and kept', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1_030, max: 60_000 }), (real) => {
        const tested = spacing(PER)
        const { ended, refused } = served(tested, real, 0, 40 * real)
        expect(refused).toBeLessThan(4 * (9 + real / PER) + 10) // of each of four, once in a window
        const kept = served(tested, real, ended + real, ended + 101 * real)
        expect(kept.letIn).toBeGreaterThanOrEqual(90)
        expect(kept.refused).toBeLessThan(8)
      }),
    )
  })

  it('is forgotten when it is as long as it says again', () => {
    const tested = spacing(PER)
    const { ended } = served(tested, 3_000, 0, 100_000)
    expect(tested.idle(ended)).toBe(false)
    expect(served(tested, PER, ended, ended + 300_000).refused).toBe(0)
    expect(served(tested, PER, ended + 300_000, ended + 400_000).letIn).toBe(100)
    expect(tested.idle(ended + 400_000)).toBe(true)
  })

  it('is found anew when it becomes longer still', () => {
    const tested = spacing(PER)
    const { ended } = served(tested, 1_500, 0, 100_000)
    served(tested, 5_000, ended, ended + 100_000)
    const { letIn, refused } = served(tested, 5_000, ended + 105_000, ended + 605_000)
    expect(letIn).toBeGreaterThanOrEqual(97)
    expect(refused).toBeLessThan(8)
  })

  it('is not suspected for a single refusal', () => {
    const tested = spacing(PER)
    tested.accepted(0)
    tested.refused(1_003)
    tested.accepted(1_060)
    expect(tested.opens()).toBe(Number.NEGATIVE_INFINITY)
    tested.accepted(2_100)
    expect(tested.idle(2_100)).toBe(true)
  })

  it('is forgotten when nobody has asked for long', () => {
    const tested = spacing(PER)
    const { ended } = served(tested, 3_000, 0, 100_000)
    expect(tested.idle(ended + 50_000)).toBe(false)
    expect(tested.idle(ended + 61_000)).toBe(true)
  })
})
