import { createHash } from 'node:crypto'
import { type Job, type Queue, Worker, type WorkerOptions } from 'bullmq'
import {
  type BatchTransfer,
  type Client,
  type NewBatchItem,
  type NewBatchTransfer,
  orThrow,
  toError,
} from 'payments-rx'
import {
  concatMap,
  from,
  last,
  lastValueFrom,
  map,
  type Observable,
  of,
  tap,
  throwError,
} from 'rxjs'

/** The id of the job is the `request_id` of its batch. */
export interface BatchJob {
  /** Name of the batch, with a hash of all payments of the run. */
  readonly name: string
  readonly items: ReadonlyArray<NewBatchItem>
}

type NewBatch = NewBatchTransfer & { readonly request_id: string }

/** Cuts the payments of a run into batches, the same in each call, and queues a job for each. */
export const queueBatches = (
  client: Client,
  queue: Queue<BatchJob>,
  run: string, // without a colon, which BullMQ has in no id
  items: ReadonlyArray<NewBatchItem>,
  perBatch = 1_000, // the platform takes no more
): Observable<ReadonlyArray<Job<BatchJob>>> => {
  const hash = createHash('sha256').update(`${perBatch}`)
  const ids = new Set<string>()
  for (const item of items) {
    const { request_id: id } = item
    if (ids.has(id)) return throwError(() => new Error(`two items have the request_id ${id}`))
    ids.add(id)
    hash.update(JSON.stringify(item))
  }
  const name = `${run}, ${items.length} items, ${hash.digest('hex').slice(0, 16)}`
  const jobs = Array.from({ length: Math.ceil(items.length / perBatch) }, (_, i) => ({
    name: 'pay',
    data: { name, items: items.slice(i * perBatch, (i + 1) * perBatch) },
    opts: {
      jobId: `${run}-${i + 1}`, // a job with an id that the queue has already is not added
      attempts: 30,
      backoff: { type: 'exponential', delay: 1_000, maxDelay: 60_000, jitter: 0.5 },
    },
  }))
  // refused if an earlier run had other payments, even if the queue has forgotten it
  return client.batchTransfers.createOnce({ request_id: `${run}-1`, name }).pipe(
    orThrow(toError),
    concatMap(() => queue.addBulk(jobs)),
  )
}

/** Pays a batch once, however often it is called, at the same time as well. */
export const payBatch = (
  { batchTransfers }: Client,
  batch: NewBatch,
  items: ReadonlyArray<NewBatchItem>,
): Observable<BatchTransfer> => {
  const { addAllItems, createOnce, submit, untilState } = batchTransfers
  const fillAndSubmit = (found: BatchTransfer): Observable<BatchTransfer> =>
    from(items).pipe(
      addAllItems(found), // an item that is there already counts as added
      map(({ outcome }) => outcome),
      orThrow(toError),
      last(),
      tap(({ id, valid_item_count: valid }) => {
        if (valid !== items.length)
          throw new Error(`${id}: ${valid} of ${items.length} items are valid`)
      }),
      concatMap(({ id }) => submit({ id })),
      orThrow(toError),
    )
  return createOnce(batch).pipe(
    orThrow(toError), // also if the batch with this request_id has another name
    concatMap((found) => (found.status === 'DRAFTING' ? fillAndSubmit(found) : of(found))),
    concatMap(({ id }) => untilState({ id })),
    orThrow(toError),
  )
}

/** Works on the queue, and returns the final state of each batch. A job that failed is tried again. */
export const batchWorker = (client: Client, options: WorkerOptions): Worker<BatchJob, string> =>
  new Worker(
    'batches',
    ({ id = '', data: { name, items } }) => {
      const paid = payBatch(client, { request_id: id, name }, items)
      return lastValueFrom(paid.pipe(map(({ status }) => status)))
    },
    {
      concurrency: 10, // most of the time, a job waits for its batch to be booked
      maxStalledCount: 100, // a job may lose its worker that often
      ...options,
    },
  )
