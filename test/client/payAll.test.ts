/** A job that pays with batches, killed at every request that it sends, and run again. */
import { readFileSync } from 'node:fs'
import { lastValueFrom, Subject, takeUntil, toArray } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { createClient, type Fetch, type NewBatchItem, PaymentsError } from '../../src/index.js'
import {
  createSandbox,
  type SandboxOptions,
  sandboxCredentials,
  virtualTime,
} from '../../src/sandbox/index.js'
import { item } from '../support/batch.js'
import { payAll } from './payAll.js'

const SUBMIT = /\/submit$/

/** Two batches, the first of which takes two calls: no more of them, so that each run is short. */
const wages = Array.from({ length: 105 }, (_, n) => item(n))
const PER_BATCH = 101

/** Of a run that nothing stops: a login, and for each batch what makes, fills, submits and watches it. */
const REQUESTS = 16

/** A run is killed at its `at`-th request, before that leaves, or when it was answered and nobody read it. */
interface Kill {
  readonly at: number
  readonly when: 'before' | 'after'
}

/** An account in which the job is run, and run again. */
const account = (options: Partial<SandboxOptions> = {}) => {
  const { timer, run } = virtualTime()
  const sandbox = createSandbox({ charges: 0, bookEvery: 1, limits: false, timer, ...options })
  const submissions: Array<string> = [] // that were taken

  const clientOf = (fetch: Fetch) =>
    createClient({
      baseUrl: 'https://sandbox',
      credentials: sandboxCredentials,
      fetch,
      timer,
      random: () => 0,
    })

  /** Once a request has left, it is dealt with, whoever waits for the answer. */
  const asked: Fetch = async (url, init) => {
    const response = await sandbox.fetch(url, { ...init, signal: new AbortController().signal })
    if (SUBMIT.test(url) && response.status === 200) submissions.push(url)
    return response
  }

  /** What a run emits, a new process each; how many requests it sends. */
  const start = async (items: ReadonlyArray<NewBatchItem>, kill?: Kill, perBatch = PER_BATCH) => {
    const killed = new Subject<void>()
    let sent = 0
    const fetch: Fetch = (url, init) => {
      if (++sent !== kill?.at) return asked(url, init)
      const done = kill.when === 'after' ? asked(url, init) : Promise.resolve()
      void done.then(() => killed.next())
      return new Promise(() => {})
    }
    const job = payAll(clientOf(fetch), 'wages-2026-01', items, perBatch)
    const out = await run(lastValueFrom(job.pipe(takeUntil(killed), toArray())))
    const shown = out.map(({ status, total_item_count: n }) => [status, n])
    return { out: shown.sort(([, a], [, b]) => Number(b) - Number(a)), sent }
  }

  /** All that was paid, by request_id. */
  const paid = async (): Promise<ReadonlyArray<string>> => {
    const { batchTransfers } = clientOf(sandbox.fetch)
    const all: Array<string> = []
    for await (const batch of batchTransfers.list()) {
      if (batch._tag === 'Left') throw new PaymentsError(batch.left)
      for await (const one of batchTransfers.items({ id: batch.right.id })) {
        if (one._tag === 'Left') throw new PaymentsError(one.left)
        if (one.right.status === 'BOOKED') all.push(one.right.request_id)
      }
    }
    return all.sort()
  }

  return { start, paid: () => run(paid()), submissions }
}

const all = wages.map(({ request_id }) => request_id).sort()

const BOOKED = [
  ['BOOKED', 101],
  ['BOOKED', 4],
]

describe('a job that pays with batches', () => {
  it('is the one of the documentation', () => {
    const [, job = ''] = readFileSync(new URL('payAll.ts', import.meta.url), 'utf8').split(
      "from '../../src/index.js'\n",
    )
    expect(job).toContain('payAll')
    expect(readFileSync(new URL('../../docs/batches.md', import.meta.url), 'utf8')).toContain(job)
  })

  it('pays more than a thousand, each once', async () => {
    const { start, paid, submissions } = account()
    const many = Array.from({ length: 2_050 }, (_, n) => item(n))
    const { out } = await start(many, undefined, 1_000)
    expect(out).toEqual([
      ['BOOKED', 1_000],
      ['BOOKED', 1_000],
      ['BOOKED', 50],
    ])
    expect(await paid()).toEqual(many.map(({ request_id }) => request_id).sort())
    expect(submissions).toHaveLength(3)
  })

  it('pays nothing twice if it is run again', async () => {
    const { start, paid, submissions } = account()
    await start(wages)
    expect((await start(wages)).out).toEqual(BOOKED)
    expect(await paid()).toEqual(all)
    expect(submissions).toHaveLength(2)
  })

  it('sends as many requests as it is killed at below', async () => {
    expect((await account().start(wages)).sent).toBe(REQUESTS)
  })

  describe.each([
    ['before', 'ignored'],
    ['after', 'ignored'],
    ['after', 'refused'],
  ] as const)(
    'killed %s a request, and run again, items that are there %s',
    (when, repeatedItems) => {
      it.each(Array.from({ length: REQUESTS }, (_, n) => n + 1))('request %i', async (at) => {
        const { start, paid, submissions } = account({ repeatedItems })
        await start(wages, { at, when })
        expect((await start(wages)).out).toEqual(BOOKED)
        expect(await paid()).toEqual(all)
        expect(submissions).toHaveLength(2)
      })
    },
  )

  it('killed again and again, each time one request later', async () => {
    const { start, paid, submissions } = account()
    for (let at = 1; at <= 20; at++) await start(wages, { at, when: 'after' })
    expect((await start(wages)).out).toEqual(BOOKED)
    expect(await paid()).toEqual(all)
    expect(submissions).toHaveLength(2)
  })

  it('ends with an error if a submit is ambiguous, and the next run resolves it', async () => {
    const { start, paid, submissions } = account({
      faults: ({ route, nth }) =>
        route.endsWith('/submit') && nth === 1 ? 'reset-after' : undefined,
    })
    await expect(start(wages)).rejects.toMatchObject({ failure: { _tag: 'Ambiguous' } })
    expect((await start(wages)).out).toEqual(BOOKED)
    expect(await paid()).toEqual(all)
    expect(submissions).toHaveLength(1) // the other one was answered to nobody
  })

  it('does nothing if its items differ from those of the earlier run, even in order', async () => {
    const { start, submissions } = account()
    await start(wages, { at: 9, when: 'after' })
    expect(submissions).toHaveLength(1)
    for (const changed of [
      [item(5_000), ...wages],
      wages.slice(1),
      wages.toReversed(),
      wages.map((wage, n) => (n === 103 ? { ...wage, transfer_amount: 7 } : wage)),
    ]) {
      await expect(start(changed)).rejects.toThrow(/another one, by its name/)
    }
    await expect(start(wages, undefined, 50)).rejects.toThrow(/another one, by its name/)
    expect(submissions).toHaveLength(1)
    expect((await start(wages)).out).toEqual(BOOKED)
  })

  it.each([
    ['the same', wages[2]],
    ['with another amount', { ...wages[2], transfer_amount: 5 }],
  ])('sends nothing when an item is listed twice, the second time %s', async (_, again) => {
    const { start } = account()
    const listed = [...wages, again] as ReadonlyArray<NewBatchItem>
    const run = start(listed, { at: 1, when: 'before' }) // which ends a run that sends anything
    await expect(run).rejects.toThrow('two items have the request_id item-2')
  })

  it('submits nothing while an item is invalid', async () => {
    const { start, submissions } = account()
    const wrong = { ...item(104), reference: 'Pay 104_invalid' }
    await expect(start([...wages.slice(0, 104), wrong])).rejects.toThrow(/3 of 4 items are valid/)
    expect(submissions).toEqual([])
  })

  it('reports items that were not booked', async () => {
    const { start } = account()
    const some = wages.slice(0, 50)
    const { out } = await start([...some, { ...item(50), reference: 'Pay 50_failed' }])
    expect(out).toEqual([['PARTIALLY_BOOKED', 51]])
  })
})
