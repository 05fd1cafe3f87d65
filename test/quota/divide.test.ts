/** The rule by which a limit is divided, for all wants. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { divide } from '../../src/quota/rule.js'
import { forAll } from '../support/forAll.js'

const wants = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 9 })
const limit = fc.integer({ min: 0, max: 60 })
const turn = fc.integer({ min: 0, max: 1_000 })

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((a, b) => a + b, 0)

describe('a limit', () => {
  it.each<[string, number, ReadonlyArray<number>, ReadonlyArray<number>]>([
    ['goes to the only one', 20, [5], [20]],
    ['is divided equally between all who want more', 20, [20, 20, 20, 20], [5, 5, 5, 5]],
    ['gives little to those who want little', 20, [2, 20, 20], [2, 9, 9]],
    ['that nobody wants all of is divided with what is left', 20, [2, 4], [9, 11]],
  ])('%s', (_, all, wanted, parts) => {
    expect(divide(all, wanted, 0)).toEqual(parts)
  })

  it('that does not divide evenly goes round', () => {
    const turns = [0, 1, 2].map((n) => divide(2, [9, 9, 9], n))
    expect(turns).toEqual([
      [1, 1, 0],
      [1, 0, 1],
      [0, 1, 1],
    ])
  })

  it('is never exceeded, and is given whole to those who want all of it', () => {
    forAll(limit, wants, turn, (all, wanted, at) => {
      const parts = divide(all, wanted, at)
      expect(sum(parts)).toBeLessThanOrEqual(all)
      if (sum(wanted) >= all) expect(sum(parts)).toBe(all)
    })
  })

  it('gives nobody more than it wants while another wants more, and then differs by one at most', () => {
    forAll(limit, wants, turn, (all, wanted, at) => {
      const parts = divide(all, wanted, at)
      const unsatisfied = parts.filter((part, i) => part < (wanted[i] ?? 0))
      if (unsatisfied.length === 0) return
      const fewest = Math.min(...unsatisfied)
      for (const [i, part] of parts.entries()) {
        expect(part).toBeLessThanOrEqual(wanted[i] ?? 0)
        expect(part).toBeLessThanOrEqual(fewest + 1)
      }
    })
  })
})
