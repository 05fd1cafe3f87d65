/** Paying many items: options, events and report. */
import type { ObservableInput } from 'rxjs'
import type { BatchTransfer, NewBatchTransfer } from '../../codec/BatchTransfer.js'
import { QuoteValidity } from '../../codec/BatchTransfer.js'
import { ITEMS_PER_BATCH, type NewBatchItem } from '../../codec/NewBatchItem.js'
import { Currency } from '../../codec/scalars.js'
import { type Decimal, parseDecimal } from '../../decode/minorUnits.js'
import { type E, O } from '../../fp.js'
import { is, type OptionsOf, type OptionsTable, required } from '../../options/index.js'
import type { Millis } from '../../stream/index.js'

// items

/** An item or, for a row of a file that is not an item, the reason: see `readRows` of `payments-rx/export`. */
export type PayItem<F = never> = NewBatchItem | E.Either<F, NewBatchItem>

type PayItemRows<F> = Iterable<PayItem<F>> | AsyncIterable<PayItem<F>>

/** Items that can be read twice: an array, rows of a file, or a function that returns a fresh iterable. */
export type PayItems<F = never> = PayItemRows<F> | (() => PayItemRows<F>)

/** A failure to read the items, which ends a run. A row that is not an item does not end the run: it is reported as invalid. */
export type ReadFailure<F> = Exclude<F, { readonly _tag: 'UnreadableRow' }>

/** A batch of a run: its items, and its place in the run. A plain value that can be put on a queue as a job. */
export interface PaymentBatch {
  /** The name of the run. */
  readonly run: string
  /** Number of the batch in the run, from 1. The `request_id` of the batch is `RUN-INDEX`. */
  readonly index: number
  /** Number of batches in the run. */
  readonly count: number
  /** SHA-256 of all items of the run, in hex digits. */
  readonly hash: string
  /** A hash of all items of the run, in hex digits. Unlike `hash`, it does not change if the items are reordered. */
  readonly set: string
  /** The items, up to 1,000. */
  readonly items: ReadonlyArray<NewBatchItem>
}

// options

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/

/** The metadata keys that record a batch's place in the run. */
const RUN_KEYS: ReadonlyArray<string> = ['index', 'count', 'hash', 'set']

const planTable = {
  /**
   * Name of the run: up to 40 letters, digits, dots, dashes and underscores. Keep it unchanged when you rerun. The
   * `request_id`s of its batches are `RUN-1`, `RUN-2` ...
   */
  run: required(
    is.stringThat(
      (text) => NAME.test(text),
      'up to 40 letters, digits, dots, dashes and underscores',
    ),
  ),
  /** Items per batch. Keep it unchanged when you rerun. Default 1,000, the maximum. */
  perBatch: is.int(1, ITEMS_PER_BATCH),
  /** `true`: a run with nothing to pay succeeds. Default `false`: it fails with `NothingToPay`. */
  allowEmpty: is.boolean,
}

const batchTable: OptionsTable<Omit<NewBatchTransfer, 'request_id'>> = {
  funding_source: is.object('an object like { id, deposit_type, reference }'),
  metadata: {
    ...is.object(`an object without ${RUN_KEYS.join(', ')}`),
    accepts: (u) => is.isObject(u) && RUN_KEYS.every((key) => !Object.hasOwn(u, key)),
  },
  name: is.string,
  remarks: is.string,
  transfer_date: is.string,
}

const submitTable = {
  /** Fields of each batch, such as its name, funding source or date. By default, the wallet pays immediately. */
  batch: is.group<Omit<NewBatchTransfer, 'request_id'>>(batchTable),
  /**
   * `true` pays the valid items, and deletes the invalid ones from the drafts. Default `false`: nothing is submitted if any
   * item is invalid.
   */
  withoutInvalid: is.boolean,
  /** Validity period to request for quotes. Default: the platform's. */
  validity: is.oneOf(...(Object.keys(QuoteValidity.keys) as ReadonlyArray<QuoteValidity>)),
  /** Time to wait for batches to become final, in ms from the last submission. Default: an hour. */
  limit: is.millis,
}

/** Maximum length of a bound, in characters. Sums may have more digits than amounts. */
const MAX_BOUND_LENGTH = 20_000

export const decimalOf = (bound: string): O.Option<Decimal> => parseDecimal(bound, MAX_BOUND_LENGTH)

const isBound = (text: string): boolean => {
  const amount = decimalOf(text)
  return O.isSome(amount) && amount.value.units >= 0n
}

const boundTable: OptionsTable<PayBound> = {
  currency: required(is.stringThat(Currency.is, 'a currency code of 3 capital letters')),
  amount: required(is.stringThat(isBound, 'decimal text from 0, such as 12.50')),
  pair: is.string,
}

export const approvalTable: OptionsTable<Approval> = {
  hash: is.string,
  items: is.int(0),
  max: required(is.arrayOf(is.group(boundTable), 'a list of bounds')),
  atLeast: is.arrayOf(is.group(boundTable), 'a list of bounds'),
}

const gateTable = {
  approve: is.fn<Approve>('a function that decides whether to pay'),
  approved: is.group(approvalTable),
}

const hexHash = is.stringThat((text) => /^[0-9a-f]{64}$/.test(text), 'a hash of 64 hex digits')

export const paymentBatchTable: OptionsTable<PaymentBatch> = {
  run: planTable.run,
  index: required(is.int(1)),
  count: required(is.int(1)),
  hash: required(hexHash),
  set: required(hexHash),
  items: required({
    accepts: (u) => Array.isArray(u) && u.length > 0 && u.length <= ITEMS_PER_BATCH,
    expected: `a list of 1 to ${ITEMS_PER_BATCH} items`,
  }),
}

export const paymentBatchesTable = planTable
export const payBatchTable = { ...submitTable, ...gateTable }
export const payAllTable = { ...planTable, ...payBatchTable }
export const discardTable = {
  /** Name of the run. */
  run: planTable.run,
}

/** Options of `paymentBatches`. */
export interface PaymentBatchesOptions extends OptionsOf<typeof planTable> {}

/** An approval: `approve`, `approved` or both. */
export type ApprovalOptions = { readonly approve: Approve } | { readonly approved: Approval }

/** Options of `payBatch`. `approve` or `approved` is required. */
export interface PayBatchOptions extends OptionsOf<typeof submitTable> {
  /**
   * Decides whether to pay; called before anything is submitted, and may take as long as it needs. Not called for costs within
   * `approved`.
   */
  readonly approve?: Approve | undefined
  /**
   * An approval given in advance: the `approval` of a summary, or your own bounds. Costs beyond it are passed to `approve`.
   * Without `approve`, nothing is submitted and the run fails with `NotApproved`.
   */
  readonly approved?: Approval | undefined
}

/** Options of `payAll`. `approve` or `approved` is required. */
export interface PayAllOptions extends PaymentBatchesOptions, PayBatchOptions {}

/** The run whose drafts to delete. */
export interface DiscardOptions extends OptionsOf<typeof discardTable> {}

/** Decides whether to pay the quoted costs. Nothing is submitted before. */
export type Approve = (summary: PaySummary) => boolean | ObservableInput<boolean>

/** A bound on the total of a run in one currency. */
export interface PayBound {
  /** A 3-letter ISO 4217 code. */
  readonly currency: string
  /** A decimal string, not negative. */
  readonly amount: string
  /** The currency pair to which the bound applies, such as `USD-EUR`. If omitted, it applies to all pairs together. */
  readonly pair?: string
}

/**
 * Bounds of a payment, as plain JSON: the stored `approval` of a summary, or your own bounds, such as `{ max: [{ currency: 'USD',
 * amount: '10000' }] }`. It covers the whole run, including batches submitted earlier.
 */
export interface Approval {
  /**
   * The hash of the run's items, followed by the number of the batch if the approval covers one batch. If omitted, any hash is
   * accepted.
   */
  readonly hash?: string
  /** The number of valid items. If omitted, any number is accepted. */
  readonly items?: number
  /** The maximum that the payer pays, including fees. A currency without a bound is not paid. */
  readonly max: ReadonlyArray<PayBound>
  /** The minimum that beneficiaries receive. */
  readonly atLeast?: ReadonlyArray<PayBound>
}

// the quote

/** The costs of all items with one currency pair. Amounts are decimal strings, added without rounding. */
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
  /** The distinct rates of the batches, as decimal strings; empty if nothing is converted. */
  readonly rates: ReadonlyArray<string>
}

/** Summary of a run that is about to be submitted, with its costs. */
export interface PaySummary {
  /** The name of the run. */
  readonly run: string
  /** Number of items that would be paid. */
  readonly items: number
  /** Number of invalid items that would be left out. */
  readonly leftOut: number
  /** Number of batches that would be submitted. */
  readonly batches: number
  /** Number of batches submitted earlier, by this run or another. */
  readonly submittedBefore: number
  /** The totals by currency pair and fee currency, without the `uncounted` parts. */
  readonly totals: ReadonlyArray<PayTotal>
  /** An approval of the whole run exactly as shown, including batches submitted earlier. */
  readonly approval: Approval
  /**
   * Parts that cannot be added up: batches or currency pairs without a quote, and amounts that are negative or not decimal. If
   * there are any, nothing is submitted and `approve` is not called.
   */
  readonly uncounted: ReadonlyArray<string>
  /** Time at which the first quote expires. Absent if the platform does not provide it. */
  readonly expiresAt?: Date
  /** True if `approve` is called again because renewed quotes exceed the approved ones. */
  readonly isWorse: boolean
}

// what happens

/** An item that is not paid because it is invalid. */
export interface InvalidItem {
  /** Index among all items, from 0. Absent if the platform found it invalid in an earlier run. */
  readonly index?: number
  /** The `request_id` of the item, if it has one. */
  readonly requestId?: string
  /** The reasons, one line each, without the content of strings. */
  readonly reasons: ReadonlyArray<string>
}

/** The outcome of a payment. */
export interface PaymentOutcome {
  /** The `request_id` of the item. */
  readonly requestId: string
  /** The `request_id` of its batch. */
  readonly batch: string
  /** The `id` of its batch. */
  readonly batchId: string
  /** How the payment ended. `unknown`: the batch is final, but its list of items does not show the outcome of this one. */
  readonly state: 'booked' | 'failed' | 'left out' | 'unknown'
  /** The transfer id of a booked item. */
  readonly transferId?: string
  /** The reason why the item was not booked. */
  readonly reason?: string
}

/** The final report of a run. */
export interface PayReport {
  /** The name of the run. */
  readonly run: string
  /** SHA-256 of all items, in hex digits. */
  readonly hash: string
  /** True if all items of the run are booked. */
  readonly isPaid: boolean
  /** True if `approve` declined. Batches that were not submitted earlier remain drafts. */
  readonly isDeclined: boolean
  /** Number of items in the run. */
  readonly items: number
  /** Number of booked items. Their transfers were made, but have not necessarily arrived. */
  readonly booked: number
  /** Number of items that were submitted and will not be booked. */
  readonly failed: number
  /** Number of invalid items. */
  readonly leftOut: number
  /** Number of items in final batches whose outcome is unknown. */
  readonly unknown: number
  /** All batches of the run, as last seen. */
  readonly batches: ReadonlyArray<BatchTransfer>
}

/** The final report of a run of one batch. */
export interface BatchReport extends PayReport {
  /** The outcome of each item. */
  readonly outcomes: ReadonlyArray<PaymentOutcome>
}

/** The batches with the name of a run, as the platform shows them. */
export interface RunBatches {
  /** The batches, in the order of the run. */
  readonly batches: ReadonlyArray<BatchTransfer>
  /** False if some batches could not be read; these may have been submitted. */
  readonly isWhole: boolean
}

/** Events of a run, in this order; some occur once per batch. */
export type PayEvent =
  /** All items have been read and checked. Nothing has been sent yet. */
  | {
      readonly _tag: 'Checked'
      readonly items: number
      readonly batches: number
      readonly hash: string
      /** A hash of the items that does not depend on their order, as in the metadata of their batches. */
      readonly set: string
    }
  /** An item is invalid, according to its codec or the platform. */
  | { readonly _tag: 'Invalid'; readonly item: InvalidItem }
  /** A batch has all its items, or was submitted earlier. */
  | { readonly _tag: 'Filled'; readonly batch: BatchTransfer; readonly index: number }
  /**
   * All batches are filled, valid and quoted. Emitted before anything is submitted, and before each further call of `approve`.
   */
  | { readonly _tag: 'Quoted'; readonly summary: PaySummary }
  /** A batch is submitted. */
  | { readonly _tag: 'Submitted'; readonly batch: BatchTransfer }
  /** A batch is final, with the outcomes of all its items. */
  | {
      readonly _tag: 'Settled'
      readonly batch: BatchTransfer
      readonly outcomes: ReadonlyArray<PaymentOutcome>
    }
  /** The run cannot continue. Carries the run's batches, read again. A `Left` with the reason follows. */
  | ({ readonly _tag: 'BatchesFound' } & RunBatches)
  /** The run has ended. */
  | { readonly _tag: 'Reported'; readonly report: PayReport }

/** The result of deleting the drafts of a run. */
export interface Discarded {
  /** Number of deleted drafts. */
  readonly deleted: number
  /** Number of batches that were submitted earlier. */
  readonly submitted: number
}

/** An hour (our assumption: not in the API description). */
export const WAIT_LIMIT: Millis = 3_600_000
