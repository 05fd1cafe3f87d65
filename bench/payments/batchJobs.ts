import { type Job, type Queue, UnrecoverableError, Worker, type WorkerOptions } from 'bullmq'
import {
  type Client,
  orThrow,
  type PayItems,
  type PaymentBatch,
  paymentBatches,
  RunError,
  toError,
  unwrap,
} from 'payments-rx'
import { concatMap, type Observable } from 'rxjs'

/** Cuts the payments of a run into the same batches each time, and queues a job for each. */
export const queueBatches = (
  queue: Queue<PaymentBatch>,
  run: string,
  items: PayItems,
  perBatch = 1_000, // the platform takes no more
): Observable<Job<PaymentBatch>> =>
  paymentBatches({ run, perBatch })(items).pipe(
    orThrow(toError),
    concatMap((batch) =>
      queue.add('pay', batch, {
        jobId: `${run}-${batch.index}`, // a second job with this id is not added
        attempts: 12, // the last after an hour
        backoff: { type: 'exponential', delay: 1_000, jitter: 0.5 },
      }),
    ),
  )

/** Works on the queue, and returns how many items of each batch were booked. */
export const batchWorker = (client: Client, options: WorkerOptions): Worker<PaymentBatch, number> =>
  new Worker(
    'batches',
    async ({ data }) => {
      try {
        return (await unwrap(client.batchTransfers.payBatch(data))).booked
      } catch (error) {
        // invalid items, or another run with this name: a retry does not help
        throw error instanceof RunError ? new UnrecoverableError(error.message) : error
      }
    },
    {
      concurrency: 10, // a job mostly waits for its batch to be booked
      maxStalledCount: 100, // a job may lose its worker that often
      ...options,
    },
  )
