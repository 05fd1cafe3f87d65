/**
 * How fast a list of charges is read under the limits of production, with 200 ms and 2,000 charges per page: pages per second,
 * as a share of the 20 that the limits allow, and the number of refusals. The readers run one after the other, each in a
 * separate process, including its login.
 *
 *     npm run bench -- lists speed [runs] [charges] [readers whose name has this]
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type BenchPeer, report } from '../result.ts'

const CEILING = 20
const SIZE = 2_000

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

const [runs = 3, charges = 400_000] = process.argv.slice(2, 4).map(Number)
const only = process.argv[4] ?? ''

const READERS = [
  'parallel(10), for await of pages',
  'parallel(10), items in RxJS',
  'parallel(10) as they come',
  'every page at once, if one knew how many',
  'for await of pages',
  'fetch in a for loop',
  'stripe, auto-pagination',
]

const message = async (from: ChildProcess): Promise<Readonly<Record<string, unknown>>> => {
  const [said] = await once(from, 'message')
  return Object(said)
}

const measure = async (name: string) => {
  const server = fork(here('server.ts'), [JSON.stringify({ charges, latency: 200 })])
  const { url, port } = await message(server)
  const reader = fork(here('readers.ts'), [name, String(url), String(port), String(charges)])
  const { rows, ms } = await message(reader)
  server.send('stats')
  const { requests, refused } = await message(server)
  server.kill()
  reader.kill()
  if (rows !== charges) throw new Error(`${name} read ${rows} of ${charges} rows`)
  return { seconds: Number(ms) / 1_000, requests: Number(requests), refused: Number(refused) }
}

const median = (all: ReadonlyArray<number>): number =>
  all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN

const pages = Math.ceil(charges / SIZE)
const contenders: Array<BenchPeer> = []
const table: Record<string, Readonly<Record<string, number | string>>> = {}
for (const name of READERS.filter((reader) => reader.includes(only))) {
  const all = []
  for (let run = 0; run < runs; run++) all.push(await measure(name))
  const rates = all.map(({ seconds }) => pages / seconds)
  const shares = rates.map((rate) => (100 * rate) / CEILING)
  contenders.push({
    name,
    role: name.startsWith('parallel') ? 'ours' : name.startsWith('every') ? 'floor' : 'peer',
    value: median(shares),
  })
  table[name] = {
    seconds: median(all.map(({ seconds }) => seconds)).toFixed(1),
    'pages/s': median(rates).toFixed(1),
    '% of 20/s': median(shares).toFixed(1),
    'least %': Math.min(...shares).toFixed(1),
    requests: Math.max(...all.map(({ requests }) => requests)),
    '429': Math.max(...all.map(({ refused }) => refused)),
  }
}
console.log(`${charges.toLocaleString('en-US')} charges in ${pages} pages, ${runs} runs, median`)
console.table(table)
report({
  subject: `${charges.toLocaleString('en-US')} charges, 200 ms a page`,
  unit: '% of 20 pages a second',
  better: 'higher',
  contenders,
})
