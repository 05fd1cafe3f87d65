/** Which request is sent next: by lane, by queue, by age, and where the keys of several tiers cross. */
import fc from 'fast-check'
import { defer, delay, NEVER, Observable, of, take, timer as timerOf } from 'rxjs'
import { map } from 'rxjs/operators'
import { describe, expect, it } from 'vitest'
import { seeded } from '../../bench/simulated/random.js'
import { virtualTimer } from '../../bench/simulated/virtualTimer.js'
import { O } from '../../src/fp.js'
import {
  concurrency,
  createScheduler,
  rate,
  type SchedulerOptions,
  schedule,
} from '../../src/scheduler/index.js'
import { runs, sample } from '../support/runs.js'

/** One request a window, of all keys; records the order in which they were sent, and when. */
const single = (options: { lanes?: Record<string, number>; maxQueueAge?: number } = {}) => {
  const timer = virtualTimer()
  const scheduler = createScheduler<string>({
    tiers: [
      rate({ name: 'all', limit: 1, per: 10 }),
      concurrency({ name: 'key', limit: 1_000, key: (key) => key }),
    ],
    guard: 0,
    timer,
    ...options,
  })
  const went: Array<string> = []
  const times = new Map<string, number>()
  const ask = (name: string, key: string, lane?: string): void => {
    of(name)
      .pipe(schedule(scheduler, key, lane === undefined ? {} : { lane }))
      .subscribe((done) => {
        went.push(done)
        times.set(done, timer.now())
      })
  }
  return { timer, went, times, ask }
}

describe('the next request', () => {
  it('is the first one that came, within a key', () => {
    const { timer, went, ask } = single()
    for (let i = 0; i < 5; i++) ask(`${i}`, 'a')
    timer.flush()
    expect(went).toEqual(['0', '1', '2', '3', '4'])
  })

  it('is one that was refused, before all others; of several the first one', () => {
    const timer = virtualTimer()
    const tiers = [rate({ name: 'all', limit: 4, per: 1_000, guard: 0 })]
    const scheduler = createScheduler({ timer, tiers })
    const sent: Array<number> = []
    for (let n = 0; n < 12; n++) {
      defer(() => {
        const ok = n % 4 === 0 || n % 4 === 3 || sent.includes(n)
        sent.push(n)
        return of(ok).pipe(delay(10, timer))
      })
        .pipe(schedule(scheduler, n, { refused: (ok) => (ok ? O.none : O.some({})) }))
        .subscribe()
    }
    timer.flush(1_500)
    expect(sent.slice(0, 8)).toEqual([0, 1, 2, 3, 1, 2, 4, 5])
  })

  it('is of the key with the longest queue, when keys share a limit', () => {
    const { timer, went, ask } = single()
    for (const name of ['x', 'a1', 'b1', 'b2', 'b3', 'a2']) ask(name, name.charAt(0))
    timer.flush()
    expect(went.slice(0, 2)).toEqual(['x', 'b1'])
    expect(went.indexOf('b1')).toBeLessThan(went.indexOf('a1'))
  })

  it('is of a key that was not served for `maxQueueAge`, before longer queues', () => {
    const { timer, times, ask } = single({ maxQueueAge: 100 })
    for (let i = 0; i < 50; i++) ask(`a${i}`, 'a')
    ask('b', 'b')
    timer.flush()
    expect(times.get('b')).toBe(110)
  })

  it('leaves no key unserved for longer than `maxQueueAge` and one turn of each key', () => {
    const arrivals = fc.array(
      fc.record({
        at: fc.integer({ min: 0, max: 2_000 }),
        key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
        many: fc.integer({ min: 1, max: 60 }),
      }),
      { minLength: 1, maxLength: 30 },
    )
    fc.assert(
      fc.property(arrivals, fc.integer({ min: 10, max: 1_000 }), (all, maxQueueAge) => {
        const { timer, went, times, ask } = single({ maxQueueAge })
        const asked = new Map<string, Array<{ readonly name: string; readonly at: number }>>()
        all.forEach(({ at, key, many }, i) => {
          timer.schedule(() => {
            const mine = asked.get(key) ?? []
            asked.set(key, mine)
            for (let n = 0; n < many; n++) {
              const name = `${key}${i}.${n}`
              mine.push({ name, at: timer.now() })
              ask(name, key)
            }
          }, at)
        })
        timer.flush()
        expect(went).toHaveLength(all.reduce((sum, { many }) => sum + many, 0))
        for (const mine of asked.values()) {
          let before = 0 // when this key was served
          for (const { name, at } of mine) {
            const now = times.get(name) ?? Number.POSITIVE_INFINITY
            expect(now).toBeGreaterThanOrEqual(before)
            expect(now - Math.max(at, before)).toBeLessThanOrEqual(
              maxQueueAge + (asked.size + 1) * 10,
            )
            before = now
          }
        }
      }),
      { numRuns: runs(60) },
    )
  })

  it('is of each lane as often as its weight says', () => {
    const { timer, went, ask } = single({ lanes: { interactive: 3, bulk: 1 } })
    for (let i = 0; i < 9; i++) ask('b', 'a', 'bulk')
    for (let i = 0; i < 9; i++) ask('i', 'a', 'interactive')
    timer.flush()
    expect(went.join('').slice(0, 13)).toBe('bibiiibiiibii')
  })

  it('is of a lane that was idle no more often than its weight says: idle lanes save up no turns', () => {
    const { timer, went, ask } = single({ lanes: { interactive: 1, bulk: 1 } })
    for (let i = 0; i < 40; i++) ask('b', 'a', 'bulk')
    timer.flush(195)
    for (let i = 0; i < 10; i++) ask('i', 'a', 'interactive')
    timer.flush()
    const from = went.indexOf('i')
    expect(from).toBeGreaterThan(15)
    const next = went.slice(from, from + 10)
    expect(next.filter((name) => name === 'b').length).toBeGreaterThanOrEqual(4)
  })

  it('may be an interactive one that overtakes a long queue', () => {
    const { timer, went, ask } = single()
    for (let i = 0; i < 100; i++) ask('b', 'a', 'bulk')
    timer.flush(95)
    ask('i', 'a', 'interactive')
    timer.flush()
    expect(went.indexOf('i')).toBeLessThanOrEqual(11)
  })

  it('is not always of the lane with the greatest weight: a bulk request waits for one round at most', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.tuple(fc.integer({ min: 0, max: 300 }), fc.constantFrom('a', 'b', 'c')), {
          maxLength: 40,
        }),
        (weight, keys, bulk) => {
          const { timer, went, times, ask } = single({
            lanes: { interactive: weight, bulk: 1 },
            maxQueueAge: 50,
          })
          // More interactive requests than can ever go, at all times.
          for (let i = 0; i < 2_000; i++) ask(`i${i}`, `k${i % keys}`, 'interactive')
          const asked = new Map<string, number>()
          bulk.forEach(([at, key], i) => {
            timer.schedule(() => {
              asked.set(`b${i}`, timer.now())
              ask(`b${i}`, key, 'bulk')
            }, at)
          })
          timer.flush()
          expect(went.length).toBe(2_000 + bulk.length)
          const rounds = (weight + 2) * 10
          for (const [name, at] of asked) {
            expect((times.get(name) ?? Infinity) - at).toBeLessThanOrEqual(
              rounds * (bulk.length + 1),
            )
          }
        },
      ),
      { numRuns: runs(30) },
    )
  })

  it('is never held up by the limit of another key', () => {
    const timer = virtualTimer()
    const scheduler = createScheduler<string>({
      tiers: [concurrency({ name: 'key', limit: 1, key: (key) => key })],
      timer,
    })
    const seen: Array<string> = []
    const ask = (key: string, name: string): void => {
      timerOf(5, timer)
        .pipe(
          map(() => name),
          schedule(scheduler, key),
        )
        .subscribe((done) => seen.push(`${done}@${timer.now()}`))
    }
    for (let i = 0; i < 3; i++) ask('a', `a${i}`)
    ask('b', 'b')
    timer.flush()
    expect(seen).toEqual(['a0@5', 'b@5', 'a1@10', 'a2@15'])
  })
})

/** Not counted by a tier where its key is empty. */
interface Request {
  readonly account: string
  readonly endpoint: string
}

/** Default of `maxQueueAge`, in ms. */
const MAX_QUEUE_AGE = 10_000

const account = { name: 'account', key: ({ account }: Request) => account || undefined }
const endpoint = { name: 'endpoint', key: ({ endpoint }: Request) => endpoint || undefined }

const tiersOf = (kind: 'rates' | 'concurrency limits', limit: number) =>
  kind === 'rates'
    ? [rate({ ...account, limit, per: 1_000 }), rate({ ...endpoint, limit, per: 1_000 })]
    : [concurrency({ ...account, limit }), concurrency({ ...endpoint, limit })]

/** Requests that are answered after 50 to 150 ms, and some that are asked for again as soon as they are. */
const crossing = (options: SchedulerOptions<Request>, seed = 1) => {
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
    refused: () => O.Option<{ readonly retryAfter: number }> = () => O.none,
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

describe.each(
  sample(3, [
    ['rates', 20],
    ['rates', 5],
    ['rates', 2],
    ['rates', 1],
    ['concurrency limits', 5],
    ['concurrency limits', 2],
    ['concurrency limits', 1],
  ] as const),
)('where keys of two tiers cross, %s of %d,', (kind, limit) => {
  it('all are served again and again, and the limits are used up', () => {
    const { timer, random, keepAsking } = crossing({ tiers: tiersOf(kind, limit) })
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
    expect(longest).toBeLessThan(3 * MAX_QUEUE_AGE)
    const most = kind === 'rates' ? 5 * limit * 300 : (5 * limit * 300_000) / 100
    expect(served / most).toBeGreaterThan(0.96)
  })

  it.each(sample(1, [1, 2, 3]))('a request of two busy keys is sent, seed %d', (seed) => {
    const { timer, send, keepAsking } = crossing({ tiers: tiersOf(kind, limit) }, seed)
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
    expect(waited).toBeLessThan(MAX_QUEUE_AGE + 2_000)
  })
})

describe('a permit that is reserved for a request that was overtaken for too long', () => {
  /** One permit for each key, and those of one account, or endpoint, in use from 0 on. */
  const busy = (
    options: SchedulerOptions<Request> = { tiers: tiersOf('concurrency limits', 1) },
    what: keyof Request = 'account',
  ) => {
    const w = crossing(options)
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

  /** One request needs a busy account and a busy endpoint; at last a request has the endpoint that never ends. */
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

  it('is reserved for ten seconds, once, when the request that has the other permit never ends', () => {
    const { timer, served } = stuck()
    timer.flush(100_000)
    expect(served(11_500, 20_500)).toBe(0)
    for (let at = 22_000; at < 100_000; at += 6_000)
      expect(served(at, at + 6_000)).toBeGreaterThan(50)
  })

  it('is released at once when that request is cancelled', () => {
    const { timer, served, waiting } = stuck()
    waiting.unsubscribe()
    timer.flush(12_500)
    expect(served(11_500, 12_500)).toBeGreaterThan(7)
  })

  it('is a single one: the other permits of that limit are used meanwhile', () => {
    const tiers = [
      rate({ ...endpoint, limit: 20, per: 1_000 }),
      concurrency({ ...account, limit: 1 }),
    ]
    const { timer, keepAsking, send } = crossing({ tiers, guard: 0 })
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

  it('is released when another limit of that request is closed after refusals', () => {
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

  it('is released then also where no other request waits for the closed limit', () => {
    const paid = ({ account }: Request) => (account ? 'paid' : undefined)
    const tiers = [
      ...tiersOf('concurrency limits', 1),
      rate({ name: 'paid', key: paid, limit: 5, per: 1_000 }),
    ]
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

  it('is not reserved for a request that waits only for those that were sent before it', () => {
    const { timer, send, keepAsking } = crossing({ tiers: tiersOf('concurrency limits', 1) })
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
})
