/** Keys of several tiers that cross: whoever needs two of them is not overtaken for ever by those who need one. */
import { map, NEVER, Observable, of, timer as rxTimer, take } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { O } from '../../src/fp.js'
import {
  concurrency,
  createScheduler,
  rate,
  type SchedulerOptions,
  schedule,
  shared,
} from '../../src/scheduler/index.js'
import { seeded } from '../support/simulated/random.js'
import { virtualTimer } from '../support/simulated/virtualTimer.js'

/** Those that are empty do not count. */
interface Request {
  readonly account: string
  readonly endpoint: string
}

type Refused = () => O.Option<{ readonly retryAfter: number }>

const PATIENCE = 10_000

const account = { name: 'account', key: ({ account }: Request) => account || undefined }
const endpoint = { name: 'endpoint', key: ({ endpoint }: Request) => endpoint || undefined }

const tiersOf = (kind: 'rates' | 'places', limit: number) =>
  kind === 'rates'
    ? [rate({ ...account, limit, per: 1_000 }), rate({ ...endpoint, limit, per: 1_000 })]
    : [concurrency({ ...account, limit }), concurrency({ ...endpoint, limit })]

/** Requests that are answered after 50 to 150 ms, and those that ask again as soon as they are. */
const world = (options: SchedulerOptions<Request>, seed = 1) => {
  const timer = virtualTimer()
  const random = seeded(seed)
  const scheduler = createScheduler<Request>({ timer, random, ...options })
  const answer = new Observable<number>((subscriber) =>
    timer.schedule(() => subscriber.complete(), 50 + 100 * random()),
  )
  const send = (
    request: Request,
    done: () => void,
    source: Observable<number> = answer,
    refused: Refused = () => O.none,
  ) => source.pipe(schedule(scheduler, request, { refused })).subscribe({ complete: done })
  const keepAsking = (request: Request, done: () => void): void => {
    send(request, () => {
      done()
      keepAsking(request, done)
    })
  }
  return { timer, random, send, keepAsking }
}

const nothing = (): void => {}

describe.each([
  ['rates', 20],
  ['rates', 5],
  ['rates', 2],
  ['rates', 1],
  ['places', 5],
  ['places', 2],
  ['places', 1],
] as const)('keys that cross, %s of %d', (kind, limit) => {
  it('are all served, again and again, and all of the limits is used', () => {
    const { timer, random, keepAsking } = world({ tiers: tiersOf(kind, limit) })
    const since = new Map<Request, number>()
    let longest = 0
    let served = 0
    for (let pair = 0; pair < 25; pair++) {
      const request = { account: `${pair % 5}`, endpoint: `${Math.floor(pair / 5)}` }
      since.set(request, 0)
      const done = (): void => {
        served++
        longest = Math.max(longest, timer.now() - (since.get(request) ?? 0))
        since.set(request, timer.now())
      }
      for (let i = 0; i < 20; i++) timer.schedule(() => keepAsking(request, done), 2_000 * random())
    }
    timer.flush(300_000)
    for (const at of since.values()) longest = Math.max(longest, timer.now() - at)
    expect(longest).toBeLessThan(3 * PATIENCE)
    const most = kind === 'rates' ? 5 * limit * 300 : (5 * limit * 300_000) / 100
    expect(served / most).toBeGreaterThan(0.96)
  })

  it.each([1, 2, 3])('let one through that needs two busy ones, seed %d', (seed) => {
    const { timer, send, keepAsking } = world({ tiers: tiersOf(kind, limit) }, seed)
    for (let i = 0; i < 20; i++) {
      keepAsking({ account: 'busy', endpoint: `${i % 4}` }, nothing)
      keepAsking({ account: `${i % 4}`, endpoint: 'busy' }, nothing)
    }
    timer.flush(1_000)
    let waited = Number.NaN
    send({ account: 'busy', endpoint: 'busy' }, () => {
      waited = timer.now() - 1_000
    })
    timer.flush(100_000)
    expect(waited).toBeLessThan(PATIENCE + 2_000)
  })
})

describe('a place that is kept for one that waits too long', () => {
  /** One place for each, and all places of one account, or endpoint, in use from 0 on. */
  const busy = (
    options: SchedulerOptions<Request> = { tiers: tiersOf('places', 1) },
    what: keyof Request = 'account',
  ) => {
    const w = world(options)
    const times: Array<number> = []
    const served = (from: number, to: number): number =>
      times.filter((at) => at >= from && at < to).length
    for (let i = 0; i < 5; i++) {
      const own = what === 'account' ? { endpoint: `${i}` } : {}
      const request = { account: '', endpoint: '', ...own, [what]: 'busy' }
      w.keepAsking(request, () => times.push(w.timer.now()))
    }
    return { ...w, served }
  }

  /** One needs both the account and an endpoint that is busy, too, until somebody has it who never ends. */
  const stuck = () => {
    const w = busy()
    for (let i = 0; i < 3; i++) w.keepAsking({ account: `${i}`, endpoint: 'stuck' }, nothing)
    w.timer.flush(1_000)
    let went = 0
    const waiting = w.send({ account: 'busy', endpoint: 'stuck' }, () => went++)
    w.timer.flush(10_900)
    for (let i = 0; i < 3; i++) w.send({ account: 'other', endpoint: 'stuck' }, nothing, NEVER)
    w.timer.flush(11_500)
    expect(went).toBe(0)
    return { ...w, waiting }
  }

  it('is kept for ten seconds, and once, when who has the other one never ends', () => {
    const { timer, served } = stuck()
    timer.flush(100_000)
    expect(served(11_500, 20_500)).toBe(0)
    for (let at = 22_000; at < 100_000; at += 6_000)
      expect(served(at, at + 6_000)).toBeGreaterThan(50)
  })

  it('is given on at once when that one leaves', () => {
    const { timer, served, waiting } = stuck()
    waiting.unsubscribe()
    timer.flush(12_500)
    expect(served(11_500, 12_500)).toBeGreaterThan(7)
  })

  it('is one, of a limit whose other places are used, however long that one waits', () => {
    const tiers = [
      rate({ ...endpoint, limit: 20, per: 1_000 }),
      concurrency({ ...account, limit: 1 }),
    ]
    const { timer, keepAsking, send } = world({ tiers, guard: 0 })
    let served = 0
    for (let i = 0; i < 60; i++) keepAsking({ account: '', endpoint: 'busy' }, () => served++)
    const slow = new Observable<number>((subscriber) =>
      timer.schedule(() => subscriber.complete(), 9_000),
    )
    for (const [i, account] of ['slow 1', 'slow 2', 'slow 3'].entries()) {
      const again = () => send({ account, endpoint: account }, again, slow)
      timer.schedule(() => {
        for (let n = 0; n < 3; n++) again()
        keepAsking({ account, endpoint: 'busy' }, () => served++)
      }, i * 3_000)
    }
    timer.flush(300_000)
    expect(served).toBeGreaterThan(0.94 * 20 * 300)
  })

  it('is given on when a limit of that one pauses', () => {
    const tiers = [concurrency({ ...endpoint, limit: 1 }), concurrency({ ...account, limit: 4 })]
    const { timer, keepAsking, send, served } = busy({ tiers }, 'endpoint')
    let refusing = false
    const refused = () => (refusing ? O.some({ retryAfter: 30_000 }) : O.none)
    const slow = new Observable<number>((subscriber) =>
      timer.schedule(() => {
        subscriber.next(1)
        subscriber.complete()
      }, 3_000),
    )
    for (let i = 0; i < 20; i++) {
      const again = () => send({ account: 'slow', endpoint: '' }, again, slow, refused)
      again()
    }
    timer.schedule(() => {
      refusing = true
    }, 11_000)
    keepAsking({ account: 'slow', endpoint: 'busy' }, nothing)
    timer.flush(20_000)
    expect(served(14_000, 20_000)).toBeGreaterThan(50)
  })

  it('is given on when a limit of that one pauses, also where nobody waits for that limit', () => {
    const paid = ({ account }: Request) => (account ? 'paid' : undefined)
    const tiers = [...tiersOf('places', 1), rate({ name: 'paid', key: paid, limit: 5, per: 1_000 })]
    const { timer, send, served } = busy({ tiers }, 'endpoint')
    const lasting = (ms: number) =>
      new Observable<number>((subscriber) => timer.schedule(() => subscriber.next(1), ms))
    const isOver = () => (timer.now() < 13_000 ? O.some({ retryAfter: 30_000 }) : O.none)
    for (const ms of [5_000, 5_400, 60_000]) {
      send({ account: 'slow', endpoint: '' }, nothing, lasting(ms).pipe(take(1)))
    }
    timer.flush(500)
    send({ account: 'slow', endpoint: 'busy' }, nothing)
    timer.flush(12_000)
    expect(served(11_000, 12_000)).toBe(0)
    for (let i = 0; i < 3; i++)
      send({ account: `${i}`, endpoint: '' }, nothing, lasting(50), isOver)
    timer.flush(20_000)
    expect(served(12_500, 20_000)).toBeGreaterThan(60)
  })

  it('is not kept for one that waits for who was there before it', () => {
    const { timer, send, keepAsking } = world({ tiers: tiersOf('places', 1) })
    const lasting = (ms: number) =>
      new Observable<number>((subscriber) => timer.schedule(() => subscriber.complete(), ms))
    send({ account: '', endpoint: 'slow' }, nothing, lasting(40_000))
    send({ account: 'busy', endpoint: '' }, nothing, lasting(12_000))
    timer.flush(1_000)
    send({ account: 'busy', endpoint: 'slow' }, nothing)
    let served = 0
    keepAsking({ account: 'busy', endpoint: '' }, () => served++)
    timer.flush(20_000)
    expect(served).toBeGreaterThan(60)
  })

  it.each([1, 5, 500])('is kept while a store is asked that lends after %d ms', (latency) => {
    const store = shared<Request>({
      name: 'store',
      key: ({ account, endpoint }) => (account && endpoint ? 'both' : undefined),
      take: () => rxTimer(latency, timer).pipe(map(() => ({ places: 1 }))),
    })
    const tiers = [...tiersOf('places', 1), store]
    const { timer, keepAsking, send, random } = world({ tiers })
    const slow = new Observable<number>((subscriber) =>
      timer.schedule(() => subscriber.complete(), 3_000 * (0.5 + random())),
    )
    const keepSlow = (request: Request): void => {
      send(request, () => keepSlow(request), slow)
    }
    for (let i = 0; i < 3; i++) {
      keepSlow({ account: 'busy', endpoint: '' })
      keepSlow({ account: '', endpoint: 'busy' })
    }
    timer.flush(1_000)
    let served = 0
    keepAsking({ account: 'busy', endpoint: 'busy' }, () => served++)
    timer.flush(120_000)
    expect(served).toBeGreaterThan(3)
  })

  it('is not kept while a store is asked that lends nothing, and takes its time', () => {
    const key = ({ endpoint }: Request) => (endpoint === 'lent' ? endpoint : undefined)
    const take = () => rxTimer(500, clock).pipe(map(() => ({ places: 0 })))
    const store = shared({ name: 'store', key, take })
    const {
      timer: clock,
      send,
      served,
    } = busy({
      tiers: [concurrency({ ...account, limit: 1 }), store],
    })
    send({ account: 'busy', endpoint: 'lent' }, nothing)
    clock.flush(100_000)
    for (let at = 0; at < 100_000; at += 5_000) expect(served(at, at + 5_000)).toBeGreaterThan(40)
  })

  it('is not kept where nobody has overtaken it: a store that lends nothing holds up no others', () => {
    const key = ({ endpoint }: Request) => (endpoint === 'lent' ? endpoint : undefined)
    const store = shared({ name: 'store', key, take: () => of({ places: 0 }) })
    const { timer, send, served } = busy({ tiers: [concurrency({ ...account, limit: 1 }), store] })
    send({ account: 'busy', endpoint: 'lent' }, nothing)
    timer.flush(100_000)
    for (let at = 0; at < 100_000; at += 5_000) expect(served(at, at + 5_000)).toBeGreaterThan(40)
  })
})
