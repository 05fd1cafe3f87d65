import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkService } from '../../../src/cli/doctor/service.js'
import { forAll } from '../../support/forAll.js'
import { lab, ME } from '../../support/lab.js'

/** The finding on a clock that is `ahead`, by answers that take `there` and `back`, in ms. */
const clock = (ahead: number, delays: ReadonlyArray<readonly [there: number, back: number]>) => {
  const { timer, transport, run } = lab({
    play: ({ at }, nth) => {
      const [there = 0, back = 0] = delays[nth - 1] ?? []
      const date = new Date(at + there + ahead).toUTCString() // in whole seconds
      return { ms: there + back, headers: { date }, body: { items: [], has_more: true } }
    },
  })
  const service = {
    environment: 'production',
    baseUrl: 'https://platform.test',
    credentials: ME,
    share: 1,
  } as const
  return run(checkService({ ...service, transport, timer }))
    .map(({ value }) => value)
    .find(({ check }) => check === 'clock')
}

it('the clock of the service lies within the stated error for any delays', () => {
  const ahead = fc.integer({ min: -1e6, max: 1e6 })
  const delays = fc.array(fc.tuple(fc.nat(400), fc.nat(400)), { minLength: 6, maxLength: 6 })
  forAll(ahead, delays, (ahead, delays) => {
    const { offsetMs, withinMs } = clock(ahead, delays)?.facts ?? {}
    expect(Math.abs(Number(offsetMs) - ahead)).toBeLessThanOrEqual(Number(withinMs) + 1) // rounded
    expect(withinMs).toBeLessThanOrEqual(900)
  })
})
