import { ITEMS_PER_BATCH } from '../../codec/NewBatchItem.js'
import { checkOptions, InvalidOption } from '../../options/index.js'
import type { ObservableEither } from '../../stream/either/ObservableEither.js'
import { flow, Stop } from './flow.js'
import type { PaySpec } from './PayContext.js'
import { invalidItems, nothingToPay, type PayFailure } from './PayFailure.js'
import {
  type ApprovalOptions,
  type BatchReport,
  type PayAllOptions,
  type PayBatchOptions,
  type PayEvent,
  type PayItems,
  type PaymentBatch,
  type PaymentBatchesOptions,
  type PaymentOutcome,
  payAllTable,
  payBatchTable,
  paymentBatchesTable,
  paymentBatchTable,
  type ReadFailure,
} from './PayOptions.js'
import { contextOf, payRun } from './payRun.js'
import { batchesOf, checkItems, type Payments, type PayPlan, planOf, unchanged } from './plan.js'

// types

/** Pays items, each exactly once no matter how often it runs. */
export type PayAll = (
  options: PayAllOptions & ApprovalOptions,
) => <F = never>(items: PayItems<F>) => ObservableEither<PayFailure | ReadFailure<F>, PayEvent>

/** Pays one batch, each item exactly once no matter how often it runs, even concurrently. */
export type PayBatch = (
  batch: PaymentBatch,
  options: PayBatchOptions & ApprovalOptions,
) => ObservableEither<PayFailure, BatchReport>

// functions

export const payAll =
  (spec: PaySpec): PayAll =>
  (given) => {
    const {
      run,
      perBatch = ITEMS_PER_BATCH,
      ...options
    } = checkOptions<PayAllOptions>(given, payAllTable, {
      context: 'payAll: ',
    })
    checkGate(options, 'payAll: ')
    return <F>(items: PayItems<F>) => {
      checkItems(items, 'payAll: ')
      return flow<PayFailure | ReadFailure<F>, PayEvent>(async (asking) => {
        const { check } = spec
        const plan = await planOf(items, { run, perBatch, check })
        const { hash, set, leftOut, invalid } = plan
        for (const item of invalid) asking.emit({ _tag: 'Invalid', item })
        refuseInvalid(plan, options.withoutInvalid)
        const batches = plan.chain.length
        asking.emit({ _tag: 'Checked', items: plan.items, batches, hash, set })
        const payments: Payments = {
          run,
          hash,
          approvalHash: hash,
          set,
          count: batches,
          items: plan.items + leftOut.size,
          leftOut: leftOut.size,
          batches: () => batchesOf(items, plan),
          isWhole: true,
        }
        const report = await payRun(contextOf(spec, asking, run), payments, options)
        asking.emit({ _tag: 'Reported', report })
      })
    }
  }

export const payBatch =
  (spec: PaySpec): PayBatch =>
  (given, options) => {
    const context = 'payBatch: '
    const batch = checkOptions(given, paymentBatchTable, { context })
    const checked = checkOptions<PayBatchOptions>(options ?? {}, payBatchTable, { context })
    checkGate(checked, context)
    const { run, index, hash, set, count, items } = batch
    const places = items.map((_, place) => place)
    const payments: Payments = {
      run,
      hash,
      approvalHash: `${hash}-${index}`,
      set,
      count,
      items: items.length,
      leftOut: 0,
      batches: async function* () {
        yield { ...batch, places }
      },
      isWhole: false,
    }
    return flow<PayFailure, BatchReport>(async (asking) => {
      const outcomes: Array<PaymentOutcome> = []
      const emit = (event: PayEvent): void => {
        if (event._tag === 'Settled') outcomes.push(...event.outcomes)
      }
      const calling = contextOf(spec, { ...asking, emit }, run)
      asking.emit({ ...(await payRun(calling, payments, checked)), outcomes })
    })
  }

/** Divides items into the batches of a run, for jobs on a queue. Sends nothing. */
export const paymentBatches = (given: PaymentBatchesOptions) => {
  const {
    run,
    perBatch = ITEMS_PER_BATCH,
    allowEmpty = false,
  } = checkOptions(given, paymentBatchesTable, { context: 'paymentBatches: ' })
  return <F = never>(
    items: PayItems<F>,
  ): ObservableEither<PayFailure | ReadFailure<F>, PaymentBatch> => {
    checkItems(items, 'paymentBatches: ')
    return flow<PayFailure | ReadFailure<F>, PaymentBatch>(async ({ emit }) => {
      const plan = await planOf(items, { run, perBatch, check: true })
      refuseInvalid(plan, false)
      if (plan.items === 0 && !allowEmpty) throw new Stop(nothingToPay(run, 0))
      for await (const { places: _, ...batch } of unchanged({ run }, batchesOf(items, plan))) {
        emit(batch)
      }
    })
  }
}

// checks

/** Throws an `InvalidOption` if there is no approval, because then nothing would ever be paid. */
const checkGate = ({ approve, approved }: PayBatchOptions, context: string): void => {
  if (approve !== undefined || approved !== undefined) return
  throw new InvalidOption(
    'approve',
    'a function that decides whether to pay, unless approved is given',
    context,
  )
}

/** Ends a run with invalid items, unless these are to be left out. */
const refuseInvalid = (
  { run, invalid, isRepeated }: PayPlan,
  withoutInvalid: boolean | undefined,
): void => {
  if (invalid.length === 0 || (withoutInvalid === true && !isRepeated)) return
  throw new Stop(invalidItems(run, invalid, ', nothing was sent'))
}
