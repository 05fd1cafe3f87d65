/**
 * How much of the quota the scheduler uses, and how much is refused, in virtual time.
 *
 *     npm run build && node bench/scheduler/simulate.ts [seeds]
 */

import * as O from 'fp-ts/lib/Option.js'
import { concurrency, createScheduler, type Guard, rate, schedule } from 'payments-rx/scheduler'
import { from, type MonoTypeOperatorFunction, mergeMap, Observable, type SchedulerLike } from 'rxjs'
import { judge, type Limits } from '../../test/support/simulated/judge.ts'
import { type Network, networks } from '../../test/support/simulated/network.ts'
import { seeded } from '../../test/support/simulated/random.ts'
import { type Stalls, stalling, stallsUntil } from '../../test/support/simulated/stalls.ts'
import { virtualTimer } from '../../test/support/simulated/virtualTimer.ts'
import { type Contender, report } from '../result.ts'
import { possible } from './possible.ts'
import { reference } from './reference.ts'

const REFERENCE = 'two bounds'

interface Answer {
  readonly ok: boolean
}

export interface Run {
  readonly network: Network
  readonly policy: Guard | typeof REFERENCE
  readonly seed: number
  /** The endpoint of every request, in the order in which they are asked for. */
  readonly requests: ReadonlyArray<string>
  readonly limits: Limits
  /** Milliseconds from the first to the last arrival, when nothing is wasted. */
  readonly best: number
  /** How the machine stalls that the client runs on, and the server, too, if they share it. */
  readonly busy?: Stalls & { readonly shared: boolean }
}

/** Longer than any run, milliseconds. */
const LONGEST = 900_000

export interface Result {
  readonly share: number
  /** Share without the last two windows, where a run waits for its last requests. */
  readonly before: number
  readonly toAnswer: number
  readonly refusedPer1000: number
  readonly finished: number
}

/** Holds requests to an endpoint back. */
type Hold = (endpoint: string) => MonoTypeOperatorFunction<Answer>

const ours = (guard: Guard, limits: Limits, seed: number, timer: SchedulerLike): Hold => {
  const { global, endpoint: limit, per, concurrent } = limits
  const scheduler = createScheduler<string>({
    tiers: [
      rate({ name: 'global', limit: global, per }),
      rate({ name: 'endpoint', limit, per, key: (endpoint) => endpoint }),
      concurrency({ name: 'concurrency', limit: concurrent }),
    ],
    guard,
    random: seeded(seed),
    timer,
  })
  return (endpoint) =>
    schedule(scheduler, endpoint, {
      attempts: 50,
      refused: ({ ok }) => (ok ? O.none : O.some({})),
    })
}

export const simulate = ({ network, policy, seed, requests, limits, best, busy }: Run): Result => {
  const random = seeded(seed)
  const timer = virtualTimer()
  const here =
    busy === undefined ? timer : stalling(timer, stallsUntil(LONGEST, busy, seeded(seed + 2_000)))
  const there = busy?.shared === true ? here : timer
  const server = judge(limits)
  const hold: Hold =
    policy === REFERENCE
      ? reference(limits, here, ({ ok }) => !ok)
      : ours(policy, limits, seed + 1_000, here)

  const send = (endpoint: string): Observable<Answer> =>
    new Observable((subscriber) => {
      there.schedule(() => {
        const ok = server.arrives(endpoint, timer.now())
        if (ok) letIn.push(timer.now())
        const back = (): void => {
          subscriber.next({ ok })
          subscriber.complete()
        }
        const work = ok ? network.processing(random) : 0.1
        there.schedule(() => {
          if (ok) server.leaves()
          here.schedule(back, network.downlink(random))
        }, work)
      }, network.uplink(random))
    })

  let finished = 0
  let end = 0
  const letIn: Array<number> = []
  from(requests)
    .pipe(mergeMap((endpoint) => send(endpoint).pipe(hold(endpoint))))
    .subscribe(() => {
      finished++
      end = timer.now()
    })
  timer.flush()

  const { first, last } = server.arrivals()
  const window = Math.min(limits.global, limits.endpoint * new Set(requests).size)
  const most = requests.length - 2 * window
  return {
    share: best / (last - first),
    before: ((most / window) * limits.per) / ((letIn[most] ?? Number.NaN) - first),
    toAnswer: best / end,
    refusedPer1000: (server.refused() * 1_000) / requests.length,
    finished,
  }
}

const PRODUCTION: Limits = { global: 100, endpoint: 20, per: 1_000, concurrent: 50 }
const POLICIES: ReadonlyArray<Run['policy']> = ['learned', REFERENCE, 'safe', 30]
const WEIGHTS = [180, 180, 140, 120, 120, 100, 80, 80]

const one = Array.from({ length: 2_000 }, () => 'a')
/** In turn, as far as each has any left. */
const eight = Array.from({ length: 900 }, (_, turn) =>
  WEIGHTS.flatMap((weight, i) => (turn < 5 * weight ? [`${i}`] : [])),
).flat()

const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

type Load = Pick<Run, 'requests' | 'best' | 'limits' | 'busy'>

const COLUMNS = {
  network: 8,
  policy: 10,
  '% of quota': 10,
  worst: 5,
  '% of the possible': 17,
  'without the end': 15,
  '% to last answer': 16,
  'refused of 1000': 15,
  most: 5,
}

const row = (cells: ReadonlyArray<string>): void => {
  const widths = Object.values(COLUMNS)
  console.log(`| ${cells.map((cell, i) => cell.padStart(widths[i] ?? 0)).join(' | ')} |`)
}

const table = (name: string, load: Load, seeds: number): void => {
  const { requests, limits, best } = load
  const window = Math.min(limits.global, limits.endpoint * new Set(requests).size)
  console.log(`\n${name} (${seeds} seeds)\n`)
  row(Object.keys(COLUMNS))
  row(Object.values(COLUMNS).map((width) => '-'.repeat(width)))
  for (const [label, network] of Object.entries(networks)) {
    const most = possible(network, limits, { window, best, seeds: 100 })
    const contenders: Array<Contender> = [{ name: 'possible', role: 'floor', value: most * 100 }]
    for (const policy of POLICIES) {
      const runs = Array.from({ length: seeds }, (_, seed) =>
        simulate({ network, policy, seed: seed + 1, ...load }),
      )
      const shares = runs.map((run) => run.share * 100)
      const refused = runs.map((run) => run.refusedPer1000)
      row([
        label,
        `${policy}`,
        mean(shares).toFixed(2),
        Math.min(...shares).toFixed(1),
        (mean(shares) / most).toFixed(2),
        mean(runs.map((run) => run.before * 100)).toFixed(2),
        mean(runs.map((run) => run.toAnswer * 100)).toFixed(2),
        mean(refused).toFixed(2),
        Math.max(...refused).toFixed(1),
      ])
      contenders.push({
        name: `${policy}`,
        role: policy === 'learned' ? 'ours' : 'peer',
        value: mean(shares),
      })
      const lost = runs.filter((run) => run.finished !== requests.length).length
      if (lost > 0) throw new Error(`${lost} runs lost requests`)
    }
    report({ subject: `${name}, ${label}`, unit: '% of the quota', better: 'higher', contenders })
  }
}

const main = (seeds: number): void => {
  const alone = { requests: one, best: 99_000, limits: PRODUCTION }
  const unequal = { requests: eight, best: 49_000, limits: { ...PRODUCTION, concurrent: 1_000 } }
  const busy = { perSecond: 8, ms: 20, shared: true }
  table('One endpoint, 2,000 requests at 20/s', alone, seeds)
  table('Eight unequal endpoints, 5,000 requests at 100/s', unequal, seeds)
  table('The same, 50 at once', { ...unequal, limits: PRODUCTION }, seeds)
  table('One endpoint, client and server on a busy machine', { ...alone, busy }, seeds)
  table('Eight of them, on a busy machine', { ...unequal, busy }, seeds)
}

if (import.meta.main) main(Number(process.argv[2] ?? 10))
