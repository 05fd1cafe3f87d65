import { defer, type Observable, tap } from 'rxjs'
import type { BatchTransfer } from '../codec/BatchTransfer.js'
import type { ById } from '../codec/common.js'
import {
  compareItems,
  type FirstItems,
  ITEMS_PER_BATCH,
  ITEMS_PER_CALL,
  ItemsToAdd,
  type NewBatchItem,
  UNIQUE_REQUEST_ID,
} from '../codec/NewBatchItem.js'
import type { Cause } from '../decode/causes.js'
import { E } from '../fp.js'
import type { Failure } from '../http/Failure.js'
import { invalidRequest } from '../http/request/invalidRequest.js'
import { left, type ObservableEither } from '../stream/index.js'
import { type Chunk, inChunks } from './inChunks.js'

// model

interface Adding {
  readonly endpoint: string
  /** Adds the items of one call. */
  readonly add: (params: ItemsToAdd) => ObservableEither<Failure, BatchTransfer>
  /** Whether items are held against the interface's rules before they are sent. */
  readonly check: boolean
}

// constructors

/**
 * Adds a stream of items, a hundred a call. A call with an item that differs from an earlier one of the stream with
 * its `request_id` is not sent: the service would ignore that item and say nothing. An earlier one counts as it was
 * sent, and only if its call may have arrived: else it can come again, corrected.
 */
export const addAllItems =
  ({ endpoint, add, check }: Adding) =>
  (batch: ById) =>
  (items: Observable<NewBatchItem>): Observable<Chunk<BatchTransfer>> =>
    defer(() => {
      const { id } = { ...batch } // of nothing at all, as JavaScript calls, the call says what is wrong
      let sent: FirstItems = new Map()
      return items.pipe(
        inChunks({
          endpoint,
          send: (chunk, before) => {
            const params = { id, items: chunk }
            // what is wrong with an item by itself is told first
            if (!check || E.isLeft(ItemsToAdd.decode(params))) return add(params)
            const { different, firstItems } = compareItems(chunk, sent, before)
            const [first, ...others] = different.map(ignored)
            if (first) return left(invalidRequest(endpoint, [first, ...others]))
            return add(params).pipe(
              tap((outcome) => {
                if (mayHaveArrived(outcome)) sent = firstItems
              }),
            )
          },
          size: ITEMS_PER_CALL,
          most: ITEMS_PER_BATCH,
        }),
      )
    })

const ignored = ({ at, first }: { readonly at: number; readonly first: number }): Cause => ({
  path: `items[${at}].request_id`,
  expected: UNIQUE_REQUEST_ID,
  actual: `that of item ${first} of the stream`,
})

/** A write that may have been done is `Ambiguous`; after any other failure, nothing was added. */
const mayHaveArrived = (outcome: E.Either<Failure, unknown>): boolean =>
  E.isRight(outcome) || outcome.left._tag === 'Ambiguous'
