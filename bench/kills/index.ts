/**
 * Exports and syncs to each kind of destination that are killed, or frozen while another process takes over; and tables that
 * follow. Checks that each row exists once at the end. `npm run bench -- kills [KILLS] [FREEZES] [ROWS] [SEED] [KIND ...]`:
 * totals for all kinds.
 */
import { createSandbox, listen } from 'payments-rx/sandbox'
import { asyncScheduler } from 'rxjs'
import { reportExact } from '../result.ts'
import { seeded } from '../simulated/random.ts'
import { destinations, stopServers } from '../sync/destinations.ts'
import { FOLLOWED, fastClock, followArgs, followKilled } from './followed.ts'
import { type Killed, playKills } from './killed.ts'
import { killedPlaces } from './killedPlaces.ts'

const [kills = 200, freezes = 40, charges = 6_000, seed = 1] = process.argv.slice(2, 6).map(Number)
const wanted = process.argv.slice(6)
const main = new URL('../../dist/cli/main.js', import.meta.url).pathname

const faults = { '429': 0.01, '500': 0.01, 'reset-before': 0.01, 'cut-off': 0.01 }
const { kinds, stop } = await killedPlaces()
const isWanted = (kind: string): boolean => wanted.length === 0 || wanted.includes(kind)
const queue = Object.entries(kinds).filter(([kind]) => isWanted(kind))
const tables = ['sqlite', 'postgres'].filter(
  (table) => isWanted(`follow-${table}`) && (table === 'sqlite' || kinds.postgres !== undefined),
)
const share = (all: number): number => Math.ceil(all / (queue.length + tables.length))
const each = { kills: share(kills), freezes: share(freezes) }

const played: Array<Killed> = []
const failed: Array<string> = []
const worker = async (number: number): Promise<void> => {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const [kind, make] = next
    const sandbox = createSandbox({ charges, limits: false, latency: 10, jitter: 10, seed, faults })
    const { url, close } = await listen(sandbox)
    const service = { url, requests: () => sandbox.stats().requests }
    const random = seeded(seed * 1_000 + 7 * number + kind.length)
    try {
      const one = await playKills({ main, service, make, ...each, random })
      played.push(one)
      reportExact(`${kind}, ${one.kills} kills, ${one.freezes} freezes`, one.exact, one.complete)
      console.log(kind, JSON.stringify(one))
    } catch (error) {
      failed.push(`${kind}: ${error}`)
      console.log(kind, String(error))
    }
    await close()
  }
}
/** Tables that follow while charges arrive and change. */
const follow = async (table: string): Promise<void> => {
  const { now, standStill } = fastClock(Date.UTC(2026, 0, 1), 600)
  const timer = Object.assign(Object.create(asyncScheduler), { now })
  const sandbox = createSandbox({ ...FOLLOWED, charges: 2_000, latency: 5, seed, faults, timer })
  const { url, close } = await listen(sandbox)
  const made = await destinations[table]?.()
  if (made === undefined) return
  const outcome = await followKilled({
    service: { url, requests: () => sandbox.stats().requests, standStill },
    args: followArgs(main, url, made.to),
    read: made.read,
    kills: each.kills,
    most: 40,
    random: seeded(seed * 1_000 + table.length),
  })
  await close()
  await made.remove()
  const { wrong, status, rows, kills } = outcome
  const exact = wrong.length === 0 && status === 143 ? 1 : 0
  const name = `follow ${table}`
  played.push({ name, kills, freezes: 0, complete: 1, exact, wrong, losers: {} })
  reportExact(`${name}, ${kills} kills`, exact, 1)
  console.log(name, JSON.stringify({ kills, rows, status, wrong: wrong.slice(0, 3) }))
}
await Promise.all([worker(1), worker(2)])
for (const table of tables) await follow(table)
await stop()
await stopServers()
const sum = (of: (one: Killed) => number): number => played.reduce((all, one) => all + of(one), 0)
console.log(
  `${sum((one) => one.kills)} kills, ${sum((one) => one.freezes)} freezes:`,
  `${sum((one) => one.exact)} of ${sum((one) => one.complete)} exact`,
)
if (failed.length > 0 || played.some(({ exact, complete }) => exact !== complete))
  process.exitCode = 1
