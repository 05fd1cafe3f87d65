/**
 * `npm run bench -- quota [seconds] [compare | peers | failures | many | tour]... [network]...`: processes that share 20
 * requests per second at each endpoint and 100 in total through one Redis, judged by a server that counts arrivals. One process
 * without a quota runs next to them in the same seconds. Prints tables, followed by everything as JSON.
 */

import { type BenchPeer, report } from '../result.ts'
import { type Measured, measure, pass, type Setting, startGroups, startServer } from './cell.ts'
import { failures } from './failures.ts'
import type { Kind } from './limiters.ts'
import { many } from './many.ts'

const [seconds = '20', ...chosen] = process.argv.slice(2)
const SECONDS = Number(seconds)
const WARM_UP = 6
const ENDPOINTS = [1, 8]

/** Names among the arguments, or all names if there are none. */
const chosenOf = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.some((name) => chosen.includes(name))
    ? names.filter((name) => chosen.includes(name))
    : names
const NETWORKS = chosenOf(['loopback', 'steady', 'jittery'])
const PARTS = chosenOf(['compare', 'peers', 'failures', 'many', 'tour'])
/** The tour is one of the existing cells. */
const isChosen = (name: string): boolean =>
  PARTS.includes(name) && (name !== 'tour' || chosen.includes(name))

/** Rounded. The ratio is relative to the first row, which is one process without a quota. */
const row = (setting: Setting, one: Measured, alone: Measured | undefined) => ({
  network: setting.network,
  endpoints: setting.endpoints,
  by: one.kind,
  workers: one.workers,
  'of the quota, %': Number(one.used.toFixed(1)),
  'of one alone, %': Number(((100 * one.used) / (alone?.used ?? Number.NaN)).toFixed(1)),
  'refused, %': Number(one.refused.toFixed(2)),
  'more than alone, %': Number((one.refused - (alone?.refused ?? Number.NaN)).toFixed(2)),
  fairness: Number(one.fairness.toFixed(4)),
  'commands a request': Number(one.commands.toFixed(3)),
  'Redis, % of a core': Number(one.cpu.toFixed(2)),
})

const ROLES: Readonly<Record<Kind, BenchPeer['role']>> = {
  'payments-rx': 'ours',
  alone: 'floor',
  bottleneck: 'peer',
  'rate-limiter-flexible': 'peer',
  effect: 'peer',
}

const server = await startServer()
const results: Record<string, ReadonlyArray<object>> = {}

/** One cell: groups in the same seconds, next to one process alone. */
const cell = async (setting: Setting, others: ReadonlyArray<readonly [Kind, number]>) => {
  const what = `${setting.network}, ${setting.endpoints} endpoints, ${others.map(([kind, n]) => `${n} ${kind}`).join(', ')}`
  const groups = await startGroups(server, setting, [['alone', 1], ...others])
  await pass(WARM_UP, `${what}, warming up`)
  const measured = await measure(groups, setting, SECONDS, what)
  for (const group of groups) group.stop()
  const rows = measured.map((one) => row(setting, one, measured[0]))
  for (const one of rows) console.log(Object.values(one).join('\t'))
  report({
    subject: `${others.map(([, n]) => n).join()} processes, ${setting.endpoints} endpoints, ${setting.network}`,
    unit: '% of the quota',
    better: 'higher',
    contenders: measured.map(({ kind, used }) => ({ name: kind, role: ROLES[kind], value: used })),
  })
  return rows
}

const table = async (
  name: string,
  cells: ReadonlyArray<ReadonlyArray<readonly [Kind, number]>>,
) => {
  if (!isChosen(name)) return
  const rows: Array<object> = []
  for (const network of NETWORKS) {
    for (const endpoints of ENDPOINTS) {
      for (const others of cells) rows.push(...(await cell({ network, endpoints }, others)))
    }
  }
  console.table(rows)
  results[name] = rows
}

await table(
  'compare',
  [1, 2, 4, 8].map((workers) => [['payments-rx', workers]]),
)
await table(
  'peers',
  (['payments-rx', 'bottleneck', 'rate-limiter-flexible', 'effect'] as const).map((kind) => [
    [kind, 4],
  ]),
)
if (isChosen('tour')) {
  const setting = { network: 'loopback', endpoints: 8 }
  console.table(await cell(setting, [['payments-rx', 4]]))
}
if (isChosen('failures')) {
  results.failures = await failures(server)
  console.table(results.failures)
}
server.stop()
if (isChosen('many')) {
  results.many = await many(SECONDS)
  console.table(results.many)
}
console.log(JSON.stringify(results))
