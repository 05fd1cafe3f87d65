/** The time at the service, by the `Date` of its answers. */
import { describe, expect, it } from 'vitest'
import { explainSkew, ServiceClock } from '../../src/http/ServiceClock.js'

const START = Date.UTC(2026, 0, 1)

/** A service whose clock is `skew` ahead of ours, and answers `took` after it was asked. `set`: our clock was set by so much. */
const answering = (skew: number, set = 0) => {
  const state = { now: START, told: [] as Array<number> }
  const clock = new ServiceClock({
    timer: { now: () => state.now },
    now: () => state.now + set,
    onSkew: (skew) => state.told.push(skew),
  })
  const answer = (took: number) => {
    const sent = state.now
    const written = new Date(Math.floor((state.now + took / 2 + skew) / 1_000) * 1_000)
    state.now += took
    clock.observe(written.toUTCString(), sent)
  }
  return { state, clock, answer }
}

describe('the time at the service', () => {
  it('is not known before an answer has told it, nor by one that does not', () => {
    const { clock, state } = answering(0)
    expect(clock.now()).toBeUndefined()
    for (const date of [undefined, '', 'soon']) clock.observe(date, state.now)
    expect(clock.now()).toBeUndefined()
  })

  it.each([-90_000, -400, 0, 700, 90_000])('is never later than it is, %d ms ahead', (skew) => {
    const { clock, state, answer } = answering(skew)
    for (let n = 0; n < 50; n++) {
      answer((n * 137) % 900)
      const now = clock.now() ?? Number.NaN
      expect(now).toBeLessThanOrEqual(state.now + skew)
      expect(now).toBeGreaterThan(state.now + skew - 2_000)
      state.now += (n * 613) % 5_000
    }
  })

  it('follows a clock that is set meanwhile', () => {
    const { clock, state, answer } = answering(0)
    answer(100)
    state.now += 3_600_000 // ours was set
    clock.observe(new Date(START + 1_000).toUTCString(), state.now)
    expect(clock.now()).toBe(START + 1_000)
  })

  it('is told to be another once, if it certainly is', () => {
    for (const [skew, told] of [
      [1_900, []],
      [-1_900, []],
      [4_000, [1]],
      [-4_000, [-1]],
    ] as const) {
      for (const set of [0, 3_600_000]) {
        const { state, answer } = answering(skew + set, set)
        for (let n = 0; n < 3; n++) answer(900)
        expect(state.told.map(Math.sign)).toEqual(told)
      }
    }
    expect(explainSkew(4_000)).toMatch(/^the clock of this machine is 4 s behind the service's/)
    expect(explainSkew(-4_000)).toMatch(/^the clock of this machine is 4 s ahead of the service's/)
  })
})
