/** A process that learns of a lower real limit reports each loss once: Redis adds up what it is told. */
import { Subject } from 'rxjs'
import { expect, it } from 'vitest'
import { virtualTimer } from '../../bench/simulated/virtualTimer.js'
import { redisQuota } from '../../src/quota/index.js'
import type { DividedScheduler } from '../../src/scheduler/SharedQuota.js'
import { decodeReport } from './fleet.js'

const LIMIT = 20
const REPORT_EVERY = 500

/** A process that always has a request, and reports to a Redis that grants it the whole limit. */
const busyProcess = () => {
  const timer = virtualTimer()
  const events = new Subject<Parameters<DividedScheduler['emit']>[0] | LimitChange>()
  const reported: Array<number> = []
  let isHeard = false
  let answers = Promise.resolve()
  const quota = redisQuota({
    account: 'main',
    uuid: () => 'a',
    send: async (command) => {
      isHeard = true
      const { claims } = decodeReport(command)
      const claim = claims.find(({ name }) => name.endsWith('limit:all'))
      if (claim !== undefined && claim.less > 0) reported.push(claim.less)
      await answers
      return claims.flatMap(({ limit }) => [limit, 1])
    },
  })
  const perKey = [{ key: undefined, waiting: 1, used: 1, allowed: LIMIT }]
  const tier = { name: 'all', kind: 'rate', per: 1_000, limit: LIMIT, allowed: LIMIT } as const
  const counts = { keys: 1, waiting: 1, used: 1, usedMost: 1, inFlight: 1, refused: 0, share: 1 }
  const tiers = [{ ...tier, ...counts, lowered: undefined, guard: undefined, perKey }]
  const byKey = { waitingKeys: 0, waitingByKey: [] }
  const state = { waiting: 1, inFlight: 1, backingOff: 0, started: 0, refused: 0, ...byKey, tiers }
  const member = quota.join({
    timer,
    tiers: [{ name: 'all', limit: LIMIT, per: 1_000 }],
    state: () => state,
    events,
    emit: () => {},
    configure: () => {},
  })
  member.joined()
  member.part('all', undefined)
  const pass = async (ms: number): Promise<void> => {
    for (const end = timer.now() + ms; timer.now() < end; ) {
      timer.flush(Math.min(end, timer.now() + 50))
      // the digest of the script is made by another thread: the first report waits for it
      do await new Promise(setImmediate)
      while (!isHeard)
    }
  }
  const changed = (allowed: number, limit: number): void =>
    events.next({ _tag: 'LimitChanged', tier: 'all', key: undefined, limit, allowed, message: '' })
  return {
    reported,
    /** The scheduler has learned that so many of a limit are admitted; several reports go by. */
    learn: async (allowed: number, limit = LIMIT): Promise<void> => {
      changed(allowed, limit)
      await pass(6 * REPORT_EVERY)
    },
    /** The scheduler learns this while a report is under way that tells of another loss. */
    learnMeanwhile: async (before: number, meanwhile: number): Promise<void> => {
      let answer = (): void => {}
      answers = new Promise((resolve) => {
        answer = resolve
      })
      changed(before, LIMIT)
      await pass(REPORT_EVERY)
      changed(meanwhile, LIMIT)
      answer()
      await pass(6 * REPORT_EVERY)
    },
    pass,
  }
}

type LimitChange = Extract<
  DividedScheduler['events'] extends import('rxjs').Observable<infer E> ? E : never,
  { readonly _tag: 'LimitChanged' }
>

it('reports a lower limit once, then only what it has lost beyond', async () => {
  const { reported, learn, pass } = busyProcess()
  await pass(5_000)
  await learn(12)
  expect(reported).toEqual([8])
  await learn(12)
  expect(reported).toEqual([8])
  await learn(9)
  expect(reported).toEqual([8, 3])
})

it('reports nothing while the limit recovers, and the whole loss once it was whole again', async () => {
  const { reported, learn, pass } = busyProcess()
  await pass(5_000)
  await learn(12)
  await learn(16)
  await learn(20)
  expect(reported).toEqual([8])
  await learn(15)
  expect(reported).toEqual([8, 5])
})

it('reports a loss that it learns of while a report is under way', async () => {
  const { reported, learnMeanwhile, pass } = busyProcess()
  await pass(5_000)
  await learnMeanwhile(12, 9)
  expect(reported).toEqual([8, 3])
})

it('reports the whole loss of a limit that was whole at a smaller part', async () => {
  const { reported, learn, pass } = busyProcess()
  await pass(5_000)
  await learn(10, 10)
  await learn(12, 20)
  expect(reported).toEqual([8])
})
