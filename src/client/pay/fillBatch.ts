/** Creates or finds a batch of a run, and adds its items. */
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
import { oneLine } from '../../decode/redact.js'
import { fieldsOf } from '../../decode/unknown.js'
import { A, E, withoutUndefined } from '../../fp.js'
import type { Failure, TimedOut } from '../../http/Failure.js'
import { differencesOf } from '../../http/retry/difference.js'
import { shows, wasRecovered } from '../../http/retry/lookUp.js'
import type { ObservableEither } from '../../stream/either/ObservableEither.js'
import type { Millis } from '../../stream/index.js'
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
import { pairOf } from './totals.js'

// one batch

/**
 * Resolves with the batch when it has all its items, or was submitted earlier. The platform ignores an item that it already
 * has, so this also completes a batch that another run has begun.
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
    pairs: new Set(payments.items.map(pairOf)),
  }
  const size = payments.items.length
  if (batch.valid_item_count >= size) return { ...identity, batch, leftOut: new Map() }
  const { now, items } = await wholeList(context, identity.requestId, batch.id)
  const leftOut = leftOutOf(payments, items)
  const valid = payments.items.filter(({ request_id }) => !leftOut.has(request_id))
  const known = { ...identity, pairs: new Set(valid.map(pairOf)), leftOut }
  if (!isDraft(now)) return { ...known, batch: now }
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
  return { ...known, batch: rest }
}

export const isDraft = ({ status }: BatchTransfer): boolean => status === DRAFTING

// creating and finding

export interface OpenBatch {
  readonly batch: BatchTransfer
  /** True if it was just created, and is empty. */
  readonly isNew: boolean
}

type BatchPlace = Pick<PaymentBatch, 'run' | 'index' | 'count' | 'hash' | 'set'>

/** Creates the batch, or finds that of a run of these payments. Any other ends the run. `found`: the batch from a look-up. */
export const openBatch = async (
  context: PayContext,
  place: BatchPlace,
  { batch = {} }: Pick<PayBatchOptions, 'batch'>,
  found: BatchTransfer | undefined,
): Promise<OpenBatch> => {
  const requestId = requestIdOf(place)
  const { set, ...ofRun } = metadataOf(place)
  const sent = { ...batch, request_id: requestId, metadata: { ...batch.metadata, ...ofRun, set } }
  const opened =
    found === undefined ? await context.first(context.calls.createOnce(sent)) : E.right(found)
  if (E.isLeft(opened)) {
    const { left } = opened
    if (left._tag !== 'Ambiguous') throw new Stop(left)
    if (left.differences !== undefined) {
      throw new Stop(otherRun(context.run, requestId, left.differences))
    }
    throw new Stop(left)
  }
  context.seen.set(requestId, opened.right.id)
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

/** Returns the metadata of a batch: its place in the run. Batches hold the whole state of a run. */
const metadataOf = ({ index, count, hash, set }: BatchPlace) => ({
  index: String(index),
  count: String(count),
  hash,
  set,
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

/** Resolves with the batch when it has all items, or was submitted in the meantime. */
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
  // another process of the run may delete invalid items in the meantime
  if (!isDraft(filled) || total === size || (withoutInvalid && total < size)) return filled
  const reason = `it holds ${total} items, but this run has ${size} for it`
  throw new Stop(itemsChanged(context.run, requestIdOf(payments), reason))
}

/** Adds the items in several concurrent calls. */
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
      takeWhile(E.isRight, true), // a failed call is emitted last
      reduce(latest),
    ),
  )
  // a quote from the same second as the items would seem to be newer than the items
  if (E.isRight(added)) return { ...added.right, quote_summary: null }
  // after a submission, perhaps by another process, the platform accepts no more items
  const now = await ask(calls.retrieve({ id }))
  if (isDraft(now)) throw new Stop(added.left)
  return now
}

/** Returns the items that a batch does not show, after checking that those it shows equal ours. */
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

/** Combines the responses of two concurrent calls: a failure if there is one, or else the later, which counts more items. */
const latest = (
  one: E.Either<Failure, BatchTransfer>,
  other: E.Either<Failure, BatchTransfer>,
): E.Either<Failure, BatchTransfer> =>
  E.isLeft(one) || (E.isRight(other) && one.right.total_item_count > other.right.total_item_count)
    ? one
    : other

// invalid items

/** Reads all items of a batch. Repeats this while the list shows fewer items than the batch has. */
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
 * Reads a batch and all its items. Repeats this if another process of the run deletes invalid items. Ends the run if the list
 * keeps lagging, because an item that the list does not show may exist, and would be paid.
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

/** Returns a run's items that are invalid, or that another process deleted as invalid, with their reasons, by `request_id`. */
const leftOutOf = (
  { items }: PaymentBatch,
  shown: ReadonlyArray<BatchItem>,
): ReadonlyMap<string, string> => {
  const byId = new Map(shown.map((item) => [item.request_id, item]))
  return new Map(
    items.flatMap(({ request_id }): Array<[string, string]> => {
      const item = byId.get(request_id)
      if (item === undefined)
        return [[request_id, 'another run deleted it from its batch as invalid']]
      return item.status === INVALID ? [[request_id, reasonOf(item)]] : []
    }),
  )
}

/** Returns the reason why an item is invalid or was not booked, on one line. */
export const reasonOf = ({ errors }: BatchItem): string =>
  (errors ?? [])
    .map(({ source, code }) =>
      oneLine([source, code].filter((word) => word !== null && word !== undefined).join(': ')),
    )
    .filter((text) => text !== '')
    .join(', ') || 'the platform gives no reason'

/** Deletes invalid items from a draft. Can safely be repeated. */
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

/** Maximum number of attempts at a deletion if no response arrives. */
const DELETIONS = 3
