/** Buckets as companies have them: with Object Lock, encryption headers that a policy demands, and removals that it denies. */
import { lastValueFrom, type Observable } from 'rxjs'
import { afterEach, describe, expect } from 'vitest'
import { type S3Double, type S3DoubleOptions, s3Double } from '../../../bench/services/s3Double.js'
import { exportTo, sync, verify } from '../../../src/export/index.js'
import { createSandbox } from '../../../src/sandbox/index.js'
import { idleClock } from '../../support/idleClock.js'
import { inTurn } from '../../support/inTurn.js'
import { sample } from '../../support/runs.js'
import { sandboxClient } from '../../support/sandboxClient.js'

const timer = idleClock
const payments = sandboxClient(createSandbox({ charges: 300, limits: false, timer }).fetch, {
  timer,
})

let bucket: S3Double
afterEach(() => bucket.close())

type Runs = (env: Readonly<Record<string, string>>) => Observable<unknown>

const kinds: ReadonlyArray<readonly [string, string, Runs]> = [
  [
    'a sync',
    's3://bucket/s/',
    (env) => sync(payments.charges, { to: 's3://bucket/s/', env, timer }),
  ],
  ...[
    's3://bucket/e/',
    's3://bucket//a//e/',
    's3://bucket/e.ndjson.zst',
    's3://bucket/e.parquet',
  ].map(
    (out) =>
      [
        `an export into ${out}`,
        out,
        (env: Readonly<Record<string, string>>) =>
          exportTo(payments.charges.snapshot(), { out, env, timer }),
      ] as const,
  ),
]
const some = sample(3, kinds)
const places = some.map(([, place]) => place)

describe.each(some)('%s', (_, place, run) => {
  const test = inTurn(places, place)
  const complete = async (
    refuse: S3DoubleOptions['refuse'],
    more: Readonly<Record<string, string>> = {},
  ) => {
    bucket = await s3Double({ ...(refuse && { refuse }) })
    const env = { ...bucket.env, ...more }
    const last = await lastValueFrom(run(env))
    expect(last).toMatchObject({ right: { ended: true, rows: 300 } })
    const check = await lastValueFrom(verify(place, { env }))
    expect(check).toMatchObject({ right: { differences: [] } })
    return last
  }

  test('goes into a bucket with Object Lock, which takes nothing without a checksum', () =>
    complete(({ operation, headers }) =>
      /^(PutObject|UploadPart)$/.test(operation) && headers['content-md5'] === undefined
        ? [400, 'InvalidRequest', 'Content-MD5 HTTP header is required']
        : undefined,
    ))

  test('goes into a bucket that demands encryption headers', () =>
    complete(
      ({ operation, headers }) =>
        /^(PutObject|CopyObject|CreateMultipartUpload)$/.test(operation) &&
        headers['x-amz-server-side-encryption'] !== 'aws:kms'
          ? [403, 'AccessDenied', 'with an explicit deny in a resource-based policy']
          : undefined,
      { AWS_SSE_KMS_KEY_ID: 'arn:aws:kms:eu-west-1:1:key/1' },
    ))

  test('is complete where nothing may be removed, and says what is there still', async () => {
    const last = await complete(({ operation }) =>
      operation === 'DeleteObject' ? [403, 'AccessDenied', 'no delete'] : undefined,
    )
    const unremoved = expect.arrayContaining([expect.stringContaining(place)])
    expect(last).toMatchObject({ right: { unremoved } })
  })
})
