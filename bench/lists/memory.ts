/**
 * Memory for 1,000 pages of 2,000 charges with a consumer that takes 50 ms per page. Each view runs in a separate process with
 * `--max-old-space-size=64`, and RxJS by itself with 256.
 *
 *     npm run bench -- lists memory [pages] [views whose name has this]
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const SIZE = 2_000

/** Old space for each view, in MiB. */
const VIEWS = {
  drain: 64,
  'parallel(10).drain': 64,
  'for await of pages': 64,
  'for await of items': 64,
  'Readable.from(pages)': 64,
  'Readable.from(items)': 64,
  'ReadableStream.from(pages)': 64,
  'ReadableStream.from(items)': 64,
  'pages.pipe(concatMap)': 256,
}

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

const pages = Number(process.argv[2] ?? 1_000)
const only = process.argv[3] ?? ''

const message = async (from: ChildProcess): Promise<Readonly<Record<string, unknown>>> => {
  const [said] = await once(from, 'message')
  return Object(said)
}

const server = fork(here('server.ts'), [JSON.stringify({ charges: pages * SIZE, limits: false })])
const { url } = await message(server)

const measure = async (view: string, space: number) => {
  const began = performance.now()
  const child = fork(here('views.ts'), [view, String(url)], {
    execArgv: [`--max-old-space-size=${space}`],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'], // a full heap is reported at length
  })
  let done = 0
  let most = 0
  child.on('message', (said) => ({ done, most } = Object(said)))
  const [code, signal] = await once(child, 'exit')
  return {
    'MiB allowed': space,
    exit: code ?? signal,
    'pages done': done,
    'most asked, not done': most,
    seconds: Math.round((performance.now() - began) / 1_000),
  }
}

const table: Record<string, Readonly<Record<string, number | string>>> = {}
for (const [view, space] of Object.entries(VIEWS).filter(([view]) => view.includes(only))) {
  table[view] = await measure(view, space)
}
server.kill()
console.log(`${pages} pages of ${SIZE} charges, 50 ms of work a page`)
console.table(table)
