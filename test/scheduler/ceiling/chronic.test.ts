import { describe, expect, it } from 'vitest'
import { type Chronic, chronic } from '../../../src/scheduler/ceiling/Chronic.js'

const PER = 1_000

/** So many are refused in each of so many windows. */
const refuse = (told: Chronic, each: number, windows: number): void => {
  for (let window = 0; window < windows; window++) {
    for (let i = 0; i < each; i++) told.refused(i === 0)
  }
}

describe('a few refusals in each of several windows', () => {
  it('tell by how much a limit is too high: their number in a window', () => {
    const told = chronic(PER, true)
    refuse(told, 2, 3)
    expect(told.excess(20)).toBe(0) // 6, where 4 and a fifth of 20 are needed
    refuse(told, 2, 1)
    expect([told.excess(20), told.windows()]).toEqual([2, 4])
    expect(told.excess(100)).toBe(0)
  })

  it('tell nothing in two windows, however many', () => {
    const told = chronic(PER, true)
    refuse(told, 10, 2)
    expect(told.excess(20)).toBe(0)
    refuse(told, 1, 1)
    expect(told.excess(20)).toBe(7)
  })

  it('tell of no less than what was let in all the same, or of half as much less', () => {
    const told = (each: number, ...letIn: ReadonlyArray<number>): number => {
      const told = chronic(PER, true)
      refuse(told, each, 3)
      for (const count of letIn) told.letIn(count)
      return told.excess(20)
    }
    expect(told(8, 14, 14, 14)).toBe(6)
    expect(told(8, 14, 17, 14)).toBe(5)
    expect(told(8, 20, 20)).toBe(4)
    expect(told(8, 5, 5)).toBe(8)
    expect(told(8)).toBe(8)
    expect(told(3, 20, 20)).toBe(2)
  })

  it('tell sooner where none is refused by chance', () => {
    const told = chronic(PER, false)
    refuse(told, 2, 3)
    expect(told.excess(20)).toBe(2) // 4 and eight hundredths of 20 are enough
  })

  it('tell nothing of what has no limit', () => {
    const told = chronic(PER, true)
    refuse(told, 100, 5)
    expect(told.excess(Number.POSITIVE_INFINITY)).toBe(0)
  })

  it('are forgotten after ten windows, and when a window went well', () => {
    const told = chronic(PER, true)
    told.turn(0)
    refuse(told, 3, 4)
    told.turn(9_999)
    expect(told.excess(20)).toBe(3)
    told.turn(10_000)
    expect([told.excess(20), told.windows()]).toEqual([0, 0])
    refuse(told, 3, 4)
    told.forget()
    expect([told.excess(20), told.windows()]).toEqual([0, 0])
  })
})
