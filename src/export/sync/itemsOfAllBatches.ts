/** The items of all batches as a single list, for use as a source of `sync`. */
import * as t from 'io-ts'
import { map, type Observable } from 'rxjs'
import { BatchItem } from '../../codec/BatchItem.js'
import { type BatchTransfer, finalBatchStatuses } from '../../codec/BatchTransfer.js'
import type { Codec } from '../../codec/Codec.js'
import { fromDate, Instant } from '../../codec/Instant.js'
import { withDigitsOf } from '../../decode/digits.js'
import { fieldsOf } from '../../decode/unknown.js'
import { E } from '../../fp.js'
import { rowId } from '../../http/answer/readAnswer.js'
import type { AnyFailure } from '../../http/Failure.js'
import type { ListDescription } from '../../http/list/List.js'
import { mapRight, type ObservableEither } from '../../stream/either/ObservableEither.js'
import { isObject } from '../column/readField.js'
import type { PageOrFailure, SourcePage } from '../source/SourcePage.js'

/** A row with a list of child rows, reduced to the fields that decide whether to read that list. */
export interface Parent {
  /** Id of the batch. */
  readonly id: string
  /** True if its state is final. */
  readonly isFinal: boolean
  /** When it was last changed. */
  readonly updatedAt: string
  /** Number of rows in its list, according to the parent; `NaN` if unreadable. */
  readonly rows: number
}

/** Rows that the service lists only by parent. */
export interface ChildSource<A> {
  /** Name of their table or files. */
  readonly table: string
  /** Describes the combined list. */
  readonly describe: () => ListDescription<A>
  /** Lists the parents, a page at a time. */
  readonly parents: () => AsyncIterable<E.Either<AnyFailure, ReadonlyArray<Parent>>>
  /** Reads a parent by its id. */
  readonly parent: (id: string) => ObservableEither<AnyFailure, Parent>
  /** Lists the rows of a parent, a page at a time. */
  readonly children: (parent: Parent) => Observable<PageOrFailure<A>>
}

const item = t.intersection([
  t.type({
    /** Id of the item's batch. */
    batch_id: t.string,
    /** The `updated_at` of the batch with which the item was read. */
    batch_updated_at: Instant,
  }),
  BatchItem,
])

/** An item and its batch. */
export interface ItemOfBatch extends t.TypeOf<typeof item> {}

const ItemOfBatch: Codec<ItemOfBatch> = item

interface ListCall<A> {
  readonly pages: AsyncIterable<PageOrFailure<A>> & Observable<PageOrFailure<A>>
  readonly describe: () => ListDescription<A>
}

/** The calls of a client that read batches and their items. */
export interface BatchCalls {
  /** Lists batches, retrieves one, and lists the items of one. */
  readonly batchTransfers: {
    readonly list: () => ListCall<BatchTransfer>
    readonly retrieve: (params: {
      readonly id: string
    }) => ObservableEither<AnyFailure, BatchTransfer>
    readonly items: (params: { readonly id: string }) => ListCall<BatchItem>
  }
}

/**
 * Returns the items of all batches, each with `batch_id` and `batch_updated_at`, as a source of `sync`. Items of batches that
 * can still change are read in each run; items of other batches are read only once.
 *
 *     sync(itemsOfAllBatches(payments), { to: 'payments.sqlite' })
 */
export const itemsOfAllBatches = ({ batchTransfers }: BatchCalls): ChildSource<ItemOfBatch> => ({
  table: 'batch_items',
  describe: () => ({
    ...batchTransfers.items({ id: '' }).describe(),
    query: {},
    codec: ItemOfBatch,
  }),
  parents: () => parentsIn(batchTransfers.list().pages),
  parent: (id) => batchTransfers.retrieve({ id }).pipe(mapRight(parentOf)),
  children: (parent) => batchTransfers.items(parent).pages.pipe(map(E.map(placed(parent)))),
})

const parentOf = ({ id, status, updated_at, total_item_count }: BatchTransfer): Parent => ({
  id,
  isFinal: finalBatchStatuses.some((final) => final === status),
  updatedAt: updated_at,
  rows: total_item_count,
})

async function* parentsIn(
  pages: AsyncIterable<PageOrFailure<BatchTransfer>>,
): AsyncGenerator<E.Either<AnyFailure, ReadonlyArray<Parent>>, void, undefined> {
  for await (const page of pages) {
    if (E.isLeft(page)) {
      yield page
      continue
    }
    const parents: Array<Parent> = []
    for (const [i, row] of page.right.items.entries()) {
      const parent = E.isRight(row) ? parentOf(row.right) : unreadable(page.right.raw[i])
      if (parent !== undefined) parents.push(parent)
      else if (E.isLeft(row)) yield row
    }
    yield E.right(parents)
  }
}

/** Returns the parent for a batch that does not decode. Its items are read in each run. */
const unreadable = (raw: unknown): Parent | undefined => {
  const id = rowId(raw)
  const { updated_at } = fieldsOf(raw)
  const updatedAt = Instant.is(updated_at) ? updated_at : fromDate(new Date(0))
  return id === undefined ? undefined : { id, isFinal: false, updatedAt, rows: Number.NaN }
}

/** Adds the batch to each row. */
const placed =
  ({ id, updatedAt }: Parent) =>
  <A>({ items, raw, ...page }: SourcePage<A>): SourcePage<A & ItemOfBatch> => {
    const place = { batch_id: id, batch_updated_at: updatedAt }
    const withPlace = <B>(row: B): B =>
      isObject(row) ? withDigitsOf(row)({ ...place, ...row, ...place }) : row
    return { ...page, items: items.map(E.map(withPlace)), raw: raw.map(withPlace) } as SourcePage<
      A & ItemOfBatch
    > // each row now has its batch
  }
