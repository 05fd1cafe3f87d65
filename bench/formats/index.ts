/**
 * Cost of writing a million charges in each format, compared with `JSON.stringify` in a loop: CPU, size and peak memory, each
 * in a separate process. `npm run bench -- formats [ROWS ...] [--rounds N]`.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { report } from '../result.ts'

interface Usage {
  /** User and system time, in seconds. */
  readonly cpu: number
  /** Peak memory, in MiB. */
  readonly rss: number
  /** Elapsed time. */
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

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '3' } },
})
/** The contenders take turns, and the lowest CPU time counts, because others use the machine as well. */
const rounds = Number(values.rounds)
const sizes = positionals.length > 0 ? positionals.map(Number) : [1_000_000]
const folder = await mkdtemp(join(tmpdir(), 'bench-formats-'))
const file = join(folder, 'rows')

for (const rows of sizes) {
  const least = new Map<string, Usage & { readonly size: number }>()
  for (let round = 0; round < rounds; round++) {
    for (const [script = '', ...args] of contenders) {
      const usage = await measure(script, [...args, file, String(rows)])
      const before = least.get(args.join(' '))
      if (before !== undefined && before.cpu <= usage.cpu) continue
      least.set(args.join(' '), { ...usage, size: (await stat(file)).size })
    }
  }
  const million = (n: number): number => (n * 1e6) / rows
  const parsing = least.get('parse')?.cpu ?? 0
  const floor = (least.get('stringify')?.cpu ?? 0) - parsing
  console.log(`${rows.toLocaleString('en-US')} charges, the best of ${rounds} rounds`)
  for (const format of ['ndjson', 'json', 'csv', 'parquet']) {
    for (const compress of ['none', 'gzip', 'zstd']) {
      const ours = least.get(`${format} ${compress}`)?.cpu ?? Number.NaN
      report({
        subject: `${format}, ${compress}`,
        unit: 'CPU s a million rows, but for parsing',
        better: 'lower',
        contenders: [
          { name: 'payments-rx', role: 'ours', value: million(ours - parsing) },
          { name: 'JSON.stringify', role: 'floor', value: million(floor) },
        ],
      })
    }
  }
  console.table(
    Object.fromEntries(
      [...least].map(([name, { cpu, ms, rss, size }]) => [
        name,
        {
          'rows/s': Math.round((rows * 1_000) / ms),
          'CPU s a million': million(cpu).toFixed(2),
          'but for parsing': million(cpu - parsing).toFixed(2),
          '× stringify': ((cpu - parsing) / floor).toFixed(2),
          'MB a million': (million(size) / 1e6).toFixed(0),
          'peak MiB': Math.round(rss),
        },
      ]),
    ),
  )
}
await rm(folder, { recursive: true })
