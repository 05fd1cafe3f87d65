import { ITEMS_PER_BATCH } from '../../codec/NewBatchItem.js'
import { E, O } from '../../fp.js'
import type { Asking } from '../Context.js'
import type { Refusal } from '../Refusal.js'
import { addItems, type Batch, hasItem } from './Batch.js'
import { repeatedItem, tooManyItems } from './refusals.js'
import { repeated, type SentItem } from './sent.js'

/** A batch with the items that were sent, unless one is repeated, or they are too many. */
export const withSent =
  (items: ReadonlyArray<SentItem>, { now, settings }: Asking) =>
  (batch: Batch): E.Either<Refusal, Batch> => {
    const again = repeated(items, (requestId) => hasItem(requestId)(batch))
    if (settings.repeatedItems === 'refused' && O.isSome(again)) return E.left(repeatedItem)
    const more = addItems(items, now)(batch)
    return more.items.length > ITEMS_PER_BATCH ? E.left(tooManyItems) : E.right(more)
  }
