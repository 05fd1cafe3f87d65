/**
 * A Redis that refuses in the middle of a run, or answers no more, is told within five seconds in its own words, once, and so
 * is that it answers again: nothing waits in silence.
 */
import { interval, mergeMap } from 'rxjs'
import { expect, it } from 'vitest'
import { seeded } from '../../bench/simulated/random.js'
import { redisQuota } from '../../src/quota/index.js'
import { createSandbox } from '../../src/sandbox/index.js'
import { virtualTime } from '../support/idleClock.js'
import { runs, SEED, sample } from '../support/runs.js'
import { sandboxClient } from '../support/sandboxClient.js'
import { decodeReport } from './fleet.js'

/** In ms: how soon it is told. */
const SOON = 5_000

const WORDS = [
  "NOPERM User x has no permissions to run the 'evalsha' command",
  "READONLY You can't write against a read only replica.",
  "OOM command not allowed when used memory > 'maxmemory'.",
  'NOREPLICAS Not enough good replicas to write.',
  'MOVED 3999 127.0.0.1:6381',
  'CLUSTERDOWN The cluster is down',
  'WRONGTYPE Operation against a key holding the wrong kind of value',
  'LOADING Redis is loading the dataset in memory',
  undefined, // no answer
]

/** A client with a quota that always has requests, in virtual time. */
const busyClient = (answers: (now: number) => Promise<void>) => {
  const { timer, pass } = virtualTime()
  const start = timer.now()
  const heard: Array<number> = []
  const told: Array<{ readonly at: number; readonly message: string }> = []
  const client = sandboxClient(createSandbox({ charges: 10, timer }).fetch, {
    timer,
    quota: redisQuota({
      account: 'main',
      send: async (command) => {
        const now = timer.now() - start
        heard.push(now)
        await answers(now)
        return decodeReport(command).claims.flatMap(({ limit }) => [limit, 1])
      },
    }),
  })
  client.events.subscribe((event) => {
    if (event._tag === 'QuotaChanged') {
      told.push({ at: timer.now() - start, message: event.message })
    }
  })
  const working = interval(200, timer)
    .pipe(mergeMap(() => client.reference.supportedCurrencies()))
    .subscribe()
  /** Lets time pass up to a moment; the hash of the script is made by another thread, in real time. */
  const passTo = async (end: number): Promise<void> => {
    while (timer.now() - start < end) {
      await pass(50)
      while (heard.length === 0 && timer.now() - start > 1_000) {
        await new Promise(setImmediate)
      }
    }
  }
  return { heard, told, passTo, close: () => working.unsubscribe() }
}

it.each(sample(5, WORDS))(`%s (seed ${SEED})`, async (words) => {
  const random = seeded(SEED)
  for (let game = 0; game <= runs(4); game++) {
    const from = game === 0 ? 0 : Math.floor(random() * 12_000)
    const until = from + SOON + Math.floor(random() * 10_000)
    const { heard, told, passTo, close } = busyClient(async (now) => {
      if (now < from || now >= until) return
      await (words === undefined ? new Promise(() => {}) : Promise.reject(new Error(words)))
    })
    await passTo(until + SOON)
    close()
    const refused = heard.find((at) => at >= from) ?? 0
    const [first, second, ...more] = told
    const when = `game ${game}: refused from ${refused} to ${until}, told ${JSON.stringify(told)}`
    expect(first?.message, when).toContain(words ?? 'no reply within 1 s')
    expect((first?.at ?? Number.POSITIVE_INFINITY) - refused, when).toBeLessThanOrEqual(SOON)
    expect(second?.message, when).toContain('responds again')
    expect((second?.at ?? Number.POSITIVE_INFINITY) - until, when).toBeLessThanOrEqual(SOON)
    expect(more, when).toEqual([])
  }
})
