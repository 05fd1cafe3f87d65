/**
 * The command as it is installed, killed (SIGKILL) at moments drawn from a seed, resumed each time until it
 * is complete: real processes, a real disk, a sandbox with faults. `npm run bench -- survival` does so
 * hundreds of times for every format.
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildCode } from '../../scripts/build.js'
import { type Listening, listen, sandboxCredentials } from '../../src/sandbox/index.js'
import { duckdb } from '../export/reading.js'
import { readBack } from '../support/readBack.js'
import { seeded } from '../support/simulated/random.js'
import { survive } from '../support/survive.js'
import { killTap } from '../support/tapKilled.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const CHARGES = 6_000
const KILLS = 4

let home = ''
let sandbox: Listening | undefined

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'payments-rx-survival-'))
  await buildCode(join(home, 'dist'))
  copyFileSync(join(root, 'package.json'), join(home, 'package.json'))
  symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'))
  const faults = { 'reset-before': 0.02, 'cut-off': 0.02 }
  sandbox = await listen({ charges: CHARGES, limits: false, faults })
})

afterAll(async () => {
  await sandbox?.close()
  rmSync(home, { recursive: true })
})

it.each([
  ['charges.ndjson', 11],
  ['charges.csv.gz', 12],
  ['charges.parquet', 13],
])('%s survives', { timeout: 180_000 }, async (name, seed) => {
  const folder = join(home, name.replaceAll('.', '-'))
  mkdirSync(folder)
  const out = join(folder, name)
  const { clientId, apiKey } = sandboxCredentials
  const { kills, status, stderr } = await survive({
    args: [
      ...[join(home, 'dist/cli/main.js'), 'export', 'charges', '--base-url', `${sandbox?.url}`],
      ...['--client-id', clientId, '--api-key', apiKey, '--environment', 'sandbox'],
      ...['--page-size', '200', '--out', out, '--lease', '1s', '--progress', 'none'],
    ],
    folder,
    kills: KILLS,
    most: 15, // a busy machine sees several as one
    random: seeded(seed),
  })
  expect(stderr).toContain('complete: 6,000 rows')
  expect(status).toBe(0)
  expect(kills).toBeGreaterThan(0)
  expect(await readBack(out)).toMatchObject({ rows: CHARGES, hashes: true })
  const sql = await duckdb()
  const [found] = await sql(`select count(distinct id) as ids from '${out}'`)
  expect(found).toEqual({ ids: String(CHARGES) })
})

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
