/**
 * `sync` as it is installed, killed (SIGKILL) over some nights at moments drawn from a seed, frozen (SIGSTOP) while
 * another one takes over, and run on hosts with other names: real processes, real databases, a service with faults.
 * `npm run bench -- sync` does so hundreds of times.
 */
import { execFileSync } from 'node:child_process'
import { asyncScheduler } from 'rxjs'
import { expect, it } from 'vitest'
import { FOLLOWED, fastClock, followArgs, followKilled } from '../../bench/kills/followed.js'
import {
  begin,
  chargesOf,
  differ,
  freeze,
  type Service,
  type StoredCharge,
  syncNights,
} from '../../bench/kills/syncNights.js'
import { seeded } from '../../bench/simulated/random.js'
import { createSandbox, listen } from '../../src/sandbox/index.js'
import { databases } from '../export/sync/databases.js'
import { builtCommand } from '../support/built.js'
import { sample } from '../support/runs.js'
import { serveNights } from './nights.js'

const main = await builtCommand()

const FAULTS = { 'reset-before': 0.01, 'cut-off': 0.01 }

const argsOf = ({ url }: Service, to: string, lease: string): ReadonlyArray<string> => [
  ...[main, 'sync', 'charges', to, '--base-url', url, '--no-limits'],
  ...['--client-id', 'sandbox', '--api-key', 'sandbox-key', '--environment', 'test'],
  ...['--page-size', '50', '--lookback', '1d', '--parallel', '4', '--lease', lease],
  ...['--progress', 'none'],
]

/** Another name for this host, and numbers of processes of its own; only root may have them. */
const host = (name: string): ReadonlyArray<string> => [
  ...['unshare', '--uts', '--pid', '--fork', '--kill-child', '--mount-proc', 'sh', '-c'],
  `hostname ${name} && exec "$0" "$@"`,
  process.execPath,
]

const canUnshare = ((): boolean => {
  try {
    execFileSync('unshare', ['--uts', '--pid', '--fork', '--mount-proc', 'hostname', 'x'], {
      stdio: 'ignore',
    })
    return true
  } catch {
    return false
  }
})()

const tables = databases()

const NIGHTS = 'survives nights of kills'
const FOLLOWS = 'follows through kills while charges come and change'
const FROZEN = 'is exact after a run that was frozen while another took over'
const ELSEWHERE = 'is taken over on another host'

const titleOf = (name: string, what: string): string => `a table of ${name} ${what}`

const played = sample(
  2,
  tables.flatMap(({ name }) =>
    [NIGHTS, FOLLOWS, FROZEN, ELSEWHERE].map((what) => titleOf(name, what)),
  ),
)

for (const { name, isThere, make, sql } of tables) {
  const game = (what: string, play: () => Promise<void>, canPlay = true): void => {
    const title = titleOf(name, what)
    if (played.includes(title)) it.skipIf(!isThere || !canPlay).concurrent(title, play)
  }

  const read = async (to: string): Promise<ReadonlyArray<StoredCharge>> =>
    (await sql(to, 'select id, amount, currency, status, updated_at from charges')).map((row) => ({
      id: String(row.id),
      amount: String(Number(row.amount)),
      currency: String(row.currency),
      status: String(row.status),
      updated: new Date(String(row.updated_at)).getTime(),
    }))

  game(NIGHTS, async () => {
    const service = await serveNights({ latency: 5, faults: FAULTS })
    const to = await make()
    const outcome = await syncNights({
      service,
      args: argsOf(service, to, '200ms'),
      read: () => read(to),
      nights: 2,
      kills: 1,
      most: 20,
      random: seeded(21),
    })
    await service.close()
    expect(outcome).toMatchObject({ exact: 2, wrong: [] })
    expect(outcome.rows).toBeGreaterThan(600)
  })

  game(FOLLOWS, async () => {
    const { now, standStill } = fastClock(Date.UTC(2026, 0, 1), 600)
    const timer = Object.assign(Object.create(asyncScheduler), { now })
    const sandbox = createSandbox({ ...FOLLOWED, charges: 300, latency: 5, faults: FAULTS, timer })
    const { url, close } = await listen(sandbox)
    const to = await make()
    const outcome = await followKilled({
      service: { url, requests: () => sandbox.stats().requests, standStill },
      args: followArgs(main, url, to),
      read: () => read(to),
      kills: 2,
      most: 30,
      random: seeded(7),
    })
    await close()
    expect(outcome).toMatchObject({ status: 143, wrong: [] })
    expect(outcome.rows).toBeGreaterThan(300)
  })

  game(FROZEN, async () => {
    const play = async () => {
      const service = await serveNights({ latency: 5 })
      const to = await make()
      const nights = { service, args: argsOf(service, to, '1s') }
      return { service, to, ...(await freeze(nights, 6, 2_000)) }
    }
    let { service, to, frozen, second } = await play()
    while (frozen.status === 0 && second.status === 0) {
      await service.close() // on a busy machine, the first one may have ended before it was frozen
      ;({ service, to, frozen, second } = await play())
    }
    if (second.status === 0) {
      // or, frozen within a transaction for half a minute, its server has ended that
      expect(frozen.stderr).toMatch(
        /now belongs to another run, which took over|connection was lost/,
      )
      expect(frozen.status).toBe(/took over/.test(frozen.stderr) ? 3 : 1)
    } else {
      // frozen within a transaction of SQLite, whose lock the system keeps as long as the process lives
      expect(second.stderr).toContain('another program has locked it')
      expect(frozen.status).toBe(0)
    }
    expect(differ(await chargesOf(service.url), await read(to))).toEqual([])
    await service.close()
  })

  game(
    ELSEWHERE,
    async () => {
      const service = await serveNights({ latency: 5 })
      const to = await make()
      const args = argsOf(service, to, '1s')
      const kill = (pid: number): void => {
        process.kill(pid, 'SIGKILL')
      }
      expect(await begin({ service, args, command: host('one') }, 6, kill).ended).toMatchObject({
        signal: 'SIGKILL',
      })
      const second = await begin({ service, args, command: host('two') }).ended
      expect(second.stderr).toContain('waiting up to 1 s to take over')
      expect(second.stderr).not.toContain('Warning') // that node:sqlite is new
      expect(second.status).toBe(0)
      expect(differ(await chargesOf(service.url), await read(to))).toEqual([])
      await service.close()
    },
    canUnshare,
  )
}
