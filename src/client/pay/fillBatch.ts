/** Creates a batch of a run, or finds it, and puts its items into it. */
import {
  bufferCount,
  map,
  mergeMap,
  reduce,
  from as streamOf,
  take,
  takeWhile,
  toArray,
} from 'rxjs'
import { api } from '../../api/index.js'
import type { BatchItem } from '../../codec/BatchItem.js'
import { type BatchTransfer, shownOfBatch } from '../../codec/BatchTransfer.js'
import { ITEMS_PER_CALL, type NewBatchItem } from '../../codec/NewBatchItem.js'
import { fieldsOf } from '../../decode/unknown.js'
import { A, E, withoutUndefined } from '../../fp.js'
import { isDuplicate } from '../../http/answer/errors.js'
import type { Failure, TimedOut } from '../../http/Failure.js'
import { differencesOf } from '../../http/retry/difference.js'
import { shows, wasRecovered } from '../../http/retry/lookUp.js'
import type { Millis, ObservableEither } from '../../stream/index.js'
import { Stop } from './flow.js'
import {
  askUntil,
  DRAFTING,
  orStop,
  type PayContext,
  type RunBatch,
  requestIdOf,
} from './PayContext.js'
import { itemsChanged, otherRun } from './PayFailure.js'
import type { PayBatchOptions, PaymentBatch } from './PayOptions.js'
import type { PlacedBatch } from './plan.js'

// one batch

/**
 * Resolves with the batch when it has all its items, or was submitted before. The platform ignores an item that it has,
 * so a batch that another run has begun is completed.
 */
export const fillBatch = async (
  context: PayContext,
  payments: PlacedBatch,
  open: OpenBatch,
  { withoutInvalid = false }: Pick<PayBatchOptions, 'withoutInvalid'>,
): Promise<RunBatch> => {
  const batch = isDraft(open.batch)
    ? await withItems(context, payments, open, withoutInvalid)
    : open.batch
  const identity = {
    requestId: requestIdOf(payments),
    index: payments.index,
    itemIds: payments.items.map(({ request_id }) => request_id),
  }
  const size = payments.items.length
  if (batch.valid_item_count >= size) return { ...identity, batch, leftOut: new Map() }
  const { now, items } = await wholeList(context, identity.requestId, batch.id)
  const leftOut = leftOutOf(payments, items)
  if (!isDraft(now)) return { ...identity, batch: now, leftOut }
  for (const [requestId, reason] of leftOut) {
    const index = payments.items.findIndex(({ request_id }) => request_id === requestId)
    const item = {
      ...withoutUndefined({ index: payments.places[index] }),
      requestId,
      reasons: [reason],
    }
    context.emit({ _tag: 'Invalid', item })
  }
  const invalid = items.filter(({ status }) => status === INVALID)
  const rest = withoutInvalid && invalid.length > 0 ? await without(context, now, invalid) : now
  return { ...identity, batch: rest, leftOut }
}

export const isDraft = ({ status }: BatchTransfer): boolean => status === DRAFTING

// creating and finding

/** A batch of the run at the platform. */
export interface OpenBatch {
  readonly batch: BatchTransfer
  /** It was created just now: it is empty. */
  readonly isNew: boolean
}

/** A batch without its items. */
type BatchPlace = Pick<PaymentBatch, 'run' | 'index' | 'count' | 'hash'>

/**
 * Creates the batch, or finds the one that a run of these payments created; any other ends the run.
 * `found`: the one that a look-up has shown.
 */
export const openBatch = async (
  context: PayContext,
  place: BatchPlace,
  { batch = {} }: Pick<PayBatchOptions, 'batch'>,
  found: BatchTransfer | undefined,
): Promise<OpenBatch> => {
  const requestId = requestIdOf(place)
  const ofRun = metadataOf(place)
  const sent = { ...batch, request_id: requestId, metadata: { ...batch.metadata, ...ofRun } }
  const opened =
    found === undefined ? await context.first(context.calls.createOnce(sent)) : E.right(found)
  if (E.isLeft(opened)) {
    const { left } = opened
    if (left._tag !== 'Ambiguous') throw new Stop(left)
    if (left.differences !== undefined) {
      throw new Stop(otherRun(context.run, requestId, left.differences))
    }
    const advice = `if the drafts of ${context.run} were discarded, pay under another name`
    throw new Stop(
      isDuplicate(left.cause) ? { ...left, message: `${left.message}; ${advice}` } : left,
    )
  }
  const metadata = fieldsOf(opened.right.metadata)
  const differences = [
    ...Object.entries(ofRun).flatMap(([key, value]) => {
      const other = typeof metadata[key] === 'string' ? metadata[key] : 'missing'
      return other === value ? [] : [{ path: `metadata.${key}`, sent: value, found: other }]
    }),
    ...differencesOf(shownOfBatch(sent), fieldsOf(opened.right), shows),
  ]
  if (differences.length === 0) {
    return { batch: opened.right, isNew: found === undefined && !wasRecovered(opened.right) }
  }
  throw new Stop(otherRun(context.run, requestId, differences))
}

/** The state of a run is in its batches: each says which place it has in which run. */
const metadataOf = ({ index, count, hash }: BatchPlace) => ({
  index: String(index),
  count: String(count),
  hash,
})

/** Looks the batch up, once. */
export const findBatch = (
  context: Pick<PayContext, 'ask' | 'calls'>,
  requestId: string,
): Promise<BatchTransfer | undefined> => context.ask(lookedUp(context, requestId))

export const lookedUp = (
  { calls }: Pick<PayContext, 'calls'>,
  requestId: string,
): ObservableEither<Failure, BatchTransfer | undefined> =>
  calls.list({ request_id: requestId }).pages.pipe(
    take(1),
    map(
      E.chain(({ items, raw }): E.Either<Failure, BatchTransfer | undefined> => {
        const at = raw.findIndex((row) => fieldsOf(row).request_id === requestId)
        return items[at] ?? E.right(undefined)
      }),
    ),
  )

// items

/** Resolves with the batch that has all items, or was submitted meanwhile. */
const withItems = async (
  context: PayContext,
  payments: PaymentBatch,
  open: OpenBatch,
  withoutInvalid: boolean,
): Promise<BatchTransfer> => {
  const size = payments.items.length
  const isFull = open.batch.total_item_count === size
  const filled = isFull ? open.batch : await addTo(context, payments, open)
  const { total_item_count: total } = filled
  // another process of the run may delete invalid items meanwhile
  if (!isDraft(filled) || total === size || (withoutInvalid && total < size)) return filled
  const reason = `it holds ${total} items, and ${size} are of this run`
  throw new Stop(itemsChanged(context.run, requestIdOf(payments), reason))
}

/** Adds the items in several calls at once. */
const addTo = async (
  context: PayContext,
  { items }: PaymentBatch,
  { batch: { id }, isNew }: OpenBatch,
): Promise<BatchTransfer> => {
  const { ask, calls, first } = context
  const missing = isNew ? items : await missingFrom(context, items, id)
  if (missing.length === 0) return ask(calls.retrieve({ id }))
  const added = await first(
    streamOf(missing).pipe(
      bufferCount(ITEMS_PER_CALL),
      mergeMap((some) => calls.addItems({ id, items: some })),
      takeWhile(E.isRight, true), // a call that fails is the last
      reduce(latest),
    ),
  )
  if (E.isRight(added)) return added.right
  // the platform takes no items after a submission: that of another process, perhaps
  const now = await ask(calls.retrieve({ id }))
  if (isDraft(now)) throw new Stop(added.left)
  return now
}

/** Returns the items that a batch does not show. Items of an earlier run, which it shows, are compared first. */
const missingFrom = async (
  context: PayContext,
  items: ReadonlyArray<NewBatchItem>,
  id: string,
): Promise<ReadonlyArray<NewBatchItem>> => {
  const { ask, calls } = context
  const now = await ask(calls.retrieve({ id }))
  if (now.total_item_count === 0) return items
  const shown = new Set((await itemsOf(context, now)).map(({ request_id }) => request_id))
  const present = items.filter(({ request_id }) => shown.has(request_id))
  if (present.length > 0) await ask(calls.compare({ id, items: present }, now))
  return items.filter(({ request_id }) => !shown.has(request_id))
}

/** Combines the answers of two concurrent calls: a failure, or else the later one, which counts more items. */
const latest = (
  one: E.Either<Failure, BatchTransfer>,
  other: E.Either<Failure, BatchTransfer>,
): E.Either<Failure, BatchTransfer> =>
  E.isLeft(one) || (E.isRight(other) && one.right.total_item_count > other.right.total_item_count)
    ? one
    : other

// invalid items

/** Reads all items of a batch, again while the list shows fewer than the batch has. */
export const itemsOf = async (
  context: PayContext,
  { id, total_item_count: total }: BatchTransfer,
  accepts: (items: ReadonlyArray<BatchItem>) => boolean = () => true,
): Promise<ReadonlyArray<BatchItem>> => {
  const all = context.calls.items({ id }).pipe(toArray(), map(A.sequence(E.Applicative)))
  const isWhole = E.match(
    () => true,
    (items: ReadonlyArray<BatchItem>) => items.length >= total && accepts(items),
  )
  return orStop(await askUntil(context, all, isWhole, context.lookUpFor))
}

/**
 * Reads a batch and all its items, again if another process of the run deletes invalid ones meanwhile. Ends the run if the
 * list stays behind: an item that it does not show may be there, and be paid.
 */
const wholeList = async (
  context: PayContext,
  requestId: string,
  id: string,
): Promise<{ readonly now: BatchTransfer; readonly items: ReadonlyArray<BatchItem> }> => {
  const { ask, calls, lookUpFor } = context
  let now = await ask(calls.retrieve({ id }))
  for (;;) {
    const { total_item_count: total } = now
    const items = await itemsOf(context, now)
    if (items.length >= total) return { now, items }
    now = await ask(calls.retrieve({ id }))
    if (now.total_item_count === total) {
      throw new Stop(behind(requestId, items.length, total, lookUpFor))
    }
  }
}

const behind = (requestId: string, shown: number, total: number, limit: Millis): TimedOut => ({
  _tag: 'TimedOut',
  endpoint: api.batchTransfers.items.route,
  attempts: 1,
  phase: 'state',
  limit,
  message: `${requestId}: its list shows ${shown} of ${total} items after ${limit} ms`,
})

const INVALID = 'VALIDATION_FAILED'

/** Returns the items of a run that are invalid, or that another process has deleted as such: why, by `request_id`. */
const leftOutOf = (
  { items }: PaymentBatch,
  shown: ReadonlyArray<BatchItem>,
): ReadonlyMap<string, string> => {
  const byId = new Map(shown.map((item) => [item.request_id, item]))
  return new Map(
    items.flatMap(({ request_id }): Array<[string, string]> => {
      const item = byId.get(request_id)
      if (item === undefined)
        return [[request_id, 'deleted from its batch by another run, as invalid']]
      return item.status === INVALID ? [[request_id, reasonOf(item)]] : []
    }),
  )
}

/** Says why an item is invalid, or was not booked. */
export const reasonOf = ({ errors }: BatchItem): string =>
  (errors ?? [])
    .map(({ source, code }) =>
      [source, code].filter((word) => word !== null && word !== undefined).join(': '),
    )
    .filter((text) => text !== '')
    .join(', ') || 'the platform gives no reason'

/** Deletes invalid items from a draft. A second deletion does nothing, so it may be repeated. */
const without = async (
  context: PayContext,
  { id }: BatchTransfer,
  invalid: ReadonlyArray<BatchItem>,
): Promise<BatchTransfer> => {
  const { ask, calls, first } = context
  const deletion = calls.deleteItems({ id, item_ids: invalid.map((item) => item.id) })
  for (let attempt = 1; ; attempt++) {
    const deleted = await first(deletion)
    if (E.isRight(deleted)) return deleted.right
    const now = await ask(calls.retrieve({ id }))
    const isDone = !isDraft(now) || now.valid_item_count === now.total_item_count
    if (isDone) return now
    if (deleted.left._tag !== 'Ambiguous' || attempt === DELETIONS) throw new Stop(deleted.left)
  }
}

/** How often a deletion without an answer is sent. */
const DELETIONS = 3
