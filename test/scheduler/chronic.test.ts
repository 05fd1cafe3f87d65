import { describe, expect, it } from 'vitest'
import { type Chronic, chronic } from '../../src/scheduler/Chronic.js'

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

  it('never tell of less than what was let in all the same', () => {
    const told = chronic(PER, true)
    for (let window = 0; window < 3; window++) {
      refuse(told, 15, 1)
      told.letIn(17)
    }
    expect(told.excess(20)).toBe(3)
    told.letIn(21)
    expect(told.excess(20)).toBe(2)
    told.forget()
    refuse(told, 15, 3)
    expect(told.excess(20)).toBe(15)
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
