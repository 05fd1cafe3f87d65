/** Runs of several limiters in one situation, each in a virtual time of its own. */
import { firstValueFrom, from } from 'rxjs'
import { backoff, type MakeLimit, peers } from '../../bench/scheduler/peers.ts'
import { seeded } from '../../bench/simulated/random.ts'
import {
  type Attempt,
  type Hold,
  type Result,
  scheduled,
  simulation,
} from '../../bench/simulated/simulation.ts'
import { virtualTimer } from '../../bench/simulated/virtualTimer.ts'
import { type Parameters, situationOf, toldLimits } from './parameters.ts'
import { runInVirtualTime } from './virtualGlobals.ts'

export interface Trace {
  readonly name: string
  readonly attempts: ReadonlyArray<Attempt>
  readonly result: Result
}

/** A public limiter as it would be used: a refused request waits, and goes through it again. */
const holdOf =
  (make: MakeLimit, limit: number, concurrent: number) =>
  (_timer: unknown, seed: number): Hold => {
    const run = make(limit, concurrent)
    const random = seeded(seed)
    return () => (source) => {
      const attempt = async (refusals: number): Promise<{ readonly ok: boolean }> => {
        const status = await run(async () => ((await firstValueFrom(source)).ok ? 200 : 429))
        if (status === 200) return { ok: true }
        await new Promise((resolve) => setTimeout(resolve, backoff(refusals, random)))
        return attempt(refusals + 1)
      }
      return from(attempt(0))
    }
  }

/** The public limiters that are shown. */
const shown = ['bottleneck', 'p-queue (strict)', 'rate-limiter-flexible'] as const

/** Emits the run of each limiter as soon as it is there. */
export async function* traces(parameters: Parameters): AsyncGenerator<Trace> {
  const situation = situationOf(parameters)
  const told = toldLimits(parameters)
  const contenders = [
    { name: 'payments-rx', hold: scheduled('learned', told) },
    ...shown.map((name) => ({
      name,
      hold: holdOf(peers[name], told.endpoint, told.concurrent),
    })),
  ]
  for (const { name, hold } of contenders) {
    const timer = virtualTimer()
    const { attempts, result } = await runInVirtualTime(timer, () =>
      simulation(situation, hold, timer),
    )
    yield { name, attempts, result: result() }
  }
}
