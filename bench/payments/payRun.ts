/**
 * A run of payments as jobs, with a Redis, a sandbox and worker processes. Workers are killed, frozen and continued at requests
 * that arrive at the sandbox, and jobs are queued again.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Queue, QueueEvents } from 'bullmq'
import {
  createClient,
  type Failure,
  type NewBatchItem,
  type ObservableEither,
  orThrow,
  toError,
} from 'payments-rx'
import { createSandbox, listen, sandboxCredentials } from 'payments-rx/sandbox'
import { firstValueFrom, lastValueFrom, ReplaySubject, toArray } from 'rxjs'
import { startRedis } from '../services/redis.ts'
import { typeStripping } from '../services/typeStripping.ts'
import { type PaymentJob, queueBatches } from './batchJobs.ts'

// model

export interface PayRun {
  /** The program of a worker. Default: `worker.ts` next to this file. */
  readonly worker?: string
  readonly payments: number
  readonly perBatch: number
  readonly workers: number
  readonly kills: number
  /** Number of workers that are frozen, and continued after others have finished a job. */
  readonly freezes: number
  /** Maximum number of requests between two of these events. */
  readonly apart: number
  /** True if the workers share the limits of the account; otherwise the sandbox has no limits. */
  readonly isShared?: boolean
  readonly repeatedItems?: 'ignored' | 'refused'
  /** Share of requests whose response is lost. */
  readonly lostAnswers?: number
  /** Returns a number from 0 up to 1. */
  readonly random: () => number
  /** Called at each kill and freeze, and when a job has finished. */
  readonly onProgress?: (progress: PayProgress) => void
}

export interface PayProgress {
  readonly finished: number
  readonly jobs: number
  readonly kills: number
  readonly freezes: number
  /** Number of jobs that were given to another worker because theirs did not respond. */
  readonly stalled: number
  readonly requests: number
}

export interface PayOutcome extends PayProgress {
  /** Number of times that each payment was booked, by its `request_id`. */
  readonly booked: ReadonlyMap<string, number>
  /** States of the batches at the platform. */
  readonly batches: ReadonlyArray<string>
}

/** An amount that exceeds the cost of any batch of a run. */
export const APPROVED = { max: [{ currency: 'USD', amount: '1000000000' }] }

// functions

export const paymentOf = (n: number): NewBatchItem => ({
  reason: 'wages_salary',
  reference: `Pay ${n}`,
  request_id: `wage-${n}`,
  source_currency: 'USD',
  transfer_currency: 'USD',
  transfer_method: 'LOCAL',
  transfer_amount: 100 + n,
  beneficiary_id: 'ben_1',
})

/** Resolves once all jobs are finished and all workers have ended. Workers that were frozen also work to their end. */
export const payRun = async (run: PayRun): Promise<PayOutcome> => {
  const { random, worker = fileURLToPath(new URL('worker.ts', import.meta.url)) } = run
  const redis = await startRedis()
  let [requests, kills, freezes, stalled, finished] = [0, 0, 0, 0, 0]
  let isOver = false

  const workers: Array<ChildProcess> = []
  const ends: Array<Promise<unknown>> = []
  const failed = new ReplaySubject<Error>(1)
  const frozen: Array<{ readonly child: ChildProcess; readonly since: number }> = []

  const next = (): number => requests + 1 + Math.floor(random() * run.apart)
  let due = Number.POSITIVE_INFINITY
  const sandbox = createSandbox({
    charges: 0,
    bookEvery: 1,
    fundAfter: 50,
    latency: 30,
    jitter: 30,
    ...(run.isShared ? {} : { limits: false }),
    repeatedItems: run.repeatedItems ?? 'ignored',
    faults: () => {
      requests++
      if (requests >= due) {
        due = next()
        disturb()
      }
      return !isOver && random() < (run.lostAnswers ?? 0) ? 'reset-after' : undefined
    },
  })
  const { url, close } = await listen(sandbox)
  const client = createClient({
    baseUrl: 'https://sandbox',
    credentials: sandboxCredentials,
    fetch: sandbox.fetch,
  })

  const startWorker = (): void => {
    const args = [`${redis.port}`, run.isShared ? 'shared' : 'alone']
    const child = fork(worker, args, {
      execArgv: [...typeStripping],
      env: {
        ...process.env,
        PAYMENTS_BASE_URL: url,
        PAYMENTS_CLIENT_ID: sandboxCredentials.clientId,
        PAYMENTS_API_KEY: sandboxCredentials.apiKey,
      },
    })
    child.once('message', () => {
      if (due === Number.POSITIVE_INFINITY) due = next()
    })
    workers.push(child)
    ends.push(once(child, 'exit'))
    child.once('exit', (status) => {
      if (status) failed.next(new Error(`a worker has ended by itself, with status ${status}`))
    })
  }

  /** Kills or freezes a worker, and starts another one. */
  const disturb = (): void => {
    run.onProgress?.(progress())
    const left = { kills: run.kills - kills, freezes: run.freezes - freezes }
    const [child] = workers.splice(Math.floor(random() * workers.length), 1)
    if (child === undefined || left.kills + left.freezes === 0) {
      if (child !== undefined) workers.push(child)
      return
    }
    if (random() * (left.kills + left.freezes) < left.kills) {
      kills++
      child.kill('SIGKILL')
    } else {
      freezes++
      child.kill('SIGSTOP')
      frozen.push({ child, since: finished })
    }
    startWorker()
  }
  const thaw = (isDue: (since: number) => boolean): void => {
    for (const one of frozen.filter(({ since }) => isDue(since))) {
      frozen.splice(frozen.indexOf(one), 1)
      workers.push(one.child)
      one.child.kill('SIGCONT')
    }
  }

  const connection = { host: '127.0.0.1', port: redis.port }
  const queue = new Queue<PaymentJob>('batches', { connection })
  const events = new QueueEvents('batches', { connection })
  await events.waitUntilReady()
  const payments = Array.from({ length: run.payments }, (_, n) => paymentOf(n))
  const queued = () =>
    lastValueFrom(queueBatches(queue, 'wages', payments, APPROVED, run.perBatch).pipe(toArray()))
  const jobs = (await queued()).length
  const progress = (): PayProgress => ({ finished, jobs, kills, freezes, stalled, requests })

  /** Queues some jobs again, including jobs that the queue has forgotten. */
  const onFinished = async (jobId: string): Promise<boolean> => {
    finished++
    thaw((since) => finished > since)
    if (random() < 0.5) await (await queue.getJob(jobId))?.remove()
    if (random() < 0.5) await queued()
    run.onProgress?.(progress())
    const counts = await queue.getJobCounts('active', 'waiting', 'delayed', 'failed')
    if (counts.failed) throw new Error('a job has failed for good')
    return finished >= jobs && Object.values(counts).every((count) => count === 0)
  }
  events.on('stalled', () => {
    stalled++
  })
  const allFinished = new Promise<void>((resolve, reject) => {
    events.on('completed', ({ jobId }) => {
      onFinished(jobId).then((isLast) => isLast && resolve(), reject)
    })
  })
  const workerFailed = firstValueFrom(failed).then((error) => Promise.reject(error))
  for (let n = 0; n < run.workers; n++) startWorker()
  await Promise.race([allFinished, workerFailed])

  isOver = true
  thaw(() => true)
  for (const child of workers) child.send('end')
  await Promise.all(ends)
  await Promise.all([queue.close(), events.close()])

  const booked = new Map<string, number>()
  const batches: Array<string> = []
  const { list, items } = client.batchTransfers
  for (const { id, status } of await all(list())) {
    batches.push(status)
    for (const item of await all(items({ id }))) {
      if (item.status !== 'BOOKED') continue
      booked.set(item.request_id, 1 + (booked.get(item.request_id) ?? 0))
    }
  }
  await close()
  redis.stop()
  return { ...progress(), booked, batches }
}

const all = <A>(list: ObservableEither<Failure, A>): Promise<ReadonlyArray<A>> =>
  lastValueFrom(list.pipe(orThrow(toError), toArray()))
