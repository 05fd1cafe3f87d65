/**
 * Charges from a sandbox in another process into a file: CPU, time and peak memory, beside loops that
 * are written by hand for this one list. `npm run bench -- export [ROWS ...]`.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'

interface Usage {
  /** Seconds, user and system. */
  readonly cpu: number
  /** Peak, MiB. */
  readonly rss: number
  /** Wall. */
  readonly ms: number
}

const here = (name: string): string => new URL(name, import.meta.url).pathname
const cli = here('../../dist/cli/main.js')

const contenders: Readonly<Record<string, ReadonlyArray<string>>> = {
  'undici loop': [here('floor-undici.ts'), 'URL', 'FILE'],
  'fetch loop': [here('floor-fetch.ts'), 'URL', 'FILE'],
  'fetch loop, decoding': [here('floor-decoding.ts'), 'URL', 'FILE'],
  library: [here('ours.ts'), 'URL', 'FILE'],
  'command line, production limits': [
    ...[cli, 'export', 'charges', '--base-url', 'URL', '--out', 'FILE', '--quiet'],
    ...['--client-id', 'sandbox', '--api-key', 'sandbox-key'],
  ],
}

const measure = async (args: ReadonlyArray<string>): Promise<Usage> => {
  const child = spawn(process.execPath, ['--import', here('usage.ts'), ...args], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  })
  const said = child.stdio[3]
  if (said === null || said === undefined || !('read' in said)) throw new Error('no pipe')
  const usage: Usage = JSON.parse(await text(said))
  return usage
}

const lines = async (file: string): Promise<number> => {
  let count = 0
  const handle = await open(file)
  for await (const chunk of handle.createReadStream()) {
    for (const byte of chunk) if (byte === 10) count++
  }
  return count
}

const sandbox = async (rows: number) => {
  const args = [cli, 'sandbox', '--no-limits', '--rows', String(rows)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface(child.stdout)) {
    return { url: line.replace('listening on ', ''), stop: () => child.kill() }
  }
  throw new Error('the sandbox did not start')
}

const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1_000_000, 3_000_000]
const folder = await mkdtemp(join(tmpdir(), 'bench-export-'))
const file = join(folder, 'charges.ndjson')

for (const rows of sizes) {
  const { url, stop } = await sandbox(rows)
  const table: Record<string, Readonly<Record<string, number | string>>> = {}
  let floor: Usage | undefined
  for (const [name, args] of Object.entries(contenders)) {
    const usage = await measure(
      args.map((arg) => (arg === 'URL' ? url : arg === 'FILE' ? file : arg)),
    )
    floor ??= usage
    const written = await lines(file)
    if (written !== rows) throw new Error(`${name} wrote ${written} of ${rows} rows`)
    table[name] = {
      'rows/s': Math.round((rows * 1_000) / usage.ms),
      'CPU s a million': ((usage.cpu * 1e6) / rows).toFixed(2),
      '× floor': (usage.cpu / floor.cpu).toFixed(2),
      'peak MiB': Math.round(usage.rss),
      '× floor ': (usage.rss / floor.rss).toFixed(2),
    }
  }
  stop()
  console.log(`${rows.toLocaleString('en-US')} charges`)
  console.table(table)
}
await rm(folder, { recursive: true })
