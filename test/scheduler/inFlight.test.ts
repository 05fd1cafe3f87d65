/** What is under way, by the tier that counts it. */
import { NEVER, of, type Subscription } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { O } from '../../src/fp.js'
import { concurrency, createScheduler, rate, schedule, shared } from '../../src/scheduler/index.js'
import { virtualTimer } from '../support/simulated/virtualTimer.js'
import { stateOf } from './world.js'

const world = () => {
  const timer = virtualTimer()
  const scheduler = createScheduler<string>({
    tiers: [
      rate({ name: 'all', limit: 10, per: 1_000 }),
      rate({ name: 'some', limit: 3, per: 1_000, key: (key) => key || undefined }),
      concurrency({ name: 'at once', limit: 20, key: (key) => key }),
      shared({ name: 'store', batch: 9, take: (_, places) => of({ places }) }),
    ],
    timer,
    random: () => 0,
  })
  const start = (key: string): Subscription => NEVER.pipe(schedule(scheduler, key)).subscribe()
  const inFlight = () => stateOf(scheduler)?.tiers.map(({ inFlight }) => inFlight)
  return { inFlight, scheduler, start, timer }
}

describe('what is under way of each tier', () => {
  it('is what it counts, of all keys, and not what waits', () => {
    const { inFlight, start } = world()
    expect(inFlight()).toEqual([0, 0, 0, 0])
    for (const key of ['', '', 'a', 'a', 'a', 'a', 'b']) start(key)
    expect(inFlight()).toEqual([6, 4, 6, 6])
  })

  it('is not what has ended, though its places are still taken', () => {
    const { inFlight, scheduler, start } = world()
    const first = start('a')
    start('b')
    first.unsubscribe()
    expect(inFlight()).toEqual([1, 1, 1, 1])
    expect(
      stateOf(scheduler)
        ?.tiers.slice(0, 3)
        .map(({ used }) => used),
    ).toEqual([2, 2, 2])
  })

  it('is not what backs off', () => {
    const { inFlight, scheduler, timer } = world()
    let refused = 0
    of(1)
      .pipe(schedule(scheduler, 'a', { refused: () => (refused++ ? O.none : O.some({})) }))
      .subscribe()
    expect(stateOf(scheduler)).toMatchObject({ backingOff: 1, inFlight: 0 })
    expect(inFlight()).toEqual([0, 0, 0, 0])
    timer.flush()
    expect(refused).toBe(2)
  })
})
