import { describe, expect, it } from 'vitest'
import { byAnswer, byDeparture } from '../../../src/scheduler/bucket/Taken.js'
import { departure } from '../../../src/scheduler/Departure.js'

describe('a place that stays taken though its request was refused', () => {
  it('lets those of its burst become free sooner, and those of no other', () => {
    const taken = byDeparture(1_000, (_, spare) => (spare ? 20 : 50))
    const [first, second] = [departure(0, false), departure(100, false)]
    for (const one of [first, first, second]) taken.enter(one)
    taken.kept(first, 90)
    expect(taken.next()).toBe(1_020)
    expect(taken.freed(1_020)).toBe(2)
    expect(taken.next()).toBe(1_150)
  })

  it('is free by itself when its burst is', () => {
    const taken = byDeparture(1_000, () => 50)
    const gone = departure(0, false)
    taken.enter(gone)
    expect(taken.freed(1_050)).toBe(1)
    taken.kept(gone, 1_060)
    expect(taken.next()).toBe(Number.POSITIVE_INFINITY)
  })

  it('is free a window after the answer, where answers count', () => {
    const taken = byAnswer(1_000)
    taken.enter(departure(0, false))
    taken.kept(departure(0, false), 90)
    expect(taken.next()).toBe(1_091)
  })
})
