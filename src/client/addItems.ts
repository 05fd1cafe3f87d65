import { concatMap, map, toArray } from 'rxjs'
import type { Api } from '../api/index.js'
import type { ItemsToAdd } from '../codec/NewBatchItem.js'
import { A, E } from '../fp.js'
import type { Failure } from '../http/Failure.js'
import { recovered } from '../http/retry/recovered.js'
import { requestIdOf } from '../http/retry/requestIdOf.js'
import { left, mapLeft, mapRight, type ObservableEither, orElse } from '../stream/index.js'
import type { ClientOf } from './Call.js'

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
 * had been added before is marked as recovered; where it cannot be read, that is no refusal of the items.
 * Where the items cannot be read to their end, nothing more is sent, and the refusal says why.
 */
export const addItems =
  (calls: BatchCalls): BatchCalls['addItems'] =>
  (params) =>
    adding(calls, params, 0)

/** Beside so many items that were found to be there. */
const adding = (calls: BatchCalls, params: ItemsToAdd, there: number): Added =>
  calls.addItems(params).pipe(
    mapLeft((failure) => (there === 0 ? failure : partly(params, there)(failure))),
    orElse(
      (failure: Failure): Added =>
        isRepeated(failure) ? addMissing(calls, params, there)(failure) : left(failure),
    ),
  )

/** Comes to an end, since each time fewer are missing. */
const addMissing =
  (calls: BatchCalls, { id, items }: ItemsToAdd, before: number) =>
  (refusal: Failure): Added =>
    itemsThere(calls, id).pipe(
      concatMap(
        E.match(
          (failure): Added =>
            left({
              ...refusal,
              message: `${refusal.message}; reading its items failed: ${failure.message}`,
            }),
          (there) => {
            const rest = items.filter(({ request_id }) => !there.includes(request_id))
            if (rest.length === items.length) return left(refusal)
            return rest.length === 0
              ? calls.retrieve({ id }).pipe(map(E.bimap(unread(refusal), recovered)))
              : adding(calls, { id, items: rest }, before + items.length - rest.length)
          },
        ),
      ),
    )

/** The items are there: no failure of the call that reads their batch says anything else. */
const unread =
  ({ endpoint, attempts, ...refusal }: Failure) =>
  (cause: Failure): Failure => {
    const found = 'its items are in the batch, by their request_ids'
    const tried = refusal._tag === 'Ambiguous' ? refusal.tried : []
    return {
      _tag: 'Ambiguous',
      endpoint,
      attempts,
      tried: [...tried, `read the items: ${found}`],
      cause,
      message: `${endpoint}: ${found}; reading the batch failed: ${cause.message}`,
    }
  }

const partly =
  ({ items }: ItemsToAdd, there: number) =>
  (failure: Failure): Failure => ({
    ...failure,
    message: `${failure.message}; ${there} of ${there + items.length} items were there before`,
  })

/** The request_ids of a batch: of the rows as they came, since one that does not decode is there, too. */
const itemsThere = (
  calls: BatchCalls,
  id: string,
): ObservableEither<Failure, ReadonlyArray<string>> =>
  calls.items({ id, page_size: 1_000 }).pages.pipe(
    mapRight(({ raw }) => raw.map(requestIdOf).filter((id) => id !== undefined)),
    toArray(),
    map(A.sequence(E.Applicative)),
    mapRight(A.flatten),
  )
