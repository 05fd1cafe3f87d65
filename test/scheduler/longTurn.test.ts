/** A turn of the event loop that outlasts a window: what starts in it leaves at its end, and counts from there. */
import { Observable } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { createScheduler, type Guard, rate, schedule } from '../../src/scheduler/index.js'
import { virtualTimer } from '../support/simulated/virtualTimer.js'

const LIMIT = 5
/** So many have been answered before. */
const LEARNED = 50

/** How many start in each turn, where many are asked for in one, after `busy` ms of it; `cost`: ms that a start takes. */
const startedInTurns = (guard: Guard, per: number, busy: number, cost: number) => {
  const timer = virtualTimer()
  let computing = 0 // in all turns so far
  const scheduler = createScheduler<void>({
    tiers: [rate({ name: 'rate', limit: LIMIT, per, guard })],
    timer: { now: () => timer.now() + computing, schedule: timer.schedule },
  })
  const turns = new Map<number, number>()
  const ask = (costs: number) =>
    new Observable<void>((subscriber) => {
      turns.set(timer.now(), (turns.get(timer.now()) ?? 0) + 1)
      computing += costs
      timer.schedule(() => {
        subscriber.next()
        subscriber.complete()
      }, 20)
    })
      .pipe(schedule(scheduler, undefined))
      .subscribe()
  for (let i = 0; i < LEARNED; i++) ask(0)
  timer.flush(60_000)
  ask(cost)
  computing += busy
  for (let i = 0; i < 4 * LIMIT; i++) ask(cost)
  timer.flush(120_000)
  return [...turns.values()]
}

describe('a turn that takes longer than a window', () => {
  it.each([
    ['learned', 200, 300, 0],
    ['learned', 50, 100, 0],
    ['learned', 200, 0, 60],
    [10, 200, 300, 0],
    [0, 50, 10, 20],
    ['safe', 200, 300, 0],
  ] as const)('lets the limit go, with %s, %d ms and %d of computing', (guard, per, busy, cost) => {
    const turns = startedInTurns(guard, per, busy, cost)
    expect(Math.max(...turns)).toBeLessThanOrEqual(LIMIT)
    expect(turns.reduce((sum, count) => sum + count, 0)).toBe(LEARNED + 1 + 4 * LIMIT)
  })
})
