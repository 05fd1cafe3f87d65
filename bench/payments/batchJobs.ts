import { type Job, type Queue, UnrecoverableError, Worker, type WorkerOptions } from 'bullmq'
import {
  type Approval,
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

export interface PaymentJob {
  readonly batch: PaymentBatch
  /** Bounds of the batch's cost. */
  readonly approved: Approval
}

/** Cuts the payments of a run into the same batches each time, and queues a job for each. */
export const queueBatches = (
  queue: Queue<PaymentJob>,
  run: string,
  items: PayItems,
  approved: Approval,
  perBatch = 1_000, // the platform takes no more
): Observable<Job<PaymentJob>> =>
  paymentBatches({ run, perBatch })(items).pipe(
    orThrow(toError),
    concatMap((batch) =>
      queue.add(
        'pay',
        { batch, approved },
        {
          jobId: `${run}-${batch.index}`, // a second job with this id is not added
          attempts: 12, // the last after an hour
          backoff: { type: 'exponential', delay: 1_000, jitter: 0.5 },
        },
      ),
    ),
  )

/** Works on the queue, and returns how many items of each batch were booked. */
export const batchWorker = (client: Client, options: WorkerOptions): Worker<PaymentJob, number> =>
  new Worker(
    'batches',
    async ({ data: { batch, approved } }) => {
      try {
        return (await unwrap(client.batchTransfers.payBatch(batch, { approved }))).booked
      } catch (error) {
        // invalid items, above the bound, or another run with this name: a retry does not help
        throw error instanceof RunError ? new UnrecoverableError(error.message) : error
      }
    },
    {
      concurrency: 10, // a job mostly waits for its batch to be booked
      maxStalledCount: 100, // a job may lose its worker that often
      ...options,
    },
  )
