import { concatMap, map, of, reduce, takeWhile } from 'rxjs'
import type { Api } from './api/index.js'
import type { ClientOf } from './client.js'
import type { ItemsToAdd } from './codec/NewBatchItem.js'
import { E } from './fp.js'
import type { Failure } from './http/Failure.js'
import { recovered } from './http/recovered.js'

type BatchCalls = ClientOf<Api>['batchTransfers']

type Added = ReturnType<BatchCalls['addItems']>

/**
 * The platform says that an item's request_id is taken; the interface, that such items are ignored. So it is
 * with a call that was sent twice, since nobody knows whether its first attempt arrived.
 */
const isRepeated = (failure: Failure): boolean =>
  failure._tag === 'Ambiguous'
    ? isRepeated(failure.cause)
    : failure._tag === 'Refused' && failure.code === 'request_id_in_batch_duplicate'

/**
 * `addItems` that holds what the interface promises also where items with a repeated request_id are
 * refused (default, not specified by the interface document): then the batch's items are read, those that
 * are there count as added, and the others are sent. No request_id is ever changed. A batch to which all
 * had been added before is marked as recovered.
 */
export const addItems =
  (calls: BatchCalls): BatchCalls['addItems'] =>
  (params) =>
    calls
      .addItems(params)
      .pipe(
        concatMap(
          (ea): Added =>
            E.isLeft(ea) && isRepeated(ea.left) ? addMissing(calls, params, of(ea)) : of(ea),
        ),
      )

const addMissing = (calls: BatchCalls, { id, items }: ItemsToAdd, refusal: Added): Added =>
  calls.items({ id, page_size: 1_000 }).pipe(
    takeWhile(E.isRight),
    reduce((there, item) => there.add(item.right.request_id), new Set<string>()),
    concatMap((there): Added => {
      const rest = items.filter(({ request_id }) => !there.has(request_id))
      if (rest.length === items.length) return refusal
      return rest.length === 0
        ? calls.retrieve({ id }).pipe(map(E.map(recovered)))
        : calls.addItems({ id, items: rest })
    }),
  )
