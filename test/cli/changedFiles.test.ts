/**
 * Files of ours that another program has changed, cut off or emptied: whatever reads them ends with a documented status and one
 * line that says what to do. No bug of ours is thrown, and no message of an engine comes through.
 */
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, extname, join, relative } from 'node:path'
import { timer as after, map } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { seeded } from '../../bench/simulated/random.js'
import { runs, SEED, sample } from '../support/runs.js'
import { breaking, exporting, KEYS, rowsChanged } from './exporting.js'
import { cli, type RunOptions } from './support.js'

const { file, serve } = await exporting()

/** Changes of each file. */
const GAMES = runs(2)

const random = seeded(SEED)
/** Whole numbers from 0 on, below an end. */
const below = (end: number): number => Math.floor(random() * end)

type Change = readonly [what: string, change: (bytes: Buffer) => Buffer]

const FIXED: ReadonlyArray<Change> = [
  ['emptied', () => Buffer.alloc(0)],
  ['JSON of nothing', () => Buffer.from('null\n')],
  ['JSON of a list', () => Buffer.from('[]')],
  ['another text', () => Buffer.from('<html>502</html>\n')],
  ['zeros', (bytes) => Buffer.alloc(bytes.length)],
]

const changes = (length: number): ReadonlyArray<Change> => [
  ...Array.from({ length: GAMES }, (): Change => {
    const [place, bit] = [below(length), 1 << below(8)]
    const change = (bytes: Buffer) => bytes.map((byte, i) => (i === place ? byte ^ bit : byte))
    return [`bit ${bit} of byte ${place}`, (bytes) => Buffer.from(change(bytes))]
  }),
  ...Array.from({ length: GAMES }, (): Change => {
    const end = below(length)
    return [`cut off at ${end}`, (bytes) => bytes.subarray(0, end)]
  }),
  ...FIXED.filter(() => below(FIXED.length) < GAMES),
]

/** Texts that no user should see: of the engine, or of a value that is missing. */
const STACK =
  /^ {4}at |TypeError|RangeError|SyntaxError|Unexpected (?:token|end)|is not valid JSON|unhandled|\[object |undefined|NaN/m

/** Ways out that a last line names. */
const WAY =
  /--\w|put |name (?:another|a|the)|use |check |remove|same command|start over|restore|save|see |newer version|the one that|move|another|read again|should be|verify|run the/i

interface Command {
  readonly args: (place: string) => ReadonlyArray<string>
  readonly options?: () => RunOptions
}

interface Scene {
  readonly name: string
  /** Makes files in a folder. Returns the commands that read them. */
  readonly make: (folder: string) => Promise<ReadonlyArray<Command>>
  /** The files whose change is played. Default: all. */
  readonly isPlayed?: (name: string) => boolean
}

const stopping = (): RunOptions => ({ signals: after(400).pipe(map(() => 'SIGTERM' as const)) })

const scenes: ReadonlyArray<Scene> = [
  {
    name: 'an export that was cut off',
    make: async (folder) => {
      const fault = breaking(3)
      const server = await serve({ charges: 300, fault: fault.fault })
      const base = ['--base-url', server.url, ...KEYS, '--page-size', '50', '--progress', 'none']
      const args = (place: string) => ['export', 'charges', '--out', join(place, 'c.csv'), ...base]
      expect((await cli(args(folder))).status).toBe(1)
      fault.state.on = false
      return [
        { args: (place) => [...args(place), '--resume'] },
        { args },
        { args: (place) => ['verify', join(place, 'c.csv')] },
      ]
    },
  },
  {
    name: 'an export with rejected rows',
    make: async (folder) => {
      const server = await serve({
        charges: 120,
        page: rowsChanged((row, i) => (i === 3 ? { ...row, amount: 'none' } : row)),
      })
      const base = ['--base-url', server.url, ...KEYS, '--page-size', '50', '--progress', 'none']
      const to = (place: string) => join(place, 'c.parquet')
      const args = (place: string) => ['export', 'charges', '--out', to(place), ...base]
      expect((await cli(args(folder))).status).toBe(1)
      return [
        { args: (place) => [...args(place), '--resume'] },
        { args },
        { args: (place) => ['verify', to(place)] },
        { args: (place) => ['verify', to(place), '--against-service', ...base.slice(0, 6)] },
      ]
    },
  },
  {
    name: 'a folder of an export',
    make: async (folder) => {
      const server = await serve({ charges: 120 })
      const base = ['--base-url', server.url, ...KEYS, '--progress', 'none']
      const args = (place: string) => ['export', 'charges', '--out', `${place}/`, ...base]
      expect((await cli(args(folder))).status).toBe(0)
      return [
        { args },
        { args: (place) => [...args(place), '--resume'] },
        { args: (place) => ['verify', `${place}/`] },
        { args: (place) => ['sync', 'charges', `${place}/`, ...base] },
      ]
    },
  },
  ...(['ndjson', 'parquet'] as const).map(
    (format): Scene => ({
      name: `a synced folder of ${format}`,
      make: async (folder) => {
        const server = await serve({ charges: 120 })
        const base = ['--base-url', server.url, ...KEYS, '--progress', 'none']
        const args = (to: string) => ['sync', 'charges', `${to}/`, '--format', format, ...base]
        expect((await cli(args(folder))).status).toBe(0)
        return [{ args }, { args: (place) => ['verify', `${place}/`] }]
      },
    }),
  ),
  {
    name: 'a database',
    make: async (folder) => {
      const server = await serve({ charges: 120 })
      const base = ['--base-url', server.url, ...KEYS]
      const to = (place: string) => join(place, 'c.sqlite')
      const args = (place: string) => ['sync', 'charges', to(place), ...base, '--progress', 'none']
      expect((await cli(args(folder))).status).toBe(0)
      return [
        { args },
        { args: (place) => ['verify', to(place), '--against-service', ...base] },
        { args: (place) => ['follow', 'charges', to(place), ...base], options: stopping },
      ]
    },
  },
  {
    name: 'payments in a file, and their map',
    make: async (folder) => {
      const server = await serve({ charges: 0 })
      const base = ['--base-url', server.url, ...KEYS]
      const head =
        'reason,reference,source_currency,transfer_currency,transfer_method,transfer_amount,who'
      const row = 'wages_salary,Pay 1,USD,USD,LOCAL,100.10,ben_1'
      await writeFile(join(folder, 'wages.csv'), `${head}\n${row}\n`)
      await writeFile(join(folder, 'map.json'), JSON.stringify({ beneficiary_id: 'who' }))
      return [
        {
          args: (place) => [
            ...['pay', join(place, 'wages.csv'), '--map', join(place, 'map.json')],
            ...['--run', 'wages', ...base],
          ],
        },
      ]
    },
  },
]

const filesIn = async (folder: string): Promise<ReadonlyArray<string>> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((one) => one.isFile())
    .map((one) => relative(folder, join(one.parentPath, one.name)))
    .sort()

describe.each(sample(3, scenes))('$name', ({ make }) => {
  it(`is told in one line, whatever is changed (seed ${SEED})`, async () => {
    const folder = file('whole')
    await mkdir(folder, { recursive: true })
    const commands = await make(folder)
    const wrong: Array<string> = []
    let n = 0
    for (const name of await filesIn(folder)) {
      const whole = await readFile(join(folder, name))
      for (const [what, change] of changes(whole.length)) {
        for (const { args, options } of commands) {
          const place = file(`${++n}`)
          await cp(folder, place, { recursive: true })
          await writeFile(join(place, name), change(whole))
          const played = `${args('.').slice(0, 6).join(' ')}: ${name}: ${what}, seed ${SEED}`
          try {
            const { status, stderr, stdout } = await cli(args(place), options?.())
            const last = stderr.trimEnd().split('\n').at(-1) ?? ''
            const told = `${status}: ${last || stdout.slice(0, 200)}`
            if (![0, 1, 2, 3, 143].includes(status)) wrong.push(`${played}: ${told}`)
            else if (STACK.test(stderr)) wrong.push(`${played}: ${told}`)
            else if (status !== 0 && status !== 143 && args('')[0] !== 'verify') {
              const names = [place, basename(name), basename(name, extname(name))]
              if (!names.some((one) => last.includes(one)) || !WAY.test(last))
                wrong.push(`${played}: ${told}`)
            }
          } catch (error) {
            wrong.push(`${played}: THROWN ${error instanceof Error ? error.stack : error}`)
          }
        }
      }
    }
    expect(wrong).toEqual([])
  })
})
