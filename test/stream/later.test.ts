import { describe, expect, it, vi } from 'vitest'
import { virtualTimer } from '../../bench/simulated/virtualTimer.js'
import { later } from '../../src/stream/later.js'

/** When it emits, and for how long timers were set. */
const waiting = (ms: number, until: number) => {
  const timer = virtualTimer()
  const schedule = vi.spyOn(timer, 'schedule')
  const at: Array<number> = []
  later(ms, timer).subscribe(() => at.push(timer.now()))
  timer.flush(until)
  return { at, longest: Math.max(...schedule.mock.calls.map(([, delay]) => delay ?? 0)) }
}

const DAY = 86_400_000

describe('later', () => {
  it.each([0, 1, 2 ** 31 - 1, 2 ** 31, 30 * DAY, 400 * DAY])(
    'emits once after %i ms, and sets no timer for longer than the platform can',
    (ms) => {
      const { at, longest } = waiting(ms, 1_000 * DAY)
      expect(at).toEqual([ms])
      expect(longest).toBeLessThan(2 ** 31)
    },
  )

  it('never emits after Infinity', () => {
    const { at, longest } = waiting(Number.POSITIVE_INFINITY, 1_000 * DAY)
    expect(at).toEqual([])
    expect(longest).toBeLessThan(2 ** 31)
  })
})
