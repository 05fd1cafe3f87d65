/** Tiers of the same window have one slack: it learns from those whose guard is learned, and from no other. */
import { none, some } from 'fp-ts/lib/Option.js'
import { delay, of } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { createScheduler, type Guard, rate, schedule } from '../../src/scheduler/index.js'
import { virtualTimer } from '../support/simulated/virtualTimer.js'
import { stateOf } from './world.js'

/** The guard that a tier has learned which is refused nothing, beside one with this guard which is. */
const learnedBeside = (guard: Guard): number | undefined => {
  const timer = virtualTimer()
  const scheduler = createScheduler<'a' | 'b'>({
    tiers: [
      rate({ name: 'a', limit: 10, per: 1_000, key: (to) => (to === 'a' ? to : undefined) }),
      rate({ name: 'b', limit: 10, per: 1_000, guard, key: (to) => (to === 'b' ? to : undefined) }),
    ],
    timer,
    random: () => 0,
  })
  const send = (to: 'a' | 'b', ok: () => boolean) =>
    of(0)
      .pipe(
        delay(20, timer),
        schedule(scheduler, to, { attempts: 1, refused: () => (ok() ? none : some({})) }),
      )
      .subscribe()
  let sent = 0
  for (let at = 0; at < 20_000; at += 100) timer.schedule(() => send('a', () => true), at)
  for (let i = 0; i < 200; i++) send('b', () => ++sent % 17 > 0)
  timer.flush(30_000)
  return stateOf(scheduler)?.tiers[0]?.guard
}

describe('a learned guard', () => {
  it.each(['safe', 0, 30] as const)('learns nothing from refusals of a tier with %s', (guard) => {
    expect(learnedBeside(guard)).toBe(3)
  })

  it('learns from those of another one that is learned', () => {
    expect(learnedBeside('learned')).toBeGreaterThan(30)
  })
})
