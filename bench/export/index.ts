/**
 * Exports charges from a sandbox in another process to a file: CPU, time and peak memory, compared with loops that are written
 * by hand for this one list. `npm run bench -- export [ROWS ...]`.
 */
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { asyncBufferFromFile, parquetMetadataAsync } from 'hyparquet'
import { type BenchPeer, report } from '../result.ts'

interface Usage {
  /** User and system time, in seconds. */
  readonly cpu: number
  /** Peak memory, in MiB. */
  readonly rss: number
  /** Elapsed time. */
  readonly ms: number
}

const here = (name: string): string => new URL(name, import.meta.url).pathname
const cli = here('../../dist/cli/main.js')

interface Candidate {
  readonly name: string
  /** Arguments of the program; URL and FILE are replaced. */
  readonly args: ReadonlyArray<string>
  readonly format: 'ndjson' | 'csv' | 'parquet'
}

const limited = [
  ...[cli, 'export', 'charges', '--base-url', 'URL', '--out', 'FILE', '--quiet'],
  ...['--client-id', 'sandbox', '--api-key', 'sandbox-key'],
]
const command = [...limited, '--no-limits']

/** Limits the growth of the young generation, as the command line does. */
const library = ['--max-semi-space-size=8', here('ours.ts'), 'URL', 'FILE']

/** The first contender of a format is the baseline for the others; for Parquet, the first of all is. */
const contenders: ReadonlyArray<Candidate> = [
  { name: 'fetch loop', format: 'ndjson', args: [here('floor-fetch.ts'), 'URL', 'FILE'] },
  { name: 'undici loop', format: 'ndjson', args: [here('floor-undici.ts'), 'URL', 'FILE'] },
  {
    name: 'fetch loop, decoding',
    format: 'ndjson',
    args: [here('floor-decoding.ts'), 'URL', 'FILE'],
  },
  { name: 'library', format: 'ndjson', args: [here('ours.ts'), 'URL', 'FILE'] },
  { name: 'library, small', format: 'ndjson', args: library },
  { name: 'command line', format: 'ndjson', args: command },
  { name: 'command line, limited', format: 'ndjson', args: limited },
  { name: 'fetch loop', format: 'csv', args: [here('floor-fetch.ts'), 'URL', 'FILE'] },
  { name: 'library', format: 'csv', args: [here('ours.ts'), 'URL', 'FILE'] },
  { name: 'library, small', format: 'csv', args: library },
  { name: 'command line', format: 'csv', args: command },
  { name: 'command line', format: 'parquet', args: command },
]

const measure = async (args: ReadonlyArray<string>): Promise<Usage> => {
  const child = spawn(process.execPath, ['--import', here('usage.ts'), ...args], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  })
  const said = child.stdio[3]
  if (said === null || said === undefined || !('read' in said)) throw new Error('no pipe')
  const usage: Usage = JSON.parse(await text(said))
  return usage
}

/** Returns the number of rows in a file; for Parquet, the number in its footer. */
const rowsIn = async (file: string, format: Candidate['format']): Promise<number> => {
  if (format === 'parquet') {
    const { num_rows } = await parquetMetadataAsync(await asyncBufferFromFile(file))
    return Number(num_rows)
  }
  let count = format === 'csv' ? -1 : 0
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

const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1_000_000, 5_000_000]
const folder = await mkdtemp(join(tmpdir(), 'bench-export-'))

for (const rows of sizes) {
  const { url, stop } = await sandbox(rows)
  const floors = new Map<string, Usage>()
  const table = []
  const measured: Array<BenchPeer & Pick<(typeof contenders)[number], 'format'>> = []
  for (const { name, format, args } of contenders) {
    const file = join(folder, `charges.${format}`)
    const usage = await measure(
      args.map((arg) => (arg === 'URL' ? url : arg === 'FILE' ? file : arg)),
    )
    if (format !== 'parquet' && !floors.has(format)) floors.set(format, usage)
    const floor = floors.get(format) ?? floors.get('ndjson') ?? usage
    const written = await rowsIn(file, format)
    if (written !== rows) throw new Error(`${name} wrote ${written} of ${rows} rows`)
    measured.push({
      name,
      format,
      role: name.includes('loop') ? (name === 'fetch loop' ? 'floor' : 'peer') : 'ours',
      value: (usage.cpu * 1e6) / rows,
    })
    table.push({
      '': `${format}, ${name}`,
      'rows/s': Math.round((rows * 1_000) / usage.ms),
      'CPU s a million': ((usage.cpu * 1e6) / rows).toFixed(2),
      '× fetch': (usage.cpu / floor.cpu).toFixed(2),
      'peak MiB': Math.round(usage.rss),
      '× fetch ': (usage.rss / floor.rss).toFixed(2),
    })
    await rm(folder, { recursive: true })
    await mkdir(folder)
  }
  stop()
  console.log(`${rows.toLocaleString('en-US')} charges; limited: by the limits of production`)
  console.table(table)
  for (const format of ['ndjson', 'csv', 'parquet'] as const) {
    report({
      subject: `${rows.toLocaleString('en-US')} charges to ${format}`,
      unit: 'CPU s a million rows',
      better: 'lower',
      contenders: measured.filter((one) => one.format === format),
    })
  }
}
await rm(folder, { recursive: true })
