import { ITEMS_PER_BATCH } from '../../codec/NewBatchItem.js'
import { checkOptions, InvalidOption } from '../../options/index.js'
import type { ObservableEither } from '../../stream/index.js'
import { flow, Stop } from './flow.js'
import type { PaySpec } from './PayContext.js'
import { invalidItems, type PayFailure } from './PayFailure.js'
import {
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
  type Unread,
} from './PayOptions.js'
import { contextOf, type Payments, payRun, unchanged } from './payRun.js'
import { batchesOf, canBeReadTwice, type PayPlan, planOf } from './plan.js'

// types

/** Pays items, each once, however often it is run. */
export type PayAll = (
  options: PayAllOptions,
) => <F = never>(items: PayItems<F>) => ObservableEither<PayFailure | Unread<F>, PayEvent>

/** Pays one batch, each item once, however often it is run, also at the same time. */
export type PayBatch = (
  batch: PaymentBatch,
  options?: PayBatchOptions,
) => ObservableEither<PayFailure, BatchReport>

// functions

export const payAll =
  (spec: PaySpec): PayAll =>
  (given) => {
    const {
      run,
      perBatch = ITEMS_PER_BATCH,
      ...options
    } = checkOptions(given, payAllTable, {
      context: 'payAll: ',
    })
    return <F>(items: PayItems<F>) => {
      checkItems(items, 'payAll: ')
      return flow<PayFailure | Unread<F>, PayEvent>(async (asking) => {
        const { check } = spec
        const plan = await planOf(items, { run, perBatch, check })
        const { hash, leftOut, invalid } = plan
        for (const item of invalid) asking.emit({ _tag: 'Invalid', item })
        refuseInvalid(plan, options.withoutInvalid)
        const batches = plan.chain.length
        asking.emit({ _tag: 'Checked', items: plan.items, batches, hash })
        const payments: Payments = {
          run,
          hash,
          count: batches,
          items: plan.items + leftOut.size,
          leftOut: leftOut.size,
          batches: () => batchesOf(items, plan),
        }
        const report = await payRun(contextOf(spec, asking, run), payments, options)
        asking.emit({ _tag: 'Reported', report })
      })
    }
  }

export const payBatch =
  (spec: PaySpec): PayBatch =>
  (given, options = {}) => {
    const batch = checkOptions(given, paymentBatchTable, { context: 'payBatch: ' })
    const checked = checkOptions(options, payBatchTable, { context: 'payBatch: ' })
    const { run, hash, count, items } = batch
    const places = items.map((_, place) => place)
    const payments: Payments = {
      run,
      hash,
      count,
      items: items.length,
      leftOut: 0,
      batches: async function* () {
        yield { ...batch, places }
      },
    }
    return flow<PayFailure, BatchReport>(async (asking) => {
      const outcomes: Array<PaymentOutcome> = []
      const emit = (event: PayEvent): void => {
        if (event._tag === 'Settled') outcomes.push(...event.outcomes)
      }
      const context = contextOf(spec, { ...asking, emit }, run)
      asking.emit({ ...(await payRun(context, payments, checked)), outcomes })
    })
  }

/** Cuts items into the batches of a run, for the jobs of a queue. Sends nothing. */
export const paymentBatches = (given: PaymentBatchesOptions) => {
  const { run, perBatch = ITEMS_PER_BATCH } = checkOptions(given, paymentBatchesTable, {
    context: 'paymentBatches: ',
  })
  return <F = never>(
    items: PayItems<F>,
  ): ObservableEither<PayFailure | Unread<F>, PaymentBatch> => {
    checkItems(items, 'paymentBatches: ')
    return flow<PayFailure | Unread<F>, PaymentBatch>(async ({ emit }) => {
      const plan = await planOf(items, { run, perBatch, check: true })
      refuseInvalid(plan, false)
      for await (const { places: _, ...batch } of unchanged({ run }, batchesOf(items, plan))) {
        emit(batch)
      }
    })
  }
}

// checks

const checkItems = (items: unknown, context: string): void => {
  if (canBeReadTwice(items)) return
  throw new InvalidOption(
    'items',
    'what can be read twice: an array, rows of a file, or a function that begins anew each time',
    context,
  )
}

/** Ends a run of items that cannot all be paid, unless those that are invalid are to be left out. */
const refuseInvalid = (
  { run, invalid, isRepeated }: PayPlan,
  withoutInvalid: boolean | undefined,
): void => {
  if (invalid.length === 0 || (withoutInvalid === true && !isRepeated)) return
  throw new Stop(invalidItems(run, invalid))
}
