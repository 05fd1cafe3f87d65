/**
 * Exports into a bucket: killed at a random request to the storage, whose answers get lost, and gone on with from nothing
 * but the bucket; then their rows a second and memory beside those of a local file.
 *
 *     npm run bench -- buckets kills FORMAT [KILLS] [ROWS] [SEED]
 *     npm run bench -- buckets speed FORMAT [ROWS]
 *
 * FORMAT: ndjson (of several parts), ndjson.zst or parquet.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Listening, listen } from 'payments-rx/sandbox'
import { readBack } from '../../test/support/readBack.ts'
import { type S3Double, s3Double } from '../../test/support/s3Double.ts'
import { seeded } from '../../test/support/simulated/random.ts'
import { report, reportExact } from '../result.ts'

const [what = '', format = 'ndjson.zst', ...numbers] = process.argv.slice(2)
const cli = new URL('../../dist/cli/main.js', import.meta.url).pathname

interface Ended {
  readonly status: number | null
  readonly signal: string | null
  readonly stderr: string
}

interface Command {
  readonly sandbox: Listening
  readonly out: string
  readonly more?: ReadonlyArray<string>
  readonly env?: NodeJS.ProcessEnv
}

const environmentOf = ({ env }: S3Double): NodeJS.ProcessEnv => ({ ...process.env, ...env })

/** Begins an export; `kill` ends it as the system does. */
const begin = ({ sandbox, out, more = [], env = process.env }: Command) => {
  const args = [
    ...[cli, 'export', 'charges', '--base-url', sandbox.url, '--client-id', 'sandbox'],
    ...['--api-key', 'sandbox-key', '--environment', 'sandbox', '--no-limits'],
    ...['--out', out, '--progress', 'none', ...more],
  ]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'], env })
  let stderr = ''
  child.stderr.on('data', (text) => {
    stderr += text
  })
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status, signal) => resolve({ status, signal, stderr }))
  })
  return { ended, kill: () => child.kill('SIGKILL') }
}

/** Rows of the object, by their ids, read by DuckDB from a copy. */
const read = async ({ objects }: S3Double, name: string) => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-buckets-'))
  for (const end of ['', '.manifest.json']) {
    const bytes = objects.get(`bucket/${name}${end}`)
    if (bytes !== undefined) await writeFile(join(folder, `${name}${end}`), bytes)
  }
  const found = await readBack(join(folder, name))
  await rm(folder, { recursive: true })
  return found
}

const kills = async (count = 200, rows = 20_000, seed = 1): Promise<void> => {
  const random = seeded(seed)
  const faults = { '429': 0.01, '500': 0.01, 'reset-before': 0.01, 'cut-off': 0.01 }
  const sandbox = await listen({ charges: rows, limits: false, seed: 1, faults })
  const name = `charges.${format}`
  let [killed, exports, exact] = [0, 0, 0]
  let expected: string | undefined
  let last: Ended | undefined
  while (killed < count) {
    let calls = 0
    let moment = 0
    let kill = () => {}
    const double = await s3Double({
      faults: () => {
        if (++calls === moment) kill()
        const chance = random()
        if (chance < 0.01) return '500-after'
        if (chance < 0.02) return 'reset-after'
        return chance < 0.03 ? 'slow-down' : undefined
      },
    })
    const env = environmentOf(double)
    const more = ['--page-size', '500', '--lease', '1s', '--max-rejects', '0']
    for (let isBegun = false; ; isBegun = true) {
      calls = 0
      moment = killed < count ? 1 + Math.floor(random() * 40) : 0
      const resumed = isBegun && double.objects.size > 0 ? ['--resume'] : []
      const run = begin({ sandbox, out: `s3://bucket/${name}`, more: [...more, ...resumed], env })
      kill = run.kill
      last = await run.ended
      if (last.signal !== 'SIGKILL') {
        if (last.status === 0) break
        // killed before there was a checkpoint: it begins anew
        if (!/no unfinished export/.test(last.stderr) && last.status !== 1)
          throw new Error(last.stderr)
        if (/no unfinished export/.test(last.stderr)) isBegun = false
        continue
      }
      killed++
    }
    exports++
    const found = await read(double, name)
    expected ??= found.ids
    if (found.rows === rows && found.ids === expected && found.hashes) exact++
    await double.close()
  }
  console.log(format, JSON.stringify({ kills: killed, exports, exact, rows }))
  reportExact(`${format} in a bucket, ${killed} kills`, exact, exports)
  if (exact !== exports) process.exitCode = 1
  await sandbox.close()
}

const speed = async (rows = 400_000): Promise<void> => {
  const sandbox = await listen({ charges: rows, limits: false })
  const double = await s3Double()
  const folder = await mkdtemp(join(tmpdir(), 'bench-buckets-'))
  const places = {
    file: join(folder, `charges.${format}`),
    bucket: `s3://bucket/charges.${format}`,
  }
  const best = new Map<string, number>()
  for (let round = 1; round <= 3; round++) {
    for (const [place, out] of Object.entries(places)) {
      const from = performance.now()
      const env = environmentOf(double)
      const { status, stderr } = await begin({ sandbox, out, more: ['--restart'], env }).ended
      if (status !== 0) throw new Error(stderr)
      const perSecond = Math.round((rows * 1_000) / (performance.now() - from))
      best.set(place, Math.max(perSecond, best.get(place) ?? 0))
      console.log(format, round, place, `${perSecond} rows/s`)
    }
  }
  report({
    subject: `${rows.toLocaleString('en-US')} charges to ${format}`,
    unit: 'rows/s, best of 3',
    better: 'higher',
    contenders: [
      { name: 'bucket', role: 'ours', value: best.get('bucket') ?? Number.NaN },
      { name: 'local file', role: 'floor', value: best.get('file') ?? Number.NaN },
    ],
  })
  await rm(folder, { recursive: true })
  await double.close()
  await sandbox.close()
}

const given = numbers.map(Number)
if (what === 'kills') await kills(...given)
else if (what === 'speed') await speed(...given)
else {
  console.error('usage: npm run bench -- buckets kills | speed FORMAT')
  process.exitCode = 2
}
