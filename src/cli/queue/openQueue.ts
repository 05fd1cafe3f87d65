/** The Redis of `--queue`: its packages, its address, and the quota that is shared through it. */
import { Option } from 'commander'
import type { Redis } from 'ioredis'
import { firstValueFrom, from, map, race } from 'rxjs'
import { fieldsOf } from '../../decode/unknown.js'
import { accountHash } from '../../export/transfer/ExportSpec.js'
import { E } from '../../fp.js'
import type { ListDescription } from '../../http/list/List.js'
import { redisQuota } from '../../quota/index.js'
import type { SharedQuota } from '../../scheduler/index.js'
import { randomName } from '../../store/FileSystem.js'
import { adviceOn, isKnown } from '../../store/remedies.js'
import type { Millis } from '../../stream/index.js'
import { later } from '../../stream/later.js'
import { EXIT_BY_SIGNAL, EXIT_COMPLETE, UsageError } from '../output.js'
import type { CommandRun, Ending } from '../runCommand.js'

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
const PLAIN = 'PAYMENTS_PLAIN_REDIS'

/** A Redis that takes longer to answer at first cannot be used. */
const ANSWERS_WITHIN: Millis = 5_000

/** In ms: shorter than usual, since workers that are killed are replaced, and have a part again at once. */
const QUOTA_LEASE = 5_000

export const queueOption = (description: string): Option =>
  new Option(
    '--queue [url]',
    `${description}: redis://HOST, rediss:// with TLS [${VARIABLE}; other users of this machine can see command lines: prefer the variable]`,
  )

/** `--plain-redis`. */
export const plainRedisOption = (): Option =>
  new Option(
    '--plain-redis',
    `allow redis:// (no TLS) to another machine; jobs and the password travel unencrypted [${PLAIN}=1]`,
  ).default(false)

/** The end of a command that works until it is stopped. */
export const stoppedEnding = ({ stopped }: Pick<CommandRun, 'stopped'>): Ending => {
  const signal = stopped()
  return { status: signal === undefined ? EXIT_COMPLETE : EXIT_BY_SIGNAL[signal] }
}

/** How a Redis is opened. */
export interface OpenQueueOptions extends Pick<CommandRun['options'], 'env' | 'timer' | 'stop'> {
  /** `--queue`. */
  readonly url: string | true | undefined
  /** `--plain-redis`. */
  readonly isPlain: boolean
}

/**
 * Connects. Rejects with a `UsageError` that names the missing variable or package, and shows no password. Resolves with
 * undefined when it is stopped.
 */
export const openQueue = async (options: OpenQueueOptions): Promise<OpenQueue | undefined> => {
  const { env, timer, stop, isPlain } = options
  const given = options.url === true || options.url === undefined ? env[VARIABLE] : options.url
  const url = queueUrl(given, VARIABLE, isPlain || env[PLAIN] === '1')
  const { Redis, functions } = await load()
  const open = (enableOfflineQueue: boolean) => {
    const redis = new Redis(url.href, { maxRetriesPerRequest: null, enableOfflineQueue })
    redis.on('error', () => {}) // it connects again
    return redis
  }
  const connection = open(true)
  const failed = new Promise<never>((_, reject) => {
    connection.once('error', reject)
  })
  const silent = later(ANSWERS_WITHIN, timer).pipe(
    map(() => {
      throw new Error(`no answer within ${ANSWERS_WITHIN / 1_000} s`)
    }),
  )
  const isOpen = await firstValueFrom(
    race(
      from(Promise.race([probe(connection), failed])).pipe(map(() => true)),
      stop.pipe(map(() => false)),
      silent,
    ),
  ).catch((error: unknown) => {
    connection.disconnect()
    throw new UsageError(`--queue: Redis at ${url.host} cannot be used: ${reasonOf(error)}`)
  })
  if (!isOpen) {
    connection.disconnect()
    return undefined
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
  if (/_mode:cluster/.test(await redis.info('server'))) {
    const info = String(await redis.cluster('INFO'))
    const [, nodes = '0'] = /cluster_size:(\d+)/.exec(info) ?? []
    if (nodes !== '1') {
      throw new Error(`it is a cluster of ${nodes} nodes with slots: use a Redis that is none`)
    }
  }
  const script = "redis.call('SET', KEYS[1], '1', 'PX', 10000) return redis.call('DEL', KEYS[1])"
  await redis.eval(script, 1, `payments-rx:{probe-${randomName()}}`)
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

/** Returns the error of Redis or of the system in its own words, with advice; an error of ioredis also has the command sent. */
const reasonOf = (error: unknown): string => {
  const { message, code } = fieldsOf(error)
  const said = String(message || code || 'it does not answer').replace(/\.$/, '')
  const [word = ''] = said.split(' ')
  return `${said}${adviceOn(isKnown(word) ? word : String(code))}`
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

/**
 * Checks a URL as the driver reads it. Shows nothing of one that is refused, which may have a password anywhere: user and password are escaped as in any URL, and it leads to this machine, or goes by
 * TLS, unless `isPlain`. Throws a `UsageError`.
 */
const queueUrl = (text: string | undefined, variable: string, isPlain: boolean): URL => {
  if (text === undefined || text === '') {
    throw new UsageError(`--queue or ${variable} should have the URL of a Redis`)
  }
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^rediss?:$/.test(url.protocol) || url.host === '') {
    throw new UsageError('--queue should be redis://HOST or rediss://HOST')
  }
  const { username, password, pathname, search, hash } = url
  const escaped = E.tryCatch(
    () => [username, password].map(decodeURIComponent),
    () => undefined,
  )
  // a password with one of these ends earlier, and the host is a part of it
  const isWhole = text.split('@').length <= 2 && hash === '' && !search.includes('@')
  if (E.isLeft(escaped) || !isWhole || !/^\/?\d*$/.test(pathname)) {
    throw new UsageError(
      '--queue should be redis://USER:PASSWORD@HOST:PORT/DB, with the user and the password escaped as encodeURIComponent does',
    )
  }
  if (url.protocol === 'rediss:' || isPlain || LOOPBACK.test(url.hostname)) return url
  throw new UsageError(
    `--queue: Redis at ${url.host} is on another machine: use rediss:// (TLS), or allow plain text with --plain-redis`,
  )
}
