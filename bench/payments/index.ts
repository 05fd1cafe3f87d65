/**
 * `npm run bench -- payments [payments] [kills] [alone]`: payments as jobs of 250 in four worker processes. Workers are killed
 * and frozen, some responses are lost, and some jobs are queued again. The sandbox counts how often each payment was booked.
 */

import { reportExact } from '../result.ts'
import { seeded } from '../simulated/random.ts'
import { type PayProgress, payRun } from './payRun.ts'

const [payments = 5_000, kills = 50] = process.argv.slice(2).map(Number)
const PER_BATCH = 250

let last: PayProgress | undefined
const ticking = setInterval(
  () => console.error(seconds(), JSON.stringify(last ?? 'starting')),
  1_000,
)

const began = performance.now()
const seconds = (): string => ((performance.now() - began) / 1_000).toFixed(1)
const { booked, batches, ...counts } = await payRun({
  payments,
  perBatch: PER_BATCH,
  workers: 4,
  kills,
  freezes: Math.ceil(kills / 5),
  apart: Math.max(1, Math.floor((10 * payments) / PER_BATCH / kills)),
  isShared: !process.argv.includes('alone'),
  lostAnswers: 0.02,
  random: seeded(1),
  onProgress: (progress) => {
    last = progress
  },
})
clearInterval(ticking)
const once = [...booked.values()].filter((times) => times === 1).length
console.table([
  { payments, once, twice: booked.size - once, batches: batches.length, ...counts, s: seconds() },
])
reportExact(`${payments} payments, ${kills} kills`, once === booked.size ? once : 0, payments)
process.exitCode = once === payments && booked.size === payments ? 0 : 1
