/**
 * Slices as jobs of pg-boss, for those who have Postgres and no Redis: the recipe of the documentation.
 *
 *     node sliceBoss.ts POSTGRES_URL OUT      a worker, until it is told to end, or killed
 */
import { createHash } from 'node:crypto'
import { pathToFileURL } from 'node:url'
import { createClient } from 'payments-rx'
import { exportSlice, type PlannedSlice, type SlicePlan } from 'payments-rx/export'
import PgBoss from 'pg-boss'
import { lastValueFrom } from 'rxjs'

const QUEUE = 'slices'

/** Opens the queue; looks each second for jobs whose worker was not heard of. */
export const openBoss = async (connectionString: string): Promise<PgBoss> => {
  const boss = new PgBoss({ connectionString, maintenanceIntervalSeconds: 1, schedule: false })
  boss.on('error', () => {})
  await boss.start()
  await boss.createQueue(QUEUE)
  return boss
}

/** Names the job of a slice. */
const jobId = ({ plan, number }: PlannedSlice): string => {
  const hash = createHash('sha256').update(`${plan} ${number}`).digest('hex')
  return hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
}

export const queueSlices = async (boss: PgBoss, { slices }: SlicePlan): Promise<void> => {
  for (const slice of slices) {
    const options = { id: jobId(slice), retryLimit: 1_000, retryDelay: 1, expireInSeconds: 5 }
    await boss.send(QUEUE, slice, options)
  }
}

const work = async (boss: PgBoss, out: string): Promise<void> => {
  const payments = createClient({
    baseUrl: process.env.PAYMENTS_BASE_URL ?? '',
    credentials: {
      clientId: process.env.PAYMENTS_CLIENT_ID ?? '',
      apiKey: process.env.PAYMENTS_API_KEY ?? '',
    },
    limits: { global: 1_000, endpoint: 1_000, concurrency: 50 },
  })
  const small = {
    charges: {
      snapshot: (filter: Parameters<typeof payments.charges.snapshot>[0]) =>
        payments.charges.snapshot({ page_size: 20, ...filter }),
    },
  }
  await boss.work<PlannedSlice>(QUEUE, { pollingIntervalSeconds: 0.5 }, async (jobs) => {
    for (const { data } of jobs) {
      const end = await lastValueFrom(
        exportSlice(small, data, { out, lease: 1_000, commitEvery: 50 }),
      )
      if (end._tag === 'Left') throw new Error(end.left.message) // it is given away again
    }
  })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [, , url = '', out = ''] = process.argv
  await work(await openBoss(url), out)
}
