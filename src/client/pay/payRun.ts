/** One run of payments: fills its batches, gets quotes, asks for approval, submits, and waits. */
import type { TimedOut } from '../../http/Failure.js'
import type { Millis } from '../../stream/index.js'
import { explained } from './explain.js'
import { fillBatch, findBatch, isDraft, openBatch } from './fillBatch.js'
import { each, type Flow, Stop } from './flow.js'
import { type PayContext, type PaySpec, type RunBatch, requestIdOf } from './PayContext.js'
import { invalidItems, nothingToPay, otherRun, type PayFailure } from './PayFailure.js'
import {
  type InvalidItem,
  type PayAllOptions,
  type PayBatchOptions,
  type PayEvent,
  type PaymentOutcome,
  type PayReport,
  WAIT_LIMIT,
} from './PayOptions.js'
import { type Payments, unchanged } from './plan.js'
import { outcomesOf, waitForAll } from './settle.js'
import { submitAll } from './submit.js'

type OutcomeCounts = Record<'booked' | 'failed' | 'left out' | 'unknown', number>

export const contextOf = <F>(
  { calls, ...spec }: PaySpec,
  asking: Flow<PayFailure | F, PayEvent>,
  run: string,
): PayContext => ({ ...spec, ...asking, run, calls: calls(), seen: new Map() })

type PayRunOptions = PayBatchOptions & Pick<PayAllOptions, 'allowEmpty'>

/** Pays the items of a run that are not yet paid, and returns how the run ended. */
export const payRun = async (
  context: PayContext,
  payments: Payments,
  options: PayRunOptions,
): Promise<PayReport> => {
  try {
    return await payItems(context, payments, options)
  } catch (error) {
    if (!(error instanceof Stop) || error.failure === undefined) throw error
    throw new Stop(await explained(context, payments, error.failure))
  }
}

const payItems = async (
  context: PayContext,
  payments: Payments,
  options: PayRunOptions,
): Promise<PayReport> => {
  if (payments.count === 0) await checkEmpty(context, payments, options)
  const filled = await fillAll(context, payments, options)
  const submission = await submitAll(context, payments.approvalHash, filled, options)
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
  const { run, hash, items } = payments
  if (items > 0 && counts['left out'] === items && options.allowEmpty !== true) {
    throw new Stop(nothingToPay(run, items))
  }
  return {
    run,
    hash,
    isPaid: items > 0 && counts.booked === items,
    isDeclined: submission.isDeclined,
    items,
    booked: counts.booked,
    failed: counts.failed,
    leftOut: counts['left out'],
    unknown: counts.unknown,
    batches: [...last.values()],
  }
}

/** Ends a run without items, unless this is allowed and no other payments use the run's name. */
const checkEmpty = async (
  context: PayContext,
  { run, leftOut }: Payments,
  { allowEmpty = false }: PayRunOptions,
): Promise<void> => {
  if (!allowEmpty) throw new Stop(nothingToPay(run, leftOut))
  const requestId = requestIdOf({ run, index: 1 })
  if ((await findBatch(context, requestId)) === undefined) return
  throw new Stop(otherRun(run, requestId, [{ path: 'items', sent: 'none', found: 'some' }]))
}

/** Returns true if all items of the batch were invalid and were deleted. */
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
 * Number of batches that are filled concurrently, each by up to ten calls: enough to use the rate limit fully if responses take
 * up to a second. The 4,000 items take little memory.
 */
const FILLED_AT_ONCE = 4

/** Fills all batches, several at a time. Creates the first one before the others, because it shows which run has this name. */
const fillAll = async (
  context: PayContext,
  { run, hash, set, count, batches }: Payments,
  options: PayBatchOptions,
): Promise<ReadonlyArray<RunBatch>> => {
  if (count === 0) return []
  const first = { run, index: 1, count, hash, set }
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
    if (invalid.length > 0) throw new Stop(invalidItems(run, invalid))
  }
  return filled.sort((a, b) => a.index - b.index)
}

const invalidOf = ({ leftOut }: RunBatch): ReadonlyArray<InvalidItem> =>
  Array.from(leftOut, ([requestId, reason]) => ({ requestId, reasons: [reason] }))

// failures

const notFinal = ([first, ...others]: ReadonlyArray<RunBatch>, limit: Millis): TimedOut => {
  const more = others.length === 0 ? '' : `; not final either: ${others.length} more`
  return {
    _tag: 'TimedOut',
    endpoint: 'GET /api/v1/batch_transfers/{id}',
    attempts: 1,
    phase: 'state',
    limit,
    message: `${first?.requestId} was still ${first?.batch.status} after ${limit} ms${more}`,
  }
}
