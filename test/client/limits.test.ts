/**
 * A client and the interface's limits in virtual time: a server that counts arrivals in rolling
 * windows, behind a line whose delays are drawn by chance.
 */
import { from, mergeMap, Observable, range, toArray, VirtualTimeScheduler } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E } from '../../src/fp.js'
import {
  type ClientOptions,
  createClient,
  limits,
  type RateLimitKey,
  type Transport,
  tiers,
} from '../../src/index.js'
import { createSandbox } from '../../src/sandbox/index.js'
import { createScheduler, rate, type Tier } from '../../src/scheduler/index.js'
import { BATCH } from '../support/batch.js'
import { virtualTime } from '../support/idleClock.js'
import { CHARGE, LOGIN, lab, ME, timeText } from '../support/lab.js'
import { sample } from '../support/runs.js'
import { sandboxClient } from '../support/sandboxClient.js'
import { type Limits, PRODUCTION, SANDBOX, windows } from '../support/windows.js'

/** Numbers from 0 to 1, the same in every run. */
const chance = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32
}

/** Arrivals at a server with these limits of `count` calls that are all made at once. */
const rush = (limits: Limits, count: number, options: Partial<ClientOptions>) => {
  const timer = new VirtualTimeScheduler()
  const gate = windows(limits)
  const random = chance(7)
  const arrivals: Array<number> = []
  const refused: Array<string> = []

  const transport: Transport = ({ method, url }) =>
    new Observable((subscriber) => {
      const leg = () => 20 + random() * 20
      const path = new URL(url).pathname
      const login = `${method} ${path}` === LOGIN
      const answer = (status: number, body: unknown, ms: number) =>
        timer.schedule(() => {
          subscriber.next(E.right({ status, header: () => undefined, body: JSON.stringify(body) }))
          subscriber.complete()
        }, ms)
      timer.schedule(() => {
        const tier = gate.enter(login ? undefined : path.replace(/[^/]+$/, '{id}'), timer.now())
        if (tier !== undefined) {
          refused.push(tier)
          answer(
            429,
            { code: 'too_many_requests', message: tier, trace_id: 't', details: {} },
            leg(),
          )
          return
        }
        if (!login) arrivals.push(timer.now())
        timer.schedule(gate.leave, 5)
        const session = { token: 'token', expires_at: timeText(timer.now() + 1_800_000) }
        answer(login ? 201 : 200, login ? session : CHARGE, 5 + leg())
      }, leg())
    })

  const client = createClient({
    baseUrl: 'https://platform.test',
    credentials: ME,
    transport,
    timer,
    random,
    ...options,
  })
  const out: Array<ReadonlyArray<E.Either<unknown, unknown>>> = []
  range(0, count)
    .pipe(
      mergeMap(() => client.charges.retrieve({ id: 'chg_1' })),
      toArray(),
    )
    .subscribe((all) => out.push(all))
  timer.flush()
  const first = Math.min(...arrivals)
  const seconds = (Math.max(...arrivals) - first) / 1_000
  return { out: out.flat(), refused, arrivals, rate: arrivals.length / seconds }
}

describe.each([
  ['production', PRODUCTION],
  ['test', SANDBOX],
] as const)('in %s', (environment, limits) => {
  it('nothing is refused with a safe guard, and the quota is used', () => {
    const { out, refused, rate } = rush(limits, 300, { environment, guard: 'safe' })
    expect(out.filter(E.isRight)).toHaveLength(300)
    expect(refused).toEqual([])
    expect(rate).toBeGreaterThan(limits.endpoint * 0.9)
  })

  it('all calls succeed with the learned guard', () => {
    const { out, refused, rate } = rush(limits, 300, { environment })
    expect(out.filter(E.isRight)).toHaveLength(300)
    expect(refused.length).toBeLessThan(10)
    expect(rate).toBeGreaterThan(limits.endpoint * 0.9)
  })

  it('a share of the quota is no more than that', () => {
    const { out, refused, rate } = rush(limits, 100, { environment, guard: 'safe', share: 0.5 })
    expect(out.filter(E.isRight)).toHaveLength(100)
    expect(refused).toEqual([])
    expect(rate).toBeLessThan(limits.endpoint * 0.7)
  })
})

it('limits that are stricter than the client knows cost time, and lose nothing', () => {
  const { out, refused } = rush({ ...PRODUCTION, endpoint: 5 }, 40, { guard: 'safe' })
  expect(out.filter(E.isRight)).toHaveLength(40)
  expect(refused.length).toBeGreaterThan(0)
})

describe('a limit that really is lower is told with its likely reason', () => {
  /** Messages about 30 s of calls to a sandbox with these limits, by a client with those of production. */
  const told = async (limits: Partial<Limits>, latency = 100, jitter = 20) => {
    const { timer, pass } = virtualTime()
    const sandbox = createSandbox({ charges: 10, latency, jitter, timer, limits })
    const client = sandboxClient(sandbox.fetch, { timer, random: () => 0.5 })
    const messages: Array<string> = []
    client.events.subscribe((event) => {
      if (event._tag === 'LimitChanged' && event.allowed < event.limit) messages.push(event.message)
    })
    const calls = range(0, 10_000)
      .pipe(mergeMap((i) => client.charges.retrieve({ id: `chg_${i}` }), 40))
      .subscribe()
    await pass(30_000)
    calls.unsubscribe()
    return messages
  }

  it.each(
    sample(1, [
      [100, 20],
      [400, 300],
    ]),
  )("asks for environment: 'test' at its limits, %d ± %d ms away", async (latency, jitter) => {
    const messages = await told(SANDBOX, latency, jitter)
    expect(messages.length).toBeGreaterThan(0)
    for (const message of messages) expect(message).toMatch(/: did you mean environment: 'test'\?$/)
  })

  it.each(sample(1, [1, 5, 15]))('asks for others on the account at %d/s', async (endpoint) => {
    const messages = await told({ ...PRODUCTION, endpoint })
    expect(messages.length).toBeGreaterThan(0)
    for (const message of messages)
      expect(message).toMatch(/: is another process using this account\?$/)
  })
})

describe('a tier of your own', () => {
  const own = (tier: Tier<RateLimitKey>) => {
    const { transport, timer, calls, run } = lab({ play: () => ({ body: BATCH }) })
    const scheduler = createScheduler({ tiers: [...tiers(limits.production), tier], timer })
    const client = createClient({
      baseUrl: 'https://platform.test',
      credentials: ME,
      transport,
      timer,
      scheduler,
    })
    return { client, calls, run }
  }

  it('limits each resource by its path, and holds up no other', () => {
    const { client, calls, run } = own(
      rate({ name: 'resource', limit: 1, per: 1_000, guard: 0, key: ({ path }) => path }),
    )
    const ids = from(['b1', 'b1', 'b2', 'b1'])
    run(ids.pipe(mergeMap((id) => client.batchTransfers.retrieve({ id }))))
    const sent = calls().map(({ at, request }) => [
      at,
      new URL(request.url).pathname.split('/').at(-1),
    ])
    expect(sent).toEqual([
      [10, 'b1'],
      [10, 'b2'],
      [1_010, 'b1'],
      [2_010, 'b1'],
    ])
  })

  it('is told the route, the path without its query, and the client id of a login', () => {
    const told = new Map<string, RateLimitKey>() // a key may be asked for more than once
    const watch = (slot: RateLimitKey): undefined => {
      told.set(JSON.stringify(slot), slot)
    }
    const { client, run } = own(rate({ name: 'watch', limit: 1, per: 1_000, key: watch }))
    run(client.batchTransfers.items({ id: 'a b', page_size: 7 }))
    run(client.reference.lookUpBin({ pan: '4111111111111111' }))
    expect([...told.values()]).toEqual([
      { endpoint: LOGIN, login: ME.clientId },
      {
        endpoint: 'GET /api/v1/batch_transfers/{id}/items',
        path: '/api/v1/batch_transfers/a%20b/items',
      },
      { endpoint: 'GET /api/v1/pa/reference/bin/lookup', path: '/api/v1/pa/reference/bin/lookup' },
    ])
  })
})
