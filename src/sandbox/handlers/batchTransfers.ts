import { batchTransfers as rows } from '../../api/batchTransfers.js'
import { BatchItem } from '../../codec/BatchItem.js'
import { QuoteValidity } from '../../codec/BatchQuote.js'
import { BatchTransfer } from '../../codec/BatchTransfer.js'
import { E, flow, O, pipe } from '../../fp.js'
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
import { changed, findBatch, isIn } from '../batches/change.js'
import { idsOf, itemsAt } from '../batches/itemAt.js'
import {
  duplicate,
  emptyBatch,
  expiredQuote,
  notAValidity,
  notOpen,
  problemOf,
} from '../batches/refusals.js'
import { readItemIds, readItems } from '../batches/sent.js'
import { lifeOf } from '../batches/validity.js'
import { withSent } from '../batches/withSent.js'
import { bookmarked } from '../bookmarks.js'
import { pageByBookmark } from '../envelope.js'
import type { HandlersOf } from '../Handler.js'
import { required } from '../Refusal.js'
import { add, isTaken, next, remove, walk } from '../Register.js'
import { success } from '../Result.js'
import { inOrder, where } from '../Walk.js'

export const batchTransfers: HandlersOf<{ batches: typeof rows }>['batches'] = {
  create: (state, params, asking) => {
    const { request_id } = params
    if (request_id === undefined) return [required('request_id'), state]
    if (isTaken(request_id)(state.batches)) return [duplicate, state]
    const problem = problemOf(params, asking.now)
    if (O.isSome(problem)) return [problem.value, state]
    const batch = newBatch(next(state.batches), request_id, params, asking.now)
    return [success(batchAt(asking)(batch)), { ...state, batches: add(batch)(state.batches) }]
  },

  retrieve: (state, { id }, asking) => {
    const result = pipe(
      findBatch(state, id, asking),
      E.map(flow(batchAt(asking, 'with funding status'), success)),
      E.toUnion,
    )
    return [result, state]
  },

  list: (state, params, asking) => {
    const { settings } = asking
    const { page, page_size = rows.list.paging.size, ...filter } = params
    const passes = (batch: Batch): boolean =>
      (filter.request_id ?? batch.request_id) === batch.request_id &&
      (filter.short_reference_id ?? shortId(batch)) === shortId(batch) &&
      (filter.status === undefined || filter.status === statusAt(batch, asking).status)
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
      E.map(pageByBookmark(flow(batchAt(asking, 'with funding status'), BatchTransfer.encode))),
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
            (state, asking) =>
              pipe(
                findBatch(state, id, asking),
                E.filterOrElse(
                  (found) => statusAt(found, asking).status === 'DRAFTING',
                  () => notOpen,
                ),
                E.chain(withSent(items, asking)),
                changed(state, asking),
              ),
        ),
      ),
  },

  quote: (state, { id, validity = 'MIN_30' }, asking) => {
    const { now, settings } = asking
    if (!QuoteValidity.is(validity)) return [notAValidity, state]
    return pipe(
      findBatch(state, id, asking),
      isIn(asking, 'DRAFTING', 'IN_APPROVAL'),
      E.map(quote(validity, settings.quoteLife > 0 ? settings.quoteLife : lifeOf(validity), now)),
      changed(state, asking),
    )
  },

  submit: (state, { id }, asking) =>
    pipe(
      findBatch(state, id, asking),
      isIn(asking, 'DRAFTING'),
      E.filterOrElse(
        (found) => validItems(found).length > 0,
        () => emptyBatch,
      ),
      E.filterOrElse(
        (found) => isQuoteGood(found, asking.now),
        () => expiredQuote,
      ),
      E.map(submit(asking.now)),
      changed(state, asking),
    ),

  delete: (state, { id }, asking) => {
    const batch = pipe(findBatch(state, id, asking), isIn(asking, 'DRAFTING'))
    if (E.isLeft(batch)) return [batch.left, state]
    return [
      success(BatchTransfer.encode(batchAt(asking)(batch.right))),
      { ...state, batches: remove(batch.right.n)(state.batches) },
    ]
  },

  deleteItems: {
    read: (params) =>
      pipe(
        readItemIds(params),
        E.map(
          ({ id, item_ids }) =>
            (state, asking) =>
              pipe(
                findBatch(state, id, asking),
                isIn(asking, 'DRAFTING'),
                E.map((found) => {
                  const idOf = idsOf('bti', found, asking)
                  const ids = new Set(item_ids)
                  return deleteItems((item) => ids.has(idOf(item)), asking.now)(found)
                }),
                changed(state, asking),
              ),
        ),
      ),
  },

  items: (state, { id, page, page_size = rows.items.paging.size }, asking) => {
    const result = pipe(
      findBatch(state, id, asking),
      E.chain((batch) =>
        pipe(
          inOrder(batch.items),
          bookmarked({
            list: `items ${batch.n}`,
            seed: asking.settings.seed,
            newestFirst: false,
            size: page_size,
            page,
          }),
          E.map((found) => ({ ...found, items: itemsAt(asking, batch)(found.items) })),
        ),
      ),
      E.map(pageByBookmark(BatchItem.encode)),
      E.toUnion,
    )
    return [result, state]
  },
}
