/** `exportWithWorkers` and `sliceWorker` on a real Redis: slices that are joined, lost and refused. */
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Queue } from 'bullmq'
import {
  firstValueFrom,
  lastValueFrom,
  Subject,
  type Subscription,
  takeWhile,
  tap,
  toArray,
} from 'rxjs'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { hasRedis, type Redis, startRedis } from '../../bench/services/redis.js'
import { exportWithWorkers, sliceWorker } from '../../src/bullmq/index.js'
import { type ExportEvent, planSlices, type SlicePlan } from '../../src/export/index.js'
import { E } from '../../src/fp.js'
import { createClient, InvalidOption, type SnapshotFilter } from '../../src/index.js'
import { createSandbox, sandboxCredentials } from '../../src/sandbox/index.js'

const CHARGES = 400

const clientOf = (clientId = sandboxCredentials.clientId) =>
  createClient({
    baseUrl: 'https://sandbox',
    credentials: { ...sandboxCredentials, clientId },
    fetch: createSandbox({ charges: CHARGES, limits: false }).fetch,
    limits: { global: 1e6, endpoint: 1e6, concurrency: 100 },
  })

/** A client whose slices have several pages. */
const smallPages = () => {
  const { charges } = clientOf()
  const snapshot = (filter: SnapshotFilter) =>
    charges.snapshot({ page_size: 20, ...filter }).parallel(1)
  return { charges: { snapshot } }
}

let redis: Redis | undefined
let home = ''
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'payments-rx-queue-'))
  if (hasRedis) redis = await startRedis()
})
afterAll(async () => {
  redis?.stop()
  await rm(home, { recursive: true })
})

const connection = () => ({ host: '127.0.0.1', port: redis?.port ?? 0 })

const planned = async (
  name: string,
): Promise<{ readonly out: string; readonly plan: SlicePlan }> => {
  const out = `${join(home, name)}/`
  const plan = await lastValueFrom(
    planSlices(clientOf().charges.snapshot({ page_size: 20 }), { out, slices: 3 }),
  )
  if (E.isLeft(plan)) throw plan.left
  return { out, plan: plan.right }
}

const working = (clientId?: string): Subscription => {
  const worker = sliceWorker({
    payments: clientOf(clientId),
    connection: connection(),
    allow: [`${home}/`],
    lease: 1_000,
  }).subscribe()
  onTestFinished(() => worker.unsubscribe())
  return worker
}

describe.skipIf(!hasRedis)('exportWithWorkers', () => {
  it('emits the progress of all slices together, and the run of the manifest', async () => {
    const { out, plan } = await planned('whole')
    working()
    const events = await lastValueFrom(
      exportWithWorkers(plan, { out, connection: connection() }).pipe(toArray()),
    )
    expect(events[0]).toMatchObject({ right: { rows: 0, begun: { resumed: false } } })
    expect(events.at(-1)).toMatchObject({
      right: { rows: CHARGES, ended: true, run: { complete: true, files: { length: 3 } } },
    })
  })

  it('ends a slice with which three workers were lost, one after the other', async () => {
    const { out, plan } = await planned('stalled')
    const ended = lastValueFrom(exportWithWorkers(plan, { out, connection: connection() }))
    const jobs = async (): Promise<ReadonlyArray<string>> => {
      const keys = await redis?.send(['KEYS', `*:slices:${plan.slices[0]?.plan.slice(0, 32)}*`])
      return Array.isArray(keys) ? keys.map(String) : []
    }
    await vi.waitFor(async () => expect(await jobs()).toHaveLength(3))
    // what the queue counts each time that a worker is no longer heard of
    for (const key of await jobs()) await redis?.send(['HSET', key, 'stc', '3'])
    working()
    const event = await ended
    expect(event).toMatchObject({
      left: {
        message: expect.stringContaining('3 workers were lost with it, one after the other'),
      },
    })
  })

  it('joins the jobs that are there, also when it is called again at the end', async () => {
    const { out, plan } = await planned('joined')
    const both = [1, 2].map(() =>
      lastValueFrom(exportWithWorkers(plan, { out, connection: connection() })),
    )
    working()
    for (const event of await Promise.all(both)) {
      expect(event).toMatchObject({ right: { rows: CHARGES, ended: true } })
    }
    const again = exportWithWorkers(plan, { out, connection: connection() })
    expect(await lastValueFrom(again)).toMatchObject({ right: { rows: CHARGES, ended: true } })
  })

  it('waits while Redis is gone, and adds the jobs again that it has lost', async () => {
    const { out, plan } = await planned('lost')
    working()
    const whole = exportWithWorkers(plan, { out, connection: connection() })
    const halfway = (event: ExportEvent): boolean =>
      E.isRight(event) && event.right.begun === undefined
    let restarted: Promise<unknown> | undefined
    const restart = async (): Promise<void> => {
      const port = redis?.port
      await redis?.stop()
      redis = await startRedis(port)
    }
    const events = whole.pipe(
      tap((event) => {
        if (halfway(event)) restarted ??= restart()
      }),
    )
    expect(await lastValueFrom(events)).toMatchObject({ right: { rows: CHARGES, ended: true } })
    await restarted
  })

  it('says why a slice failed for good', async () => {
    const { out, plan } = await planned('refused')
    await rm(out, { recursive: true })
    working()
    const event = await lastValueFrom(exportWithWorkers(plan, { out, connection: connection() }))
    if (E.isRight(event)) throw new Error('it was not refused')
    expect(event.left).toMatchObject({ _tag: 'NotAssembled', missing: [1, 2, 3] })
    expect(event.left.message).toContain('slice 1 of 3')
  })

  it('goes on with another worker where one was stopped, which gave its slice back', async () => {
    const { out, plan } = await planned('stopped')
    const whole = lastValueFrom(exportWithWorkers(plan, { out, connection: connection() }))
    const stop = new Subject<void>()
    const options = {
      ...{ payments: smallPages(), connection: connection(), allow: [`${home}/`], lease: 1_000 },
    }
    const given = await lastValueFrom(
      sliceWorker({ ...options, stop }).pipe(
        tap(({ event }) => {
          if (E.isRight(event) && event.right.rows > 0) stop.next()
        }),
        toArray(),
      ),
    )
    expect(given.at(-1)?.event).toMatchObject({ right: { stopped: true, ended: false } })
    const begun: Array<unknown> = []
    const second = sliceWorker(options).subscribe(({ event }) => {
      if (E.isRight(event) && event.right.begun) begun.push(event.right.begun)
    })
    expect(await whole).toMatchObject({ right: { rows: CHARGES, ended: true } })
    second.unsubscribe()
    expect(begun).toContainEqual({ resumed: true })
  })

  it('gives its jobs to workers of the same account only', async () => {
    const { out, plan } = await planned('account')
    working('another client id')
    const events = exportWithWorkers(plan, { out, connection: connection() })
    const first = firstValueFrom(events.pipe(takeWhile(E.isRight)))
    await first
    working()
    expect(await lastValueFrom(events)).toMatchObject({ right: { rows: CHARGES } })
  })
})

describe.skipIf(!hasRedis)('a job', () => {
  /** Gives a job as any client of that Redis can, and resolves with why it failed. */
  const given = async (data: unknown): Promise<string> => {
    const { plan } = await planned(`given-${++jobs}`)
    const prefix = `{payments-rx:${plan.spec.account.slice(0, 16)}}`
    const queue = new Queue('slices', { connection: connection(), prefix })
    const job = await queue.add('of another program', data)
    onTestFinished(() => queue.close())
    for (;;) {
      const found = await queue.getJob(job.id ?? '')
      if (await found?.isFailed()) return (await queue.getJob(job.id ?? ''))?.failedReason ?? ''
      if (await found?.isCompleted()) return 'it was done'
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  let jobs = 0

  it('that names a folder which the worker does not allow is refused, and writes nothing', async () => {
    const { out, plan } = await planned('forbidden')
    const [slice] = plan.slices
    const elsewhere = sliceWorker({
      ...{ payments: clientOf(), connection: connection(), lease: 1_000 },
      allow: [`${join(home, 'allowed')}/`, 's3://lake/charges/'],
    })
    const events: Array<unknown> = []
    const worker = elsewhere.subscribe((event) => events.push(event))
    onTestFinished(() => worker.unsubscribe())
    const before = await readdir(out)
    await mkdir(join(home, 'allowed'))
    await symlink(out, join(home, 'allowed/link'))
    for (const place of [
      ...[
        out,
        `${home}/`,
        `${join(home, 'allowed-not')}/`,
        `${join(home, 'allowed')}/../forbidden/`,
      ],
      ...[
        `${join(home, 'allowed/link')}/`,
        's3://lake/',
        's3://lake/charges-not/',
        's3://other/charges/',
      ],
      's3://lake/charges/../x/',
    ]) {
      expect(await given({ out: place, slice })).toContain('is not within what the worker allows')
    }
    expect(await readdir(out)).toEqual(before)
    expect(events[0]).toMatchObject({ event: { left: { _tag: 'UnusablePath' } } })
  })

  it('that is none is refused at once, whatever is in it', async () => {
    const { out, plan } = await planned('malformed')
    const [slice] = plan.slices
    working()
    for (const data of [
      ...[null, {}, { out }, { out, slice: null }, { out, slice: 'x' }, { out: 5, slice }],
      ...[
        { out: 'none', slice },
        { out: 'file:///etc/', slice },
        { out: '/x\u0000/', slice },
      ],
      ...[
        { out: '\u001b]0;title\u0007/', slice },
        { out: `/${'a'.repeat(5_000_000)}/`, slice },
      ],
      ...[
        { out, slice: { ...slice, file: '../../x' } },
        { out, slice, maxRejects: 'x' },
      ],
      { out, slice, more: Array.from({ length: 100_000 }, () => 'x') },
    ]) {
      const why = await given(data)
      expect(why).toMatch(/^the job (is none of a slice: |has a text of more than 1024 characters)/)
      expect(why).not.toMatch(/\p{Cc}/u)
    }
  })
})

describe('their options', () => {
  it('are refused at once where they cannot work', () => {
    const worker = (options: object) => () =>
      sliceWorker({ payments: clientOf(), connection: {}, allow: ['d/'], ...options })
    expect(worker({ concurrency: 0 })).toThrow(InvalidOption)
    expect(worker({ lease: 1 })).toThrow('lease should be')
    for (const allow of [undefined, [], 'd/', ['d'], ['/'], ['d/', 1]]) {
      expect(worker({ allow })).toThrow('allow should be')
    }
    expect(worker({ payments: 1 })).toThrow('payments should be a client')
  })
})
