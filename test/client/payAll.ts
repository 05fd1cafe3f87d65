/** The job of docs/batches.md, letter by letter below its imports. */
import { createHash } from 'node:crypto'
import {
  bufferCount,
  concatAll,
  concatMap,
  from,
  last,
  map,
  mergeMap,
  type Observable,
  of,
  tap,
  throwError,
  toArray,
} from 'rxjs'
import {
  type BatchTransfer,
  type Client,
  type NewBatchItem,
  orThrow,
  toError,
} from '../../src/index.js'

/** The batch of this run, or of an earlier one, with all its items in it. */
const filled = (
  { batchTransfers }: Client,
  batch: { request_id: string; name: string },
  items: ReadonlyArray<NewBatchItem>,
): Observable<BatchTransfer> =>
  batchTransfers.createOnce(batch).pipe(
    orThrow(toError), // also if the batch with this request_id has another name
    concatMap((found) =>
      found.status !== 'DRAFTING'
        ? of(found) // submitted by an earlier run
        : from(items).pipe(
            batchTransfers.addAllItems(found), // an item that is there already counts as added
            map(({ outcome }) => outcome),
            orThrow(toError), // the first call that failed ends it
            last(),
            tap(({ id, valid_item_count: valid }) => {
              if (valid !== items.length)
                throw new Error(`${id}: ${valid} of ${items.length} items are valid`)
            }),
          ),
    ),
  )

/** Pays each item once, however often it runs; emits each batch in its final state. */
export const payAll = (
  client: Client,
  run: string,
  items: ReadonlyArray<NewBatchItem>,
  perBatch = 1_000, // the platform takes no more
): Observable<BatchTransfer> => {
  const { submit, untilState } = client.batchTransfers
  const hash = createHash('sha256').update(`${perBatch}`)
  const ids = new Set<string>()
  for (const item of items) {
    const { request_id: id } = item
    if (ids.has(id)) return throwError(() => new Error(`two items have the request_id ${id}`))
    ids.add(id)
    hash.update(JSON.stringify(item))
  }
  const name = `${run}, ${items.length} items, ${hash.digest('hex').slice(0, 16)}`
  return from(items).pipe(
    bufferCount(perBatch),
    concatMap((some, i) => filled(client, { request_id: `${run}-${i + 1}`, name }, some)),
    toArray(), // none is submitted before all are filled
    concatAll(),
    concatMap((batch) =>
      batch.status === 'DRAFTING' ? submit({ id: batch.id }).pipe(orThrow(toError)) : of(batch),
    ),
    mergeMap(({ id }) => untilState({ id })),
    orThrow(toError),
  )
}
