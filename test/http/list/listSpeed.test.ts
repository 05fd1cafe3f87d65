/** How much of the quota a list in parallel uses, in virtual time: 200 pages of about 200 ms each. */
import { describe, expect, it } from 'vitest'
import { CHARGE, lab, type Play } from '../../support/lab.js'

const PAGES = 200
const CEILING = 20

/** Repeatable numbers from 0 to below 1. */
const seeded = (seed: number) => () => {
  seed = (seed * 16_807) % 2_147_483_647
  return seed / 2_147_483_647
}

const uneven = (by: number): Play => {
  const random = seeded(7)
  return ({ query }) => {
    const num = Number(query.get('page_num'))
    return {
      ms: 200 + by * random(),
      body: { has_more: num < PAGES - 1, items: [{ ...CHARGE, id: `chg_${num}` }] },
    }
  }
}

/** Pages a second, the login included. */
const rate = (out: ReadonlyArray<{ readonly at: number }>): number => {
  expect(out).toHaveLength(PAGES)
  return (PAGES * 1_000) / (out.at(-1)?.at ?? 0)
}

describe('a list in parallel', () => {
  it.each([0, 10, 40])('uses 95 %% of the quota, with answers uneven by %i ms', (by) => {
    const { client, run, calls } = lab({ play: uneven(by) })
    const share = rate(run(client.charges.list().parallel(10).pages)) / CEILING
    expect(share).toBeGreaterThan(0.95)
    expect(calls().length).toBeLessThan(PAGES + 10)
  })

  it('does the same unordered', () => {
    const { client, run } = lab({ play: uneven(40) })
    const pages = client.charges.list().parallel(10, { ordered: false }).pages
    expect(rate(run(pages)) / CEILING).toBeGreaterThan(0.95)
  })

  it('is four times as fast as one page after the other', () => {
    const { client, run } = lab({ play: uneven(0) })
    expect(rate(run(client.charges.list().pages))).toBeCloseTo(5, 1)
  })
})
