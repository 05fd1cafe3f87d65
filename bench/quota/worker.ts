/**
 * One process that shares an account: keeps 40 requests waiting at each endpoint until it is told to stop, and then
 * tells how many commands it sent to Redis.
 *
 *     node worker.ts PORT ENDPOINTS REDIS_PORT      a Redis port of 0: without a quota
 */
import { Agent, request as httpRequest } from 'node:http'
import { Observable } from 'rxjs'
import { redisQuota } from '../../dist/quota/index.js'
import { concurrency, createScheduler, rate, schedule } from '../../dist/scheduler/index.js'
import { redisClient } from '../../test/support/redis.ts'

const [port = 0, endpoints = 1, redisPort = 0] = process.argv.slice(2).map(Number)
const WAITING = 40

let commands = 0
const redis = redisClient(redisPort)
const quota = redisQuota({
  send: (command) => {
    commands++
    return redis.send(command)
  },
  account: 'bench',
})

const scheduler = createScheduler<string>({
  tiers: [
    concurrency({ name: 'concurrency', limit: 50 }),
    rate({ name: 'global', limit: 100, per: 1_000 }),
    rate({ name: 'endpoint', limit: 20, per: 1_000, key: (endpoint) => endpoint }),
  ],
  ...(redisPort === 0 ? {} : { quota }),
})

const agent = new Agent({ keepAlive: true })
const get = (endpoint: string): Observable<number> =>
  new Observable((subscriber) => {
    const sent = httpRequest({ port, path: `/0/${endpoint}`, agent }, (response) => {
      response.resume().once('end', () => {
        subscriber.next(response.statusCode ?? 0)
        subscriber.complete()
      })
    })
    sent.once('error', (error) => subscriber.error(error))
    sent.end()
  })

const NONE = { _tag: 'None' } as const
const REFUSED = { _tag: 'Some', value: {} } as const
const again = (endpoint: string): void => {
  get(endpoint)
    .pipe(schedule(scheduler, endpoint, { refused: (status) => (status === 429 ? REFUSED : NONE) }))
    .subscribe({ complete: () => again(endpoint), error: () => again(endpoint) })
}
for (let n = 0; n < endpoints; n++) for (let i = 0; i < WAITING; i++) again(`e${n}`)

process.on('message', () => process.send?.({ commands }))
process.once('disconnect', () => process.exit())
