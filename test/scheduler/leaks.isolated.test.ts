/** Memory: nothing grows with the number of requests that have ended. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { NEVER, Observable, of, timer as timerOf } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { virtualTimer } from '../../bench/simulated/virtualTimer.js'
import { O } from '../../src/fp.js'
import { concurrency, createScheduler, rate, schedule } from '../../src/scheduler/index.js'
import { stateOf } from './world.js'

const collect = (): number => {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

describe('nothing stays in memory', () => {
  const setUp = (limit: number) => {
    const timer = virtualTimer()
    const scheduler = createScheduler<number>({
      tiers: [
        rate({ name: 'r', limit, per: 1 }),
        rate({ name: 'key', limit: 100, per: 1, key: (n) => `${Math.floor(n / 20)}` }),
        concurrency({ name: 'c', limit: 100 }),
      ],
      guard: 0,
      timer,
    })
    return { timer, scheduler, state: () => stateOf(scheduler) }
  }

  it('after 400,000 requests, with 20,000 keys one after the other', () => {
    const { timer, scheduler, state } = setUp(1_000_000)
    let done = 0
    const complete = (): void => {
      done++
    }
    const many = (from: number, to: number): void => {
      for (let n = from; n < to; n++) {
        of(n).pipe(schedule(scheduler, n)).subscribe({ complete })
        if (n % 100 === 99) timer.flush(timer.now() + 1)
      }
    }
    many(0, 100_000)
    const before = collect()
    many(100_000, 400_000)
    timer.flush()
    expect(collect() - before).toBeLessThan(1_000_000) // 3 bytes a request: noise
    expect(done).toBe(400_000)
    expect(timer.pending()).toBe(0)
    expect(state()).toMatchObject({ waiting: 0, inFlight: 0, backingOff: 0 })
    expect(state()?.tiers[1]?.keys).toBeLessThan(2_000)
  })

  it('after requests that were cancelled or refused, wherever they were', () => {
    const { timer, scheduler, state } = setUp(50)
    const flaky = () => {
      let times = 0
      return new Observable<number>((subscriber) => {
        subscriber.next(times++)
        subscriber.complete()
      })
    }
    const refused = (times: number) => (times === 0 ? O.some({}) : O.none)
    const round = (): void => {
      for (let n = 0; n < 100; n++) {
        const waits = timerOf(1, timer).pipe(schedule(scheduler, n % 7))
        const queued = waits.subscribe()
        const flying = NEVER.pipe(schedule(scheduler, n % 7)).subscribe()
        const backing = flaky()
          .pipe(schedule(scheduler, n % 7, { refused }))
          .subscribe()
        flaky()
          .pipe(schedule(scheduler, n % 7, { refused }))
          .subscribe()
        timer.schedule(() => queued.unsubscribe(), 0)
        timer.schedule(() => flying.unsubscribe(), 30)
        timer.schedule(() => backing.unsubscribe(), 60)
      }
      timer.flush()
    }
    for (let i = 0; i < 20; i++) round()
    const before = collect()
    for (let i = 0; i < 200; i++) round()
    expect(collect() - before).toBeLessThan(1_000_000) // 12 bytes a request: noise
    expect(timer.pending()).toBe(0)
    expect(state()).toMatchObject({ waiting: 0, inFlight: 0, backingOff: 0 })
  })
})
