/** Load of 50 processes on Redis: 50 schedulers in one process, with requests that use no network. */
import { setTimeout as wait } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { delay, firstValueFrom, of } from 'rxjs'
import { redisQuota } from '../../dist/quota/index.js'
import { concurrency, createScheduler, rate, schedule } from '../../dist/scheduler/index.js'
import { startRedis } from '../services/redis.ts'
import { seeded } from '../simulated/random.ts'
import { pass } from './cell.ts'
import { IN_ALL, PER_ENDPOINT } from './limiters.ts'

const MEMBERS = 50
const ENDPOINTS = 8
const WINDOW = 1_000
const WARM_UP = 15
const LATENCY = 40

/** Number of requests waiting at each endpoint. */
const demands: Readonly<Record<string, (random: () => number) => number>> = {
  'each has always enough to do': () => 10,
  'each wants something else at each time': (random) => Math.floor(4 * random()),
}

export const many = async (seconds: number): Promise<ReadonlyArray<object>> => {
  const rows: Array<object> = []
  for (const [name, demand] of Object.entries(demands)) {
    const server = await startRedis()
    const redis = new Redis({ port: server.port })
    const random = seeded(1)
    let [commands, sent, isOver] = [0, 0, false]
    const running = Array.from({ length: MEMBERS }, async () => {
      const scheduler = createScheduler<string>({
        tiers: [
          concurrency({ name: 'concurrency', limit: 50 }),
          rate({ name: 'global', limit: IN_ALL, per: WINDOW }),
          rate({ name: 'endpoint', limit: PER_ENDPOINT, per: WINDOW, key: (endpoint) => endpoint }),
        ],
        quota: redisQuota({
          send: ([command = '', ...args]) => {
            commands++
            return redis.call(command, ...args)
          },
          account: 'bench',
          lease: 2_000,
        }),
      })
      const waiting = new Map<string, number>()
      while (!isOver) {
        for (let n = 0; n < ENDPOINTS; n++) {
          const endpoint = `e${n}`
          for (let open = waiting.get(endpoint) ?? 0; open < demand(random); open++) {
            waiting.set(endpoint, open + 1)
            const request = of(0).pipe(delay(LATENCY), schedule(scheduler, endpoint))
            void firstValueFrom(request).then(() => {
              sent++
              waiting.set(endpoint, (waiting.get(endpoint) ?? 1) - 1)
            })
          }
        }
        await wait(250 * (0.5 + random()))
      }
    })
    const cpu = async () => {
      const info = String(await server.send(['INFO', 'cpu']))
      const of = (field: string) =>
        Number(new RegExp(`used_cpu_${field}:([\\d.]+)`).exec(info)?.[1])
      return of('sys') + of('user')
    }
    await pass(WARM_UP, name)
    const before = { cpu: await cpu(), commands, sent, at: performance.now() }
    await pass(seconds, name)
    const elapsed = (performance.now() - before.at) / 1_000
    rows.push({
      case: name,
      processes: MEMBERS,
      'requests per second': Number(((sent - before.sent) / elapsed).toFixed(1)),
      'commands a second': Number(((commands - before.commands) / elapsed).toFixed(1)),
      'ms a command': Number(
        ((1_000 * ((await cpu()) - before.cpu)) / (commands - before.commands)).toFixed(3),
      ),
      'Redis, % of a core': Number(((100 * ((await cpu()) - before.cpu)) / elapsed).toFixed(2)),
    })
    console.log(JSON.stringify(rows.at(-1)))
    isOver = true
    await Promise.race([Promise.all(running), wait(1_000)])
    redis.disconnect()
    server.stop()
  }
  return rows
}
