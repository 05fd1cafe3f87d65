import { describe, expect, it } from 'vitest'
import { type Departure, departure } from '../../../src/scheduler/Departure.js'
import { type Slack, slack } from '../../../src/scheduler/slack/Slack.js'

/** A burst of two requests over connections that are open, one of them answered 20 ms late. */
const burst = (): Departure => ({
  ...departure(0, false),
  count: 2,
  open: 1,
  answers: 1,
  excess: 20,
  most: 20,
})

/** By a hundred requests, each 10 or 30 ms later than the fastest, which took 80. */
const learned = (): Slack => {
  const calls = slack(1_000, () => {})
  for (let i = 0; i < 100; i++) {
    const excess = i % 2 === 0 ? 10 : 30
    calls.answered(80 + excess, excess, departure(0, false))
  }
  return calls
}

describe('a burst that carries requests of two windows', () => {
  it('is held against what the one knows that knows something', () => {
    const alone = learned()
    const beside = learned()
    const logins = slack(60_000, () => {})
    const [one, other] = [burst(), burst()]
    logins.answered(100, 20, other)
    alone.answered(100, 20, one)
    beside.answered(100, 20, other)
    expect(beside.after(other, false)).toBe(alone.after(one, false))
  })
})

/** How long the places of a burst stay taken beyond their window that took so long to leave. */
const held = (calls: Slack, leaving: number, cold = false): number => {
  const left = departure(0, cold)
  left.leaving = leaving
  return calls.after(left, false)
}

describe('a burst that takes a while to leave', () => {
  it('is held half of that less, two ticks at most: the next one takes a while, too', () => {
    const calls = learned()
    const value = calls.value()
    expect(held(calls, 0)).toBe(value)
    expect(held(calls, 3)).toBe(value - 1.5)
    expect(held(calls, 100)).toBe(value - 2)
  })

  it('is held no less when it opened connections, which the next one does not', () => {
    const calls = learned()
    expect(held(calls, 100, true)).toBe(held(calls, 0, true))
  })
})

describe('a burst with a place that the server does not count', () => {
  /** After so many answers whose excess is evenly spread from 0 to 99 ms, so that a spread is 20. */
  const less = (answers: number) => {
    const calls = slack(1_000, () => {})
    for (let i = 0; i < answers; i++) {
      calls.answered(80 + (i % 100), i % 100, departure(0, false))
    }
    const quiet = departure(0, false)
    return { all: calls.after(quiet, false), spare: calls.after(quiet, true) }
  }

  it('is held less by three fifths of a spread', () => {
    const { all, spare } = less(200)
    expect(all - spare).toBeCloseTo(12)
  })

  it('is held half as long at the least', () => {
    const { all, spare } = less(20_000)
    expect(all).toBeLessThan(12)
    expect(spare).toBe(all / 2)
  })
})

describe('a burst that came as fast as any', () => {
  it('is held less once all of it is answered, and not before', () => {
    const calls = learned()
    for (let window = 0; window < 5; window++) calls.refused(1_000 * window)
    const quick = { ...departure(0, false), count: 2 }
    expect(calls.after({ ...quick, open: 1, answers: 1 }, false)).toBe(calls.value())
    expect(calls.after({ ...quick, open: 0, answers: 2 }, false)).toBeLessThan(calls.value() / 2)
  })
})

describe('the learned slack', () => {
  it('begins with one and a half spreads, and shrinks to two fifths while nothing is refused', () => {
    const calls = slack(1_000, () => {})
    const answer = (i: number): void => {
      const excess = 100 * ((i * 7) % 20) // evenly spread from 0 to 1,900
      calls.answered(80 + excess, excess, departure(0, false))
    }
    for (let i = 0; i < 32; i++) answer(i)
    expect(calls.value()).toBeGreaterThan(400)
    for (let i = 0; i < 20_000; i++) answer(i)
    const least = calls.value()
    expect(least).toBeGreaterThan(100)
    expect(least).toBeLessThan(200)
    for (let i = 0; i < 1_000; i++) answer(i)
    expect(calls.value()).toBeCloseTo(least)
  })

  it('grows once a window, however few are refused in it, and doubles with the eighth', () => {
    const calls = learned()
    const before = calls.value()
    calls.refused(0)
    const once = calls.value()
    expect(once).toBeGreaterThan(before)
    for (let i = 0; i < 6; i++) calls.refused(999)
    expect(calls.value()).toBe(once)
    calls.refused(999)
    expect(calls.value()).toBeGreaterThan(1.5 * once)
    const many = calls.value()
    calls.refused(1_000)
    expect(calls.value()).toBeGreaterThan(many)
  })

  it('does not double where the limit may be lower than it says', () => {
    const calls = learned()
    for (let i = 0; i < 20; i++) calls.refused(0, false)
    const once = calls.value()
    const other = learned()
    other.refused(0)
    expect(once).toBe(other.value())
  })

  it('forgets that it doubled when it was no fault of the network, and not what it learned before', () => {
    const refuseMany = (calls: Slack, at: number): void => {
      for (let i = 0; i < 8; i++) calls.refused(at)
    }
    const calls = learned()
    calls.refused(0)
    calls.refused(1_000)
    const before = calls.value()
    for (const at of [2_000, 3_000]) refuseMany(calls, at)
    expect(calls.value()).toBeGreaterThan(3 * before)
    calls.forgive()
    expect(calls.value()).toBeLessThan(2 * before)
    const once = calls.value()
    calls.forgive()
    expect(calls.value()).toBe(once)

    const late = learned()
    refuseMany(late, 0)
    const doubled = late.value()
    late.refused(4_000) // what was refused long before is not forgiven
    late.forgive()
    expect(late.value()).toBeGreaterThan(doubled)
  })
})
