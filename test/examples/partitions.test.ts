/** The jobs of the page "Partitions", as processes: on a real Redis, with one that is killed in the middle. */
import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Queue, QueueEvents } from 'bullmq'
import { lastValueFrom, toArray } from 'rxjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasRedis, type Redis, startRedis } from '../../bench/services/redis.js'
import { typeStripping } from '../../bench/services/typeStripping.js'
import { verify } from '../../src/export/index.js'
import { E } from '../../src/fp.js'
import { createClient, orThrow, toError } from '../../src/index.js'
import { createSandbox, listen, sandboxCredentials } from '../../src/sandbox/index.js'
import { builtCode } from '../support/built.js'

const ROOT = join(import.meta.dirname, '../..')
const PROCESS = fileURLToPath(new URL('dayProcess.ts', import.meta.url))
const EXAMPLES = ['exportDay.ts', 'dayWorker.ts', 'dayJob.ts']
const DAYS = ['2024-01-01', '2024-01-02', '2024-01-03', '2024-01-04']
/** So many charges per day. */
const A_DAY = 360

it.each(EXAMPLES)('%s is the code of the page', (name) => {
  const code = readFileSync(join(ROOT, 'docs/examples', name), 'utf8')
  expect(readFileSync(join(ROOT, 'docs/many-machines.md'), 'utf8')).toContain(code)
})

describe.skipIf(!hasRedis)('partitions as jobs', () => {
  /** The package as it is now, and the examples in it. */
  let home = ''
  let redis: Redis | undefined
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'payments-rx-days-'))
    cpSync(join(await builtCode(), 'dist'), join(home, 'dist'), { recursive: true })
    copyFileSync(join(ROOT, 'package.json'), join(home, 'package.json'))
    symlinkSync(join(ROOT, 'node_modules'), join(home, 'node_modules'))
    for (const folder of ['docs/examples', 'bench/services', 'test/examples']) {
      cpSync(join(ROOT, folder), join(home, folder), { recursive: true })
    }
    mkdirSync(join(home, 'days'))
    redis = await startRedis()
  })
  afterAll(async () => {
    await redis?.stop()
    rmSync(home, { recursive: true })
  })

  const connected = (url: string) => ({
    ...process.env,
    PAYMENTS_BASE_URL: url,
    PAYMENTS_CLIENT_ID: sandboxCredentials.clientId,
    PAYMENTS_API_KEY: sandboxCredentials.apiKey,
    REDIS_URL: `redis://127.0.0.1:${redis?.port}`,
  })

  it('are each exact and verified where a process is killed, within the shared limit', async () => {
    const workers: Array<ChildProcess> = []
    const ends: Array<Promise<unknown>> = []
    let pages = 0
    const sandbox = createSandbox({
      ...{ charges: A_DAY * DAYS.length, every: 86_400_000 / A_DAY, latency: 20 },
      faults: ({ route }) => {
        if (route === 'GET /api/v1/charges' && ++pages === 20) workers[0]?.kill('SIGKILL')
        return undefined
      },
    })
    const server = await listen(sandbox)
    const connection = { host: '127.0.0.1', port: redis?.port ?? 0 }
    const queue = new Queue('days', { connection })
    const events = new QueueEvents('days', { connection })
    await events.waitUntilReady()
    const jobs = await Promise.all(
      DAYS.map((day) => queue.add('day', { day }, { jobId: day, attempts: 12 })),
    )
    const folder = join(home, 'days/')
    for (let n = 0; n < 3; n++) {
      const child = fork(join(home, relative(ROOT, PROCESS)), [`${redis?.port}`, folder], {
        execArgv: [...typeStripping],
        env: connected(server.url),
      })
      workers.push(child)
      ends.push(once(child, 'exit'))
    }
    const rows = await Promise.all(jobs.map((job) => job.waitUntilFinished(events)))
    const { refused } = sandbox.stats()
    for (const child of workers) if (child.connected) child.send('end')
    expect(await ends[0]).toEqual([null, 'SIGKILL'])
    await Promise.all([...ends, queue.close(), events.close(), server.close()])

    const { fetch } = sandbox
    const client = createClient({ baseUrl: 'https://x', credentials: sandboxCredentials, fetch })
    for (const [at, day] of DAYS.entries()) {
      const there = client.charges.snapshot({ from_created_at: day, to_created_at: day })
      const wanted = await lastValueFrom(there.pipe(orThrow(toError), toArray()))
      const path = `${folder}${day}.ndjson`
      const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
      const ids = lines.map((line) => JSON.parse(line).id)
      expect(ids.sort()).toEqual(wanted.map(({ id }) => id).sort())
      expect([rows[at], wanted.length > A_DAY / 2]).toEqual([ids.length, true])
      const checks = await lastValueFrom(verify(path).pipe(toArray()))
      expect(checks.map(E.map(({ differences }) => differences))).toEqual(
        checks.map(() => E.right([])),
      )
    }
    expect(refused).toEqual({ concurrency: 0, logins: 0, endpoint: 0, global: 0 })
  })

  it('can be run and redone as a program, for days that have ended', async () => {
    const server = await listen({ charges: 100 })
    const out = join(home, 'alone.parquet')
    const run = (...args: ReadonlyArray<string>) => runAs({}, ...args)
    const runAs = (other: NodeJS.ProcessEnv, ...args: ReadonlyArray<string>) =>
      new Promise<readonly [unknown, string]>((resolve) => {
        const program = [...typeStripping, join(home, 'docs/examples/dayJob.ts'), ...args]
        const env = { ...connected(server.url), ...other }
        execFile(process.execPath, program, { env }, (error, stdout, stderr) =>
          resolve([error?.code ?? 0, stdout + stderr]),
        )
      })
    const [first, nowhere, refused, early] = await Promise.all([
      run('2024-01-01', out),
      run('2024-01-01', join(home, 'no/such.csv')),
      runAs({ PAYMENTS_API_KEY: 'another-key' }, '2024-01-01', join(home, 'refused.csv')),
      run(new Date().toISOString().slice(0, 10), join(home, 'early.parquet')),
    ])
    expect(first).toEqual([0, '2024-01-01: 100 rows\n'])
    expect(nowhere).toMatchObject({ 0: 2 })
    expect(refused).toMatchObject({ 0: 2 })
    expect(early).toEqual([1, expect.stringContaining('has not ended')])
    expect(await run('2024-01-01', out, '--restart')).toEqual([0, '2024-01-01: 100 rows\n'])
    await server.close()
  })
})
