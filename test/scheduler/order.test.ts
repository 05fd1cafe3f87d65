import fc from 'fast-check'
import { defer, delay, of, timer as timerOf } from 'rxjs'
import { map } from 'rxjs/operators'
import { describe, expect, it } from 'vitest'
import { O } from '../../src/fp.js'
import { concurrency, createScheduler, rate, schedule } from '../../src/scheduler/index.js'
import { virtualTimer } from '../support/simulated/virtualTimer.js'

/** One place a window for all: `ask(key, lane)` now or later; the order in which they went, and when. */
const single = (options: { lanes?: Record<string, number>; patience?: number } = {}) => {
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

describe('who goes first', () => {
  it('is first in, first out within a key', () => {
    const { timer, went, ask } = single()
    for (let i = 0; i < 5; i++) ask(`${i}`, 'a')
    timer.flush()
    expect(went).toEqual(['0', '1', '2', '3', '4'])
  })

  it('is first in, first out among those that come back, too, before all others', () => {
    const timer = virtualTimer()
    const tiers = [rate({ name: 'all', limit: 4, per: 1_000, guard: 0 })]
    const scheduler = createScheduler({ timer, tiers })
    const sent: Array<number> = []
    for (let n = 0; n < 12; n++) {
      defer(() => {
        const ok = n % 4 === 0 || sent.includes(n)
        sent.push(n)
        return of(ok).pipe(delay(10, timer))
      })
        .pipe(schedule(scheduler, n, { refused: (ok) => (ok ? O.none : O.some({})) }))
        .subscribe()
    }
    timer.flush(1_500)
    expect(sent.slice(0, 8)).toEqual([0, 1, 2, 3, 1, 2, 3, 4])
  })

  it('is the key with the most waiting, when a shared limit binds', () => {
    const { timer, went, ask } = single()
    for (const name of ['x', 'a1', 'b1', 'b2', 'b3', 'a2']) ask(name, name.charAt(0))
    timer.flush()
    expect(went.slice(0, 2)).toEqual(['x', 'b1'])
    expect(went.indexOf('b1')).toBeLessThan(went.indexOf('a1'))
  })

  it('is not the longest for ever: a key that has waited for the patience goes', () => {
    const { timer, times, ask } = single({ patience: 100 })
    for (let i = 0; i < 50; i++) ask(`a${i}`, 'a')
    ask('b', 'b')
    timer.flush()
    expect(times.get('b')).toBe(110)
  })

  it('leaves no key unserved for longer than the patience and a round of all keys', () => {
    const arrivals = fc.array(
      fc.record({
        at: fc.integer({ min: 0, max: 2_000 }),
        key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
        many: fc.integer({ min: 1, max: 60 }),
      }),
      { minLength: 1, maxLength: 30 },
    )
    fc.assert(
      fc.property(arrivals, fc.integer({ min: 10, max: 1_000 }), (all, patience) => {
        const { timer, went, times, ask } = single({ patience })
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
            expect(now - Math.max(at, before)).toBeLessThanOrEqual(patience + (asked.size + 1) * 10)
            before = now
          }
        }
      }),
      { numRuns: 60 },
    )
  })

  it('takes turns between lanes by their weights', () => {
    const { timer, went, ask } = single({ lanes: { interactive: 3, bulk: 1 } })
    for (let i = 0; i < 9; i++) ask('b', 'a', 'bulk')
    for (let i = 0; i < 9; i++) ask('i', 'a', 'interactive')
    timer.flush()
    expect(went.join('').slice(0, 13)).toBe('bibiiibiiibii')
  })

  it('lets an interactive request overtake a long queue', () => {
    const { timer, went, ask } = single()
    for (let i = 0; i < 100; i++) ask('b', 'a', 'bulk')
    timer.flush(95)
    ask('i', 'a', 'interactive')
    timer.flush()
    expect(went.indexOf('i')).toBeLessThanOrEqual(11)
  })

  it('starves no lane: a bulk request waits for one round of the weights at most', () => {
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
            patience: 50,
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
      { numRuns: 30 },
    )
  })

  it('holds up no key for another, whatever waits', () => {
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
