/** `node dayJob.ts DAY OUT [--restart]` exports one day. Jobs share the rate limit through Redis. */
import { Redis } from 'ioredis'
import { createClient } from 'payments-rx'
import { redisQuota } from 'payments-rx/quota'
import { exportDay, isFinal } from './exportDay.ts'

const redis = new Redis(process.env.REDIS_URL ?? '', { enableOfflineQueue: false })
const [, , day = '', out = '', restart] = process.argv
try {
  const payments = createClient({
    priority: 'bulk',
    quota: redisQuota({
      send: ([name = '', ...args]) => redis.call(name, ...args),
      account: 'main',
    }),
  })
  const { rows } = await exportDay(payments, day, { out, restart: restart === '--restart' })
  process.stdout.write(`${day}: ${rows} rows\n`)
} catch (error) {
  process.stderr.write(`${error}\n`)
  process.exitCode = isFinal(error) ? 2 : 1
}
setTimeout(() => redis.disconnect(), 1_000) // by then, this process has returned its share
