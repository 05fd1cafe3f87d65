/** The command against a real S3 service: exports and syncs, killed and taken up again, and what verify says of them. */
import { copyFileSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { asyncScheduler, lastValueFrom, toArray } from 'rxjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { begin, type Service, type StoredCharge, syncNights } from '../../bench/kills/syncNights.js'
import { seeded } from '../../bench/simulated/random.js'
import { buildCode } from '../../scripts/build.js'
import { readRows, verify } from '../../src/export/index.js'
import { E } from '../../src/fp.js'
import { Charge } from '../../src/index.js'
import { createSandbox, listen } from '../../src/sandbox/index.js'
import { hasS3Service, type S3Service, startS3Service } from '../support/s3Service.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const timeout = 300_000
const DAY = 86_400_000

let home = ''
let storage: S3Service
beforeAll(async () => {
  if (!hasS3Service) return
  home = mkdtempSync(join(tmpdir(), 'payments-rx-s3-service-'))
  await buildCode(join(home, 'dist'))
  copyFileSync(join(root, 'package.json'), join(home, 'package.json'))
  symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'))
  storage = await startS3Service()
}, timeout)
afterAll(async () => {
  if (!hasS3Service) return
  await storage.stop()
  rmSync(home, { recursive: true })
}, timeout)

const serve = async (): Promise<Service & { readonly close: () => Promise<void> }> => {
  let now = Date.UTC(2026, 0, 1)
  const timer = Object.assign(Object.create(asyncScheduler), { now: () => now })
  const sandbox = createSandbox({
    ...{
      charges: 600,
      limits: false,
      latency: 20,
      arrivals: 1_800_000,
      settleAfter: 1.5 * DAY,
      timer,
    },
  })
  const { url, close } = await listen(sandbox)
  return {
    url,
    close,
    requests: () => sandbox.stats().requests,
    nextNight: () => {
      now += DAY
    },
  }
}

const at = (place: string): string => `s3://${storage.bucket}/${place}`

/** Variables are handed over as options of `env`, so that tests side by side do not share any. */
const command = (): ReadonlyArray<string> => [
  ...['env', ...Object.entries(storage.env).map(([name, value]) => `${name}=${value}`)],
  process.execPath,
]

const login = ({ url }: Service): ReadonlyArray<string> => [
  ...['--base-url', url, '--no-limits', '--client-id', 'sandbox', '--api-key', 'sandbox-key'],
  ...['--environment', 'sandbox', '--page-size', '50', '--parallel', '4', '--progress', 'none'],
]

const main = (): string => join(home, 'dist/cli/main.js')

const rowsAt = async (path: string): Promise<ReadonlyArray<StoredCharge>> => {
  const rows = await lastValueFrom(
    readRows(path, { codec: Charge, env: storage.env }).pipe(toArray()),
  )
  return rows.map((row) => {
    if (E.isLeft(row)) throw row.left
    const { id, amount, currency, status, updated_at } = row.right
    const updated = Date.parse(updated_at.replace(/\+0000$/, 'Z'))
    return { id, amount: String(Number(amount)), currency, status, updated }
  })
}

const differences = async (path: string): Promise<ReadonlyArray<unknown>> => {
  const checks = await lastValueFrom(verify(path, { env: storage.env }).pipe(toArray()))
  return checks.flatMap(
    (check): ReadonlyArray<unknown> => (E.isLeft(check) ? [check.left] : check.right.differences),
  )
}

describe.skipIf(!hasS3Service)('a real S3 service', () => {
  it.each(['parquet', 'ndjson'])(
    'has a sync in %s exact after nights of kills',
    { timeout },
    async (format) => {
      const service = await serve()
      const to = at(`nights-${format}/`)
      const args = ['sync', 'charges', to, '--format', format, '--lookback', '1d', '--lease', '1s']
      const outcome = await syncNights({
        ...{ service, command: command(), args: [main(), ...args, ...login(service)] },
        ...{ read: () => rowsAt(to), nights: 2, kills: 2, most: 12, random: seeded(7) },
      })
      await service.close()
      expect(outcome).toMatchObject({ exact: 2, wrong: [] })
      expect(await differences(to)).toEqual([])
    },
  )

  it.each(['export/', 'export.ndjson.zst', 'export.parquet'])(
    'has %s whole after a kill',
    { timeout },
    async (name) => {
      const service = await serve()
      const [out, run] = [at(name), { service, command: command() }]
      const args = [main(), 'export', 'charges', '--out', out, '--lease', '1s', ...login(service)]
      const killed = await begin({ ...run, args }, 8, (pid) => process.kill(pid, 'SIGKILL')).ended
      expect(killed.signal ?? killed.status).toBe('SIGKILL')
      let last = await begin({ ...run, args: [...args, '--resume'] }).ended
      if (last.status === 2) last = await begin({ ...run, args: [...args, '--restart'] }).ended // it had kept nothing
      expect(last).toMatchObject({ status: 0 })
      await service.close()
      expect(await differences(out)).toEqual([])
      expect(new Set((await rowsAt(out)).map(({ id }) => id)).size).toBe(600)
    },
  )
})
