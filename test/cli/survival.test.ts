/**
 * The command as it is installed, killed (SIGKILL) at moments drawn from a seed, frozen (SIGSTOP) while another one takes
 * over, and run again until it is complete: real processes, disks and databases, a sandbox with faults. `npm run bench --
 * kills` does so hundreds of times over all destinations.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { playKills } from '../../bench/kills/killed.js'
import { type KilledPlaces, killedPlaces } from '../../bench/kills/killedPlaces.js'
import { seeded } from '../../bench/simulated/random.js'
import { createSandbox, listen } from '../../src/sandbox/index.js'
import { builtCommand } from '../support/built.js'
import { sample } from '../support/runs.js'

const CHARGES = 1_000

const main = await builtCommand()
let places: KilledPlaces | undefined

beforeAll(async () => {
  places = await killedPlaces()
})
afterAll(() => places?.stop())

/** A service with faults, of a test's own: requests to it are the moments at which processes are killed. */
const serve = async () => {
  const faults = { 'reset-before': 0.01, 'cut-off': 0.01 }
  const sandbox = createSandbox({ charges: CHARGES, limits: false, faults })
  const { url, close } = await listen(sandbox)
  return { url, close, requests: () => sandbox.stats().requests }
}

/** Files; `syncSurvival.test.ts` has the tables. */
const KINDS = sample(1, [
  ...['ndjson.zst', 'folder', 's3-folder', 'merged-ndjson'],
  ...['parquet', 's3-merged'],
])

it.concurrent.each(KINDS.map((kind, n) => ({ kind, seed: 11 + n })))(
  '$kind survives a kill, and a run that was frozen while another took over',
  async ({ kind, seed }) => {
    const make = places?.kinds[kind]
    if (make === undefined) throw new Error(`there is no ${kind}`)
    const service = await serve()
    const { wrong, kills, freezes, complete, exact, losers } = await playKills({
      ...{ main, make, kills: 1, freezes: 1 },
      ...{ service, random: seeded(seed) },
    })
    await service.close()
    expect(wrong).toEqual([])
    expect(exact).toBe(complete)
    expect({ kills, freezes }).toEqual({ kills: expect.toSatisfy((n) => n >= 1), freezes: 1 })
    // 2: what it would resume was published by the other one meanwhile
    for (const status of Object.keys(losers)) expect(status).toMatch(/^[123]$/)
  },
)
