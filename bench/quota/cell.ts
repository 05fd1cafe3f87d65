/** Groups of processes that run at the same time against one server. Each group has an account of its own. */
import { type ChildProcess, fork } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Redis, startRedis } from '../services/redis.ts'
import { IN_ALL, type Kind, PER_ENDPOINT } from './limiters.ts'

// model

export interface Setting {
  readonly network: string
  readonly endpoints: number
}

export type Arrival = readonly [at: number, worker: string, isLetIn: boolean]

export interface Group {
  readonly kind: Kind
  readonly workers: Map<string, ChildProcess>
  readonly redis: Redis
  /** Starts another process, and resolves with its name once it has started. */
  readonly start: () => Promise<string>
  readonly arrivals: () => Promise<{
    readonly now: number
    readonly arrivals: ReadonlyArray<Arrival>
  }>
  /** Number of commands that the processes have sent to Redis so far. */
  readonly commands: () => Promise<number>
  /** CPU time of the group's Redis, in seconds. */
  readonly cpu: () => Promise<number>
  readonly stop: () => void
}

export interface Measured {
  readonly kind: Kind
  readonly workers: number
  /** Admitted share of the limit, in percent. */
  readonly used: number
  /** Share of all requests that were refused, in percent. */
  readonly refused: number
  /** Jain's index: 1 if all processes have equal shares, 1 / n if one process has everything. */
  readonly fairness: number
  /** Number of commands sent to Redis per admitted request. */
  readonly commands: number
  /** CPU time of Redis, in percent of a core. */
  readonly cpu: number
}

// functions

const start = (script: string, args: ReadonlyArray<string | number> = []): ChildProcess =>
  fork(fileURLToPath(new URL(script, import.meta.url)), args.map(String), { stdio: 'inherit' })

const answer = <A>(child: ChildProcess): Promise<A> =>
  new Promise((resolve) => {
    child.once('message', (message) => resolve(message as A))
  })

export interface Server {
  readonly port: number
  readonly stop: () => void
}

export const startServer = async (): Promise<Server> => {
  const child = start('../scheduler/server.ts')
  const { port } = await answer<{ readonly port: number }>(child)
  return { port, stop: () => child.disconnect() }
}

/**
 * Marks the account as in use, so that a run does not start with the first lease, in which no process gets a part. Peers ignore
 * it.
 */
const markUsed = async (redis: Redis): Promise<void> => {
  const [, run = ''] = /run_id:(\w+)/.exec(String(await redis.send(['INFO', 'server']))) ?? []
  const fields = ['@run', run, '@seen', '1', '@clock', '0', '@gap', '-1']
  await redis.send(['HSET', 'payments-rx:{bench}', ...fields])
}

export const startGroups = async (
  { port }: Server,
  { network, endpoints }: Setting,
  kinds: ReadonlyArray<readonly [kind: Kind, workers: number]>,
): Promise<ReadonlyArray<Group>> => {
  const query = `network=${network}&by=judge&accounts=${kinds.length}&concurrent=50`
  await fetch(`http://127.0.0.1:${port}/reset?${query}`)
  return await Promise.all(
    kinds.map(async ([kind, count], account): Promise<Group> => {
      const redis = await startRedis()
      await markUsed(redis)
      const workers = new Map<string, ChildProcess>()
      let next = 0
      const startOne = async (): Promise<string> => {
        const name = `w${next++}`
        const args = [kind, port, account, endpoints, redis.port, name]
        const child = start('worker.ts', args)
        workers.set(name, child)
        await answer(child)
        return name
      }
      await Promise.all(Array.from({ length: count }, startOne))
      return {
        kind,
        workers,
        redis,
        start: startOne,
        arrivals: async () => (await fetch(`http://127.0.0.1:${port}/${account}?arrivals`)).json(),
        commands: async () => {
          const counts = [...workers.values()].map(async (child) => {
            const counted = answer<{ readonly commands: number }>(child)
            child.send('count')
            return (await counted).commands
          })
          return (await Promise.all(counts)).reduce((a, b) => a + b, 0)
        },
        cpu: async () => {
          const info = String(await redis.send(['INFO', 'cpu']))
          const of = (name: string) =>
            Number(new RegExp(`used_cpu_${name}:([\\d.]+)`).exec(info)?.[1])
          return of('sys') + of('user')
        },
        stop: () => {
          for (const child of workers.values()) child.disconnect()
          redis.stop()
        },
      }
    }),
  )
}

export const inAll = ({ endpoints }: Setting): number => Math.min(IN_ALL, PER_ENDPOINT * endpoints)

/** Waits, and prints the reason. */
export const pass = async (seconds: number, what: string): Promise<void> => {
  console.error(`${what}: ${seconds} s`)
  await wait(1_000 * seconds)
}

const jain = (counts: ReadonlyArray<number>): number => {
  const sum = counts.reduce((a, b) => a + b, 0)
  return sum ** 2 / (counts.length * counts.reduce((all, one) => all + one ** 2, 0))
}

/** Measures groups over the same seconds, after they have warmed up. */
export const measure = async (
  groups: ReadonlyArray<Group>,
  setting: Setting,
  seconds: number,
  what: string,
): Promise<ReadonlyArray<Measured>> => {
  const look = () =>
    Promise.all(
      groups.map(async ({ arrivals, commands, cpu }) => ({
        ...(await arrivals()),
        commands: await commands(),
        cpu: await cpu(),
      })),
    )
  const before = await look()
  await pass(seconds, what)
  const after = await look()
  return groups.map(({ kind, workers }, i): Measured => {
    const [from, to] = [before[i], after[i]]
    if (from === undefined || to === undefined) throw new Error('not measured')
    const elapsed = (to.now - from.now) / 1_000
    const seen = to.arrivals.filter(([at]) => at >= from.now)
    const letIn = seen.filter(([, , isLetIn]) => isLetIn)
    const counts = [...workers.keys()].map((name) => letIn.filter(([, by]) => by === name).length)
    return {
      kind,
      workers: workers.size,
      used: (100 * letIn.length) / (inAll(setting) * elapsed),
      refused: (100 * (seen.length - letIn.length)) / Math.max(1, seen.length),
      fairness: jain(counts),
      commands: (to.commands - from.commands) / Math.max(1, letIn.length),
      cpu: (100 * (to.cpu - from.cpu)) / elapsed,
    }
  })
}
