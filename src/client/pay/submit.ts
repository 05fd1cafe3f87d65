/** Asks for approval, and submits each approved batch once. */
import { defaultIfEmpty, EMPTY, from, type ObservableInput } from 'rxjs'
import type { BatchTransfer } from '../../codec/BatchTransfer.js'
import { millisOf } from '../../codec/Instant.js'
import { E, withoutUndefined } from '../../fp.js'
import type { Failure } from '../../http/Failure.js'
import { InvalidOption } from '../../options/index.js'
import { approvalOf, excessOf, isWithin, uncountedText } from './approval.js'
import { isDraft } from './fillBatch.js'
import { each } from './flow.js'
import { askUntil, orStop, type PayContext, type RunBatch, WIDTH } from './PayContext.js'
import { notApproved, type PayFailure, quoteTooShort, uncounted } from './PayFailure.js'
import type { Approval, PayBatchOptions, PaySummary } from './PayOptions.js'
import { costsOf, earliestExpiry, expiryOf, shownTotals, totalsOf } from './totals.js'

type GateOptions = Pick<PayBatchOptions, 'validity' | 'approve' | 'approved'>

export interface Submission {
  /** All batches of the run, as last seen. */
  readonly batches: ReadonlyArray<RunBatch>
  /** True if the remaining drafts were not approved. */
  readonly isDeclined: boolean
  /** The reasons why some batches were not submitted although they should have been. */
  readonly failures: ReadonlyArray<PayFailure>
}

type SubmitResult =
  | { readonly is: 'submitted'; readonly batch: BatchTransfer }
  /** Its quote has expired, or is not the approved one. */
  | { readonly is: 'stale'; readonly batch: BatchTransfer }
  | { readonly is: 'failed'; readonly failure: Failure }

/** Maximum number of consecutive rounds in which quotes expire before any batch is submitted. */
const FRUITLESS_ROUNDS = 3

// quotes

/** Quotes drafts, several at a time. Keeps a quote that is still valid. */
const quoteAll = async (
  context: PayContext,
  drafts: ReadonlyArray<RunBatch>,
  { validity }: GateOptions,
): Promise<ReadonlyArray<RunBatch>> => {
  const quoted = [...drafts]
  const due = [...drafts.entries()].filter(([, one]) => !holds(context, one, validity))
  await each(due, WIDTH, async ([at, known]) => {
    const { id } = known.batch
    const answer = await context.first(
      context.calls.quote({ id, ...withoutUndefined({ validity }) }),
    )
    // refused if another process has submitted the batch in the meantime
    const now = E.isLeft(answer) ? await context.ask(context.calls.retrieve({ id })) : answer.right
    if (E.isLeft(answer) && isDraft(now)) orStop(answer)
    if (!isDraft(now)) context.emit({ _tag: 'Submitted', batch: now })
    quoted[at] = { ...known, batch: now }
  })
  return quoted
}

/**
 * Returns true if a quote can be shown and paid: it has not expired, is no older than the last change of its draft, has the
 * requested validity, and can be added up. A quote without a time is invalid.
 */
const holds = (
  { serviceTime }: PayContext,
  one: RunBatch,
  validity: GateOptions['validity'],
): boolean => {
  const { quote_summary, updated_at } = one.batch
  const { expires_at, last_quoted_at, validity: given } = quote_summary ?? {}
  return (
    millisOf(expires_at) > serviceTime() &&
    millisOf(last_quoted_at) >= millisOf(updated_at) &&
    (validity === undefined || validity === given) &&
    costsOf(one).uncounted.length === 0
  )
}

// approval

/**
 * Submits the drafts once their costs are approved. A draft whose quote has expired is quoted again; if that exceeds the
 * approval, `approve` is called again.
 */
export const submitAll = async (
  context: PayContext,
  approvalHash: string,
  filled: ReadonlyArray<RunBatch>,
  options: GateOptions,
): Promise<Submission> => {
  const byIndex = new Map(filled.map((one) => [one.index, one]))
  const drafts = (): ReadonlyArray<RunBatch> => [...byIndex.values()].filter(mayBeSubmitted)
  const update = (some: ReadonlyArray<RunBatch>): void => {
    for (const one of some) byIndex.set(one.index, one)
  }
  const ended = (isDeclined: boolean, failures: ReadonlyArray<PayFailure> = []): Submission => ({
    batches: [...byIndex.values()],
    isDeclined,
    failures,
  })
  let yes: Approval | undefined
  let due = drafts()
  for (let fruitless = 0; ; ) {
    update(await quoteAll(context, due, options))
    if (drafts().length === 0) return ended(false)
    const summary = summaryOf(context.run, approvalHash, [...byIndex.values()], yes !== undefined)
    if (yes === undefined || !isWithin(yes, summary)) {
      const answer = await answerTo(context, summary, options)
      if (answer.is === 'no') return ended(true, answer.failures)
      yes = answer.to
      fruitless = 0
    }
    const round = await submitRound(context, drafts())
    update(round.submitted)
    if (round.failures.length > 0) return ended(false, round.failures)
    const [stale] = round.stale
    if (stale === undefined) return ended(false)
    fruitless = round.submitted.length > 0 ? 0 : fruitless + 1
    if (fruitless >= FRUITLESS_ROUNDS) {
      return ended(false, [quoteTooShort(context.run, stale.requestId)])
    }
    due = round.stale
  }
}

type GateAnswer =
  | { readonly is: 'yes'; readonly to: Approval }
  | { readonly is: 'no'; readonly failures: ReadonlyArray<PayFailure> }

/** Compares a summary with `approved`, and calls `approve` if the summary exceeds it. */
const answerTo = async (
  context: PayContext,
  summary: PaySummary,
  { approve, approved }: GateOptions,
): Promise<GateAnswer> => {
  const { run } = context
  context.emit({ _tag: 'Quoted', summary })
  const refused = (failure: PayFailure): GateAnswer => ({ is: 'no', failures: [failure] })
  if (summary.uncounted.length > 0) {
    const reason = uncountedText(summary.uncounted)
    return refused(uncounted(run, summary.uncounted, reason))
  }
  const beyond = approved === undefined ? '' : excessOf(approved, summary)
  if (approved !== undefined && beyond === undefined) return { is: 'yes', to: approved }
  if (approve === undefined) return refused(notApproved(run, `${beyond}`))
  const answer = approve(summary)
  // only `true` means yes: in plain JavaScript, the value may be the string 'no' that a person typed
  const isYes = (await said(context, answer)) === true
  return isYes ? { is: 'yes', to: summary.approval } : { is: 'no', failures: [] }
}

/** Returns the result of `approve`. Throws an `InvalidOption` if it has none, for example because of a forgotten `return`. */
const said = async (
  { first }: PayContext,
  answer: boolean | ObservableInput<boolean> | undefined,
): Promise<unknown> => {
  if (typeof answer === 'boolean') return answer
  const value = await first(from(answer ?? EMPTY).pipe(defaultIfEmpty(undefined)))
  if (value !== undefined) return value
  throw new InvalidOption(
    'approve',
    'a function that returns true or false, but it returned nothing',
  )
}

/** Returns false for a batch without a valid item, which the platform would refuse. */
const mayBeSubmitted = ({ batch }: RunBatch): boolean =>
  isDraft(batch) && batch.valid_item_count > 0

const summaryOf = (
  run: string,
  approvalHash: string,
  all: ReadonlyArray<RunBatch>,
  isWorse: boolean,
): PaySummary => {
  const some = all.filter(mayBeSubmitted)
  const before = all.filter(({ batch }) => !isDraft(batch))
  const batches = some.map(({ batch }) => batch)
  return {
    run,
    items: batches.reduce((sum, { valid_item_count }) => sum + valid_item_count, 0),
    leftOut: all.reduce((sum, { leftOut }) => sum + leftOut.size, 0),
    batches: batches.length,
    submittedBefore: before.length,
    totals: shownTotals(totalsOf(some.flatMap((one) => costsOf(one).counted))),
    ...approvalOf([...before, ...some], approvalHash),
    ...withoutUndefined({ expiresAt: earliestExpiry(batches) }),
    isWorse,
  }
}

// submitting

interface SubmitRound {
  readonly submitted: ReadonlyArray<RunBatch>
  /** Drafts whose quote is no longer the approved one, and drafts that were not tried. */
  readonly stale: ReadonlyArray<RunBatch>
  readonly failures: ReadonlyArray<Failure>
}

/** Submits drafts, several at a time, until one costs more than was approved. */
const submitRound = async (
  context: PayContext,
  drafts: ReadonlyArray<RunBatch>,
): Promise<SubmitRound> => {
  const stale: Array<RunBatch> = []
  const failures: Array<Failure> = []
  const submitted: Array<RunBatch> = []
  let isBeyond = false
  await each(drafts, WIDTH, async (draft) => {
    if (isBeyond) return void stale.push(draft)
    const attempt = await submitOne(context, draft)
    if (attempt.is === 'failed') return void failures.push(attempt.failure)
    const now = { ...draft, batch: attempt.batch }
    if (attempt.is === 'stale') return void stale.push(now)
    isBeyond ||= !isAsApproved(draft, now)
    submitted.push(now)
    context.emit({ _tag: 'Submitted', batch: attempt.batch })
  })
  return { submitted, stale, failures }
}

/** Reads the batch, and submits it if it is unchanged since its approval. */
const submitOne = async (context: PayContext, draft: RunBatch): Promise<SubmitResult> => {
  const { calls, first } = context
  const { id } = draft.batch
  const read = calls.retrieve({ id })
  const found = await first(read)
  if (E.isLeft(found)) return { is: 'failed', failure: found.left }
  const now = found.right
  if (!isDraft(now)) return { is: 'submitted', batch: now } // by another process
  if (!isAsApproved(draft, { ...draft, batch: now }) || hasExpired(context, now))
    return { is: 'stale', batch: now }

  const answer = await first(calls.submit({ id }))
  if (E.isRight(answer)) return { is: 'submitted', batch: withQuoteOf(now, answer.right) }
  // a submission that may have arrived may become visible later
  const limit = answer.left._tag === 'Ambiguous' ? context.lookUpFor : 0
  const isOver = (after: E.Either<Failure, BatchTransfer>): boolean =>
    E.isRight(after) && !isDraft(after.right)
  const after = await askUntil(context, read, isOver, limit)
  if (E.isRight(after) && !isDraft(after.right)) return { is: 'submitted', batch: after.right }
  const isStale =
    E.isRight(after) && answer.left._tag === 'Refused' && hasExpired(context, after.right)
  return isStale ? { is: 'stale', batch: after.right } : { is: 'failed', failure: answer.left }
}

/** Adds the quote of the draft, because the response to a submission may omit it. */
const withQuoteOf = (draft: BatchTransfer, submitted: BatchTransfer): BatchTransfer => {
  const quote_summary = submitted.quote_summary ?? draft.quote_summary
  return { ...submitted, ...withoutUndefined({ quote_summary }) }
}

const hasExpired = ({ serviceTime }: PayContext, batch: BatchTransfer): boolean =>
  !(expiryOf(batch) > serviceTime()) // an unreadable time counts as expired

/** Returns false if another process of the run has changed the batch, or quoted it again. */
const isAsApproved = (approved: RunBatch, now: RunBatch): boolean =>
  isWithin(approvalOf([approved]).approval, approvalOf([now]))
