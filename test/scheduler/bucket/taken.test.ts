import { describe, expect, it } from 'vitest'
import { byAnswer, byDeparture } from '../../../src/scheduler/bucket/Taken.js'
import { type Departure, departure } from '../../../src/scheduler/Departure.js'

/** Its turn is over. */
const left = (at: number): Departure => ({ ...departure(at, false), over: true })

describe('a place that stays taken though its request was refused', () => {
  it('lets those of its burst become free sooner, and those of no other', () => {
    const taken = byDeparture(1_000, (_, spare) => (spare ? 20 : 50))
    const [first, second] = [left(0), left(100)]
    for (const one of [first, first, second]) taken.enter(one)
    taken.kept(first, 90)
    expect(taken.next(90)).toBe(1_020)
    expect(taken.freed(1_020)).toBe(2)
    expect(taken.next(1_020)).toBe(1_150)
  })

  it('is free by itself when its burst is', () => {
    const taken = byDeparture(1_000, () => 50)
    const gone = left(0)
    taken.enter(gone)
    expect(taken.freed(1_050)).toBe(1)
    taken.kept(gone, 1_060)
    expect(taken.next(1_060)).toBe(Number.POSITIVE_INFINITY)
  })

  it('is free a window after the answer, where answers count', () => {
    const taken = byAnswer(1_000)
    taken.enter(departure(0, false))
    taken.kept(departure(0, false), 90)
    expect(taken.next(90)).toBe(1_091)
  })
})

describe('a place that was taken in a turn that is not over', () => {
  it('is not free before a window after its end', () => {
    const taken = byDeparture(200, () => 10)
    const open = departure(0, false)
    taken.enter(open)
    expect(taken.freed(500)).toBe(0)
    expect(taken.free(500)).toBe(0)
    expect(taken.next(500)).toBe(710)
    open.at = 600
    open.over = true
    expect(taken.next(700)).toBe(810)
    expect(taken.freed(810)).toBe(1)
  })
})
