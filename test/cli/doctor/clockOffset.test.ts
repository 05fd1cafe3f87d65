import fc from 'fast-check'
import { expect, it } from 'vitest'
import { clockOffset, type DatedAnswer } from '../../../src/cli/doctor/service.js'

/** Answers of a service whose clock is `ahead` ms of ours. */
const answer = (ahead: number) =>
  fc
    .record({
      sent: fc.integer({ min: 1e12, max: 1e12 + 1e7 }),
      there: fc.nat(400),
      back: fc.nat(400),
    })
    .map(
      ({ sent, there, back }): DatedAnswer => ({
        sent,
        received: sent + there + back,
        date: Math.floor((sent + there + ahead) / 1_000) * 1_000,
      }),
    )

const worlds = fc
  .integer({ min: -1e6, max: 1e6 })
  .chain((ahead) =>
    fc.array(answer(ahead), { minLength: 1, maxLength: 8 }).map((answers) => ({ ahead, answers })),
  )

it('lies within its stated error for any delays', () => {
  fc.assert(
    fc.property(worlds, ({ ahead, answers }) => {
      const found = clockOffset(answers)
      expect(found).toBeDefined()
      expect(Math.abs((found?.ms ?? 0) - ahead)).toBeLessThanOrEqual(found?.within ?? 0)
    }),
  )
})

it('narrows with every answer', () => {
  fc.assert(
    fc.property(worlds, ({ answers }) => {
      const all = clockOffset(answers)?.within ?? 0
      expect(all).toBeLessThanOrEqual(clockOffset(answers.slice(0, 1))?.within ?? 0)
    }),
  )
})

it('is unknown without answers, and when answers contradict each other', () => {
  expect(clockOffset([])).toBeUndefined()
  expect(
    clockOffset([
      { sent: 0, received: 10, date: 0 },
      { sent: 20, received: 30, date: 60_000 },
    ]),
  ).toBeUndefined()
})
