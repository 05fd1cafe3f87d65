import { defer, type Observable } from 'rxjs'
import type { BatchTransfer } from '../codec/BatchTransfer.js'
import {
  ITEMS_PER_BATCH,
  ITEMS_PER_CALL,
  type ItemsToAdd,
  type NewBatchItem,
} from '../codec/NewBatchItem.js'
import { contradicted, OWN_ID } from '../codec/repeatedItems.js'
import type { Failure, InvalidRequest } from '../http/Failure.js'
import { invalidRequest } from '../http/invalidRequest.js'
import { unfit } from '../http/request.js'
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
 * its `request_id` is not sent: the service would ignore that item and say nothing.
 */
export const addAllItems =
  ({ endpoint, add, check }: Adding) =>
  (id: string) =>
  (items: Observable<NewBatchItem>): Observable<Chunk<BatchTransfer>> =>
    defer(() => {
      const invalid = lost(endpoint)
      return items.pipe(
        inChunks({
          endpoint,
          send: (chunk) => {
            const failure = check ? invalid(chunk) : undefined
            return failure === undefined ? add({ id, items: chunk }) : left(failure)
          },
          size: ITEMS_PER_CALL,
          most: ITEMS_PER_BATCH,
        }),
      )
    })

/** Asked of one call of a stream after the other. */
const lost = (endpoint: string) => {
  const earlier = contradicted()
  return (chunk: ReadonlyArray<NewBatchItem>): InvalidRequest | undefined => {
    const [first, ...others] = chunk.flatMap((item, i) => {
      const n = earlier(item)
      if (n === undefined) return []
      const path = `items[${i}].request_id`
      return [{ path, expected: OWN_ID, actual: `that of item ${n} of the stream` }]
    })
    return first && invalidRequest(endpoint, unfit([first, ...others]))
  }
}
