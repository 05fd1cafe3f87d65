/**
 * What it costs to write a million charges in each format, beside `JSON.stringify` in a loop: CPU, size
 * and peak memory, each in a process of its own. `npm run bench -- formats [ROWS ...]`.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

const contenders: ReadonlyArray<ReadonlyArray<string>> = [
  ['floor.ts', 'parse'],
  ['floor.ts', 'stringify'],
  ...['ndjson', 'json', 'csv', 'parquet'].flatMap((format) =>
    ['none', 'gzip', 'zstd'].map((compress) => ['library.ts', format, compress]),
  ),
]

const measure = async (script: string, args: ReadonlyArray<string>): Promise<Usage> => {
  const usage = here('../export/usage.ts')
  const child = spawn(process.execPath, ['--import', usage, here(script), ...args], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  })
  const said = child.stdio[3]
  if (said === null || said === undefined || !('read' in said)) throw new Error('no pipe')
  const used: Usage = JSON.parse(await text(said))
  return used
}

const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1_000_000]
const folder = await mkdtemp(join(tmpdir(), 'bench-formats-'))
const file = join(folder, 'rows')

for (const rows of sizes) {
  const table: Record<string, Readonly<Record<string, number | string>>> = {}
  let parsed = 0
  let floor = 0
  for (const [script = '', ...args] of contenders) {
    const usage = await measure(script, [...args, file, String(rows)])
    const cpu = (usage.cpu * 1e6) / rows
    if (args[0] === 'parse') parsed = cpu
    if (args[0] === 'stringify') floor = cpu - parsed
    table[args.join(' ')] = {
      'rows/s': Math.round((rows * 1_000) / usage.ms),
      'CPU s a million': cpu.toFixed(2),
      'but for parsing': (cpu - parsed).toFixed(2),
      '× stringify': floor === 0 ? '' : ((cpu - parsed) / floor).toFixed(2),
      'MB a million': (((await stat(file)).size * 1e6) / rows / 1e6).toFixed(0),
      'peak MiB': Math.round(usage.rss),
    }
  }
  console.log(`${rows.toLocaleString('en-US')} charges`)
  console.table(table)
}
await rm(folder, { recursive: true })
