import {
  concatMap,
  firstValueFrom,
  from,
  interval,
  lastValueFrom,
  map,
  mergeMap,
  take,
  timer as timerOf,
  toArray,
} from 'rxjs'
import { describe, expect, it, vi } from 'vitest'
import { E } from '../../src/fp.js'
import { ChargeStatus, type ClientOptions, concatChain, wasRecovered } from '../../src/index.js'
import {
  createSandbox,
  type FaultName,
  type Faults,
  type SandboxOptions,
  virtualTime,
} from '../../src/sandbox/index.js'
import { sandboxClient } from '../support/sandboxClient.js'

/** A client and its sandbox, in one virtual time. */
const open = (sandboxed: SandboxOptions = {}, options: Partial<ClientOptions> = {}) => {
  const time = virtualTime()
  const { timer } = time
  const began = timer.now()
  const sandbox = createSandbox({ charges: 400, timer, ...sandboxed })
  const client = sandboxClient(sandbox.fetch, { timer, random: () => 0, ...options })
  return { time, sandbox, client, passed: () => timer.now() - began }
}

describe('virtual time', () => {
  it('passes for a client and a sandbox as long as answers take, and no longer', async () => {
    const { time, client, passed } = open({ latency: 200 })
    const rows = client.charges.list({ page_size: 100 })
    expect(await time.run(lastValueFrom(rows.pipe(toArray())))).toHaveLength(400)
    expect(passed()).toBe(5 * 200) // a login, and four pages
  })

  it('passes while limits hold requests back, so that none is refused', async () => {
    const { time, client, sandbox, passed } = open({ latency: 10 })
    const ids = await time.run(
      lastValueFrom(
        client.charges.list().pipe(take(60), map(E.map(({ id }) => ({ id }))), toArray()),
      ),
    )
    const before = passed()
    const found = from(ids).pipe(concatChain(client.charges.retrieve))
    expect((await time.run(lastValueFrom(found.pipe(toArray())))).every(E.isRight)).toBe(true)
    expect(passed() - before).toBeGreaterThanOrEqual(2_000) // 20 per second
    expect(passed() - before).toBeLessThan(3_000)
    expect(sandbox.stats().refused).toMatchObject({ global: 0, endpoint: 0 })
  })

  it('passes up to a time limit when no answer comes', async () => {
    const faults: SandboxOptions['faults'] = ({ route }) =>
      route.endsWith('/charges') ? 'no-answer' : undefined
    const { time, client, passed } = open({ faults }, { retry: { faults: 0 } })
    const listed = await time.run(firstValueFrom(client.charges.list()))
    expect(E.isLeft(listed) && listed.left._tag).toBe('TimedOut')
    expect(passed()).toBe(60_000)
  })

  it('passes for what becomes of things by themselves', async () => {
    const { time, client, passed } = open({ settleAfter: 86_400_000 })
    const made = await time.run(
      firstValueFrom(
        client.charges.create({
          amount: '9.99',
          currency: 'USD',
          reason: 'goods_purchased',
          reference: 'Order 1',
          source: 'acct_1',
        }),
      ),
    )
    if (E.isLeft(made)) throw new Error(made.left.message)
    const status = async () => {
      const now = await time.run(firstValueFrom(client.charges.retrieve({ id: made.right.id })))
      return E.isRight(now) ? now.right.status : now.left.message
    }
    expect(await status()).toBe('NEW')
    await time.pass(86_400_000)
    expect(passed()).toBe(86_400_000)
    expect(await status()).toBe('SETTLED')
  })

  it('begins where it is told to, and is a clock', async () => {
    const start = new Date('2026-02-03T04:05:06Z')
    const { timer, pass } = virtualTime({ start })
    expect(timer.now()).toBe(start.getTime())
    const told: Array<number> = []
    const tell = () => told.push(timer.now() - start.getTime())
    timer.schedule(tell, 120)
    timer.schedule(tell, 70)
    timer.schedule(tell, 80).unsubscribe()
    interval(50, timer).pipe(take(2)).subscribe(tell)
    await pass(100)
    expect(told).toEqual([50, 70, 100])
    await pass(20)
    expect(told).toEqual([50, 70, 100, 120])
  })

  it('has what is due done, with what promises make of it, when so many ms have passed', async () => {
    const { timer, pass } = virtualTime()
    const told: Array<string> = []
    timerOf(10, timer)
      .pipe(concatMap(() => Promise.resolve('then').then((text) => text)))
      .subscribe((text) => told.push(text))
    await pass(10)
    expect(told).toEqual(['then'])
  })

  it('has what comes due meanwhile done, too', async () => {
    const { timer, pass } = virtualTime()
    const told: Array<string> = []
    timer.schedule(() => told.push('now'), 0)
    await pass(0)
    expect(told).toEqual(['now'])
    timerOf(10, timer)
      .pipe(
        concatMap(() => Promise.resolve()),
        concatMap(() => timerOf(0, timer)),
      )
      .subscribe(() => told.push('after'))
    await pass(10)
    expect(told).toEqual(['now', 'after'])
  })

  it('takes no other time than one that there is', async () => {
    const start = new Date(Number.NaN)
    expect(() => virtualTime({ start })).toThrow('start should be a valid Date')
    const { pass } = virtualTime()
    for (const ms of [Number.NaN, -1, Number.POSITIVE_INFINITY]) {
      await expect(pass(ms)).rejects.toMatchObject({ name: 'InvalidOption', option: 'ms' })
    }
  })

  it('goes on through waits of parts of a ms, of which a clock since 1970 tells few', async () => {
    let seed = 1
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed / 2_147_483_647
    }
    let nth = 0
    const faults = () => (++nth % 5 === 0 ? '500' : undefined)
    const { client, time } = open({ charges: 10, latency: 20, jitter: 80.5, faults }, { random })
    const calls = from(Array.from({ length: 200 }, (_, i) => ({ id: `chg_${i}` }))).pipe(
      mergeMap((params) => client.charges.retrieve(params)),
      toArray(),
    )
    expect(await time.run(lastValueFrom(calls))).toHaveLength(200)
  })

  it('stands still for what takes no timer, and tells what a promise rejects with', async () => {
    const { timer, run } = virtualTime()
    const began = timer.now()
    expect(await run(new Promise((resolve) => setTimeout(resolve, 5, 'done')))).toBe('done')
    expect(timer.now()).toBe(began)
    await expect(run(Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  })

  it('passes while a test plays all timers', async () => {
    vi.useFakeTimers()
    try {
      const { run, pass, timer } = virtualTime()
      const began = timer.now()
      await run(firstValueFrom(timerOf(1_000, timer)))
      await pass(500)
      expect(timer.now() - began).toBe(1_500)
    } finally {
      vi.useRealTimers()
    }
  })

  it('goes on at once after a rest: nothing else may keep the process alive by then', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }) // a rest does not end by itself
    vi.resetModules()
    const { virtualTime: made } = await import('../../src/sandbox/virtualTime.js')
    const time = made()
    const reading = async () => {
      for (let i = 0; i < 2_000; i++) await new Promise((resolve) => setImmediate(resolve))
    }
    const job = async () => {
      await reading()
      await firstValueFrom(timerOf(1_000, time.timer))
      await reading()
      return 'done'
    }
    expect(await time.run(job())).toBe('done')
    vi.useRealTimers()
  })

  it('rests while nothing is scheduled, also for a promise that never settles', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const turns = vi.spyOn(globalThis, 'setImmediate')
    const pass = async (count: number) => {
      for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve))
      return turns.mock.calls.length
    }
    vi.resetModules() // it keeps the timers that there are when it is loaded
    const { virtualTime: resting } = await import('../../src/sandbox/virtualTime.js')
    void resting().run(new Promise(() => {}))
    const before = await pass(2_000)
    expect((await pass(100)) - before).toBe(100) // these alone
    vi.useRealTimers()
    turns.mockRestore()
  })
})

describe('a job sees as much of the time as docs/testing.md says', () => {
  const NEW_CHARGE = {
    amount: '9.99',
    currency: 'USD',
    reason: 'goods_purchased',
    reference: 'Order 1',
    source: 'acct_1',
  } as const
  type Plan = Extract<Faults, (...args: never) => unknown>
  const LIST = 'GET /api/v1/charges'
  const on =
    (wanted: string, fault: FaultName, fits: (nth: number) => boolean = () => true): Plan =>
    ({ route, nth }) =>
      route === wanted && fits(nth) ? fault : undefined
  const once = (nth: number) => nth === 1
  const later = (nth: number) => nth > 1

  const seen = async (faults: Plan, options: Partial<ClientOptions> = {}) => {
    const { time, client } = open({ faults }, options)
    const rows = await time.run(
      lastValueFrom(client.charges.list({ page_size: 100 }).pipe(toArray())),
    )
    return [...new Set(rows.map((row) => (E.isLeft(row) ? row.left._tag : 'row')))]
  }

  it.each<[FaultName, string]>([
    ['429', 'Throttled'],
    ['500', 'ServerFault'],
    ['no-answer', 'TimedOut'],
    ['stall', 'TimedOut'],
    ['reset-before', 'Unreachable'],
  ])('%s, each time: %s; from the second page on, Truncated', async (fault, tag) => {
    expect(await seen(on(LIST, fault))).toEqual([tag])
    expect(await seen(on(LIST, fault, later))).toEqual(['row', 'Truncated'])
  })

  it('faults: 0 tells the first one', async () => {
    const faults = on(LIST, '500', once)
    expect(await seen(faults)).toEqual(['row'])
    expect(await seen(faults, { retry: { faults: 0 } })).toEqual(['ServerFault'])
  })

  it('500, each time, on a write: Ambiguous', async () => {
    const { time, client } = open({ faults: on('POST /api/v1/charges/create', '500') })
    const made = await time.run(firstValueFrom(client.charges.create(NEW_CHARGE)))
    expect(E.isLeft(made) && made.left._tag).toBe('Ambiguous')
  })

  it('a malformed row, and an unknown status', async () => {
    expect(await seen(on(LIST, 'malformed-row', once))).toEqual(['row', 'Undecodable'])
    const { time, client } = open({ faults: on(LIST, 'unknown-enum', once) })
    const row = await time.run(firstValueFrom(client.charges.list()))
    if (E.isLeft(row)) throw new Error(row.left.message)
    expect(Object.keys(ChargeStatus.keys)).not.toContain(row.right.status)
  })

  it.each<FaultName>(['500-after', 'reset-after'])('%s, once, on a create', async (fault) => {
    const CREATE = 'POST /api/v1/charges/create'
    const created = async (faults: Plan) => {
      const { time, client } = open({ faults })
      return time.run(firstValueFrom(client.charges.create(NEW_CHARGE)))
    }
    const made = await created(on(CREATE, fault, once))
    expect(E.isRight(made) && wasRecovered(made.right)).toBe(true)
    const unclear = await created((target) => on(CREATE, fault)(target) ?? on(LIST, '500')(target))
    expect(E.isLeft(unclear) && unclear.left._tag).toBe('Ambiguous')
  })
})
