/** Worker and export say why they wait for Redis, in its own words, and that it answers again. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lastValueFrom, type Observable, Subject } from 'rxjs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hasRedis, type Redis, startRedis } from '../../bench/services/redis.js'
import { exportWithWorkers, sliceWorker } from '../../src/bullmq/index.js'
import { planSlices } from '../../src/export/index.js'
import { E } from '../../src/fp.js'
import { createClient } from '../../src/index.js'
import { createSandbox, sandboxCredentials } from '../../src/sandbox/index.js'

const payments = createClient({
  baseUrl: 'https://sandbox',
  credentials: sandboxCredentials,
  fetch: createSandbox({ charges: 40, limits: false }).fetch,
})

/** Does to a Redis what makes it refuse, and the reverse. */
const MOODS: ReadonlyArray<readonly [RegExp, ReadonlyArray<string>, ReadonlyArray<string>]> = [
  [/NOPERM/, ['ACL', 'SETUSER', 'me', 'resetkeys', '~app:*'], ['ACL', 'SETUSER', 'me', '~*']],
  [
    /OOM/,
    ['CONFIG', 'SET', 'maxmemory', '1', 'maxmemory-policy', 'noeviction'],
    ['CONFIG', 'SET', 'maxmemory', '0'],
  ],
  [/READONLY/, ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE']],
  [
    /NOREPLICAS/,
    ['CONFIG', 'SET', 'min-replicas-to-write', '1'],
    ['CONFIG', 'SET', 'min-replicas-to-write', '0'],
  ],
]

const place = async () => {
  const home = mkdtempSync(join(tmpdir(), 'payments-rx-waits-'))
  const redis = await startRedis()
  onTestFinished(() => {
    redis.stop()
    rmSync(home, { recursive: true, force: true })
  })
  await redis.send(['ACL', 'SETUSER', 'me', 'on', '>x', '~*', '&*', '+@all'])
  const connection = { host: '127.0.0.1', port: redis.port, username: 'me', password: 'x' }
  return { home: `${home}/`, redis, connection }
}
type Place = Awaited<ReturnType<typeof place>>

interface Waiting {
  readonly events: Observable<unknown>
  readonly end: () => void
}
const KINDS: Readonly<
  Record<string, (place: Place, onWait: (text: string) => void) => Promise<Waiting>>
> = {
  'a worker': async ({ home, connection }, onWait) => {
    const stop = new Subject<void>()
    const events = sliceWorker({ payments, connection, allow: [home], stop, onWait })
    return { events, end: () => stop.next() }
  },
  'an export': async ({ home, connection }, onWait) => {
    const planning = planSlices(payments.charges.snapshot(), { out: home, slices: 2 })
    const plan = await lastValueFrom(planning)
    if (E.isLeft(plan)) throw plan.left
    const events = exportWithWorkers(plan.right, { out: home, connection, onWait })
    return { events, end: () => {} }
  },
}

/** Subscribes, and tells what is said; `said`: resolves with the first line that matches. */
const listening = async (kind: string, where: Place) => {
  const lines: Array<string> = []
  const heard = new Subject<string>()
  const waiting = await KINDS[kind]?.(where, (line) => {
    lines.push(line)
    heard.next(line)
  })
  const running = waiting?.events.subscribe()
  onTestFinished(() => {
    waiting?.end()
    running?.unsubscribe()
  })
  const said = async (words: RegExp): Promise<string> => {
    for (let at = 0; ; at++) {
      while (at >= lines.length) {
        await new Promise<void>((resolve) => {
          const one = heard.subscribe(() => {
            one.unsubscribe()
            resolve()
          })
        })
      }
      const line = lines[at] ?? ''
      if (words.test(line)) return line
    }
  }
  return { said, lines }
}

/** Gives a worker something to do that it is refused. */
const addJob = (redis: Redis): Promise<unknown> => redis.send(['PING'])

describe.skipIf(!hasRedis).each(Object.keys(KINDS))('%s', (kind) => {
  it.each(MOODS)('tells %s, and that it is over', async (words, refuse, again) => {
    const where = await place()
    const { said } = await listening(kind, where)
    await addJob(where.redis)
    await where.redis.send(refuse)
    expect(await said(words)).toContain('Redis cannot be used, and is tried again')
    await where.redis.send(again)
  })

  it('tells that there is no answer, and that there is one again', async () => {
    const where = await place()
    const { said } = await listening(kind, where)
    where.redis.signal('SIGSTOP')
    expect(await said(/no answer/)).toContain('no answer within 3 s')
    where.redis.signal('SIGCONT')
    await said(/answers again/)
  })
})

describe.skipIf(!hasRedis)('a worker', () => {
  it('ends when it is told to, also where Redis does not answer', async () => {
    const where = await place()
    const stop = new Subject<void>()
    const { home, connection, redis } = where
    const onWait = () => {}
    const ended = lastValueFrom(
      sliceWorker({ payments, connection, allow: [home], stop, onWait }),
      { defaultValue: 'ended' },
    )
    await redis.send(['PING'])
    redis.signal('SIGSTOP')
    stop.next()
    expect(await ended).toBe('ended')
    redis.signal('SIGCONT')
  })
})
