/**
 * The share of the quota that the scheduler uses, and the share of refused requests, in virtual time.
 *
 *     npm run build && node bench/scheduler/simulate.ts [seeds]
 */

import type { Guard } from 'payments-rx/scheduler'
import { type BenchPeer, report } from '../result.ts'
import type { Limits } from '../simulated/judge.ts'
import { networks } from '../simulated/network.ts'
import { type Result, type Situation, scheduled, simulation } from '../simulated/simulation.ts'
import { virtualTimer } from '../simulated/virtualTimer.ts'
import { possible } from './possible.ts'
import { reference } from './reference.ts'

const REFERENCE = 'two bounds'

export interface Run extends Situation {
  readonly policy: Guard | typeof REFERENCE
}

export const simulate = ({ policy, ...situation }: Run): Result => {
  const { limits } = situation
  const timer = virtualTimer()
  const { result } = simulation(
    situation,
    policy === REFERENCE
      ? (timer) => reference(limits, timer, ({ ok }) => !ok)
      : scheduled(policy, limits),
    timer,
  )
  timer.flush()
  return result()
}

const PRODUCTION: Limits = { global: 100, endpoint: 20, per: 1_000, concurrent: 50 }
const POLICIES: ReadonlyArray<Run['policy']> = ['learned', REFERENCE, 'safe', 30]
const WEIGHTS = [180, 180, 140, 120, 120, 100, 80, 80]

const one = Array.from({ length: 2_000 }, () => 'a')
/** In turn, as long as each has some left. */
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
    const contenders: Array<BenchPeer> = [{ name: 'possible', role: 'floor', value: most * 100 }]
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
