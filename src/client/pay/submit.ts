/** Asks whether to pay, and submits what was approved: each batch once. */
import type { BatchTransfer } from '../../codec/BatchTransfer.js'
import { E, withoutUndefined } from '../../fp.js'
import type { Failure } from '../../http/Failure.js'
import { isDraft } from './fillBatch.js'
import { each } from './flow.js'
import { askUntil, orStop, type PayContext, type RunBatch, WIDTH } from './PayContext.js'
import { type PayFailure, quoteTooShort } from './PayFailure.js'
import type { PayAllOptions, PayBatchOptions, PaySummary } from './PayOptions.js'
import {
  earliestExpiry,
  expiryOf,
  isWorse,
  type QuoteTotals,
  shownTotals,
  totalsOf,
} from './totals.js'

// model

type SubmitOptions = Pick<PayAllOptions, 'validity' | 'tolerance'> &
  Pick<PayBatchOptions, 'approve'>

/** The state of a run after it has submitted what it may. */
export interface Submission {
  /** All batches of the run, as last seen. */
  readonly batches: ReadonlyArray<RunBatch>
  readonly isDeclined: boolean
  /** Why some were not submitted, though they should. */
  readonly failures: ReadonlyArray<PayFailure>
}

/** Outcome of one attempt to submit a batch. */
type SubmitResult =
  | { readonly is: 'submitted'; readonly batch: BatchTransfer }
  /** Its quote has expired, or is not the one that was approved. */
  | { readonly is: 'stale'; readonly batch: BatchTransfer }
  | { readonly is: 'failed'; readonly failure: Failure }

/** Rounds in which quotes may expire before any batch is submitted. */
const FRUITLESS_ROUNDS = 3

// quotes

/** Quotes drafts, several at a time. */
const quoteAll = async (
  context: PayContext,
  drafts: ReadonlyArray<RunBatch>,
  { validity }: SubmitOptions,
): Promise<ReadonlyArray<RunBatch>> => {
  const quoted: Array<RunBatch> = []
  await each(drafts.entries(), WIDTH, async ([at, known]) => {
    const { id } = known.batch
    const answer = await context.first(
      context.calls.quote({ id, ...withoutUndefined({ validity }) }),
    )
    // refused if another process has submitted it meanwhile
    const now = E.isLeft(answer) ? await context.ask(context.calls.retrieve({ id })) : answer.right
    if (E.isLeft(answer) && isDraft(now)) orStop(answer)
    if (!isDraft(now)) context.emit({ _tag: 'Submitted', batch: now })
    quoted[at] = { ...known, batch: now }
  })
  return quoted
}

// the gate

/**
 * Asks `approve`, and submits the drafts. One whose quote has expired is quoted anew; if that makes a total worse,
 * `approve` is asked again.
 */
export const submitAll = async (
  context: PayContext,
  filled: ReadonlyArray<RunBatch>,
  options: SubmitOptions,
): Promise<Submission> => {
  const { approve = () => true, tolerance = 0 } = options
  const byIndex = new Map(filled.map((one) => [one.index, one]))
  const drafts = (): ReadonlyArray<RunBatch> => [...byIndex.values()].filter(mayBeSubmitted)
  const update = (some: ReadonlyArray<RunBatch>): void => {
    for (const one of some) byIndex.set(one.index, one)
  }
  update(await quoteAll(context, drafts(), options))
  const first = drafts() // what this run is to pay
  const ended = (isDeclined: boolean, failures: ReadonlyArray<PayFailure> = []): Submission => ({
    batches: [...byIndex.values()],
    isDeclined,
    failures,
  })
  if (first.length === 0) return ended(false)

  const totalsNow = (): QuoteTotals =>
    totalsOf(first.map(({ index, batch }) => byIndex.get(index)?.batch ?? batch))
  const isApproved = async (isWorse: boolean): Promise<boolean> => {
    const summary = summaryOf(context.run, [...byIndex.values()], isWorse)
    context.emit({ _tag: 'Quoted', summary })
    const answer = approve(summary)
    // only true is a yes: in plain JavaScript it may be the 'no' that a person typed
    return (typeof answer === 'boolean' ? answer : await context.first<unknown>(answer)) === true
  }
  if (!(await isApproved(false))) return ended(true)
  let approved = totalsNow()

  for (let fruitless = 0; ; ) {
    const stale: Array<RunBatch> = []
    const failures: Array<PayFailure> = []
    let submitted = 0
    await each(drafts(), WIDTH, async (draft) => {
      const attempt = await submitOne(context, draft)
      if (attempt.is === 'failed') return void failures.push(attempt.failure)
      const now = { ...draft, batch: attempt.batch }
      if (attempt.is === 'stale') return void stale.push(now)
      submitted++
      update([now])
      context.emit({ _tag: 'Submitted', batch: attempt.batch })
    })
    if (failures.length > 0 || stale.length === 0) return ended(false, failures)
    fruitless = submitted > 0 ? 0 : fruitless + 1
    const [{ requestId } = { requestId: '' }] = stale
    if (fruitless >= FRUITLESS_ROUNDS) return ended(false, [quoteTooShort(context.run, requestId)])
    update(await quoteAll(context, stale, options))
    if (!isWorse(approved, totalsNow(), tolerance)) continue
    if (!(await isApproved(true))) return ended(true)
    approved = totalsNow()
    fruitless = 0
  }
}

/** A batch without a valid item is left as it is: the platform would refuse it. */
const mayBeSubmitted = ({ batch }: RunBatch): boolean =>
  isDraft(batch) && batch.valid_item_count > 0

const summaryOf = (run: string, all: ReadonlyArray<RunBatch>, isWorse: boolean): PaySummary => {
  const some = all.filter(mayBeSubmitted)
  const batches = some.map(({ batch }) => batch)
  return {
    run,
    items: batches.reduce((sum, { valid_item_count }) => sum + valid_item_count, 0),
    leftOut: all.reduce((sum, { leftOut }) => sum + leftOut.size, 0),
    batches: batches.length,
    submittedBefore: all.filter(({ batch }) => !isDraft(batch)).length,
    totals: shownTotals(totalsOf(batches)),
    ...withoutUndefined({ expiresAt: earliestExpiry(batches) }),
    isWorse,
  }
}

// one batch

/** Reads the batch, and submits it if it is still what was approved. */
const submitOne = async (context: PayContext, draft: RunBatch): Promise<SubmitResult> => {
  const { calls, first } = context
  const { id } = draft.batch
  const read = calls.retrieve({ id })
  const found = await first(read)
  if (E.isLeft(found)) return { is: 'failed', failure: found.left }
  const now = found.right
  if (!isDraft(now)) return { is: 'submitted', batch: now } // by another process
  if (!isAsApproved(draft.batch, now) || hasExpired(context, now))
    return { is: 'stale', batch: now }

  const answer = await first(calls.submit({ id }))
  if (E.isRight(answer)) return { is: 'submitted', batch: answer.right }
  // a submission that may have arrived late shows itself later
  const limit = answer.left._tag === 'Ambiguous' ? context.lookUpFor : 0
  const isOver = (after: E.Either<Failure, BatchTransfer>): boolean =>
    E.isRight(after) && !isDraft(after.right)
  const after = await askUntil(context, read, isOver, limit)
  if (E.isRight(after) && !isDraft(after.right)) return { is: 'submitted', batch: after.right }
  const isStale =
    E.isRight(after) && answer.left._tag === 'Refused' && hasExpired(context, after.right)
  return isStale ? { is: 'stale', batch: after.right } : { is: 'failed', failure: answer.left }
}

const hasExpired = ({ serviceTime }: PayContext, batch: BatchTransfer): boolean =>
  expiryOf(batch) <= serviceTime()

/** Another process of the run may have changed the batch, or quoted it anew. */
const isAsApproved = (approved: BatchTransfer, now: BatchTransfer): boolean =>
  approved.valid_item_count === now.valid_item_count &&
  !isWorse(totalsOf([approved]), totalsOf([now]), 0) &&
  (now.quote_summary?.quotes ?? []).length === (approved.quote_summary?.quotes ?? []).length
