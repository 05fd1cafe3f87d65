import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { O } from '../../src/fp.js'
import { pausesOf } from '../../src/stream/Backoff.js'
import {
  type BackoffOptions,
  backoffDefaults,
  exponential,
  InvalidOption,
  type Millis,
} from '../../src/stream/index.js'
import { forAll } from '../support/forAll.js'

const options = fc.record({
  first: fc.integer({ min: 1, max: 10_000 }),
  cap: fc.integer({ min: 1, max: 100_000 }),
  repeats: fc.integer({ min: 0, max: 40 }),
})

/** Every pause of a backoff, in order. */
const pauses = (all: BackoffOptions): ReadonlyArray<Millis> => {
  const backoff = exponential(all)
  return Array.from({ length: all.repeats }, (_, i) => O.toNullable(backoff(i + 1)) ?? Number.NaN)
}

describe('exponential', () => {
  it('doubles until the cap, and stays there', () => {
    forAll(options, (all) => {
      const some = pauses({ ...all, random: () => 0 })
      for (const [i, pause] of some.entries()) {
        expect(pause).toBe(Math.min(all.cap, i === 0 ? all.first : 2 * (some[i - 1] ?? 0)))
      }
    })
  })

  it('adds up to a quarter by chance, and takes nothing away', () => {
    const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    forAll(options, chance, (all, drawn) => {
      const without = pauses({ ...all, random: () => 0 })
      for (const [i, pause] of pauses({ ...all, random: () => drawn }).entries()) {
        const least = without[i] ?? Number.NaN
        expect(pause).toBeGreaterThanOrEqual(least)
        expect(pause).toBeLessThanOrEqual(Math.round(least * 1.25))
      }
    })
  })

  it.each([
    ['{"first":10,"cap":80,"repeat":5}', 'repeat should be omitted'],
    ['{"first":10,"cap":80}', 'repeats should be a whole number of at least 0, or Infinity'],
    ['{"first":10,"repeats":5}', 'cap should be at least 0 milliseconds, but is missing'],
    ['{"first":-1,"cap":80,"repeats":5}', 'first should be at least 0 milliseconds'],
  ])('refuses %s: it would wait without end, or not at all', (json, message) => {
    const options = { ...JSON.parse(json), random: Math.random }
    expect(() => exponential(options)).toThrow(InvalidOption)
    expect(() => exponential(options)).toThrow(`exponential: ${message}`)
  })

  it('has a pause after each attempt but the last', () => {
    forAll(options, (all) => {
      const backoff = exponential({ ...all, random: () => 0 })
      const attempts = Array.from({ length: 60 }, (_, i) => O.isSome(backoff(i + 1)))
      expect(attempts.filter(Boolean)).toHaveLength(all.repeats)
      expect(attempts.indexOf(false)).toBe(all.repeats)
    })
  })
})

describe('all pauses of a call', () => {
  it('are together what they are one by one', () => {
    forAll(options, (some) => {
      const all = pauses({ ...some, random: () => 0 })
      expect(pausesOf(some)).toBe(all.reduce((sum, pause) => sum + pause, 0))
    })
    expect([0, 1, 2, 4, 5, 22].map((repeats) => pausesOf({ ...backoffDefaults, repeats }))).toEqual(
      [0, 1_000, 3_000, 15_000, 31_000, 303_000],
    )
  })
})
