/** Schedulers and clients that ask a real Redis. */
import { firstValueFrom, of } from 'rxjs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hasRedis, type Redis, startRedis } from '../../bench/services/redis.js'
import { E } from '../../src/fp.js'
import { createClient } from '../../src/index.js'
import { redisQuota } from '../../src/quota/index.js'
import { createSandbox, sandboxCredentials } from '../../src/sandbox/index.js'
import { createScheduler, rate, schedule } from '../../src/scheduler/index.js'
import { stateOf } from '../scheduler/world.js'
import { virtualTime } from '../support/idleClock.js'
import { sandboxClient } from '../support/sandboxClient.js'

const send = async () => []

describe('the options', () => {
  it.each<[object, string]>([
    [{ account: 'main' }, 'send should be a function, but is missing'],
    [{ send, account: '' }, 'account should be a non-empty string without braces'],
    [{ send, account: 'a}b' }, 'account should be a non-empty string without braces'],
    [{ send, account: 'a', lease: 10 }, 'lease should be at least 1,000 milliseconds'],
    [{ send, account: 'a', onLost: 'wait' }, "onLost should be one of 'continue', 'stop'"],
  ])('%o', (options, message) => {
    expect(() => Reflect.apply(redisQuota, undefined, [options])).toThrow(message)
  })

  it('of a scheduler and of a client take a quota only', () => {
    const message = 'quota should be a quota from redisQuota, with join'
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

describe('a Redis that cannot be used is told, and tried again', () => {
  /** A client whose quota is sent to `send`, in virtual time; its log lines and events. */
  const open = (send: (command: ReadonlyArray<string>) => Promise<unknown>) => {
    const { timer, pass } = virtualTime()
    const sandbox = createSandbox({ charges: 10, timer })
    const lines: Array<string> = []
    const client = sandboxClient(sandbox.fetch, {
      timer,
      quota: redisQuota({ send, account: 'main' }),
      log: (line) => lines.push(`${line}`),
    })
    const told: Array<string> = []
    client.events.subscribe((event) => {
      if (event._tag === 'QuotaChanged') told.push(event.message)
    })
    /** Lets time pass until something is told: hashing takes real time. */
    const untilTold = async (words: string): Promise<void> => {
      while (!told.some((message) => message.includes(words))) await pass(250)
    }
    return { client, pass, lines, told, untilTold }
  }

  it.each([
    "NOPERM User x has no permissions to run the 'evalsha' command",
    "READONLY You can't write against a read only replica.",
    "OOM command not allowed when used memory > 'maxmemory'.",
    'NOREPLICAS Not enough good replicas to write.',
    'MOVED 3999 127.0.0.1:6381',
    'WRONGTYPE Operation against a key holding the wrong kind of value',
  ])('once, in its own words: %s', async (words) => {
    const { client, pass, lines, untilTold } = open(() => Promise.reject(new Error(words)))
    const waiting = client.reference.supportedCurrencies().subscribe()
    await untilTold(
      `the Redis server of the shared quota cannot be used and will be retried: ${words}`,
    )
    await pass(10_000)
    expect(lines.filter((line) => line.includes(words))).toHaveLength(1)
    waiting.unsubscribe()
  })

  it('where it does not answer, within five seconds', async () => {
    const { client, pass, told } = open(() => new Promise(() => {}))
    const waiting = client.reference.supportedCurrencies().subscribe()
    await pass(5_000)
    expect(told).toEqual([expect.stringContaining('no reply within 1 s')])
    waiting.unsubscribe()
  })

  it.each([undefined, 'OK', ['x', 'y']])('where send resolves with %j', async (answer) => {
    const { client, untilTold } = open(async () => answer)
    const waiting = client.reference.supportedCurrencies().subscribe()
    await untilTold("send should resolve with Redis's reply")
    waiting.unsubscribe()
  })

  it('without the URL of a connection, which may have a password', async () => {
    const error = new Error('getaddrinfo ENOTFOUND redis://user:hunter2@redis.test:6379')
    const { client, told, lines, untilTold } = open(() => Promise.reject(error))
    const waiting = client.reference.supportedCurrencies().subscribe()
    await untilTold('ENOTFOUND')
    expect(`${told} ${lines}`).not.toContain('hunter2')
    waiting.unsubscribe()
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
    const clients = [quotaOf(), quotaOf()].map((quota) => sandboxClient(sandbox.fetch, { quota }))
    const lists = clients.map((client) => firstValueFrom(client.charges.list()))
    for (const first of await Promise.all(lists)) expect(E.isRight(first)).toBe(true)
    const keys = await redis.send(['KEYS', '*'])
    expect(keys).toContain('payments-rx:{main}:limit:endpoint:GET /api/v1/charges')
    expect(String(keys)).not.toContain(sandboxCredentials.apiKey)
  })
})
