/** The command against a real S3 service: exports and syncs, killed and taken up again, and what verify says of them. */
import {
  CreateBucketCommand,
  PutBucketPolicyCommand,
  PutBucketVersioningCommand,
  PutObjectLockConfigurationCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { asyncScheduler, lastValueFrom, toArray } from 'rxjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { begin, type Service, type StoredCharge, syncNights } from '../../bench/kills/syncNights.js'
import { seeded } from '../../bench/simulated/random.js'
import { exportTo, readRows, sync, verify } from '../../src/export/index.js'
import { E } from '../../src/fp.js'
import { Charge, createClient } from '../../src/index.js'
import { createSandbox, sandboxCredentials } from '../../src/sandbox/index.js'
import { ObjectStorage } from '../../src/store/ObjectStorage.js'
import { processEnvironment, s3Location } from '../../src/store/S3Location.js'
import { builtCommand } from '../support/built.js'
import { sample } from '../support/runs.js'
import { hasS3Service, type S3Service, startS3Service } from '../support/s3Service.js'
import { serveNights } from './nights.js'

const main = await builtCommand()
let storage: S3Service
beforeAll(async () => {
  if (hasS3Service) storage = await startS3Service()
})
afterAll(() => storage?.stop())

const at = (place: string): string => `s3://${storage.bucket}/${place}`

/** Variables are handed over as options of `env`, so that tests side by side do not share any. */
const command = (): ReadonlyArray<string> => [
  ...['env', ...Object.entries(storage.env).map(([name, value]) => `${name}=${value}`)],
  process.execPath,
]

const login = ({ url }: Service): ReadonlyArray<string> => [
  ...['--base-url', url, '--no-limits', '--client-id', 'sandbox', '--api-key', 'sandbox-key'],
  ...['--environment', 'test', '--page-size', '50', '--parallel', '4', '--progress', 'none'],
]

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

const nightsOfKills = (format: string) => async () => {
  const service = await serveNights({ latency: 20 })
  const to = at(`nights-${format}/`)
  const args = ['sync', 'charges', to, '--format', format, '--lookback', '1d', '--lease', '1s']
  const outcome = await syncNights({
    ...{ service, command: command(), args: [main, ...args, ...login(service)] },
    ...{ read: () => rowsAt(to), nights: 2, kills: 1, most: 12, random: seeded(7) },
  })
  await service.close()
  expect(outcome).toMatchObject({ exact: 2, wrong: [] })
  expect(await differences(to)).toEqual([])
}

const killedExport = (name: string) => async () => {
  const service = await serveNights({ latency: 20 })
  const [out, run] = [at(name), { service, command: command() }]
  const args = [main, 'export', 'charges', '--out', out, '--lease', '1s', ...login(service)]
  const killed = await begin({ ...run, args }, 8, (pid) => process.kill(pid, 'SIGKILL')).ended
  expect(killed.signal ?? killed.status).toBe('SIGKILL')
  let last = await begin({ ...run, args: [...args, '--resume'] }).ended
  if (last.status === 2) last = await begin({ ...run, args: [...args, '--restart'] }).ended // it had kept nothing
  expect(last).toMatchObject({ status: 0 })
  await service.close()
  expect(await differences(out)).toEqual([])
  expect(new Set((await rowsAt(out)).map(({ id }) => id)).size).toBe(600)
}

it.skipIf(!hasS3Service).concurrent.each(
  sample(1, [
    ...['parquet', 'ndjson'].map((format) => ({
      what: `a sync in ${format} exact after nights of kills`,
      play: nightsOfKills(format),
    })),
    ...['export/', 'export.ndjson.zst', 'export.parquet'].map((name) => ({
      what: `${name} whole after a kill`,
      play: killedExport(name),
    })),
  ]),
)('a real S3 service has $what', ({ play }) => play())

/** Makes a bucket with rules, and a client whose charges go there. */
const withRules = async (name: string, make: (client: S3Client) => Promise<unknown>) => {
  const { env } = storage
  const { AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY: secretAccessKey = '' } = env
  const client = new S3Client({
    ...{ endpoint: env.AWS_ENDPOINT_URL ?? '', region: 'us-east-1', forcePathStyle: true },
    credentials: { accessKeyId, secretAccessKey },
  })
  await make(client)
  client.destroy()
  const timer = asyncScheduler
  const payments = createClient({
    baseUrl: 'https://sandbox',
    credentials: sandboxCredentials,
    fetch: createSandbox({ charges: 600, limits: false, timer }).fetch,
  })
  const [to, out] = [`s3://${name}/a b+c/`, `s3://${name}/export/`]
  const file = `s3://${name}/charges.ndjson.zst`
  const ended = []
  for (let night = 0; night < 2; night++) {
    ended.push(await lastValueFrom(sync(payments.charges, { to, env })))
  }
  for (const one of [out, file]) {
    ended.push(await lastValueFrom(exportTo(payments.charges.snapshot(), { out: one, env })))
  }
  const isRefused = ended.every((one) => E.isLeft(one) && /ignores If-/.test(one.left.message))
  if (isRefused) return ended // an earlier Ceph has no conditions where there are versions
  for (const one of ended) expect(one).toMatchObject({ right: { ended: true } })
  for (const place of [to, out, file]) expect(await differences(place)).toEqual([])
  return ended
}

describe.skipIf(!hasS3Service)('a bucket with rules of a real S3 service', () => {
  const DAYS = { Mode: 'GOVERNANCE', Days: 1 } as const

  it('with Object Lock and a default retention takes syncs and exports, or is refused for its conditions', () =>
    withRules('locked', async (client) => {
      const bucket = { Bucket: 'locked', ObjectLockEnabledForBucket: true }
      await client.send(new CreateBucketCommand(bucket))
      const lock = { ObjectLockEnabled: 'Enabled', Rule: { DefaultRetention: DAYS } } as const
      const config = { Bucket: 'locked', ObjectLockConfiguration: lock }
      await client.send(new PutObjectLockConfigurationCommand(config))
    }))

  it('with versions takes syncs and exports, or is refused for its conditions', () =>
    withRules('versioned', async (client) => {
      await client.send(new CreateBucketCommand({ Bucket: 'versioned' }))
      const config = { VersioningConfiguration: { Status: 'Enabled' } } as const
      await client.send(new PutBucketVersioningCommand({ Bucket: 'versioned', ...config }))
    }))

  it('that denies removals is complete, and what is there still is named', async () => {
    const ended = await withRules('kept', async (client) => {
      await client.send(new CreateBucketCommand({ Bucket: 'kept' }))
      const Resource = ['arn:aws:s3:::kept/*']
      const Policy = JSON.stringify({
        Version: '2012-10-17',
        Statement: [{ Effect: 'Deny', Principal: '*', Action: ['s3:DeleteObject'], Resource }],
      })
      await client.send(new PutBucketPolicyCommand({ Bucket: 'kept', Policy }))
    })
    expect(ended[0]).toMatchObject({
      right: { unremoved: expect.arrayContaining([expect.stringContaining('s3://kept/a b+c/')]) },
    })
  })

  it('takes objects with versions, a default retention, and keys of any kind', async () => {
    const options = { timer: asyncScheduler }
    const location = (url: string) => s3Location(url, processEnvironment(storage.env))
    const bytes = new TextEncoder().encode('hello')
    for (const name of ['locked', 'versioned', 'kept']) {
      const objects = new ObjectStorage(await location(`s3://${name}/of any//kind/`), options)
      for (const key of ['a//b', "é %+'()", 'a b+c', '%41']) {
        await objects.put(key, bytes)
        await objects.copy(key, `${key}.copy`, bytes.length)
        expect((await objects.get(`${key}.copy`))?.bytes).toEqual(bytes)
        expect((await objects.list(key)).map((one) => one.key)).toEqual([key, `${key}.copy`])
        await objects.remove(key)
        expect((await objects.list(key)).length).toBe(name === 'kept' ? 2 : 1)
      }
      expect(objects.unremoved().length).toBe(name === 'kept' ? 4 : 0)
      const upload = await objects.beginUpload('large')
      await objects.put('chunk-1', new Uint8Array(5 << 20))
      await objects.put('chunk-2', bytes)
      const parts = [1, 2].map((number) => objects.copyPart(upload, number, `chunk-${number}`))
      await objects.completeUpload(upload, await Promise.all(parts), (5 << 20) + 5)
      expect(await objects.list('large')).toEqual([{ key: 'large', size: (5 << 20) + 5 }])
    }
  })
})
