/** Failures that end a run of payments, beside those of its calls. */
import type { Failure, FieldDifference } from '../../http/Failure.js'
import type { InvalidItem } from './PayOptions.js'

// model

interface RunFailureFields {
  /** The name of the run. */
  readonly run: string
  /** One line, fit for a log, without secrets. */
  readonly message: string
}

/** Items are invalid, or a `request_id` is used twice. This run submitted nothing. */
export interface InvalidItems extends RunFailureFields {
  readonly _tag: 'InvalidItems'
  /** How many. Each was reported before, as an event `Invalid`. */
  readonly count: number
  /** The first of them, up to 100. */
  readonly first: ReadonlyArray<InvalidItem>
}

/** A batch of this name is of another run: of other items, or cut otherwise. Nothing was sent. */
export interface OtherRun extends RunFailureFields {
  readonly _tag: 'OtherRun'
  /** The `request_id` of the batch. */
  readonly requestId: string
  /** Differing fields, such as `metadata.hash`, with both values. */
  readonly differences: ReadonlyArray<FieldDifference>
}

/** The items were others when they were read again, or a batch holds items that are not of this run. */
export interface ItemsChanged extends RunFailureFields {
  readonly _tag: 'ItemsChanged'
  /** The `request_id` of the batch. */
  readonly requestId: string
}

/** Quotes expire sooner than a batch can be submitted. */
export interface QuoteTooShort extends RunFailureFields {
  readonly _tag: 'QuoteTooShort'
  /** The `request_id` of the batch. */
  readonly requestId: string
}

/** A failure that ends a run of payments, beside that of a call. */
export type RunFailure = InvalidItems | OtherRun | ItemsChanged | QuoteTooShort

/** A failure that ends a run of payments. */
export type PayFailure = Failure | RunFailure

/** The failure of a run of payments as an `Error`. */
export class RunError extends Error {
  override readonly name = 'RunError'
  readonly _tag = 'RunError'
  /** The failure that this is the error of. */
  readonly failure: RunFailure

  constructor(failure: RunFailure) {
    super(failure.message)
    this.failure = failure
  }
}

// constructors

/** Items that a failure repeats. */
const MOST_REPEATED = 100

/** Items that a message names. */
const MOST_NAMED = 3

/** `isBegun`: some batches of the run were submitted before. */
export const invalidItems = (
  run: string,
  all: ReadonlyArray<InvalidItem>,
  isBegun = false,
): InvalidItems => {
  const named = all.slice(0, MOST_NAMED).map(describeItem)
  const more = all.length > MOST_NAMED ? [`and ${all.length - MOST_NAMED} more`] : []
  const items = all.length === 1 ? '1 item is' : `${all.length} items are`
  const nothing = isBegun ? 'nothing more' : 'nothing'
  return {
    _tag: 'InvalidItems',
    run,
    count: all.length,
    first: all.slice(0, MOST_REPEATED),
    message: `${run}: ${items} invalid, ${nothing} was submitted: ${[...named, ...more].join('; ')}`,
  }
}

const describeItem = ({ index, requestId, reasons }: InvalidItem): string => {
  const where = index === undefined ? `item ${requestId}` : `item ${index + 1}`
  return `${where}: ${reasons.join(', ')}`
}

export const otherRun = (
  run: string,
  requestId: string,
  differences: ReadonlyArray<FieldDifference>,
): OtherRun => {
  const shown = differences.map(({ path, sent, found }) => `${path} is ${found}, not ${sent}`)
  return {
    _tag: 'OtherRun',
    run,
    requestId,
    differences,
    message: `${run}: batch ${requestId} is of other payments (${shown.join(', ')}): nothing was submitted; pay these under another name`,
  }
}

export const itemsChanged = (run: string, requestId: string, reason: string): ItemsChanged => ({
  _tag: 'ItemsChanged',
  run,
  requestId,
  message: `${run}: batch ${requestId}: ${reason}; nothing more was submitted`,
})

export const quoteTooShort = (run: string, requestId: string): QuoteTooShort => ({
  _tag: 'QuoteTooShort',
  run,
  requestId,
  message: `${run}: each quote of batch ${requestId} expired before it could be submitted: ask for a longer validity`,
})
