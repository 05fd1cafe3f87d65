/**
 * A Singer tap killed at random moments and resumed from its last STATE, from a sandbox with faults: whether each
 * charge is there once after an upsert; and its records a second, sandbox and reader included.
 * `npm run bench -- tap [KILLS] [ROWS] [SEED]`.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listen, sandboxCredentials } from 'payments-rx/sandbox'
import { seeded } from '../../test/support/simulated/random.ts'
import { killTap } from '../../test/support/tapKilled.ts'
import { report, reportExact } from '../result.ts'

const [kills = 50, rows = 200_000, seed = 1] = process.argv.slice(2).map(Number)
const cli = new URL('../../dist/cli/main.js', import.meta.url).pathname
const folder = mkdtempSync(join(tmpdir(), 'bench-tap-'))

const configFor = (url: string): string => {
  const { clientId, apiKey } = sandboxCredentials
  const path = join(folder, 'config.json')
  const config = { base_url: url, client_id: clientId, api_key: apiKey, environment: 'sandbox' }
  writeFileSync(path, JSON.stringify(config))
  return path
}

const faults = { '429': 0.01, '500': 0.01, 'reset-before': 0.01, 'cut-off': 0.01 }
const faulty = await listen({ charges: rows, limits: false, seed, faults })
const target = new Map<unknown, unknown>()
let records = 0
const killed = await killTap({
  args: [cli, 'tap', '--config', configFor(faulty.url)],
  state: join(folder, 'state.json'),
  kills,
  most: 8_000,
  random: seeded(seed),
  onRecord: (stream, record) => {
    if (stream !== 'charges') return
    records++
    target.set(record.id, record)
  },
})
await faulty.close()
console.log('killed', JSON.stringify({ ...killed, rows, distinct: target.size, records }))

reportExact(`tap, ${kills} kills`, target.size, rows)

const whole = await listen({ charges: rows, limits: false, seed })
const config = configFor(whole.url)
const { lines, ms } = await new Promise<{ lines: number; ms: number }>((resolve, reject) => {
  const from = performance.now()
  const child = spawn(process.execPath, [cli, 'tap', '--config', config, '--no-limits'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let lines = 0
  child.stdout.on('data', (chunk: Buffer) => {
    for (const byte of chunk) if (byte === 10) lines++
  })
  child.on('error', reject)
  child.on('close', () => resolve({ lines, ms: performance.now() - from }))
})
await whole.close()
console.log(
  'whole',
  JSON.stringify({ lines, 'records a second': Math.round((lines * 1_000) / ms) }),
)
report({
  subject: `tap, ${rows.toLocaleString('en-US')} charges`,
  unit: 'records a second',
  better: 'higher',
  contenders: [{ name: 'payments-rx', role: 'ours', value: (lines * 1_000) / ms }],
})
rmSync(folder, { recursive: true })
