/** The Redis of `--queue`: its packages, its address, and the quota that is shared through it. */
import { Option } from 'commander'
import type { Redis } from 'ioredis'
import { fieldsOf } from '../../decode/unknown.js'
import { accountHash } from '../../export/transfer/ExportSpec.js'
import type { ListDescription } from '../../http/list/List.js'
import { redisQuota } from '../../quota/index.js'
import type { SharedQuota } from '../../scheduler/index.js'
import { randomName } from '../../store/FileSystem.js'
import { UsageError } from '../output.js'
import type { Terminal } from '../Terminal.js'

/** A connection to the Redis of a queue. */
export interface OpenQueue {
  readonly connection: Redis
  /** Host and port: the rest of its URL may have a password. */
  readonly host: string
  /** Divides the limits of an account between all commands that name the same Redis. */
  readonly quotaFor: (account: ListDescription<unknown>) => SharedQuota
  readonly functions: typeof import('../../bullmq/index.js')
  readonly close: () => void
}

const VARIABLE = 'PAYMENTS_QUEUE_URL'

/** In ms: shorter than usual, since workers that are killed are replaced, and have a part again at once. */
const QUOTA_LEASE = 5_000

export const queueOption = (description: string): Option =>
  new Option(
    '--queue [url]',
    `${description}: redis://HOST, rediss:// with TLS [${VARIABLE}; other users of this machine can see command lines: prefer the variable]`,
  )

/** Connects. Rejects with a `UsageError` that names what is missing, and shows no password. */
export const openQueue = async (
  given: string | true | undefined,
  env: Terminal['env'],
): Promise<OpenQueue> => {
  const url = urlOf(given === true || given === undefined ? env[VARIABLE] : given)
  const { Redis, functions } = await load()
  const open = (enableOfflineQueue: boolean) => {
    const redis = new Redis(url.href, { maxRetriesPerRequest: null, enableOfflineQueue })
    redis.on('error', () => {}) // it connects again
    return redis
  }
  const connection = open(true)
  try {
    await new Promise((resolve, reject) => {
      connection.once('error', reject)
      probe(connection).then(resolve, reject)
    })
  } catch (error) {
    connection.disconnect()
    throw new UsageError(`--queue: Redis at ${url.host} cannot be used: ${reasonOf(error)}`)
  }
  // a command that cannot be sent now is of no use later: the quota goes on without
  const quotas = open(false)
  return {
    connection,
    host: url.host,
    quotaFor: (account) =>
      redisQuota({
        send: ([name = '', ...args]) => quotas.call(name, ...args),
        account: accountHash(account, undefined).slice(0, 16),
        lease: QUOTA_LEASE,
      }),
    functions,
    close: () => {
      quotas.disconnect()
      connection.disconnect()
    },
  }
}

/**
 * Does once what queue and quota lean on, with keys of their own names: scripts that write, and INFO, which BullMQ asks for.
 * Rejects with the words of Redis where it refuses: for rights (NOPERM), a full memory (OOM), a read-only replica (READONLY),
 * missing replicas (NOREPLICAS) or a cluster (MOVED).
 */
const probe = async (redis: Redis): Promise<void> => {
  const script = "redis.call('SET', KEYS[1], '1', 'PX', 10000) return redis.call('DEL', KEYS[1])"
  await redis.eval(script, 1, `payments-rx:{probe-${randomName()}}`)
  await redis.info('server')
}

const urlOf = (text: string | undefined): URL => {
  if (text === undefined || text === '') {
    throw new UsageError(`--queue or ${VARIABLE} should have the URL of a Redis`)
  }
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url !== undefined && /^rediss?:$/.test(url.protocol) && url.host !== '') return url
  throw new UsageError('--queue should be redis://HOST or rediss://HOST')
}

/** Loads the packages, which are optional. */
const load = async () => {
  try {
    const { Redis } = await import('ioredis')
    return { Redis, functions: await import('../../bullmq/index.js') }
  } catch (error) {
    const [, name] = /Cannot find (?:package|module) '(bullmq|ioredis)'/.exec(String(error)) ?? []
    if (name === undefined) throw error
    throw new UsageError(`--queue needs the package ${name}: npm install bullmq ioredis`)
  }
}

/** The words of Redis or of the system; an error of ioredis also holds what was sent. */
const reasonOf = (error: unknown): string => {
  const { message, code } = fieldsOf(error)
  return String(message || code || 'it does not answer')
}
