/**
 * A server on the real clock, and a network in front of it. Keeps one account for every first part of
 * the path, so that several clients can be judged at once.
 *
 *     /reset?network=wan&by=sandbox&accounts=8&concurrent=50
 *     /account/endpoint
 *     /account?verdict
 *     /account?arrivals      of requests that name their `worker`: `[time, worker, is let in]` of each
 */
import { createServer } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { networks } from '../../test/support/simulated/network.ts'
import { seeded } from '../../test/support/simulated/random.ts'
import { type Account, judged, sandboxed } from './accounts.ts'

const PRODUCTION = { global: 100, endpoint: 20, per: 1_000 }

let accounts: ReadonlyArray<Account> = []
let arrivals: ReadonlyArray<Array<readonly [at: number, worker: string, isLetIn: boolean]>> = []
let network = networks.loopback
const random = seeded(5)

/** Waits a drawn time; none when the network is the real one, which has its own. */
const pass = (draw: ((random: () => number) => number) | undefined): Promise<unknown> =>
  network === networks.loopback || draw === undefined ? Promise.resolve() : wait(draw(random))

const server = createServer(async (request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost')
  if (url.pathname === '/reset') {
    network = networks[url.searchParams.get('network') ?? 'loopback']
    const by = url.searchParams.get('by')
    const concurrent = Number(url.searchParams.get('concurrent'))
    accounts = await Promise.all(
      Array.from({ length: Number(url.searchParams.get('accounts')) }, () =>
        by === 'sandbox' ? sandboxed() : judged({ ...PRODUCTION, concurrent }),
      ),
    )
    arrivals = accounts.map(() => [])
    response.end(String(performance.now()))
    return
  }
  const [, name = '', endpoint = ''] = url.pathname.split('/')
  const account = accounts[Number(name)]
  if (account === undefined) throw new Error(`no account ${name}`)
  if (url.searchParams.has('verdict')) {
    response.end(JSON.stringify(account.verdict()))
    return
  }
  if (url.searchParams.has('arrivals')) {
    response.end(JSON.stringify({ now: performance.now(), arrivals: arrivals[Number(name)] }))
    return
  }
  await pass(network?.uplink)
  const now = performance.now()
  const ok = await account.arrives(endpoint, now)
  const worker = url.searchParams.get('worker')
  if (worker !== null) arrivals[Number(name)]?.push([now, worker, ok])
  if (ok) {
    await pass(network?.processing)
    account.leaves()
  }
  await pass(network?.downlink)
  response.statusCode = ok ? 200 : 429
  response.end('{}')
})

server.keepAliveTimeout = 60_000
process.once('disconnect', () => process.exit()) // its parent has ended
server.listen(0, () => process.send?.(server.address()))
