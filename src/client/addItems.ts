/** Adding items to a batch, so that none is lost and none is added twice. */
import { concatMap, defer, map, type Observable, tap, toArray } from 'rxjs'
import type { Api } from '../api/index.js'
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
import { parsed } from '../decode/unknown.js'
import { A, E } from '../fp.js'
import type { Failure } from '../http/Failure.js'
import { invalidRequest } from '../http/request/invalidParams.js'
import { firstDifference } from '../http/retry/difference.js'
import { recovered, requestIdOf } from '../http/retry/recover.js'
import { left, mapLeft, mapRight, type ObservableEither, orElse } from '../stream/index.js'
import type { ClientOf } from './Call.js'
import { type Chunk, inChunks } from './inChunks.js'

// one call

type BatchCalls = ClientOf<Api>['batchTransfers']

type Added = ReturnType<BatchCalls['addItems']>

/**
 * The platform rejects an item whose request_id is taken; the interface says that it is ignored. The code is the
 * same after a call that was sent twice, since its first attempt may have arrived.
 */
const isRepeated = (failure: Failure): boolean =>
  failure._tag === 'Ambiguous'
    ? isRepeated(failure.cause)
    : failure._tag === 'Refused' && failure.code === 'request_id_in_batch_duplicate'

/**
 * Keeps the promise of the interface where items with a repeated request_id are refused (default, not specified by
 * the interface document): reads the items of the batch, counts those found as added, and sends the others. Never
 * changes a request_id. If all were added before, the batch is marked as recovered. If the items cannot be read to
 * their end, nothing more is sent, and the refusal says why.
 */
export const addItems =
  (calls: BatchCalls): BatchCalls['addItems'] =>
  (params) =>
    addBeside(calls, params, 0)

/** Adds items to a batch that has `found` items of the call already. */
const addBeside = (calls: BatchCalls, params: ItemsToAdd, found: number): Added =>
  calls.addItems(params).pipe(
    mapLeft((failure) =>
      found === 0 ? withRepeated(failure, params) : withFound(failure, params, found),
    ),
    orElse(
      (failure: Failure): Added =>
        isRepeated(failure) ? addMissing(calls, params, found, failure) : left(failure),
    ),
  )

/** Ends, since each round has fewer items. */
const addMissing = (
  calls: BatchCalls,
  { id, items }: ItemsToAdd,
  found: number,
  refusal: Failure,
): Added =>
  requestIdsIn(calls, id).pipe(
    concatMap(
      E.match(
        (failure): Added =>
          left({
            ...refusal,
            message: `${refusal.message}; reading its items failed: ${failure.message}`,
          }),
        (present) => {
          const missing = items.filter(({ request_id }) => !present.includes(request_id))
          if (missing.length === items.length) return left(refusal)
          return missing.length === 0
            ? calls.retrieve({ id }).pipe(map(E.bimap(unreadBatch(refusal), recovered)))
            : addBeside(calls, { id, items: missing }, found + items.length - missing.length)
        },
      ),
    ),
  )

/** All items are in the batch: only reading it failed. */
const unreadBatch =
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

const withFound = (failure: Failure, { items }: ItemsToAdd, found: number): Failure => ({
  ...failure,
  message: `${failure.message}; ${found} of ${found + items.length} items were there before`,
})

/** Says of items with one `request_id`, which are not sent, in which field they differ. */
const withRepeated = (failure: Failure, { items }: ItemsToAdd): Failure => {
  if (failure._tag !== 'InvalidRequest') return failure
  if (failure.causes.every(({ expected }) => expected !== UNIQUE_REQUEST_ID)) return failure
  const repeated = compareItems(items).different.map(repeatedId(''))
  const [first, ...others] = failure.causes.map(
    (cause) => repeated.find(({ path }) => path === cause.path) ?? cause,
  )
  return first === undefined ? failure : invalidRequest(failure.endpoint, [first, ...others])
}

/** Reads undecoded rows, so that an item that does not decode counts, too. */
const requestIdsIn = (
  calls: BatchCalls,
  id: string,
): ObservableEither<Failure, ReadonlyArray<string>> =>
  calls.items({ id, page_size: 1_000 }).pages.pipe(
    mapRight(({ raw }) => raw.map(requestIdOf).filter((id) => id !== undefined)),
    toArray(),
    map(A.sequence(E.Applicative)),
    mapRight(A.flatten),
  )

// a stream of items

interface AddAllSpec {
  readonly endpoint: string
  /** Adds the items of one call. */
  readonly add: (params: ItemsToAdd) => ObservableEither<Failure, BatchTransfer>
  /** `false`: items are sent without being checked. */
  readonly check: boolean
}

/**
 * Adds a stream of items, a hundred a call. A call is not sent if one of its items differs from an earlier item with
 * the same `request_id`: the service would ignore it silently. Earlier items count only if their call may have
 * arrived: otherwise they can be sent again, corrected.
 */
export const addAllItems =
  ({ endpoint, add, check }: AddAllSpec) =>
  (batch: ById) =>
  (items: Observable<NewBatchItem>): Observable<Chunk<BatchTransfer>> =>
    defer(() => {
      const { id } = { ...batch } // in plain JavaScript it may be undefined: the call then fails with the reason
      let sent: FirstItems = new Map()
      return items.pipe(
        inChunks({
          endpoint,
          send: (chunk, before) => {
            const params = { id, items: chunk }
            // an item that is invalid by itself is reported by the call
            if (!check || E.isLeft(ItemsToAdd.decode(params))) return add(params)
            const { different, firstItems } = compareItems(chunk, sent, before)
            const [first, ...others] = different.map(repeatedId(' of the stream'))
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

/** Says which field of an item differs from that of the first item with its `request_id`. */
const repeatedId =
  (where: string) =>
  ({ at, json, first }: ReturnType<typeof compareItems>['different'][number]): Cause => {
    const found = firstDifference(parsed(String(first.json)), parsed(String(json)))
    const how = found === undefined ? '' : `, whose ${found.path} is ${found.a}, not ${found.b}`
    return {
      path: `items[${at}].request_id`,
      expected: UNIQUE_REQUEST_ID,
      actual: `that of item ${first.index}${where}${how}`,
    }
  }

/** After a failure other than `Ambiguous`, nothing was added. */
const mayHaveArrived = (outcome: E.Either<Failure, unknown>): boolean =>
  E.isRight(outcome) || outcome.left._tag === 'Ambiguous'
