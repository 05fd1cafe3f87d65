/** Calls for several accounts of one client take turns. */
import { from, lastValueFrom, mergeMap, tap, toArray } from 'rxjs'
import { describe, expect, it } from 'vitest'
import type { ClientOptions } from '../../src/client/ClientOptions.js'
import { createSandbox } from '../../src/sandbox/index.js'
import { virtualTime } from '../support/idleClock.js'
import { sandboxClient } from '../support/sandboxClient.js'

/** Calls for the one account: 20 of them are sent a second. */
const LARGE = 400

/** Runs these, and then five for another at the same endpoint; returns seconds. */
const largeAndSmall = async (options: ClientOptions = {}) => {
  const { timer, run } = virtualTime()
  const sandbox = createSandbox({ charges: 10, latency: 50, timer })
  const payments = sandboxClient(sandbox.fetch, { timer, random: () => 0.5, ...options })
  const began = timer.now()
  const callsFor = (onBehalfOf: string, many: number) => {
    const { charges } = payments.with({ onBehalfOf })
    let ended = 0
    const done = lastValueFrom(
      from(Array.from({ length: many }, (_, i) => ({ id: `chg_${i}` }))).pipe(
        mergeMap((params) => charges.retrieve(params)),
        tap(() => {
          ended = (timer.now() - began) / 1_000
        }),
        toArray(),
      ),
    )
    return done.then((answers) => ({ ended, answers: answers.length }))
  }
  const both = Promise.all([callsFor('acct_large', LARGE), callsFor('acct_small', 5)])
  await run(both)
  const [large, small] = await both
  expect([large.answers, small.answers]).toEqual([LARGE, 5])
  return { small: small.ended, all: Math.max(large.ended, small.ended) }
}

describe('calls for one account behind hundreds for another', () => {
  it('end with the next turns, and the whole takes no longer', async () => {
    const fair = await largeAndSmall()
    const unfair = await largeAndSmall({ fair: false })
    expect(fair.small).toBeLessThan(1.3)
    expect(unfair.small).toBeGreaterThan(LARGE / 20)
    expect(Math.abs(fair.all / unfair.all - 1)).toBeLessThan(0.01)
  })

  it('have more turns by the weight of their account', async () => {
    const weight = (account: string | undefined) => (account === 'acct_large' ? 1_000 : 1)
    expect((await largeAndSmall({ fair: { weight } })).small).toBeGreaterThan(10)
  })

  it('take turns by a key of the caller', async () => {
    const by = () => 'all'
    expect((await largeAndSmall({ fair: { by } })).small).toBeGreaterThan(LARGE / 20)
  })
})
