import { describe, expect, it } from 'vitest'
import { type Ceiling, ceiling, type Verdict } from '../../../src/scheduler/ceiling/Ceiling.js'

const PER = 1_000
const LIMIT = 20

/** So many are refused, one after the other, of those that leave at `at`. */
const refuse = (found: Ceiling, count: number, at: number): ReadonlyArray<Verdict> =>
  Array.from({ length: count }, () => found.refused(at, at, 0))

const letIn = (found: Ceiling, count: number, at: number): void => {
  for (let i = 0; i < count; i++) found.accepted(at)
}

/** Cooled down in two windows running. */
const cooled = (): Ceiling => {
  const found = ceiling(LIMIT, PER)
  for (const at of [0, PER]) {
    letIn(found, 10, at)
    refuse(found, 10, at + 1)
  }
  return found
}

describe('a burst of refusals', () => {
  it('is half of the limit in a window, and an accident the first time', () => {
    const found = ceiling(LIMIT, PER)
    letIn(found, 10, 0)
    expect(refuse(found, 15, 1)).toEqual(Array(15).fill('chance'))
    letIn(found, 10, PER)
    expect(refuse(found, 11, PER + 1)).toEqual([...Array(9).fill('chance'), 'burst', 'burst'])
    expect(found.wait(PER + 1)).toBe(PER)
  })

  it('is none when three limits are refused in a row, even in one window', () => {
    const found = ceiling(LIMIT, PER)
    const told = refuse(found, 3 * LIMIT, 0)
    expect(told.indexOf('burst')).toBe(3 * LIMIT - 1)
  })

  it('stops for twice as long each time that nothing is let in, sixteen seconds at most', () => {
    const found = ceiling(LIMIT, PER)
    let now = 0
    const waits: Array<number> = []
    refuse(found, 3 * LIMIT, now)
    for (let i = 0; i < 7; i++) {
      waits.push(found.wait(now))
      now += found.wait(now)
      found.limit(now) // it goes on with the least there is
      while (found.refused(now, now, 0) !== 'burst') now++
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 16_000, 16_000])
  })

  it('leaves what was let in meanwhile', () => {
    const found = cooled()
    const over = PER + 1 + PER
    expect(found.limit(over)).toBe(10)
    expect(found.full(over)).toBe(false)
  })
})

describe('a whole limit that is refused', () => {
  const window = (): Ceiling => ceiling(LIMIT, PER, { isWindow: true })

  it('closes the window of who begins, since somebody else has used it, and lowers nothing', () => {
    const found = window()
    for (let i = 0; i < LIMIT - 1; i++) found.refused(-1, 0, 0)
    expect(found.wait(0)).toBeLessThan(10)
    found.refused(-1, 0, 0)
    expect(found.wait(0)).toBe(PER)
    expect(found.wait(PER)).toBe(0)
    expect([found.limit(PER), found.full(PER)]).toEqual([LIMIT, true])
  })

  it.each([
    ['that let something in of late', window(), 2 * PER],
    ['of a limit that has no windows', ceiling(LIMIT, PER), 10 * PER],
  ])('closes nothing %s', (_, found, at) => {
    found.accepted(0)
    for (let i = 0; i < LIMIT; i++) found.refused(-1, at, 0)
    expect(found.wait(at)).toBeLessThan(10)
  })

  it('is of three at least, since two are chance', () => {
    const found = ceiling(2, PER, { isWindow: true })
    for (let i = 0; i < 4; i++) found.refused(-1, 0, 0)
    expect(found.wait(0)).toBeLessThan(10)
  })
})

describe('a lower limit', () => {
  it('is what a step upward let in that was refused something', () => {
    const found = cooled()
    const over = PER + 1 + PER
    expect(found.limit(over)).toBe(10)
    const trial = over + 2 * PER
    expect(found.limit(trial)).toBe(LIMIT)
    letIn(found, 14, trial)
    expect(found.refused(trial, trial + 1, 0)).toBe('trial')
    expect(found.limit(trial + 1)).toBe(10)
    letIn(found, 3, trial + 2)
    expect(found.limit(trial + PER)).toBe(17)
    expect(found.refused(trial + PER, trial + PER, 0)).toBe('trial')
    expect(found.limit(trial + PER)).toBe(10) // that was tried, too
  })
})

describe('a limit that was found', () => {
  it('is forgotten a minute of windows after the last request', () => {
    const found = cooled()
    const over = PER + 1 + PER
    found.limit(over) // the window that begins then is its last
    expect(found.full(over + 61 * PER)).toBe(false)
    expect(found.full(over + 61 * PER + 1)).toBe(true)
  })
})
