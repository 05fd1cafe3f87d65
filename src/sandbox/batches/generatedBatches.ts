/** Batches that exist from the start, or arrive by themselves: most get booked, some stay drafts or fail. */
import type { NewBatchItem } from '../../codec/NewBatchItem.js'
import { E, memoized } from '../../fp.js'
import type { Generated } from '../Collection.js'
import { hash, subSeed } from '../data/hash.js'
import type { Settings } from '../options.js'
import { type Batch, newBatch, type StoredItem } from './Batch.js'

/** One batch is created in the time of so many charges. */
const CHARGES_PER_BATCH = 100

/** Time from creation to submission, in ms. */
const DRAFTED = 60_000

const currencies = ['EUR', 'GBP', 'USD', 'JPY', 'AUD'] as const

export const generatedBatches = (settings: Settings): Generated<Batch> => {
  const { batches: count, every, since } = settings
  return {
    count,
    at: (n) => generatedBatch(n, since.getTime() + n * CHARGES_PER_BATCH * every, settings),
    hasRequestId: (requestId) => Number(/^batch-(0|[1-9]\d*)$/.exec(requestId)?.[1]) < count,
  }
}

/** The n-th batch, created `at` that time, in ms since 1970. */
export const generatedBatch = (n: number, at: number, { seed }: Settings): Batch => {
  const random = hash(n ^ subSeed(seed, 18))
  const request_id = `batch-${n}`
  const failed = random % 32 === 1 ? { funding_source: { id: `la_${n}_failed` } } : {}
  const asked = { request_id, name: `Batch ${n}`, ...failed }
  const added = 1 + (random % 12)
  const items = memoized(() =>
    Array.from({ length: added }, (_, i): StoredItem => {
      const item = itemOf(n, i, hash(random + i))
      return { n: i, request_id: item.request_id, addedAt: at, checked: E.right(item) }
    }),
  )
  return {
    ...newBatch(n, request_id, asked, at),
    added,
    submittedAt: random % 16 === 0 ? undefined : at + DRAFTED,
    // lazy: finding one batch among a million does not generate the items of all
    get items() {
      return items()
    },
  }
}

const itemOf = (batch: number, n: number, random: number): NewBatchItem => ({
  reason: 'wages_salary',
  reference: random % 64 === 0 ? `Salary ${n}_failed` : `Salary ${n}`,
  request_id: `batch-${batch}-${n}`,
  source_currency: 'USD',
  transfer_currency: currencies[random % currencies.length] ?? 'EUR',
  transfer_method: 'LOCAL',
  source_amount: (random % 500_000) / 100 + 1,
  beneficiary_id: `ben_${random % 1_000}`,
})
