/** The error codes of batch transfers are our assumption: not in the API description. */
import { batchTransfers as rows } from '../../api/batchTransfers.js'
import { MINUTE } from '../../api/limits.js'
import { BatchItem } from '../../codec/BatchItem.js'
import {
  BatchTransfer,
  type NewBatchTransfer,
  newBatchTransferRules,
  QuoteValidity,
} from '../../codec/BatchTransfer.js'
import { ITEMS_PER_BATCH } from '../../codec/NewBatchItem.js'
import { E, pipe } from '../../fp.js'
import {
  isQuoteValid,
  newBatch,
  type SandboxBatch,
  submitted,
  validItems,
  withItems,
  withoutItems,
  withQuote,
} from '../batches/Batch.js'
import { readItemIds, readItems } from '../batches/batchItems.js'
import { batchAt, itemIdOf, itemsAt, shortIdOf, statusAt } from '../batches/batchView.js'
import { numberOf } from '../data/ids.js'
import {
  type ApiError,
  apiError,
  type HandlerResult,
  invalid,
  notFound,
  required,
  success,
} from '../Reply.js'
import type { SandboxStore } from '../Store.js'
import type { CallContext, HandlersOf } from './Handler.js'
import { pageByBookmark, walkArray, walkWhere } from './pages.js'

export const batchTransfers: HandlersOf<{ batches: typeof rows }>['batches'] = {
  create: (store, params, context) => {
    const { batches } = store
    const { request_id } = params
    if (request_id === undefined) return required('request_id')
    if (batches.hasRequestId(request_id)) return duplicate
    const problem = problemOf(params, context.now)
    if (problem !== undefined) return problem
    const batch = newBatch(batches.next, request_id, params, context.now)
    batches.add(batch)
    return success(batchAt(batch, context))
  },

  retrieve: (store, { id }, context) => {
    const batch = findBatch(store, id, context)
    return batch === undefined ? notFound : success(batchAt(batch, context, 'funding status'))
  },

  list: (store, params, context) => {
    const { seed, order, listDelay, batches: fromTheStart } = context.settings
    const { page, page_size = rows.list.paging.size, ...filter } = params
    const passes = (batch: SandboxBatch): boolean =>
      (batch.n < fromTheStart || batch.createdAt + listDelay <= context.now) &&
      (filter.request_id ?? batch.request_id) === batch.request_id &&
      (filter.short_reference_id ?? shortIdOf(batch)) === shortIdOf(batch) &&
      (filter.status === undefined || filter.status === statusAt(batch, context).status)
    return pageByBookmark(
      { list: 'batches', seed, newestFirst: order === 'descending', page_size, page },
      walkWhere(store.batches.walk, passes),
      (found) =>
        found.map((batch) => BatchTransfer.encode(batchAt(batch, context, 'funding status'))),
    )
  },

  addItems: {
    raw: (store, { id, items }, context) => {
      const sent = readItems(items)
      if (E.isLeft(sent)) return sent.left
      const batch = findBatch(store, id, context)
      if (batch === undefined) return notFound
      if (statusAt(batch, context).status !== 'DRAFTING') return notDrafting
      const changed = withItems(batch, sent.right, context.now)
      const hasRepeated = changed.added < batch.added + sent.right.length
      if (hasRepeated && context.settings.repeatedItems === 'refused') return repeatedItem
      if (changed.items.length > ITEMS_PER_BATCH) return tooManyItems
      return replace(store, changed, context)
    },
  },

  quote: (store, { id, validity = 'MIN_30' }, context) => {
    const { now, settings } = context
    if (!QuoteValidity.is(validity)) return unknownValidity
    const batch = batchIn(store, id, context, 'DRAFTING', 'IN_APPROVAL')
    if (E.isLeft(batch)) return batch.left
    const life = settings.quoteLife > 0 ? settings.quoteLife : quoteLives[validity]
    return replace(store, withQuote(batch.right, validity, life, now), context)
  },

  submit: (store, { id }, context) => {
    const batch = batchIn(store, id, context, 'DRAFTING')
    if (E.isLeft(batch)) return batch.left
    if (validItems(batch.right).length === 0) return emptyBatch
    if (!isQuoteValid(batch.right, context.now)) return expiredQuote
    return replace(store, submitted(batch.right, context.now), context)
  },

  delete: (store, { id }, context) => {
    const batch = batchIn(store, id, context, 'DRAFTING')
    if (E.isLeft(batch)) return batch.left
    store.batches.delete(batch.right.n)
    return success(BatchTransfer.encode(batchAt(batch.right, context)))
  },

  deleteItems: {
    raw: (store, { id, item_ids }, context) => {
      const ids = readItemIds(item_ids)
      if (E.isLeft(ids)) return ids.left
      const found = batchIn(store, id, context, 'DRAFTING')
      if (E.isLeft(found)) return found.left
      const batch = found.right
      const changed = withoutItems(
        batch,
        (item) => ids.right.has(itemIdOf('bti', batch, item, context.settings)),
        context.now,
      )
      return replace(store, changed, context)
    },
  },

  items: (store, { id, page, page_size = rows.items.paging.size }, context) => {
    const batch = findBatch(store, id, context)
    if (batch === undefined) return notFound
    const { now, settings } = context
    const { seed, itemsDelay } = settings
    const shown = batch.items.filter(({ addedAt, turn }) => addedAt + turn * itemsDelay <= now)
    return pageByBookmark(
      { list: `items ${batch.n}`, seed, newestFirst: false, page_size, page },
      walkArray(shown),
      (items) => itemsAt(items, batch, context).map(BatchItem.encode),
    )
  },
}

// finding and replacing

const findBatch = (
  { batches }: SandboxStore,
  id: unknown,
  { settings }: CallContext,
): SandboxBatch | undefined => {
  const n = numberOf('batch', settings.seed, String(id))
  return n === undefined ? undefined : batches.get(n)
}

/** Returns the batch if it is in one of the given statuses. */
const batchIn = (
  store: SandboxStore,
  id: unknown,
  context: CallContext,
  ...statuses: ReadonlyArray<string>
): E.Either<ApiError, SandboxBatch> =>
  pipe(
    findBatch(store, id, context),
    E.fromNullable(notFound),
    E.filterOrElse(
      (batch) => statuses.includes(statusAt(batch, context).status),
      () => invalid(`The batch must be in ${statuses.join(' or ')}.`, 'status'),
    ),
  )

const replace = (
  store: SandboxStore,
  batch: SandboxBatch,
  context: CallContext,
): HandlerResult<BatchTransfer> => {
  store.batches.replace(batch)
  return success(batchAt(batch, context))
}

// errors

const duplicate = apiError(
  400,
  'batch_request_id_duplicate',
  'A batch with this request_id already exists.',
  'request_id',
)

const notDrafting = apiError(
  400,
  'add_batch_item_unsupported',
  'Items can only be added to a batch in DRAFTING.',
)

const repeatedItem = apiError(
  400,
  'request_id_in_batch_duplicate',
  'The batch already has an item with this request_id.',
  'items.request_id',
)

const tooManyItems = invalid(`A batch holds up to ${ITEMS_PER_BATCH} items.`, 'items')

const emptyBatch = invalid('The batch has no valid item.', 'id')

const expiredQuote = invalid('The quote of the batch has expired.', 'quote_summary')

const unknownValidity = invalid(`validity must be ${QuoteValidity.name}.`, 'validity')

const dateInvalid = apiError(
  400,
  'transfer_date_invalid',
  'transfer_date must be today or later.',
  'transfer_date',
)

const metadataTooLarge = apiError(
  400,
  'metadata_above_size_limit',
  'metadata must have fewer than 15 keys and 4,500 characters.',
  'metadata',
)

const unknownSource = apiError(
  400,
  'invalid_funding_source',
  'The linked account does not exist.',
  'funding_source.id',
)

/** Returns an error in a new batch that its codec does not detect. `now` is in ms since 1970. */
const problemOf = (params: NewBatchTransfer, now: number): ApiError | undefined => {
  const { metadata = {}, funding_source } = params
  if (newBatchTransferRules(now).some(({ broken }) => broken(params).length > 0)) return dateInvalid
  if (Object.keys(metadata).length >= 15 || JSON.stringify(metadata).length >= 4_500) {
    return metadataTooLarge
  }
  return funding_source?.id?.endsWith('_unknown') === true ? unknownSource : undefined
}

/** Validity of quotes, in ms. */
const quoteLives: Readonly<Record<QuoteValidity, number>> = {
  MIN_1: MINUTE,
  MIN_15: 15 * MINUTE,
  MIN_30: 30 * MINUTE,
  HR_1: 60 * MINUTE,
  HR_4: 240 * MINUTE,
  HR_8: 480 * MINUTE,
  HR_24: 1_440 * MINUTE,
}
