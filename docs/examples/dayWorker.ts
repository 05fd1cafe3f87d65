import { UnrecoverableError, Worker, type WorkerOptions } from 'bullmq'
import type { Client } from 'payments-rx'
import { exportDay, isFinal } from './exportDay.ts'

/** Works on jobs `{ day }`: exports each day to a file in the folder. */
export const dayWorker = (
  payments: Client,
  folder: string,
  options: WorkerOptions,
  lease = 15_000,
) =>
  new Worker<{ readonly day: string }, number>(
    'days',
    async ({ data: { day } }) => {
      try {
        return (await exportDay(payments, day, { out: `${folder}${day}.ndjson`, lease })).rows
      } catch (error) {
        throw isFinal(error) ? new UnrecoverableError(String(error)) : error
      }
    },
    { maxStalledCount: 100, ...options }, // how often a job may lose its worker
  )
