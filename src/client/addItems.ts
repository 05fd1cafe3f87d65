/** Adds a stream of items to a batch: none is lost or added twice, and differing items are reported. */
import { concatMap, concatWith, defer, EMPTY, type Observable, of, tap } from 'rxjs'
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
import { E } from '../fp.js'
import type { Failure } from '../http/Failure.js'
import { invalidRequest } from '../http/request/invalidParams.js'
import { differencesOf } from '../http/retry/difference.js'
import { wasRecovered } from '../http/retry/lookUp.js'
import { left, mapLeft, type ObservableEither } from '../stream/either/ObservableEither.js'
import { type Chunk, inChunks } from './inChunks.js'

type Add = (params: ItemsToAdd) => ObservableEither<Failure, BatchTransfer>

/** Adds the items of one call. If items with the same `request_id` make it invalid, the failure names the differing field. */
export const addItems =
  (add: Add): Add =>
  (params) =>
    add(params).pipe(mapLeft((failure) => withRepeated(failure, params)))

const withRepeated = (failure: Failure, { items }: ItemsToAdd): Failure => {
  if (failure._tag !== 'InvalidRequest') return failure
  if (failure.causes.every(({ expected }) => expected !== UNIQUE_REQUEST_ID)) return failure
  const repeated = compareItems(items).different.map(repeatedId(''))
  const [first, ...others] = failure.causes.map(
    (cause) => repeated.find(({ path }) => path === cause.path) ?? cause,
  )
  return first === undefined ? failure : invalidRequest(failure.endpoint, [first, ...others])
}

// a stream of items

/** Compares a call's items with those in the batch. Emits the batch, or a failure with the differences. */
export type CompareAdded = (
  params: ItemsToAdd,
  batch: BatchTransfer,
) => ObservableEither<Failure, BatchTransfer>

interface AddAllSpec {
  readonly endpoint: string
  readonly add: Add
  readonly retrieve: (params: ById) => ObservableEither<Failure, BatchTransfer>
  readonly compare: CompareAdded
  /** `false` sends items without checking them. */
  readonly check: boolean
}

/**
 * Adds a stream of items, 100 per call. A call is not sent if one of its items differs from an earlier item with the same
 * `request_id`, because the service would silently ignore that item. Earlier items count only if their call may have arrived;
 * otherwise they can be corrected and sent again.
 */
export const addAllItems =
  (spec: AddAllSpec) =>
  (batch: ById) =>
  (items: Observable<NewBatchItem>): Observable<Chunk<BatchTransfer>> =>
    defer(() => {
      const { id } = { ...batch } // may be undefined in plain JavaScript; the call then fails with the reason
      const adding = new AddingItems(spec, id)
      return items.pipe(
        inChunks<NewBatchItem, BatchTransfer>({
          endpoint: spec.endpoint,
          send: (chunk, before) => adding.send(chunk, before),
          size: ITEMS_PER_CALL,
          most: ITEMS_PER_BATCH,
        }),
        failureLast,
      )
    })

/** The calls that add the items of one stream to a batch. */
class AddingItems {
  readonly #spec: AddAllSpec
  readonly #id: string
  #sent: FirstItems = new Map()
  /** Number of items in the batch; `undefined` if unknown. */
  #count: number | undefined

  constructor(spec: AddAllSpec, id: string) {
    this.#spec = spec
    this.#id = id
  }

  /** Adds the items of one call; `before` items precede them. */
  send(
    items: ReadonlyArray<NewBatchItem>,
    before: number,
  ): ObservableEither<Failure, BatchTransfer> {
    const { add, check, endpoint } = this.#spec
    const params = { id: this.#id, items }
    // the call itself reports an invalid item
    if (!check || E.isLeft(ItemsToAdd.decode(params))) return add(params)
    const { different, firstItems } = compareItems(items, this.#sent, before)
    const [first, ...others] = different.map(repeatedId(' of the stream'))
    if (first) return left(invalidRequest(endpoint, [first, ...others]))
    const added = firstItems.size - this.#sent.size
    return this.#counted().pipe(
      concatMap(() => this.#add(params, added)),
      tap((outcome) => {
        if (mayHaveArrived(outcome)) this.#sent = firstItems
      }),
    )
  }

  /** Emits once the items in the batch have been counted, or counting has failed. */
  #counted(): Observable<unknown> {
    if (this.#count !== undefined) return of(undefined)
    return this.#spec.retrieve({ id: this.#id }).pipe(
      tap((batch) => {
        if (E.isRight(batch)) this.#count = batch.right.total_item_count
      }),
    )
  }

  /** Adds items. Compares them if the count shows that the batch already had some of them. */
  #add(params: ItemsToAdd, added: number): ObservableEither<Failure, BatchTransfer> {
    const { add, compare } = this.#spec
    return add(params).pipe(
      concatMap((outcome) => {
        const before = this.#count
        if (E.isLeft(outcome)) {
          if (mayHaveArrived(outcome)) this.#count = undefined
          return of(outcome)
        }
        const { right: batch } = outcome
        this.#count = batch.total_item_count
        const isNew = before === 0 || (before !== undefined && this.#count >= before + added)
        return wasRecovered(batch) || isNew ? of(outcome) : compare(params, batch)
      }),
    )
  }
}

/**
 * Repeats the failure of a call as the last value, with a `count` of 0, unless it is last anyway. The last value therefore
 * tells whether all calls succeeded. A call that may have arrived takes precedence over one that certainly failed.
 */
const failureLast = <A>(calls: Observable<Chunk<A>>): Observable<Chunk<A>> =>
  defer(() => {
    let worst: Chunk<A> | undefined
    let last: Chunk<A> | undefined
    return calls.pipe(
      tap((chunk) => {
        last = chunk
        if (E.isRight(chunk.outcome)) return
        if (worst === undefined || (isUnclear(chunk) && !isUnclear(worst))) worst = chunk
      }),
      concatWith(
        defer(() => {
          const isLast = worst === last || (last !== undefined && isUnclear(last))
          return worst === undefined || isLast ? EMPTY : of({ ...worst, count: 0 })
        }),
      ),
    )
  })

const isUnclear = ({ outcome }: Chunk<unknown>): boolean =>
  E.isLeft(outcome) && outcome.left._tag === 'Ambiguous'

/** Names the field in which an item differs from the first item with its `request_id`. */
const repeatedId =
  (where: string) =>
  ({ at, json, first }: ReturnType<typeof compareItems>['different'][number]): Cause => {
    const [found] = differencesOf(parsed(String(first.json)), parsed(String(json)))
    const difference =
      found === undefined ? '' : `, whose ${found.path} is ${found.sent}, not ${found.found}`
    return {
      path: `items[${at}].request_id`,
      expected: UNIQUE_REQUEST_ID,
      actual: `the same as in item ${first.index}${where}${difference}`,
    }
  }

/** Returns false if nothing was added, which is certain after any failure except `Ambiguous`. */
const mayHaveArrived = (outcome: E.Either<Failure, unknown>): boolean =>
  E.isRight(outcome) || outcome.left._tag === 'Ambiguous'
