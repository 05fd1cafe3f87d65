/**
 * Limiters side by side on the real clock, against the sandbox or against windows that know nothing of
 * this package; with the delays of a network.
 *
 *     npm run build && node bench/scheduler/real.ts [to one endpoint] [sandbox | judge] [only these] [at once]
 *
 * The sandbox always lets fifty in at once.
 */
import { fork } from 'node:child_process'
import { Agent, request as httpRequest } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Verdict } from './accounts.ts'
import { type Client, clients, type Send } from './clients.ts'

const WEIGHTS = [180, 180, 140, 120, 120, 100, 80, 80]
const PER = 1_000

const agent = new Agent({ keepAlive: true, maxSockets: 4_000, timeout: 60_000 })

/** A connection may just have been closed by the server: then once more, but not for ever. */
const get = (port: number, path: string, left = 5): Promise<{ status: number; body: string }> =>
  new Promise((resolve, reject) => {
    httpRequest({ port, path, agent }, (response) => {
      let body = ''
      response.on('data', (chunk) => {
        body += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
    })
      .on('error', (error) => {
        if (left > 0) get(port, path, left - 1).then(resolve, reject)
        else reject(error)
      })
      .end()
  })

interface Case {
  readonly port: number
  readonly by: string
  readonly only: string
  readonly atOnce: number
  readonly network: string
  readonly requests: ReadonlyArray<string>
  /** Milliseconds from the first to the last arrival, when nothing is wasted. */
  readonly best: number
}

const chosen = (only: string): ReadonlyArray<readonly [string, Client]> =>
  Object.entries(clients).filter(([name]) => name.startsWith(only))

const row = (cells: ReadonlyArray<string>): void => console.log(`| ${cells.join(' | ')} |`)

/** One row: share of the quota, and how many were refused, of every limiter. */
const run = async ({ port, by, only, atOnce, network, requests, best }: Case): Promise<void> => {
  const measured = chosen(only)
  await get(
    port,
    `/reset?network=${network}&by=${by}&accounts=${measured.length}&concurrent=${atOnce}`,
  )
  await wait(2 * PER) // logins are counted, too
  const cells = await Promise.all(
    measured.map(async ([, client], i) => {
      const send: Send = async (endpoint) => (await get(port, `/${i}/${endpoint}`)).status
      await client(requests, send, atOnce)
      const { body } = await get(port, `/${i}?verdict`)
      const { first, last, refused }: Verdict = JSON.parse(body)
      return `${((100 * best) / (last - first)).toFixed(1)} %, ${refused}`
    }),
  )
  row([network, ...cells])
}

const main = async (one: number, by: string, only: string, atOnce: number): Promise<void> => {
  const server = fork(fileURLToPath(new URL('./server.ts', import.meta.url)))
  const port = await new Promise<number>((resolve) => {
    server.once('message', (address: { readonly port: number }) => resolve(address.port))
  })
  const eight = Array.from({ length: 180 }, (_, turn) =>
    WEIGHTS.flatMap((weight, i) => (turn < weight ? [`${i}`] : [])),
  ).flat()
  const cases = [
    [`one endpoint, ${one}`, Array.from({ length: one }, () => '0'), (one / 20 - 1) * PER],
    ['eight endpoints, 1,000', eight, 9 * PER],
  ] as const
  for (const [title, requests, best] of cases) {
    const names = chosen(only).map(([name]) => name)
    console.log(`\nShare of the quota, and refused, judged by the ${by}\n`)
    row([title, ...names])
    row([title, ...names].map(() => '---'))
    for (const network of ['loopback', 'steady', 'wan', 'jittery']) {
      await run({ port, by, only, atOnce, network, requests, best })
    }
  }
  server.kill()
  process.exit(0)
}

const [one = '400', by = 'sandbox', only = '', atOnce = '50'] = process.argv.slice(2)
await main(Number(one), by, only, Number(atOnce))
