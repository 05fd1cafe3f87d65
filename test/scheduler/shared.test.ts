import { map, mergeMap, of, range, throwError, timer } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { virtualTimer } from '../../bench/scheduler/timer.ts'
import {
  concurrency,
  createScheduler,
  type Lent,
  schedule,
  shared,
} from '../../src/scheduler/index.js'

/** Lends three places every 100 ms, and answers after 5. */
const run = (batch: number, requests: number, broken = 0) => {
  const clock = virtualTimer()
  const [asked, went]: [Array<number>, Array<number>] = [[], []]
  let [period, lent] = [0, 0]
  const take = (_: string, places: number) => {
    asked.push(clock.now())
    if (asked.length <= broken) return throwError(() => new Error('down'))
    return timer(5, clock).pipe(
      map((): Lent => {
        const now = Math.floor(clock.now() / 100)
        if (now > period) [period, lent] = [now, 0]
        const granted = Math.min(places, 3 - lent)
        lent += granted
        return { places: granted, wait: (period + 1) * 100 - clock.now(), valid: 50 }
      }),
    )
  }
  const scheduler = createScheduler({
    tiers: [shared({ name: 'store', take, batch }), concurrency({ name: 'places', limit: 2 })],
    timer: clock,
  })
  range(0, requests)
    .pipe(mergeMap((i) => of(i).pipe(schedule(scheduler, undefined))))
    .subscribe(() => went.push(clock.now()))
  clock.flush()
  return { asked, went, pending: clock.pending() }
}

describe('a limit in a store', () => {
  it('starts as many as the store lends, and asks again when it said', () => {
    const { went, pending } = run(3, 7)
    expect(went).toEqual([5, 5, 5, 105, 105, 105, 205])
    expect(pending).toBe(0)
  })

  it('asks once for several, and for nobody when nobody waits', () => {
    expect(run(3, 3).asked).toEqual([0])
    expect(run(1, 3).asked).toEqual([0, 5, 10])
  })

  it('asks again when the store fails', () => {
    expect(run(3, 1, 2).asked).toEqual([0, 1_000, 2_000])
  })
})
