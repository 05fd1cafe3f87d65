/** Schedulers and clients that ask a real Redis. */
import { firstValueFrom, of } from 'rxjs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { E } from '../../src/fp.js'
import { createClient } from '../../src/index.js'
import { redisQuota } from '../../src/quota/index.js'
import { createSandbox, sandboxCredentials } from '../../src/sandbox/index.js'
import { createScheduler, rate, schedule } from '../../src/scheduler/index.js'
import { stateOf } from '../scheduler/world.js'
import { hasRedis, type Redis, startRedis } from '../support/redis.js'

const send = async () => []

describe('the options', () => {
  it.each<[object, string]>([
    [{ account: 'main' }, 'send should be a function, and is missing'],
    [{ send, account: '' }, 'account should be a text without braces that is not empty'],
    [{ send, account: 'a}b' }, 'account should be a text without braces that is not empty'],
    [{ send, account: 'a', lease: 10 }, 'lease should be milliseconds of at least 1,000'],
    [{ send, account: 'a', onLost: 'wait' }, "onLost should be one of 'continue', 'stop'"],
  ])('%o', (options, message) => {
    expect(() => Reflect.apply(redisQuota, undefined, [options])).toThrow(message)
  })

  it('of a scheduler and of a client take a quota only', () => {
    const message = 'quota should be a quota, made by redisQuota, with join'
    const quota: unknown = {}
    expect(() => Reflect.apply(createScheduler, undefined, [{ tiers: [], quota }])).toThrow(message)
    const baseUrl = 'https://payments.example'
    expect(() => Reflect.apply(createClient, undefined, [{ baseUrl, quota }])).toThrow(message)
  })

  it('of a scheduler whose tiers have the same name are refused: they would be one limit', () => {
    const tiers = [rate({ name: 'a', limit: 1, per: 1 }), rate({ name: 'a', limit: 2, per: 1 })]
    const quota = redisQuota({ send, account: 'main' })
    expect(() => createScheduler({ tiers, quota })).toThrow('tiers')
    expect(() => createScheduler({ tiers })).not.toThrow()
  })
})

describe.skipIf(!hasRedis)('a quota in Redis', () => {
  let redis: Redis
  let commands: Array<string>
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis?.stop())

  /** Marks the account as in use, so that no test begins with the first lease, in which no process gets a part. */
  beforeEach(async () => {
    commands = []
    await redis.send(['FLUSHALL'])
    await redis.send(['SCRIPT', 'FLUSH'])
    const [, run = ''] = /run_id:(\w+)/.exec(String(await redis.send(['INFO', 'server']))) ?? []
    await redis.send(['HSET', 'payments-rx:{main}', '@run', run, '@seen', '1', '@clock', '0'])
  })

  const quotaOf = () =>
    redisQuota({
      send: (command) => {
        commands.push(command[0] ?? '')
        return redis.send(command)
      },
      account: 'main',
    })

  it('gives the only process everything, by the hash of the script once Redis knows it', async () => {
    const scheduler = createScheduler<string>({
      tiers: [rate({ name: 'endpoint', limit: 20, per: 1_000, key: (key) => key })],
      quota: quotaOf(),
    })
    const sent = (key: string) => firstValueFrom(of(1).pipe(schedule(scheduler, key)))
    await sent('a')
    expect(commands).toEqual(['EVALSHA', 'EVAL'])
    expect(stateOf(scheduler)?.tiers).toMatchObject([{ limit: 20, allowed: 20 }])
    await sent('b')
    expect(commands).toEqual(['EVALSHA', 'EVAL', 'EVALSHA'])
    await redis.send(['SCRIPT', 'FLUSH'])
    await sent('c')
    expect(commands).toEqual(['EVALSHA', 'EVAL', 'EVALSHA', 'EVALSHA', 'EVAL'])
  })

  it('divides the limits of clients', async () => {
    const sandbox = createSandbox({ charges: 10 })
    const clients = [quotaOf(), quotaOf()].map((quota) =>
      createClient({
        baseUrl: 'https://sandbox.example',
        credentials: sandboxCredentials,
        fetch: sandbox.fetch,
        quota,
      }),
    )
    const lists = clients.map((client) => firstValueFrom(client.charges.list()))
    for (const first of await Promise.all(lists)) expect(E.isRight(first)).toBe(true)
    const keys = await redis.send(['KEYS', '*'])
    expect(keys).toContain('payments-rx:{main}:limit:endpoint:GET /api/v1/charges')
    expect(String(keys)).not.toContain(sandboxCredentials.apiKey)
  })
})
