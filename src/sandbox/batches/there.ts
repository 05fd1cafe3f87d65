/** Batches that nobody made: most are booked in time, some are drafts or fail. */
import type { NewBatchItem } from '../../codec/NewBatchItem.js'
import { keyOf, mix } from '../account/mix.js'
import { add, type Register, register } from '../Register.js'
import type { Settings } from '../settings.js'
import { addItems, type Batch, newBatch, submit } from './Batch.js'
import { checked } from './checked.js'

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
  const items = Array.from({ length: 1 + (random % 12) }, (_, i) => itemOf(n, i, mix(random + i)))
  const failed = random % 32 === 1 ? { funding_source: { id: `la_${n}_failed` } } : {}
  const asked = { request_id, name: `Batch ${n}`, ...failed }
  const sent = items.map((item) => ({ request_id: item.request_id, checked: checked(item) }))
  const draft = addItems(sent, at)(newBatch(n, request_id, asked, at))
  return random % 16 === 0 ? draft : submit(at + DRAFTED)(draft)
}

/** The n-th batch, as nobody made it; `at` in ms since 1970. */
export const batchThere = (n: number, at: number, { seed }: Settings): Batch =>
  batchOf(n, mix(n ^ keyOf(seed, 18)), at)

export const batchesThere = (settings: Settings): Register<Batch> => {
  const { batches, since, every } = settings
  let all = register<Batch>()
  for (let n = 0; n < batches; n++) {
    all = add(batchThere(n, since.getTime() + n * CHARGES * every, settings))(all)
  }
  return all
}
