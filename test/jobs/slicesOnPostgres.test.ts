/** Slices as jobs of pg-boss on a real Postgres, with a worker that is killed. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from 'payments-rx'
import { assemble, planSlices } from 'payments-rx/export'
import { listen, sandboxCredentials } from 'payments-rx/sandbox'
import { lastValueFrom } from 'rxjs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hasPostgres, startPostgres } from '../../bench/services/postgres.js'
import { typeStripping } from '../../bench/services/typeStripping.js'
import { openBoss, queueSlices } from './sliceBoss.js'

const CHARGES = 1_200

describe.skipIf(!hasPostgres)('an export in slices, by pg-boss', () => {
  it('has each row once, with a worker that is killed', { timeout: 120_000 }, async () => {
    const postgres = await startPostgres()
    onTestFinished(postgres.stop)
    const folder = await mkdtemp(join(tmpdir(), 'payments-rx-boss-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const out = `${folder}/charges/`
    const url = await postgres.database()

    let pages = 0
    let [kill, worker]: [number, ChildProcess | undefined] = [Number.POSITIVE_INFINITY, undefined]
    const sandbox = await listen({
      charges: CHARGES,
      limits: false,
      latency: 20,
      faults: () => {
        if (++pages === kill) worker?.kill('SIGKILL')
        return undefined
      },
    })
    onTestFinished(() => sandbox.close())
    const payments = createClient({ baseUrl: sandbox.url, credentials: sandboxCredentials })
    const planned = await lastValueFrom(planSlices(payments.charges.snapshot(), { out, slices: 3 }))
    if (planned._tag === 'Left') throw planned.left
    const plan = planned.right

    const boss = await openBoss(url)
    onTestFinished(() => boss.stop({ graceful: false }))
    await queueSlices(boss, plan)
    await queueSlices(boss, plan) // the same jobs
    const start = (): ChildProcess => {
      const file = fileURLToPath(new URL('sliceBoss.ts', import.meta.url))
      const child = fork(file, [url, out], {
        execArgv: [...typeStripping],
        env: {
          ...process.env,
          PAYMENTS_BASE_URL: sandbox.url,
          PAYMENTS_CLIENT_ID: sandboxCredentials.clientId,
          PAYMENTS_API_KEY: sandboxCredentials.apiKey,
        },
      })
      onTestFinished(() => void child.kill('SIGKILL'))
      return child
    }
    kill = pages + 12
    worker = start()
    expect(await once(worker, 'exit')).toEqual([null, 'SIGKILL'])
    start()

    let whole = await lastValueFrom(assemble(plan, { out }))
    expect(whole).toMatchObject({ left: { _tag: 'NotAssembled' } })
    while (whole._tag === 'Left' && whole.left._tag === 'NotAssembled') {
      await once(boss, 'maintenance')
      whole = await lastValueFrom(assemble(plan, { out }))
    }
    if (whole._tag === 'Left') throw whole.left
    const { runs } = whole.right
    expect(runs.map(({ complete }) => complete)).toEqual([true, true, true])
    const texts = await Promise.all(
      runs.flatMap(({ files }) => files).map(({ path }) => readFile(join(out, path), 'utf8')),
    )
    const ids = texts
      .flatMap((text) => text.split('\n').slice(0, -1))
      .map((row) => JSON.parse(row).id)
    expect([ids.length, new Set(ids).size]).toEqual([CHARGES, CHARGES])
  })
})
