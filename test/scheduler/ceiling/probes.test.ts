import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Probes, probes } from '../../../src/scheduler/ceiling/Probes.js'

const PER = 1_000

/** Windows until the next probe, which is made then. */
const untilProbe = (tried: Probes, now: number): number => {
  const at = tried.next()
  tried.probe(at)
  return (at - now) / PER
}

describe('a limit that was found to be lower', () => {
  it('is tried in full two windows after it was lowered for the first time: it may have been bad luck', () => {
    const tried = probes(20, PER)
    expect([tried.limit(), tried.full(), tried.next()]).toEqual([20, true, Infinity])
    tried.lower(10, 0)
    expect([tried.limit(), tried.full()]).toEqual([10, false])
    expect(untilProbe(tried, 0)).toBe(2)
    expect([tried.limit(), tried.full(), tried.next()]).toEqual([20, true, Infinity])
  })

  it('is tried in steps that double, two windows each, when it was no bad luck', () => {
    const tried = probes(20, PER)
    tried.lower(10, 0)
    let now = 2_000
    tried.probe(now)
    tried.failed(now) // ten windows from now: the distance of five was doubled
    const steps: Array<readonly [windows: number, limit: number]> = []
    for (let i = 0; i < 4; i++) {
      const windows = untilProbe(tried, now)
      now += windows * PER
      steps.push([windows, tried.limit()])
    }
    expect(steps).toEqual([
      [10, 11],
      [2, 13],
      [2, 17],
      [2, 20],
    ])
  })

  it('is on trial for two windows after a probe, and goes back when something is refused then', () => {
    const tried = probes(20, PER)
    tried.lower(10, 0)
    tried.probe(2_000)
    expect([tried.onTrial(3_999), tried.onTrial(4_000)]).toEqual([true, false])
    tried.failed(3_000)
    expect([tried.limit(), tried.onTrial(3_000)]).toEqual([10, false])
  })

  it('is tried less and less often while it is refused, every sixty windows at least', () => {
    const tried = probes(20, PER)
    tried.lower(10, 0)
    tried.probe(2_000)
    let now = 2_000
    const waits: Array<number> = []
    for (let i = 0; i < 5; i++) {
      tried.failed(now)
      const windows = untilProbe(tried, now)
      now += windows * PER
      waits.push(windows)
    }
    expect(waits).toEqual([10, 20, 40, 60, 60])
  })

  it('is tried as far as a step upward was let in, and gone back from when that is refused, too', () => {
    const tried = probes(20, PER)
    tried.lower(10, 0)
    tried.probe(2_000)
    tried.failed(2_000)
    const due = tried.next()
    tried.found(16, 3_000)
    expect([tried.limit(), tried.next()]).toEqual([16, due])
    expect([tried.onTrial(4_999), tried.onTrial(5_000)]).toEqual([true, false])
    tried.failed(4_000)
    expect(tried.limit()).toBe(10)
  })

  it.each([
    ['fewer than there were', 9, 10],
    ['all that was tried, and more', 25, 19],
  ])('is what a step let in that was refused, not where that was %s', (_, letIn, limit) => {
    const tried = probes(20, PER)
    tried.lower(10, 0)
    tried.probe(2_000)
    tried.failed(2_000)
    tried.found(letIn, 3_000)
    expect(tried.limit()).toBe(limit)
  })

  it('stays as it is after a window in which nothing was tried in vain', () => {
    const tried = probes(20, PER)
    tried.lower(10, 0)
    tried.found(15, 1_000)
    expect(tried.limit()).toBe(10)
  })

  it('is tried as often as at first once two steps have gone well', () => {
    const tried = probes(20, PER)
    tried.lower(10, 0)
    tried.probe(2_000)
    tried.failed(2_000)
    const now = 2_000 + 12 * PER
    untilProbe(tried, 2_000)
    untilProbe(tried, 0)
    tried.lower(5, now)
    expect((tried.next() - now) / PER).toBe(5)
  })

  it('is never less than 1, nor more than it says, whatever is refused', () => {
    const step = fc.tuple(fc.constantFrom('lower', 'failed', 'probe'), fc.nat(40))
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.array(step), (most, steps) => {
        const tried = probes(most, PER)
        steps.forEach(([what, to], window) => {
          if (what === 'lower') tried.lower(to, window * PER)
          else tried[what === 'failed' ? 'failed' : 'probe'](window * PER)
          expect(tried.limit()).toBeGreaterThanOrEqual(1)
          expect(tried.limit()).toBeLessThanOrEqual(most)
          expect(tried.full()).toBe(tried.limit() === most)
        })
      }),
    )
  })
})
