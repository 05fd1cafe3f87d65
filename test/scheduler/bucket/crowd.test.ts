import { describe, expect, it } from 'vitest'
import { type Crowd, crowd } from '../../../src/scheduler/bucket/Crowd.js'
import { type Departure, departure } from '../../../src/scheduler/Departure.js'

/** So many leave together, while nobody else is under way; `known`: of them, those that were let in. */
const leave = (all: Crowd, at: number, count: number, known = 0): Departure => {
  const made = departure(at, false)
  for (let i = 1; i <= count; i++) all.enter(made, i, 0)
  made.count = count
  made.open = count
  for (let i = 0; i < known; i++) {
    made.answers++
    made.open--
    all.accepted(made, at)
  }
  return made
}

/** None of these was let in. */
const refuse = (all: Crowd, made: Departure): boolean => {
  made.open--
  return all.clears(made)
}

describe('being too many at once', () => {
  it('explains a refusal where as many were inside as were let in together', () => {
    const all = crowd(1_000)
    const made = leave(all, 0, 20, 10)
    expect(refuse(all, made)).toBe(false)
    expect(all.others()).toBe(19) // ten were let in, and of nine nobody knows
  })

  it('explains none where less than half of them can have been inside', () => {
    const all = crowd(1_000)
    leave(all, 0, 20, 20)
    expect(refuse(all, leave(all, 100, 11))).toBe(false) // ten others
    expect(refuse(all, leave(all, 200, 1))).toBe(false) // the ten of before may be inside still
    const empty = crowd(1_000)
    leave(empty, 0, 20, 20)
    expect(refuse(empty, leave(empty, 100, 10))).toBe(true) // nine others
  })

  it('explains none of late when a third of them it cannot explain', () => {
    const all = crowd(1_000)
    leave(all, 0, 20, 20)
    const alone = () => refuse(all, leave(all, 100, 1))
    const crowded = () => {
      const made = leave(all, 100, 20)
      const clears = refuse(all, made)
      made.open = 0
      return clears
    }
    expect(crowded()).toBe(false)
    let few = 0
    while (!crowded()) {
      expect(alone()).toBe(true)
      few++
    }
    // each counts for a sixteenth, and every other one is explained
    expect(few).toBeGreaterThan(5)
    expect(few).toBeLessThan(20)
  })

  it('remembers how many were let in together for a period, or two', () => {
    const all = crowd(1_000)
    const pair = (at: number) => refuse(all, leave(all, at, 2))
    leave(all, 0, 20, 20)
    leave(all, 1_000, 1, 1)
    expect(pair(1_001)).toBe(true)
    leave(all, 2_000, 1, 1)
    expect(pair(2_001)).toBe(false)
  })
})
