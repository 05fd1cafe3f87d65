/** Waits until batches are final, and reads how each item ended. */
import { map, toArray } from 'rxjs'
import type { BatchItem } from '../../codec/BatchItem.js'
import type { BatchTransfer } from '../../codec/BatchTransfer.js'
import { oneLine } from '../../decode/redact.js'
import { A, E, withoutUndefined } from '../../fp.js'
import { doubling } from '../../stream/Backoff.js'
import { backoffDefaults, type Millis } from '../../stream/index.js'
import { later } from '../../stream/later.js'
import { FINAL_STATES } from '../untilState.js'
import { itemsOf, reasonOf } from './fillBatch.js'
import { each } from './flow.js'
import { type PayContext, type RunBatch, WIDTH } from './PayContext.js'
import type { PaymentOutcome } from './PayOptions.js'

const OPEN_STATES = [
  'IN_APPROVAL',
  'SCHEDULED',
  'OVERDUE',
  'BOOKING',
  'CANCELLATION_REQUESTED',
] as const

const isFinal = ({ status }: BatchTransfer): boolean =>
  FINAL_STATES.batch.some((state) => state === status)

// waiting

/**
 * Calls `onFinal` for each batch once it is final. Reads either lists by state or each batch, whichever takes fewer requests.
 * Resolves with the batches that are still not final after `limit`.
 */
export const waitForAll = async (
  context: PayContext,
  submitted: ReadonlyArray<RunBatch>,
  limit: Millis,
  onFinal: (batch: RunBatch) => Promise<void>,
): Promise<ReadonlyArray<RunBatch>> => {
  const { calls, first, ask, timer, random } = context
  const pause = doubling({ ...backoffDefaults, random })
  const end = timer.now() + limit
  const open = new Map(submitted.map((one) => [one.batch.id, one]))
  let pages: number = OPEN_STATES.length // number of pages in the lists when last read
  for (let attempt = 1; ; attempt++) {
    const listed = open.size > pages ? await openIds(context, open.size) : undefined
    if (listed !== undefined) pages = listed.pages
    const others = [...open.values()].filter(({ batch }) => listed?.ids.has(batch.id) !== true)
    await each(others, WIDTH, async (one) => {
      const batch = await ask(calls.retrieve({ id: one.batch.id }))
      if (!isFinal(batch)) return void open.set(batch.id, { ...one, batch })
      open.delete(batch.id)
      await onFinal({ ...one, batch })
    })
    const left = end - timer.now()
    if (open.size === 0 || left <= 0) return [...open.values()]
    await first(later(Math.min(pause(attempt), left), timer))
  }
}

/** Returns the ids of batches that the lists show in an open state. Pointless if the lists have more pages than batches. */
const openIds = async (
  { ask, calls }: PayContext,
  most: number,
): Promise<{ readonly ids: ReadonlySet<string>; readonly pages: number }> => {
  const ids = new Set<string>()
  let pages = 0
  for (const status of OPEN_STATES) {
    const list = calls.list({ status }).pages.pipe(toArray(), map(A.sequence(E.Applicative)))
    for (const { items } of await ask(list)) {
      pages++
      for (const item of items) if (E.isRight(item)) ids.add(item.right.id)
    }
    if (pages >= most) break
  }
  return { ids, pages }
}

// outcomes

/** Reads the outcome of each item of a final batch. Repeats this while the list lags. */
export const outcomesOf = async (
  context: PayContext,
  { requestId, itemIds, batch, leftOut }: RunBatch,
): Promise<ReadonlyArray<PaymentOutcome>> => {
  const items = await itemsOf(context, batch, (some) => isSettled(batch, some))
  const place = { batch: requestId, batchId: batch.id }
  const present = new Set(items.map(({ request_id }) => request_id))
  const absent = itemIds.filter((id) => !present.has(id))
  return [
    ...items.map((item) => ({ ...place, requestId: item.request_id, ...outcomeOf(batch, item) })),
    ...absent.map((id) => ({ ...place, requestId: id, ...absentOutcome(batch, leftOut.get(id)) })),
  ]
}

/** Returns the outcome of an item that the list does not show: left out for a `reason`, or unknown because the list lags. */
const absentOutcome = (
  { status }: BatchTransfer,
  reason: string | undefined,
): Pick<PaymentOutcome, 'state' | 'reason'> =>
  reason === undefined
    ? { state: 'unknown', reason: `its batch is ${status}, but the list of items does not show it` }
    : { state: 'left out', reason }

/** Returns true if a list of items agrees with the state of its batch. */
const isSettled = ({ status }: BatchTransfer, items: ReadonlyArray<BatchItem>): boolean => {
  if (status !== 'BOOKED' && status !== 'PARTIALLY_BOOKED') return true
  return items.every((item) => SETTLED.includes(item.status))
}

const SETTLED: ReadonlyArray<string> = ['BOOKED', 'BOOKING_FAILED', 'VALIDATION_FAILED']

const outcomeOf = (
  { status, funding }: BatchTransfer,
  item: BatchItem,
): Pick<PaymentOutcome, 'state' | 'transferId' | 'reason'> => {
  switch (item.status) {
    case 'BOOKED':
      return { state: 'booked', ...withoutUndefined({ transferId: item.transfer_id ?? undefined }) }
    case 'BOOKING_FAILED':
      return { state: 'failed', reason: reasonOf(item) }
    case 'VALIDATION_FAILED':
      return { state: 'left out', reason: reasonOf(item) }
    default: {
      if (status === 'BOOKED' || status === 'PARTIALLY_BOOKED') {
        return {
          state: 'unknown',
          reason: oneLine(`its batch is ${status}, but the item is ${item.status}`),
        }
      }
      const detail = funding?.failure_reason ?? funding?.failure_details?.code ?? undefined
      const reason = oneLine(
        `its batch is ${status}${detail === undefined || detail === '' ? '' : ` (${detail})`}`,
      )
      return { state: 'failed', reason }
    }
  }
}
