import { of } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { loan } from '../../../src/scheduler/bucket/Loan.js'
import { clock } from '../../../src/scheduler/Clock.js'
import { departure } from '../../../src/scheduler/Departure.js'
import { virtualTimer } from '../../support/simulated/virtualTimer.js'

const store = () =>
  loan({
    name: 'store',
    key: '',
    take: () => of({ places: 10, valid: 1e9 }),
    batch: 1,
    clock: clock(virtualTimer()),
    counts: { refused: 0 },
    changed: () => {},
  })

const one = departure(0, false)

/** Three within a second. */
const burst = (of: ReturnType<typeof store>, now: number): ReadonlyArray<string> =>
  Array.from({ length: 3 }, () => of.refused(one, now, 0, false))

describe('a store that is suspected', () => {
  it('stops all for a second when three are refused within one', () => {
    const lent = store()
    expect(burst(lent, 0)).toEqual(['others', 'others', 'burst'])
    expect([lent.wait(0), lent.wait(999), lent.room(999)]).toEqual([1_000, 1, 0])
    expect(lent.wait(1_000)).toBe(0)
    expect(lent.refused(one, 2_000, 0, false)).toBe('others')
    expect(lent.wait(2_000)).toBe(0)
  })

  it('is less so with each pause that changes nothing, until a minute was quiet', () => {
    const lent = store()
    const told = [lent.suspicion(one, 0)]
    for (const now of [0, 1_000, 2_000]) {
      burst(lent, now)
      told.push(lent.suspicion(one, now))
    }
    expect(told).toEqual([3 / 4, 3 / 8, 3 / 16, 3 / 32])
    burst(lent, 2_000 + 59_999)
    expect(lent.suspicion(one, 0)).toBe(3 / 64)
    burst(lent, 2_000 + 59_999 + 60_000)
    expect(lent.suspicion(one, 0)).toBe(3 / 8)
  })
})
