/** Batches that nobody made: most are booked in time, some are drafts or fail. */
import type { NewBatchItem } from '../../codec/NewBatchItem.js'
import { E, memoized } from '../../fp.js'
import { hash, subSeed } from '../account/hash.js'
import { type Collection, collection } from '../Collection.js'
import type { Settings } from '../settings.js'
import { type Batch, newBatch, type StoredItem } from './Batch.js'

/** From one batch to the next: the time in which so many charges are made. */
const CHARGES = 100

/** A batch is submitted this long after it was made, in ms. */
const DRAFTED = 60_000

const currencies = ['EUR', 'GBP', 'USD', 'JPY', 'AUD'] as const

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

const batchOf = (n: number, random: number, at: number): Batch => {
  const request_id = `batch-${n}`
  const failed = random % 32 === 1 ? { funding_source: { id: `la_${n}_failed` } } : {}
  const asked = { request_id, name: `Batch ${n}`, ...failed }
  const submittedAt = random % 16 === 0 ? undefined : at + DRAFTED
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
    submittedAt,
    // whoever looks for one batch among a million does without the items of the others
    get items() {
      return items()
    },
  }
}

/** The n-th batch, as nobody made it; `at` in ms since 1970. */
export const batchThere = (n: number, at: number, { seed }: Settings): Batch =>
  batchOf(n, hash(n ^ subSeed(seed, 18)), at)

export const batchesThere = (settings: Settings): Collection<Batch> => {
  const { batches: count, every } = settings
  const since = settings.since.getTime()
  return collection({
    count,
    row: (n) => batchThere(n, since + n * CHARGES * every, settings),
    isTaken: (requestId) => Number(/^batch-(0|[1-9]\d*)$/.exec(requestId)?.[1]) < count,
  })
}
