/** Whatever happens to processes, messages and Redis: all together never send more than the limit. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../support/runs.js'
import { fleet, mostInWindow, type Span } from './fleet.js'

const END = 40_000
const LEASE = 3_000

const span = (longest: number): fc.Arbitrary<Span> =>
  fc
    .tuple(fc.integer({ min: 6_000, max: 30_000 }), fc.integer({ min: 100, max: longest }))
    .map(([from, length]) => [from, from + length])

const history = fc.record({
  seed: fc.integer({ min: 1, max: 1_000_000 }),
  processes: fc.integer({ min: 2, max: 5 }),
  limit: fc.integer({ min: 1, max: 12 }),
  isWide: fc.boolean(),
  loss: fc.constantFrom(0, 0.05),
  delay: fc.constantFrom([5, 5], [5, 400], [200, 1_500], [5, 4_000]) satisfies fc.Arbitrary<
    ReadonlyArray<number>
  >,
  skew: fc.constantFrom(0, 0.002),
  onLost: fc.constantFrom('continue', 'stop'),
  frozen: fc.array(span(8_000), { maxLength: 1 }),
  gone: fc.array(span(15_000), { maxLength: 1 }),
  emptied: fc.array(fc.integer({ min: 6_000, max: 30_000 }), { maxLength: 2 }),
  clockSet: fc.array(
    fc.tuple(fc.integer({ min: 6_000, max: 30_000 }), fc.integer({ min: -60_000, max: 60_000 })),
    { maxLength: 1 },
  ),
  freezes: fc.array(span(9_000), { maxLength: 3 }),
  deaths: fc.array(fc.integer({ min: 6_000, max: 30_000 }), { maxLength: 2 }),
})

type History = typeof history extends fc.Arbitrary<infer A> ? A : never

/** Some have always something to do, some now and then, and one not at all for a while. */
const pause = (process: number, now: number): number => {
  if (process % 3 === 0) return 0
  if (process % 3 === 1) return 30
  return now % 16_000 < 8_000 ? 400 : Number.POSITIVE_INFINITY
}

/** Redis's clock is set back by more than the time that it is gone for. */
const SET_BACK: History = {
  seed: 149_112,
  processes: 4,
  limit: 10,
  isWide: true,
  loss: 0,
  delay: [5, 4_000],
  skew: 0,
  onLost: 'continue',
  frozen: [],
  gone: [[25_694, 37_485]],
  emptied: [14_855],
  clockSet: [[25_605, -27_516]],
  freezes: [],
  deaths: [6_554],
}

/** A process that got no answer for a lease reports to a Redis that was just emptied. */
const EMPTIED: History = {
  seed: 451_256,
  processes: 3,
  limit: 10,
  isWide: true,
  loss: 0.05,
  delay: [5, 4_000],
  skew: 0.002,
  onLost: 'continue',
  frozen: [],
  gone: [],
  emptied: [19_050, 11_929],
  clockSet: [],
  freezes: [[19_215, 19_325]],
  deaths: [24_662],
}

describe('processes that share an account', () => {
  it('never exceed a limit together, whatever is lost, late, frozen, dead or emptied', async () => {
    const check = async (given: History) => {
      const { limit, isWide, freezes, deaths, delay, ...others } = given
      const [usual = 5, rare = 5] = delay
      const global = isWide ? limit + 3 : limit
      const one = fleet({ ...others, delay: [usual, rare], limit, global, lease: LEASE, pause })
      for (const [i, [from, to]] of freezes.entries()) {
        one.timer.schedule(() => one.processes[i % given.processes]?.freeze(to), from)
      }
      for (const [i, at] of deaths.entries()) {
        one.timer.schedule(() => one.processes[i]?.kill(), at)
      }
      await one.run(END)
      expect(mostInWindow(one.arrivals)).toBeLessThanOrEqual(global)
      for (const endpoint of ['a', 'b']) {
        const most = mostInWindow(one.arrivals, (arrival) => arrival.endpoint === endpoint)
        expect(most).toBeLessThanOrEqual(limit)
      }
    }
    const numRuns = runs(40)
    await fc.assert(fc.asyncProperty(history, check), {
      numRuns,
      endOnFailure: true,
      examples: [[SET_BACK], [EMPTIED]],
    })
  })
})
