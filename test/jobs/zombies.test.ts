/** A worker that is frozen at any of its requests, and goes on after another one has done its job. */

import { readFileSync } from 'node:fs'
import { createClient, type Fetch, orThrow, paymentBatches, toError } from 'payments-rx'
import { createSandbox, sandboxCredentials } from 'payments-rx/sandbox'
import { concatMap, lastValueFrom, mergeMap, toArray } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { APPROVED, paymentOf } from '../../bench/payments/payRun.js'
import { virtualTime } from '../support/idleClock.js'
import { sample } from '../support/runs.js'

/** Three calls of addAllItems. */
const payments = Array.from({ length: 250 }, (_, n) => paymentOf(n))
const batches = paymentBatches({ run: 'wages' })(payments).pipe(orThrow(toError))

const PAID = { _tag: 'Right', right: { isPaid: true, booked: 250 } }

/**
 * Requests of a job that nothing stops: login, look-up, create, three times items, the batch, its quote, the batch, its
 * submission, polls until it is booked, and its items.
 */
const REQUESTS = 13

const account = (repeatedItems: 'ignored' | 'refused') => {
  const { timer, run } = virtualTime()
  const sandbox = createSandbox({ charges: 0, bookEvery: 1, limits: false, repeatedItems, timer })
  const clientOf = (fetch: Fetch) =>
    createClient({
      baseUrl: 'https://sandbox',
      credentials: sandboxCredentials,
      fetch,
      timer,
      random: () => 0,
    })
  const job = (fetch: Fetch) => {
    const { payBatch } = clientOf(fetch).batchTransfers
    return run(
      lastValueFrom(batches.pipe(concatMap((batch) => payBatch(batch, { approved: APPROVED })))),
    )
  }

  /** How often each payment is booked, in any batch. */
  const booked = async (): Promise<ReadonlyArray<string>> => {
    const { list, items } = clientOf(sandbox.fetch).batchTransfers
    const all = list().pipe(
      orThrow(toError),
      mergeMap(({ id }) => items({ id }).pipe(orThrow(toError))),
      toArray(),
    )
    const found = await run(lastValueFrom(all))
    return found.filter(({ status }) => status === 'BOOKED').map((one) => one.request_id ?? '')
  }
  return { sandbox, job, booked }
}

const ids = payments.map(({ request_id }) => request_id)

describe('a job of payments', () => {
  it('is the one of the documentation', () => {
    const job = readFileSync(new URL('../../bench/payments/batchJobs.ts', import.meta.url), 'utf8')
    const page = new URL('../../docs/payments.md', import.meta.url)
    expect(readFileSync(page, 'utf8')).toContain(job)
  })

  it('sends as many requests as it is frozen at below', async () => {
    const { sandbox, job } = account('ignored')
    expect(await job(sandbox.fetch)).toMatchObject(PAID)
    expect(sandbox.stats().requests).toBe(REQUESTS)
  })

  describe.each([
    ['before', 'ignored'],
    ['before', 'refused'],
    ['after', 'ignored'],
    ['after', 'refused'],
  ] as const)('frozen %s a request, items that are there %s', (when, repeatedItems) => {
    const moments = Array.from({ length: REQUESTS }, (_, n) => n + 1)
    it.each(sample(3, moments))('%i', async (at) => {
      const { sandbox, job, booked } = account(repeatedItems)
      let sent = 0
      const zombie: Fetch = async (url, init) => {
        const isFrozen = ++sent === at
        const other = async () => {
          expect(await job(sandbox.fetch)).toMatchObject(PAID)
        }
        if (isFrozen && when === 'before') await other()
        const answer = await sandbox.fetch(url, init)
        if (isFrozen && when === 'after') await other()
        return answer
      }
      expect(await job(zombie)).toMatchObject(PAID)
      expect((await booked()).toSorted()).toEqual(ids.toSorted())
    })
  })
})
