/**
 * A worker process of the tests. Processes the queue until it is stopped or killed.
 *
 *     node worker.ts REDIS_PORT [shared]
 *
 *     shared: with a quota in the same Redis
 */
import { createClient } from 'payments-rx'
import { redisQuota } from 'payments-rx/quota'
import { redisClient } from '../services/redis.ts'
import { batchWorker } from './batchJobs.ts'

const [, , port = '', quota] = process.argv
const { send } = redisClient(Number(port))
const client = createClient({
  baseUrl: process.env.PAYMENTS_BASE_URL ?? '',
  credentials: {
    clientId: process.env.PAYMENTS_CLIENT_ID ?? '',
    apiKey: process.env.PAYMENTS_API_KEY ?? '',
  },
  ...(quota === 'shared' ? { quota: redisQuota({ send, account: 'main', lease: 2_000 }) } : {}),
})
const worker = batchWorker(client, {
  connection: { host: '127.0.0.1', port: Number(port) },
  // short, so that a test does not have to wait for half a minute
  lockDuration: 1_000,
  stalledInterval: 500,
})
worker.on('error', () => {}) // a lock was lost, or Redis was stopped first
worker.on('active', () => process.send?.('active'))

process.once('message', async () => {
  await worker.close() // waits for the jobs in progress
  process.exit()
})
process.once('disconnect', () => process.exit())
