/** A separate process for a peer, which is another program that does the same work with its best settings. */
import process from 'node:process'
import { setTimeout as wait } from 'node:timers/promises'
import { fieldsOf } from '../decode/unknown.js'
import type { PeerSettings } from './peers.js'

type PeerTask = () => Promise<unknown>

/** Runs each task when its limits allow it. */
type PeerLimiter = (task: PeerTask) => Promise<unknown>

const [peer, module = '', given = ''] = process.argv.slice(2)
const { paths, perSecond, concurrency, width }: PeerSettings = JSON.parse(given)
const { PAYMENTS_BASE_URL: baseUrl, PAYMENTS_CLIENT_ID = '', PAYMENTS_API_KEY = '' } = process.env

const limiterOf = async (): Promise<PeerLimiter> => {
  if (peer === 'p-queue') {
    const { default: Queue }: { default: new (options: object) => { add: PeerLimiter } } =
      await import(module)
    const queue = new Queue({ concurrency, intervalCap: perSecond, interval: 1_000, strict: true })
    return (task) => queue.add(task)
  }
  if (peer === 'bottleneck') {
    const { default: Bottleneck }: { default: new (options: object) => { schedule: PeerLimiter } } =
      await import(module)
    const limiter = new Bottleneck({ minTime: 1_000 / perSecond, maxConcurrent: concurrency })
    return (task) => limiter.schedule(task)
  }
  return (task) => task()
}

const login = await fetch(`${baseUrl}/api/v1/authentication/login`, {
  method: 'POST',
  headers: { 'x-client-id': PAYMENTS_CLIENT_ID, 'x-api-key': PAYMENTS_API_KEY },
})
const headers = { authorization: `Bearer ${fieldsOf(await login.json()).token}` }
const limited = await limiterOf()

/** Reads a path. After a 429, retries with the documented backoff, which `spread` varies between requests. */
const read = async (path: string, spread: number): Promise<void> => {
  for (let refusals = 0; ; refusals++) {
    const status = await limited(async () => {
      const answer = await fetch(`${baseUrl}${path}`, { headers })
      await answer.json()
      return answer.status
    })
    if (status !== 429) return
    await wait(Math.min(16, 2 ** refusals) * 1_000 * (1 + spread / 2))
  }
}

const workers = peer === 'fetch loop' ? width : concurrency
let next = 0
const work = async (worker: number): Promise<never> => {
  for (;;) await read(paths[next++ % paths.length] ?? '/', worker / workers)
}
await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)))
