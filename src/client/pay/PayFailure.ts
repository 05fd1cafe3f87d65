/** Failures that end a run of payments, in addition to those of its calls. */
import { fieldsOf } from '../../decode/unknown.js'
import { ofAnyCopy } from '../../fp.js'
import type { Failure, FieldDifference } from '../../http/Failure.js'
import type { InvalidItem, RunBatches } from './PayOptions.js'

interface RunFailureFields {
  /** The name of the run. */
  readonly run: string
  /** A one-line description, safe to log, without secrets. */
  readonly message: string
}

/** Items are invalid, or two items have the same `request_id`. This run submitted nothing. */
export interface InvalidItems extends RunFailureFields {
  readonly _tag: 'InvalidItems'
  /** The number of invalid items. Each was reported before, in an `Invalid` event. */
  readonly count: number
  /** The first invalid items, up to 100. */
  readonly first: ReadonlyArray<InvalidItem>
}

/** There are no items to pay: none were given, or all were left out. This run submitted nothing. */
export interface NothingToPay extends RunFailureFields {
  readonly _tag: 'NothingToPay'
  /** Number of items left out as invalid. */
  readonly leftOut: number
}

/** A batch with this name holds other payments, was divided differently, or was made by no run. This run submitted nothing. */
export interface OtherRun extends RunFailureFields {
  readonly _tag: 'OtherRun'
  /** The `request_id` of the batch. */
  readonly requestId: string
  /** Differing fields, such as `metadata.hash`, with both values. */
  readonly differences: ReadonlyArray<FieldDifference>
  /** The batches with this name, as the platform shows them. */
  readonly held: RunBatches
  /**
   * Indexes, from 0, of items proven to be in none of these batches, while other items of the run are in them. Only these items
   * may be paid under another name.
   */
  readonly unpaid: ReadonlyArray<number>
}

/** The items had changed when they were read again, or a batch holds items that do not belong to this run. */
export interface ItemsChanged extends RunFailureFields {
  readonly _tag: 'ItemsChanged'
  /** The `request_id` of the batch. */
  readonly requestId: string
}

/** Quotes expire before a batch can be submitted. */
export interface QuoteTooShort extends RunFailureFields {
  readonly _tag: 'QuoteTooShort'
  /** The `request_id` of the batch. */
  readonly requestId: string
}

/** Quotes are missing, or have amounts that cannot be added up: see `uncounted` in the summary. */
export interface Uncounted extends RunFailureFields {
  readonly _tag: 'Uncounted'
  /** The reasons, one line each. */
  readonly uncounted: ReadonlyArray<string>
}

/** The quotes exceed `approved`, and there is no `approve` to ask. */
export interface NotApproved extends RunFailureFields {
  readonly _tag: 'NotApproved'
}

/** A failure that ends a run of payments, in addition to those of its calls. */
export type RunFailure =
  | InvalidItems
  | NothingToPay
  | OtherRun
  | ItemsChanged
  | QuoteTooShort
  | Uncounted
  | NotApproved

/** A failure that ends a run of payments. */
export type PayFailure = Failure | RunFailure

const RUN_FAILURES: ReadonlyArray<unknown> = [
  'InvalidItems',
  'ItemsChanged',
  'NotApproved',
  'NothingToPay',
  'OtherRun',
  'QuoteTooShort',
  'Uncounted',
] satisfies ReadonlyArray<RunFailure['_tag']>

export const isRunFailure = (failure: unknown): failure is RunFailure =>
  RUN_FAILURES.includes(fieldsOf(failure)._tag)

/** The failure of a run of payments as an `Error`. */
export class RunError extends Error {
  /** Also recognizes errors of another copy of the package. */
  static override readonly [Symbol.hasInstance] = ofAnyCopy('RunError')

  override readonly name = 'RunError'
  readonly _tag = 'RunError'
  /** The failure behind this error. */
  readonly failure: RunFailure

  constructor(failure: RunFailure) {
    super(failure.message)
    this.failure = failure
  }
}

/** Maximum number of items that a failure lists. */
const MOST_REPEATED = 100

/** Maximum number of items that a message names. */
const MOST_NAMED = 3

/** `end` is appended to the message, for example `, nothing was sent`. */
export const invalidItems = (
  run: string,
  all: ReadonlyArray<InvalidItem>,
  end = '',
): InvalidItems => {
  const named = all.slice(0, MOST_NAMED).map(describeItem)
  const more = all.length > MOST_NAMED ? [`and ${all.length - MOST_NAMED} more`] : []
  const items = all.length === 1 ? '1 item is' : `${all.length} items are`
  return {
    _tag: 'InvalidItems',
    run,
    count: all.length,
    first: all.slice(0, MOST_REPEATED),
    message: `${run}: ${items} invalid${end}: ${[...named, ...more].join('; ')}`,
  }
}

const describeItem = ({ index, requestId, reasons }: InvalidItem): string => {
  const where = index === undefined ? `item ${requestId}` : `item ${index + 1}`
  return `${where}: ${reasons.join(', ')}`
}

export const nothingToPay = (run: string, leftOut: number): NothingToPay => {
  const why = leftOut === 0 ? 'no items were given' : `all ${leftOut} were left out as invalid`
  const message = `${run}: there is nothing to pay: ${why}`
  return { _tag: 'NothingToPay', run, leftOut, message }
}

export const otherRun = (
  run: string,
  requestId: string,
  differences: ReadonlyArray<FieldDifference>,
): OtherRun => ({
  _tag: 'OtherRun',
  run,
  requestId,
  differences,
  held: { batches: [], isWhole: false },
  unpaid: [],
  message: `${run}: batch ${requestId} holds other payments`,
})

export const itemsChanged = (run: string, requestId: string, reason: string): ItemsChanged => ({
  _tag: 'ItemsChanged',
  run,
  requestId,
  message: `${run}: batch ${requestId}: ${reason}`,
})

export const quoteTooShort = (run: string, requestId: string): QuoteTooShort => ({
  _tag: 'QuoteTooShort',
  run,
  requestId,
  message: `${run}: each quote of batch ${requestId} expired before it could be submitted: ask for a longer validity`,
})

export const uncounted = (run: string, all: ReadonlyArray<string>, reason: string): Uncounted => ({
  _tag: 'Uncounted',
  run,
  uncounted: all,
  message: `${run}: ${reason}`,
})

export const notApproved = (run: string, reason: string): NotApproved => ({
  _tag: 'NotApproved',
  run,
  message: `${run}: ${reason}`,
})
