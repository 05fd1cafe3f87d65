import { batchTransfers as rows } from '../../api/batchTransfers.js'
import { BatchItem } from '../../codec/BatchItem.js'
import { BatchTransfer, QuoteValidity } from '../../codec/BatchTransfer.js'
import { E, flow, O, pipe } from '../../fp.js'
import { required } from '../ApiError.js'
import { withSent } from '../batches/addSentItems.js'
import {
  type Batch,
  deleteItems,
  isQuoteGood,
  newBatch,
  quote,
  submit,
  validItems,
} from '../batches/Batch.js'
import { batchAt, shortId, statusAt } from '../batches/batchAt.js'
import {
  duplicate,
  emptyBatch,
  expiredQuote,
  notAValidity,
  notOpen,
  problemOf,
} from '../batches/batchErrors.js'
import { changed, findBatch, isIn } from '../batches/change.js'
import { idsOf, itemsAt } from '../batches/itemAt.js'
import { readItemIds, readItems } from '../batches/sent.js'
import { lifeOf } from '../batches/validity.js'
import { bookmarked } from '../bookmarks.js'
import { add, isTaken, next, remove, walk } from '../Collection.js'
import { pageByBookmark } from '../envelope.js'
import type { HandlersOf } from '../Handler.js'
import { success } from '../Result.js'
import { inOrder, where } from '../Walk.js'

export const batchTransfers: HandlersOf<{ batches: typeof rows }>['batches'] = {
  create: (state, params, context) => {
    const { request_id } = params
    if (request_id === undefined) return [required('request_id'), state]
    if (isTaken(request_id)(state.batches)) return [duplicate, state]
    const problem = problemOf(params, context.now)
    if (O.isSome(problem)) return [problem.value, state]
    const batch = newBatch(next(state.batches), request_id, params, context.now)
    return [success(batchAt(context)(batch)), { ...state, batches: add(batch)(state.batches) }]
  },

  retrieve: (state, { id }, context) => {
    const result = pipe(
      findBatch(state, id, context),
      E.map(flow(batchAt(context, 'with funding status'), success)),
      E.toUnion,
    )
    return [result, state]
  },

  list: (state, params, context) => {
    const { settings } = context
    const { page, page_size = rows.list.paging.size, ...filter } = params
    const passes = (batch: Batch): boolean =>
      (filter.request_id ?? batch.request_id) === batch.request_id &&
      (filter.short_reference_id ?? shortId(batch)) === shortId(batch) &&
      (filter.status === undefined || filter.status === statusAt(batch, context).status)
    const result = pipe(
      walk(state.batches),
      where(passes),
      bookmarked({
        list: 'batches',
        seed: settings.seed,
        newestFirst: settings.order === 'descending',
        size: page_size,
        page,
      }),
      E.map(pageByBookmark(flow(batchAt(context, 'with funding status'), BatchTransfer.encode))),
      E.toUnion,
    )
    return [result, state]
  },

  addItems: {
    read: (params) =>
      pipe(
        readItems(params),
        E.map(
          ({ id, items }) =>
            (state, context) =>
              pipe(
                findBatch(state, id, context),
                E.filterOrElse(
                  (found) => statusAt(found, context).status === 'DRAFTING',
                  () => notOpen,
                ),
                E.chain(withSent(items, context)),
                changed(state, context),
              ),
        ),
      ),
  },

  quote: (state, { id, validity = 'MIN_30' }, context) => {
    const { now, settings } = context
    if (!QuoteValidity.is(validity)) return [notAValidity, state]
    return pipe(
      findBatch(state, id, context),
      isIn(context, 'DRAFTING', 'IN_APPROVAL'),
      E.map(quote(validity, settings.quoteLife > 0 ? settings.quoteLife : lifeOf(validity), now)),
      changed(state, context),
    )
  },

  submit: (state, { id }, context) =>
    pipe(
      findBatch(state, id, context),
      isIn(context, 'DRAFTING'),
      E.filterOrElse(
        (found) => validItems(found).length > 0,
        () => emptyBatch,
      ),
      E.filterOrElse(
        (found) => isQuoteGood(found, context.now),
        () => expiredQuote,
      ),
      E.map(submit(context.now)),
      changed(state, context),
    ),

  delete: (state, { id }, context) => {
    const batch = pipe(findBatch(state, id, context), isIn(context, 'DRAFTING'))
    if (E.isLeft(batch)) return [batch.left, state]
    return [
      success(BatchTransfer.encode(batchAt(context)(batch.right))),
      { ...state, batches: remove(batch.right.n)(state.batches) },
    ]
  },

  deleteItems: {
    read: (params) =>
      pipe(
        readItemIds(params),
        E.map(
          ({ id, item_ids }) =>
            (state, context) =>
              pipe(
                findBatch(state, id, context),
                isIn(context, 'DRAFTING'),
                E.map((found) => {
                  const idOf = idsOf('bti', found, context)
                  const ids = new Set(item_ids)
                  return deleteItems((item) => ids.has(idOf(item)), context.now)(found)
                }),
                changed(state, context),
              ),
        ),
      ),
  },

  items: (state, { id, page, page_size = rows.items.paging.size }, context) => {
    const result = pipe(
      findBatch(state, id, context),
      E.chain((batch) =>
        pipe(
          inOrder(batch.items),
          bookmarked({
            list: `items ${batch.n}`,
            seed: context.settings.seed,
            newestFirst: false,
            size: page_size,
            page,
          }),
          E.map((found) => ({ ...found, items: itemsAt(context, batch)(found.items) })),
        ),
      ),
      E.map(pageByBookmark(BatchItem.encode)),
      E.toUnion,
    )
    return [result, state]
  },
}
