/**
 * A server with rolling windows on the real clock, and a network in front of it. Keeps one account for
 * every first part of the path, so that several clients can be judged at once.
 *
 *     POST /reset?network=wan&global=100&endpoint=20
 *     GET /account/endpoint
 *     GET /account?verdict
 */
import { createServer } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { type Judge, judge } from './judge.ts'
import { networks } from './network.ts'
import { seeded } from './random.ts'

const judges = new Map<string, Judge>()
let network = networks.loopback
let limits = { global: 100, endpoint: 20, per: 1_000, concurrent: 50 }
const random = seeded(5)

const account = (name: string): Judge => {
  const known = judges.get(name) ?? judge(limits)
  judges.set(name, known)
  return known
}

/** Waits a drawn time; none when the network is the real one, which has its own. */
const pass = (draw: ((random: () => number) => number) | undefined): Promise<unknown> =>
  network === networks.loopback || draw === undefined ? Promise.resolve() : wait(draw(random))

const server = createServer(async (request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost')
  if (url.pathname === '/reset') {
    network = networks[url.searchParams.get('network') ?? 'loopback']
    limits = {
      ...limits,
      global: Number(url.searchParams.get('global') ?? 100),
      endpoint: Number(url.searchParams.get('endpoint') ?? 20),
    }
    judges.clear()
    response.end()
    return
  }
  const [, name = '', endpoint = ''] = url.pathname.split('/')
  const judged = account(name)
  if (url.searchParams.has('verdict')) {
    response.end(JSON.stringify({ ...judged.arrivals(), refused: judged.refused() }))
    return
  }
  await pass(network?.uplink)
  const ok = judged.arrives(endpoint, performance.now())
  if (ok) {
    await pass(network?.processing)
    judged.leaves()
  }
  await pass(network?.downlink)
  response.statusCode = ok ? 200 : 429
  response.end('{}')
})

server.keepAliveTimeout = 60_000
server.listen(0, () => process.send?.(server.address()))
