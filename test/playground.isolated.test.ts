/** The playground of the site shows what the benchmark's simulation measures. Its runs have the timers of this realm. */
import { expect, it } from 'vitest'
import { scheduled, simulation } from '../bench/simulated/simulation.ts'
import { virtualTimer } from '../bench/simulated/virtualTimer.ts'
import {
  initial,
  type Parameters,
  realLimit,
  situationOf,
  toldLimits,
} from '../site/playground/parameters.ts'
import { type Trace, traces } from '../site/playground/traces.ts'

const runsOf = async (parameters: Parameters): Promise<ReadonlyArray<Trace>> => {
  const all: Array<Trace> = []
  for await (const trace of traces(parameters)) all.push(trace)
  return all
}

it.each<Partial<Parameters>>([
  {},
  { seed: 7, jitter: 300 },
  { latency: 20, jitter: 0 },
  { truth: 50 },
  { truth: 120, load: 15 },
])('shows the figures of the simulation: %o', async (change) => {
  const parameters = { ...initial, ...change }
  const [ours] = await runsOf(parameters)
  expect(ours?.name).toBe('payments-rx')
  const timer = virtualTimer()
  const hold = scheduled('learned', toldLimits(parameters))
  const { result } = simulation(situationOf(parameters), hold, timer)
  timer.flush()
  expect(ours?.result).toEqual(result())
})

it('shows every limiter in the same situation, the same for the same seed', async () => {
  const first = await runsOf(initial)
  expect(first.map(({ name }) => name)).toEqual([
    ...['payments-rx', 'bottleneck', 'p-queue (strict)', 'rate-limiter-flexible'],
  ])
  expect(await runsOf(initial)).toEqual(first)
  const { requests } = situationOf(initial)
  for (const { attempts, result } of first) {
    expect(result.finished).toBe(requests.length)
    expect(attempts.filter(({ ok }) => ok)).toHaveLength(requests.length)
    const refused = attempts.filter(({ ok }) => !ok).length
    expect(result.refusedPer1000).toBeCloseTo((refused / requests.length) * 1_000)
  }
})

it('lets the server judge by the limit that is really kept', async () => {
  const parameters = { ...initial, truth: 50 }
  for (const { attempts } of await runsOf(parameters)) {
    const arrivals = attempts.filter(({ ok }) => ok).map(({ arrived }) => arrived)
    const busiest = arrivals.map(
      (at) => arrivals.filter((other) => other <= at && at - other < 1_000).length,
    )
    expect(Math.max(...busiest)).toBeLessThanOrEqual(realLimit(parameters))
  }
})

it('puts the timers of the realm back', async () => {
  const before = [setTimeout, clearTimeout, setInterval, clearInterval, Date.now]
  await runsOf({ ...initial, load: 5 })
  expect([setTimeout, clearTimeout, setInterval, clearInterval, Date.now]).toEqual(before)
})
