/** One run of payments: fills its batches, quotes them, asks, submits, and waits. */
import type { TimedOut } from '../../http/Failure.js'
import type { Millis } from '../../stream/index.js'
import { fillBatch, findBatch, isDraft, openBatch } from './fillBatch.js'
import { each, type Flow, Stop } from './flow.js'
import { type PayContext, type PaySpec, type RunBatch, requestIdOf } from './PayContext.js'
import { invalidItems, itemsChanged, type PayFailure } from './PayFailure.js'
import {
  type InvalidItem,
  type PayBatchOptions,
  type PayEvent,
  type PaymentOutcome,
  type PayReport,
  WAIT_LIMIT,
} from './PayOptions.js'
import { Changed, type PlacedBatch } from './plan.js'
import { outcomesOf, waitForAll } from './settle.js'
import { submitAll } from './submit.js'

// model

/** The payments of a run. */
export interface Payments {
  readonly run: string
  readonly hash: string
  /** Number of batches of the run. */
  readonly count: number
  /** Number of items, those left out included. */
  readonly items: number
  /** Number of items that are left out, as invalid, before anything is sent. */
  readonly leftOut: number
  /** Reads the batches to pay. */
  readonly batches: () => AsyncIterable<PlacedBatch>
}

/** The counts of a report. */
type OutcomeCounts = Record<'booked' | 'failed' | 'left out' | 'unknown', number>

// functions

export const contextOf = <F>(
  { calls, ...spec }: PaySpec,
  asking: Flow<PayFailure | F, PayEvent>,
  run: string,
): PayContext => ({ ...spec, ...asking, run, calls: calls() })

/** Pays the items of a run that are not paid yet, and returns how all of it ended. */
export const payRun = async (
  context: PayContext,
  payments: Payments,
  options: PayBatchOptions,
): Promise<PayReport> => {
  const filled = await fillAll(context, payments, options)
  const submission = await submitAll(context, filled, options)
  const counts: OutcomeCounts = { booked: 0, failed: 0, 'left out': payments.leftOut, unknown: 0 }
  const last = new Map(submission.batches.map(({ index, batch }) => [index, batch]))
  const settle = async (one: RunBatch, outcomes: ReadonlyArray<PaymentOutcome>): Promise<void> => {
    last.set(one.index, one.batch)
    for (const { state } of outcomes) counts[state]++
    context.emit({ _tag: 'Settled', batch: one.batch, outcomes })
  }
  for (const one of submission.batches.filter(isEmptyDraft)) await settle(one, leftOutOf(one))
  const { limit = WAIT_LIMIT } = options
  const open = await waitForAll(
    context,
    submission.batches.filter(({ batch }) => !isDraft(batch)),
    submission.isDeclined ? 0 : limit,
    async (one) => settle(one, await outcomesOf(context, one)),
  )
  const [failure] = submission.failures
  if (failure !== undefined) throw new Stop(failure)
  if (open.length > 0 && !submission.isDeclined) throw new Stop(notFinal(open, limit))
  return {
    run: payments.run,
    hash: payments.hash,
    isPaid: counts.booked === payments.items,
    isDeclined: submission.isDeclined,
    items: payments.items,
    booked: counts.booked,
    failed: counts.failed,
    leftOut: counts['left out'],
    unknown: counts.unknown,
    batches: [...last.values()],
  }
}

/** All items of a batch were invalid, and deleted. */
const isEmptyDraft = ({ batch, leftOut }: RunBatch): boolean =>
  isDraft(batch) && batch.valid_item_count === 0 && leftOut.size > 0

const leftOutOf = ({ requestId, batch, leftOut }: RunBatch): ReadonlyArray<PaymentOutcome> =>
  Array.from(leftOut, ([id, reason]) => ({
    requestId: id,
    batch: requestId,
    batchId: batch.id,
    state: 'left out',
    reason,
  }))

// filling

/**
 * Batches that are filled at once, each by up to ten calls: these use the rate limit up where an answer takes up to a
 * second, and 4,000 items are little memory.
 */
const FILLED_AT_ONCE = 4

/** Fills all batches, several at a time. The first of the run is created before the others: it shows whose name this is. */
const fillAll = async (
  context: PayContext,
  { run, hash, count, batches }: Payments,
  options: PayBatchOptions,
): Promise<ReadonlyArray<RunBatch>> => {
  if (count === 0) return []
  const first = { run, index: 1, count, hash }
  const found = await findBatch(context, requestIdOf(first))
  const opened = await openBatch(context, first, options, found)
  const filled: Array<RunBatch> = []
  await each(unchanged(context, batches()), FILLED_AT_ONCE, async (payments) => {
    const { index } = payments
    const open = async () =>
      openBatch(
        context,
        payments,
        options,
        opened.isNew ? undefined : await findBatch(context, requestIdOf(payments)),
      )
    const one = await fillBatch(context, payments, index === 1 ? opened : await open(), options)
    filled.push(one)
    context.emit({ _tag: 'Filled', batch: one.batch, index })
  })
  if (options.withoutInvalid !== true) {
    const invalid = filled.filter(({ batch }) => isDraft(batch)).flatMap(invalidOf)
    const isBegun = filled.some(({ batch }) => !isDraft(batch))
    if (invalid.length > 0) throw new Stop(invalidItems(run, invalid, isBegun))
  }
  return filled.sort((a, b) => a.index - b.index)
}

const invalidOf = ({ leftOut }: RunBatch): ReadonlyArray<InvalidItem> =>
  Array.from(leftOut, ([requestId, reason]) => ({ requestId, reasons: [reason] }))

/** Ends the run if the items are others now. */
export async function* unchanged(
  { run }: Pick<PayContext, 'run'>,
  batches: AsyncIterable<PlacedBatch>,
): AsyncGenerator<PlacedBatch> {
  try {
    yield* batches
  } catch (error) {
    if (!(error instanceof Changed)) throw error
    throw new Stop(itemsChanged(run, requestIdOf({ run, index: error.index }), error.message))
  }
}

// failures

const notFinal = ([first, ...others]: ReadonlyArray<RunBatch>, limit: Millis): TimedOut => {
  const more =
    others.length === 0 ? '' : `, and ${others.length} other batches are not final either`
  return {
    _tag: 'TimedOut',
    endpoint: 'GET /api/v1/batch_transfers/{id}',
    attempts: 1,
    phase: 'state',
    limit,
    message: `${first?.requestId} was ${first?.batch.status} after ${limit} ms${more}`,
  }
}
