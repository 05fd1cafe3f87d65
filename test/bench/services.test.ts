/** The verdict of `bench` beside services of nine kinds, at three numbers of concurrent requests, in virtual time. */
import { firstValueFrom, lastValueFrom, timer as timerOf } from 'rxjs'
import { expect, it } from 'vitest'
import { lognormal, seeded } from '../../bench/simulated/random.js'
import { type BenchOptions, type BenchResult, bench } from '../../src/bench/index.js'
import { createSandbox, sandboxCredentials } from '../../src/sandbox/index.js'
import { virtualTime } from '../support/idleClock.js'
import { sample } from '../support/runs.js'

interface Service {
  /** Time of an answer, in ms. */
  readonly takes?: (random: () => number) => number
  /** Answers are made one after the other, each in so many ms. */
  readonly inTurn?: number
  /** Returns the status in place of an answer. */
  readonly refuses?: (path: string, now: number, random: () => number) => number | undefined
  /** Part of a core that the reader has. */
  readonly cpu?: number
  readonly workload?: BenchOptions['workload']
}

const measured = async (service: Service, parallel: number | undefined): Promise<BenchResult> => {
  const { takes = () => 150, inTurn = 0, refuses = () => undefined, cpu = 0, workload } = service
  const { timer, run } = virtualTime()
  const began = timer.now()
  const random = seeded(7)
  const ofClient = seeded(20) // draws of a client whose limit for all endpoints is lowered at the end
  const sandbox = createSandbox({ charges: 100_000, batches: 20, limits: false, timer })
  let idleAt = 0
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const path = new URL(`${input instanceof Request ? input.url : input}`).pathname
    if (path.includes('login')) return sandbox.fetch(input, init)
    const status = refuses(path, timer.now(), random)
    idleAt = Math.max(idleAt, timer.now() + takes(random)) + inTurn
    await firstValueFrom(timerOf(inTurn > 0 ? idleAt - timer.now() : takes(random), timer))
    return status === undefined
      ? sandbox.fetch(input, init)
      : Response.json({ code: 'no', message: 'no' }, { status })
  }
  const events = bench({
    connection: {
      baseUrl: 'https://sandbox',
      credentials: sandboxCredentials,
      fetch,
      random: ofClient,
    },
    usage: () => ({ cpu: cpu * (timer.now() - began), memory: 0, timers: { fired: 0, late: 0 } }),
    ...{ duration: 20_000, pageSize: 10, timer },
    ...(workload === undefined ? {} : { workload }),
    ...(parallel === undefined ? {} : { parallel }),
  })
  const last = await run(lastValueFrom(events))
  if (last._tag === 'Left' || last.right._tag !== 'Measured') throw new Error(JSON.stringify(last))
  return last.right.result
}

/** Refuses what is more than `most` in any second. */
const limitedTo = (most: number, where = '') => {
  const letIn: Array<number> = []
  return (path: string, now: number): number | undefined => {
    if (!path.includes(where)) return undefined
    while (letIn[0] !== undefined && letIn[0] <= now - 1_000) letIn.shift()
    if (letIn.length >= most) return 429
    letIn.push(now)
    return undefined
  }
}

type Verdicts = ReadonlyArray<BenchResult['boundBy']>
const EITHER: Verdicts = ['quota', 'service']

/** The service, and what may be said of it with an automatic number, with 3 and with 20. */
const SERVICES: ReadonlyArray<
  readonly [string, () => Service, auto: Verdicts, three: Verdicts, twenty: Verdicts]
> = [
  ['fast', () => ({ takes: () => 20 }), ['quota'], ['quota'], ['quota']],
  [
    'slow in parallel',
    () => ({ takes: () => 1_000 }),
    ['quota'],
    ['concurrency'],
    ['quota', 'unclear'],
  ],
  ['slow in turn', () => ({ takes: () => 0, inTurn: 230 }), ['service'], ['service'], ['service']],
  ['limited lower', () => ({ refuses: limitedTo(10) }), EITHER, EITHER, EITHER],
  [
    'refusing',
    () => ({ refuses: (_, __, random) => (random() < 0.2 ? 429 : undefined) }),
    ['service', 'unclear', 'quota'],
    ['service', 'unclear', 'quota'],
    ['service', 'unclear', 'quota'],
  ],
  [
    'jittery',
    () => ({ takes: lognormal(300, 2_000) }),
    ['quota', 'unclear', 'concurrency'], // the first answers tell little of how many are enough
    ['concurrency'],
    ['quota', 'unclear'],
  ],
  [
    'failing',
    () => ({ refuses: (_, __, random) => (random() < 0.3 ? 503 : undefined) }),
    ['service'],
    ['service', 'concurrency'],
    ['service'],
  ],
  [
    'read by a busy processor',
    () => ({ takes: () => 0, inTurn: 230, cpu: 0.97 }),
    ['machine'],
    ['machine'],
    ['machine'],
  ],
  [
    'with a hot resource',
    () => ({ workload: 'mixed', refuses: limitedTo(2, '/batch_transfers') }),
    ['service', 'unclear'],
    ['service', 'unclear', 'concurrency'],
    ['service', 'unclear'],
  ],
]

const cases = SERVICES.flatMap(([name, service, auto, three, twenty]) => [
  { name, service, parallel: undefined, expected: auto },
  { name, service, parallel: 3, expected: three },
  { name, service, parallel: 20, expected: twenty },
])

it.each(sample(9, cases))('judges $name: $parallel', async ({ service, parallel, expected }) => {
  const { boundBy, verdict, bestWidth } = await measured(service(), parallel)
  expect(expected, verdict).toContain(boundBy)
  const advised = /--parallel (\d+)/.exec(verdict)?.[1]
  if (advised !== undefined) expect(bestWidth).toMatchObject({ width: Number(advised), by: 'run' })
})
