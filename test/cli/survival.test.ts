/**
 * The command as it is installed, killed (SIGKILL) at moments drawn from a seed, frozen (SIGSTOP) while another one takes
 * over, and run again until it is complete: real processes, disks and databases, a sandbox with faults. `npm run bench --
 * kills` does so hundreds of times over all destinations.
 */
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { playKills } from '../../bench/kills/killed.js'
import { type KilledPlaces, killedPlaces } from '../../bench/kills/killedPlaces.js'
import { hasPostgres } from '../../bench/services/postgres.js'
import { seeded } from '../../bench/simulated/random.js'
import { buildCode } from '../../scripts/build.js'
import {
  createSandbox,
  type Listening,
  listen,
  sandboxCredentials,
} from '../../src/sandbox/index.js'
import { killTap } from '../support/tapKilled.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const CHARGES = 3_000
const KILLS = 4

let home = ''
const faults = { 'reset-before': 0.02, 'cut-off': 0.02 }
const served = createSandbox({ charges: CHARGES, limits: false, faults })
let sandbox: Listening | undefined
let places: KilledPlaces | undefined

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'payments-rx-survival-'))
  await buildCode(join(home, 'dist'))
  copyFileSync(join(root, 'package.json'), join(home, 'package.json'))
  symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'))
  sandbox = await listen(served)
  places = await killedPlaces()
})

afterAll(async () => {
  await places?.stop()
  await sandbox?.close()
  rmSync(home, { recursive: true })
})

const KINDS = [
  ...['ndjson.zst', 'parquet', 'folder', 's3-folder', 'merged-ndjson', 's3-merged', 'sqlite'],
  ...(hasPostgres ? ['postgres'] : []),
]

it.each(KINDS.map((kind, n) => ({ kind, seed: 11 + n })))(
  '$kind survives kills, and a run that was frozen while another took over',
  { timeout: 300_000 },
  async ({ kind, seed }) => {
    const make = places?.kinds[kind]
    if (make === undefined || sandbox === undefined) throw new Error(`there is no ${kind}`)
    const { url } = sandbox
    const { wrong, kills, freezes, complete, exact, losers } = await playKills({
      ...{ main: join(home, 'dist/cli/main.js'), make, kills: 2, freezes: 1 },
      service: { url, requests: () => served.stats().requests },
      random: seeded(seed),
    })
    expect(wrong).toEqual([])
    expect(exact).toBe(complete)
    expect({ kills, freezes }).toEqual({ kills: expect.toSatisfy((n) => n >= 2), freezes: 1 })
    for (const status of Object.keys(losers)) expect(status).toMatch(/^[13]$/)
  },
)

it('a Singer tap survives: after an upsert, each charge is there once', {
  timeout: 180_000,
}, async () => {
  const { clientId, apiKey } = sandboxCredentials
  const config = join(home, 'config.json')
  writeFileSync(
    config,
    JSON.stringify({
      ...{ base_url: `${sandbox?.url}`, client_id: clientId, api_key: apiKey },
      environment: 'sandbox',
    }),
  )
  const target = new Map<unknown, unknown>()
  const { kills, status, stderr } = await killTap({
    args: [join(home, 'dist/cli/main.js'), 'tap', '--config', config],
    state: join(home, 'state.json'),
    kills: KILLS,
    most: CHARGES / 2,
    random: seeded(14),
    onRecord: (stream, record) => {
      if (stream === 'charges') target.set(record.id, record)
    },
  })
  expect(stderr).toMatch(/records\n$/)
  expect({ kills, status, rows: target.size }).toEqual({ kills: KILLS, status: 0, rows: CHARGES })
})
