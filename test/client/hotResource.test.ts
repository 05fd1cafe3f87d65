/** A charge, and an account, with a limit of its own, beside other calls of the same endpoint, in virtual time. */
import { map, merge, mergeMap, type Observable, range, tap, timer as timerOf } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { memoized } from '../../src/fp.js'
import type { Client } from '../../src/index.js'
import { createSandbox } from '../../src/sandbox/index.js'
import { virtualTime } from '../support/idleClock.js'
import { sample } from '../support/runs.js'
import { sandboxClient } from '../support/sandboxClient.js'

/** Returns what was answered in 30 s: of 25 callers of ordinary charges, and of `callers` of what is let in once a second. */
const answered = async (callers: number, hotOf: (client: Client) => Client['charges']) => {
  const { timer, pass } = virtualTime()
  const sandbox = createSandbox({ charges: 1, timer, latency: 100, jitter: 20 })
  let letInAt = Number.NEGATIVE_INFINITY
  const client = sandboxClient(
    async (input, init) => {
      const isHot = `${input}`.endsWith('/hot') || new Headers(init?.headers).has('x-on-behalf-of')
      if (!isHot) return sandbox.fetch(input, init)
      const ok = timer.now() - letInAt >= 1_000
      if (ok) letInAt = timer.now()
      const body = JSON.stringify({ code: ok ? 'not_found' : 'too_many_requests', message: '' })
      const answer = new Response(body, { status: ok ? 404 : 429 })
      return new Promise((resolve) => {
        timerOf(50, timer)
          .pipe(map(() => resolve(answer)))
          .subscribe()
      })
    },
    { timer, random: () => 0.5 },
  )
  const seen = { others: 0, hot: 0 }
  const endless = (call: (n: number) => Observable<unknown>, count: number) =>
    range(0, 100_000).pipe(mergeMap(call, count))
  const others = endless((n) => client.charges.retrieve({ id: `other_${n}` }), 25)
  const hot = endless(() => hotOf(client).retrieve({ id: 'hot' }), callers)
  const calls = merge(
    others.pipe(tap(() => seen.others++)),
    ...(callers === 0 ? [] : [hot.pipe(tap(() => seen.hot++))]),
  ).subscribe()
  await pass(30_000)
  calls.unsubscribe()
  return seen
}

const own = ({ charges }: Client) => charges

const unhindered = memoized(() => answered(0, own))

describe('a call that the platform limits singly does not brake its endpoint', () => {
  it.each<[string, (client: Client) => Client['charges']]>([
    ['a charge', own],
    ['a connected account', (client) => client.with({ onBehalfOf: 'acct_1' }).charges],
  ])('%s', async (_, hotOf) => {
    const alone = await unhindered()
    for (const callers of sample(1, [5, 20])) {
      const { others, hot } = await answered(callers, hotOf)
      expect(others).toBeGreaterThanOrEqual(0.85 * alone.others)
      expect(hot).toBeGreaterThanOrEqual(24)
    }
  })
})
