import { ITEMS_PER_BATCH } from '../../codec/NewBatchItem.js'
import { E } from '../../fp.js'
import type { ApiError } from '../ApiError.js'
import type { CallContext } from '../Context.js'
import { addItems, type Batch } from './Batch.js'
import { repeatedItem, tooManyItems } from './batchErrors.js'
import type { SentItem } from './sent.js'

/** A batch with the items that were sent, unless one is repeated, or they are too many. */
export const withSent =
  (items: ReadonlyArray<SentItem>, { now, settings }: CallContext) =>
  (batch: Batch): E.Either<ApiError, Batch> => {
    const more = addItems(items, now)(batch)
    const isRepeated = more.added < batch.added + items.length
    if (settings.repeatedItems === 'refused' && isRepeated) return E.left(repeatedItem)
    return more.items.length > ITEMS_PER_BATCH ? E.left(tooManyItems) : E.right(more)
  }
