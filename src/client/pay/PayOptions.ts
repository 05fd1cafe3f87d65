/** Paying many items: options, what happens meanwhile, and the report. */
import type { ObservableInput } from 'rxjs'
import type { BatchTransfer, NewBatchTransfer } from '../../codec/BatchTransfer.js'
import { QuoteValidity } from '../../codec/BatchTransfer.js'
import { ITEMS_PER_BATCH, type NewBatchItem } from '../../codec/NewBatchItem.js'
import type { E } from '../../fp.js'
import { is, type OptionsOf, type OptionsTable, required } from '../../options/index.js'
import type { Millis } from '../../stream/index.js'

// items

/** An item, or, from a file, why a row is none: see `readRows` of `payments-rx/export`. */
export type PayItem<F = never> = NewBatchItem | E.Either<F, NewBatchItem>

type PayItemRows<F> = Iterable<PayItem<F>> | AsyncIterable<PayItem<F>>

/** Items that can be read twice: an array, rows of a file, or a function that begins anew each time. */
export type PayItems<F = never> = PayItemRows<F> | (() => PayItemRows<F>)

/** A failure of the items that ends a run: a row that is no item is reported as an invalid one. */
export type Unread<F> = Exclude<F, { readonly _tag: 'UnreadableRow' }>

/** A batch of a run: its items, and its place in the run. A plain value, fit for a job of a queue. */
export interface PaymentBatch {
  /** The name of the run. */
  readonly run: string
  /** Place in the run, from 1. The `request_id` of the batch is `RUN-INDEX`. */
  readonly index: number
  /** Number of batches of the run. */
  readonly count: number
  /** SHA-256 of all items of the run, in hex digits. */
  readonly hash: string
  /** Up to 1,000. */
  readonly items: ReadonlyArray<NewBatchItem>
}

// options

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/

/** The keys of a batch's metadata that say its place in the run. */
const RUN_KEYS: ReadonlyArray<string> = ['index', 'count', 'hash']

const planTable = {
  /**
   * Name of the run, the same each time it is run again: up to 40 letters, digits, dots, dashes and underscores. The
   * batches have the `request_id`s `RUN-1`, `RUN-2` ...
   */
  run: required(
    is.stringThat(
      (text) => NAME.test(text),
      'up to 40 letters, digits, dots, dashes and underscores',
    ),
  ),
  /** Items a batch, the same each time. Default 1,000, which is the most. */
  perBatch: is.int(1, ITEMS_PER_BATCH),
}

const batchTable: OptionsTable<Omit<NewBatchTransfer, 'request_id'>> = {
  funding_source: is.object('an object of id, deposit_type, reference'),
  metadata: {
    ...is.object(`an object without ${RUN_KEYS.join(', ')}`),
    accepts: (u) => is.isObject(u) && RUN_KEYS.every((key) => !Object.hasOwn(u, key)),
  },
  name: is.string,
  remarks: is.string,
  transfer_date: is.string,
}

const submitTable = {
  /** Fields of each batch, such as its name, source of money or date. Default: paid from the wallet, at once. */
  batch: is.group<Omit<NewBatchTransfer, 'request_id'>>(batchTable),
  /** Pays the valid items, and deletes the invalid ones from the drafts. Default `false`: then nothing is submitted. */
  withoutInvalid: is.boolean,
  /** The time for which quotes are to hold. Default: the platform's. */
  validity: is.oneOf(...(Object.keys(QuoteValidity.keys) as ReadonlyArray<QuoteValidity>)),
  /**
   * How much worse a total may become by quotes that were made anew, in per cent, before `approve` is asked again. Default
   * 0.
   */
  tolerance: is.atLeast(0),
  /** The longest wait for batches to be final, in ms, from the last submission on. Default: an hour. */
  limit: is.millis,
}

const approveRule = is.fn<Approve>('a function that says whether to pay')

export const paymentBatchTable: OptionsTable<PaymentBatch> = {
  run: planTable.run,
  index: required(is.int(1)),
  count: required(is.int(1)),
  hash: required(is.stringThat((text) => /^[0-9a-f]{64}$/.test(text), 'a hash of 64 hex digits')),
  items: required({
    accepts: (u) => Array.isArray(u) && u.length > 0 && u.length <= ITEMS_PER_BATCH,
    expected: `a list of 1 to ${ITEMS_PER_BATCH} items`,
  }),
}

export const paymentBatchesTable = planTable
export const payBatchTable = { ...submitTable, approve: approveRule }
export const payAllTable = { ...planTable, ...submitTable, approve: required(approveRule) }
export const discardTable = { run: planTable.run }

/** Options of `paymentBatches`. */
export interface PaymentBatchesOptions extends OptionsOf<typeof planTable> {}

interface Approving {
  /** Is asked before anything is submitted, and says whether to pay; it may take its time. */
  readonly approve: Approve
}

/** Options of `payBatch`. Without `approve`, whatever is quoted is paid. */
export interface PayBatchOptions extends OptionsOf<typeof submitTable>, Partial<Approving> {}

/** Options of `payAll`. */
export interface PayAllOptions
  extends PaymentBatchesOptions,
    OptionsOf<typeof submitTable>,
    Approving {}

/** The run whose drafts to delete. */
export interface DiscardOptions extends OptionsOf<typeof discardTable> {}

/** Says whether to pay what was quoted. Nothing is submitted until it does. */
export type Approve = (summary: PaySummary) => boolean | ObservableInput<boolean>

// the quote

/** Costs of the items of one currency pair. Amounts are decimal text, added without rounding. */
export interface PayTotal {
  /** The currency that the payer funds with. */
  readonly sourceCurrency: string
  /** The currency that the beneficiaries receive. */
  readonly transferCurrency: string
  /** Total that the payer pays, in `sourceCurrency`. */
  readonly payerPays: string
  /** Total that the beneficiaries receive, in `transferCurrency`. */
  readonly beneficiariesReceive: string
  /** Fees, in `feeCurrency`. */
  readonly fee: string
  /** The currency of the fees. */
  readonly feeCurrency: string
  /** The different rates of the batches, as decimal text; none where nothing is converted. */
  readonly rates: ReadonlyArray<string>
}

/** Summary of a run that is about to be submitted, with its costs. */
export interface PaySummary {
  /** The name of the run. */
  readonly run: string
  /** Items that would be paid. */
  readonly items: number
  /** Invalid items that would be left out. */
  readonly leftOut: number
  /** Batches that would be submitted. */
  readonly batches: number
  /** Batches that were submitted before, by this run or another. */
  readonly submittedBefore: number
  /** By currency pair, and currency of fees. */
  readonly totals: ReadonlyArray<PayTotal>
  /** When the first of the quotes expires; absent if the platform does not say. */
  readonly expiresAt?: Date
  /** True if it is asked again, since quotes made anew are worse than those approved before. */
  readonly isWorse: boolean
}

// what happens

/** An item that is not paid since it is invalid. */
export interface InvalidItem {
  /** Place among all items, from 0; absent if it was found by the platform in an earlier run. */
  readonly index?: number
  /** Its `request_id`, if it has one. */
  readonly requestId?: string
  /** One line each, without the content of texts. */
  readonly reasons: ReadonlyArray<string>
}

/** How a payment ended. */
export interface PaymentOutcome {
  /** The `request_id` of the item. */
  readonly requestId: string
  /** The `request_id` of its batch. */
  readonly batch: string
  /** The `id` of its batch. */
  readonly batchId: string
  /** `unknown`: the batch is final, and its list of items does not show how this one ended. */
  readonly state: 'booked' | 'failed' | 'left out' | 'unknown'
  /** The transfer of a booked item. */
  readonly transferId?: string
  /** Why it was not booked. */
  readonly reason?: string
}

/** The end of a run. */
export interface PayReport {
  /** The name of the run. */
  readonly run: string
  /** SHA-256 of all items, in hex digits. */
  readonly hash: string
  /** True if all items of the run are booked. */
  readonly isPaid: boolean
  /** True if `approve` said no: what was not submitted before stays as drafts. */
  readonly isDeclined: boolean
  /** All items of the run. */
  readonly items: number
  /** Items that are booked: the transfers were made, which is not to say that they arrived. */
  readonly booked: number
  /** Items that were submitted, and will not be booked. */
  readonly failed: number
  /** Invalid items. */
  readonly leftOut: number
  /** Items in final batches whose outcome is not known. */
  readonly unknown: number
  /** All batches of the run, as last seen. */
  readonly batches: ReadonlyArray<BatchTransfer>
}

/** The end of a run of one batch. */
export interface BatchReport extends PayReport {
  /** How each item ended. */
  readonly outcomes: ReadonlyArray<PaymentOutcome>
}

/** Events of a run, in this order; some of it once for each batch. */
export type PayEvent =
  /** All items were read and checked; nothing was sent. */
  | {
      readonly _tag: 'Checked'
      readonly items: number
      readonly batches: number
      readonly hash: string
    }
  /** An item is invalid: by its codec, or by the platform. */
  | { readonly _tag: 'Invalid'; readonly item: InvalidItem }
  /** A batch has all its items, or was submitted before. */
  | { readonly _tag: 'Filled'; readonly batch: BatchTransfer; readonly index: number }
  /** All batches are full, valid and quoted; `approve` is asked. */
  | { readonly _tag: 'Quoted'; readonly summary: PaySummary }
  /** A batch is submitted. */
  | { readonly _tag: 'Submitted'; readonly batch: BatchTransfer }
  /** A batch is final, and these are the outcomes of all its items. */
  | {
      readonly _tag: 'Settled'
      readonly batch: BatchTransfer
      readonly outcomes: ReadonlyArray<PaymentOutcome>
    }
  /** The end. */
  | { readonly _tag: 'Reported'; readonly report: PayReport }

/** How many drafts of a run were deleted. */
export interface Discarded {
  /** Drafts that are gone. */
  readonly deleted: number
  /** Batches that were submitted before. */
  readonly submitted: number
}

/** An hour (default, not specified by the interface). */
export const WAIT_LIMIT: Millis = 3_600_000
