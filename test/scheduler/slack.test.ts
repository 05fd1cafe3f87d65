import { describe, expect, it } from 'vitest'
import { type Departure, departure } from '../../src/scheduler/Departure.js'
import { type Slack, slack } from '../../src/scheduler/Guard.js'

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
    expect(beside.after(other)).toBe(alone.after(one))
  })
})
