/**
 * `npm run bench -- quota [seconds]`: processes that share 20 a second at each endpoint and 100 in all through one
 * Redis, judged by a server that counts arrivals; and one process without a quota, beside them.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startRedis } from '../../test/support/redis.ts'
import type { Verdict } from '../scheduler/accounts.ts'

const SECONDS = Number(process.argv[2] ?? 20)
/** Time in ms after which the processes of the case before have lost their leases, and their parts are free. */
const WARM_UP = 15_000

const CASES = [
  { workers: 1, endpoints: 1, isShared: false },
  { workers: 1, endpoints: 1, isShared: true },
  { workers: 2, endpoints: 1, isShared: true },
  { workers: 4, endpoints: 1, isShared: true },
  { workers: 1, endpoints: 8, isShared: false },
  { workers: 4, endpoints: 8, isShared: true },
]

const started = (script: string, args: ReadonlyArray<string> = []): ChildProcess =>
  fork(fileURLToPath(new URL(script, import.meta.url)), args, { stdio: 'inherit' })

const message = <A>(child: ChildProcess): Promise<A> =>
  new Promise((resolve) => {
    child.once('message', (said) => resolve(said as A))
  })

const server = started('../scheduler/server.ts')
const { port } = await message<{ readonly port: number }>(server)
const verdict = async (): Promise<Verdict> =>
  (await fetch(`http://127.0.0.1:${port}/0?verdict`)).json()
const redis = await startRedis()
/** CPU time of Redis, in seconds. */
const cpu = async (): Promise<number> => {
  const info = String(await redis.send(['INFO', 'cpu']))
  const of = (name: string) => Number(new RegExp(`used_cpu_${name}:([\\d.]+)`).exec(info)?.[1])
  return of('sys') + of('user')
}

const rows: Array<Record<string, unknown>> = []
for (const { workers, endpoints, isShared } of CASES) {
  await fetch(`http://127.0.0.1:${port}/reset?network=loopback&by=judge&accounts=1&concurrent=50`)
  const args = [port, endpoints, isShared ? redis.port : 0].map(String)
  const children = Array.from({ length: workers }, () => started('worker.ts', args))
  const commands = async (): Promise<number> => {
    const counts = children.map(async (child) => {
      const said = message<{ readonly commands: number }>(child)
      child.send('commands')
      return (await said).commands
    })
    return (await Promise.all(counts)).reduce((a, b) => a + b, 0)
  }
  await wait(WARM_UP)
  const before = { ...(await verdict()), commands: await commands(), cpu: await cpu() }
  await wait(SECONDS * 1_000)
  const after = { ...(await verdict()), commands: await commands(), cpu: await cpu() }
  for (const child of children) child.disconnect()

  const letIn = after.accepted - before.accepted
  const refused = after.refused - before.refused
  rows.push({
    workers,
    endpoints,
    shared: isShared,
    'of the quota, %': ((100 * letIn) / (Math.min(100, 20 * endpoints) * SECONDS)).toFixed(1),
    'refused, %': ((100 * refused) / (letIn + refused)).toFixed(1),
    'commands a request': ((after.commands - before.commands) / letIn).toFixed(2),
    'Redis, % of a core': ((100 * (after.cpu - before.cpu)) / SECONDS).toFixed(2),
  })
}
console.table(rows)
redis.stop()
server.disconnect()
