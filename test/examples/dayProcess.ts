/**
 * A worker process of the test of partitions: works on days until it is told to end, or killed.
 *
 *     node dayProcess.ts REDIS_PORT FOLDER
 */
import { createClient, type SnapshotFilter } from 'payments-rx'
import { redisQuota } from 'payments-rx/quota'
import { redisClient } from '../../bench/services/redis.ts'
import { dayWorker } from '../../docs/examples/dayWorker.ts'

const [, , port = '', folder = ''] = process.argv
const { send } = redisClient(Number(port))
const client = createClient({
  guard: 'safe', // no stall of a busy machine makes a request come too early
  quota: redisQuota({ send, account: 'main', lease: 2_000 }),
})
/** Many requests for few rows. */
const snapshot = (filter?: SnapshotFilter) => client.charges.snapshot({ ...filter, page_size: 20 })
const payments = { ...client, charges: { ...client.charges, snapshot } }

const worker = dayWorker(
  payments,
  folder,
  // short, so that a test need not wait for half a minute
  {
    connection: { host: '127.0.0.1', port: Number(port) },
    lockDuration: 1_000,
    stalledInterval: 500,
  },
  1_000,
)
worker.on('error', () => {}) // a lock that was lost, or Redis that is stopped first
process.once('message', async () => {
  await worker.close()
  process.exit()
})
process.once('disconnect', () => process.exit())
