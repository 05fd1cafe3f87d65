/** Runs of payments that are killed at every request, and run again; two at once; faults, and lists that are behind. */
import { lastValueFrom, timer } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { seeded } from '../../../bench/simulated/random.js'
import type { Fetch, NewBatchItem } from '../../../src/index.js'
import { item } from '../../support/batch.js'
import { sample } from '../../support/runs.js'
import { type Account, account, faulty, type Kill, ofTag, type RunOptions } from './account.js'

/** Three batches, the first of which takes two calls: no more of them, so that each run is short. */
const wages: ReadonlyArray<NewBatchItem> = Array.from({ length: 250 }, (_, n) => item(n))
const PER_BATCH = 120

/** Requests of a run that nothing stops: creates, items, quotes and submissions. */
const WRITES = 3 + 2 + 2 + 1 + 3 + 3

const ids = wages.map(({ request_id }) => request_id).sort()

const paying = (on: Account, options: RunOptions = {}) =>
  on.inTime(on.start(wages, { perBatch: PER_BATCH, ...options }))

/** Runs again until it ends with a report, as a person or a scheduler would. */
const untilReported = async (on: Account, options: RunOptions = {}) => {
  for (let tries = 1; ; tries++) {
    const { events } = await paying(on, options)
    const [reported] = ofTag(events, 'Reported')
    if (reported !== undefined) return { report: reported.report, events, tries }
    if (tries === 20) throw new Error(JSON.stringify(events.at(-1)))
  }
}

/** Each item is paid once, by the ledger; each outcome is right; nothing is submitted before all is full. */
const expectPaidOnce = async (on: Account): Promise<void> => {
  const { report, events } = await untilReported(on)
  expect(report).toMatchObject({ isPaid: true, booked: wages.length, failed: 0, leftOut: 0 })
  const outcomes = ofTag(events, 'Settled').flatMap((settled) => settled.outcomes)
  expect(outcomes.map(({ requestId }) => requestId).sort()).toEqual(ids)
  expect(new Set(outcomes.map(({ state }) => state))).toEqual(new Set(['booked']))
  expect([...on.paid.keys()].sort()).toEqual(ids)
  expect(new Set(on.paid.values())).toEqual(new Set([1]))
  const { entries } = on
  const lastAdded = entries.findLastIndex(({ added }) => added.length > 0)
  const firstSubmitted = entries.findIndex(({ call }) => call === 'submit')
  expect(firstSubmitted).toBeGreaterThan(lastAdded)
}

it('makes as many writes as it is killed at below', async () => {
  expect((await paying(account())).writes).toBe(WRITES)
})

describe.each([
  ['before', 'ignored'],
  ['after', 'ignored'],
  ['after', 'refused'],
] as const)('killed %s a write, and run again, items that are there %s', (when, repeatedItems) => {
  it.each(
    sample(
      4,
      Array.from({ length: WRITES }, (_, n) => n + 1),
    ),
  )('write %i', async (at) => {
    const on = account({ repeatedItems })
    await paying(on, { kill: { at, when, writes: true } })
    await expectPaidOnce(on)
  })
})

it('is paid once, killed again and again at random', async () => {
  const random = seeded(11)
  const on = account()
  for (let kill = 0; kill < 12; kill++) {
    const when = random() < 0.5 ? 'before' : 'after'
    await paying(on, { kill: { at: 1 + Math.floor(random() * 30), when } as Kill })
  }
  await expectPaidOnce(on)
})

describe('where a tenth of answers is lost, or those of a gateway', () => {
  it.each(sample(2, [1, 2, 3, 4, 5]))('each item is paid once (%i)', async (seed) => {
    const random = seeded(seed)
    const on = account()
    await untilReported(on, { around: faulty(random, 0.1) })
    await expectPaidOnce(on)
  })
})

it('is paid once where lists are 0 to 3 s behind, killed again and again', async () => {
  const random = seeded(3)
  const on = account({ lag: () => random() * 3_000 })
  for (let kill = 0; kill < 12; kill++) {
    await paying(on, { kill: { at: 1 + Math.floor(random() * 30), when: 'after' } })
  }
  await expectPaidOnce(on)
})

describe('two at once', () => {
  it.each(sample(2, [0, 1, 10, 300, 1_000]))('the second %i ms after the first', async (apart) => {
    const on = account({ latency: 40, jitter: 40 })
    const second = async () => {
      await lastValueFrom(timer(apart, on.timer))
      return on.start(wages, { perBatch: PER_BATCH })
    }
    const runs = Promise.all([on.start(wages, { perBatch: PER_BATCH }), second()])
    const all = await on.inTime(runs)
    expect(all.map(({ events }) => ofTag(events, 'Reported')[0]?.report.isPaid)).toEqual([
      true,
      true,
    ])
    await expectPaidOnce(on)
  })

  it.each(
    sample(
      3,
      Array.from({ length: 12 }, (_, n) => n + 3),
    ),
  )('a zombie that was frozen at request %i', async (at) => {
    const on = account()
    let sent = 0
    const zombie =
      (fetch: Fetch): Fetch =>
      async (url, init) => {
        if (++sent === at) await on.start(wages, { perBatch: PER_BATCH })
        return fetch(url, init)
      }
    const { events } = await paying(on, { around: zombie })
    expect(ofTag(events, 'Reported')).toMatchObject([{ report: { isPaid: true } }])
    await expectPaidOnce(on)
  })
})
