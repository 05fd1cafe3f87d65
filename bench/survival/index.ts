/**
 * Exports that are killed at random moments, and resumed, from a sandbox with faults: whether each row is
 * there once in the end. `npm run bench -- survival [KILLS] [ROWS] [SEED]`, for each format so many kills.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listen, sandboxCredentials } from 'payments-rx/sandbox'
import { hashOf, readBack } from '../../test/support/readBack.ts'
import { seeded } from '../../test/support/simulated/random.ts'
import { survive } from '../../test/support/survive.ts'
import { reportExact } from '../result.ts'

const [kills = 200, rows = 200_000, seed = 1] = process.argv.slice(2).map(Number)
const cli = new URL('../../dist/cli/main.js', import.meta.url).pathname

const FILES = [
  ['ndjson'],
  ['csv'],
  ['parquet', '--compress', 'zstd'],
  ['ndjson.zst'],
  ['csv.gz'],
  ['parquet', '--compress', 'none'],
  ['ndjson.gz'],
  ['csv.zst'],
]

const sandbox = await listen({
  charges: rows,
  limits: false,
  latency: 20,
  jitter: 20,
  seed,
  faults: {
    '429': 0.01,
    '500': 0.01,
    'reset-before': 0.01,
    'cut-off': 0.01,
    'token-revoked': 0.005,
  },
})

/** Ids of all rows, read page by page by hand. */
const expected = async (): Promise<string> => {
  const plain = await listen({ charges: rows, limits: false, seed })
  const { clientId, apiKey } = sandboxCredentials
  const login = await fetch(`${plain.url}/api/v1/authentication/login`, {
    method: 'POST',
    headers: { 'x-client-id': clientId, 'x-api-key': apiKey },
  })
  const { token } = JSON.parse(await login.text())
  const ids: Array<string> = []
  for (let page = 0, more = true; more; page++) {
    const answer = await fetch(`${plain.url}/api/v1/charges?page_num=${page}&page_size=2000`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const { items, has_more } = JSON.parse(await answer.text())
    for (const { id } of items) ids.push(id)
    more = has_more
  }
  await plain.close()
  return hashOf(ids.sort())
}

const ids = await expected()
const table: Record<string, Readonly<Record<string, number | string>>> = {}

/** One format: as many exports as it takes to be killed so often. */
const endure = async ([name = '', ...more]: ReadonlyArray<string>, number: number) => {
  const random = seeded(seed * 1_000 + number)
  let killed = 0
  let stopped = 0
  let exports = 0
  let exact = 0
  const from = performance.now()
  while (killed < kills) {
    const folder = await mkdtemp(join(tmpdir(), 'bench-survival-'))
    const out = join(folder, `charges.${name}`)
    const {
      kills: some,
      stops,
      status,
      stderr,
    } = await survive({
      args: [
        ...[cli, 'export', 'charges', '--base-url', sandbox.url, '--client-id', 'sandbox'],
        ...['--api-key', 'sandbox-key', '--environment', 'sandbox', '--page-size', '1000'],
        ...['--out', out, '--lease', '1s', '--progress', 'none', ...more],
      ],
      folder,
      kills: kills - killed,
      random,
    })
    if (status !== 0) throw new Error(`${name}: status ${status}: ${stderr}`)
    killed += some
    stopped += stops
    exports++
    const found = await readBack(out)
    if (found.rows === rows && found.ids === ids && found.hashes) exact++
    await rm(folder, { recursive: true })
  }
  const title = [name, ...more].join(' ')
  const row = {
    kills: killed,
    'gave up': stopped,
    exports,
    exact,
    minutes: ((performance.now() - from) / 60_000).toFixed(1),
  }
  table[title] = row
  reportExact(`${title}, ${killed} kills`, exact, exports)
  console.log(title, JSON.stringify(row)) // it takes long: each as it is there
}

// side by side: they wait for limits and pauses most of the time
const queue = [...FILES.entries()]
const worker = async (): Promise<void> => {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    await endure(next[1], next[0])
  }
}
await Promise.all([worker(), worker(), worker(), worker()])
await sandbox.close()
console.log(`${rows.toLocaleString('en-US')} charges, seed ${seed}`)
console.table(table)
if (Object.values(table).some(({ exports, exact }) => exports !== exact)) process.exitCode = 1
