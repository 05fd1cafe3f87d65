/** Exports into a bucket: folders of objects, and one object of many parts. */
import { lastValueFrom, takeWhile, toArray } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { type S3Double, type S3DoubleOptions, s3Double } from '../../../bench/services/s3Double.js'
import { type ExportOptions, exportTo, verify } from '../../../src/export/index.js'
import { E } from '../../../src/fp.js'
import type { Charge } from '../../../src/index.js'
import { createSandbox } from '../../../src/sandbox/index.js'
import { idleClock } from '../../support/idleClock.js'
import { sandboxClient } from '../../support/sandboxClient.js'
import { unzstd } from '../reading.js'

const timer = idleClock

const client = (charges: number) =>
  sandboxClient(createSandbox({ charges, limits: false, timer }).fetch, { timer })

const withBucket = async (
  options: S3DoubleOptions,
  test: (
    double: S3Double,
    run: (
      charges: number,
      out: string,
      more?: Partial<ExportOptions<Charge>>,
    ) => ReturnType<typeof exportTo>,
  ) => Promise<void>,
) => {
  const double = await s3Double(options)
  const run = (charges: number, out: string, more: Partial<ExportOptions<Charge>> = {}) =>
    exportTo(client(charges).charges.snapshot(), { out, env: double.env, timer, ...more })
  try {
    await test(double, run)
  } finally {
    await double.close()
  }
}

const differences = async (double: S3Double, path: string) => {
  const checks = await lastValueFrom(verify(path, { env: double.env, timer }).pipe(toArray()))
  return checks.flatMap(
    (check): ReadonlyArray<unknown> => (E.isLeft(check) ? [check.left] : check.right.differences),
  )
}

const idsIn = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line).id)

/** Objects with a content: a checkpoint that was removed is an empty one. */
const keysOf = ({ objects }: S3Double) =>
  [...objects].flatMap(([key, bytes]) => (bytes.length === 0 ? [] : [key])).sort()

describe('one object', () => {
  it('has every row, a manifest beside it, and passes verify', () =>
    withBucket({}, async (double, run) => {
      const last = await lastValueFrom(run(5_000, 's3://bucket/out/charges.ndjson'))
      expect(last).toMatchObject({ right: { ended: true, rows: 5_000 } })
      expect(keysOf(double)).toEqual([
        'bucket/out/charges.ndjson',
        'bucket/out/charges.ndjson.manifest.json',
      ])
      const text = double.objects.get('bucket/out/charges.ndjson')?.toString() ?? ''
      expect(new Set(idsIn(text)).size).toBe(5_000)
      expect(await differences(double, 's3://bucket/out/charges.ndjson')).toEqual([])
    }))

  it('goes on where it was left, over several parts, with nothing but the bucket', () =>
    withBucket({}, async (double, run) => {
      const out = 's3://bucket/large.ndjson'
      const first = run(40_000, out, { commitEvery: 0 })
      await lastValueFrom(
        first.pipe(takeWhile((event) => E.isLeft(event) || event.right.rows < 24_000, true)),
      )
      const events = await lastValueFrom(run(40_000, out, { resume: true }).pipe(toArray()))
      expect(events.find((event) => E.isRight(event) && event.right.started)).toMatchObject({
        right: { started: { resumed: true } },
      })
      expect(events.at(-1)).toMatchObject({ right: { ended: true, rows: 40_000 } })
      const text = double.objects.get('bucket/large.ndjson')?.toString() ?? ''
      expect(text.length).toBeGreaterThan(10 << 20)
      expect(new Set(idsIn(text)).size).toBe(40_000)
      expect(idsIn(text).length).toBe(40_000)
      expect(keysOf(double)).toEqual(['bucket/large.ndjson', 'bucket/large.ndjson.manifest.json'])
      expect(await differences(double, out)).toEqual([])
    }))
})

describe('a prefix', () => {
  it.each(['ndjson', 'parquet'] as const)('has files of %s, and passes verify', (format) =>
    withBucket({}, async (double, run) => {
      const out = 's3://bucket/charges/'
      const last = await lastValueFrom(run(5_000, out, { format, rotateRows: 2_000 }))
      expect(last).toMatchObject({ right: { ended: true, rows: 5_000 } })
      expect(keysOf(double).filter((key) => !/\/(part-.*|_manifest\.json)$/.test(key))).toEqual([])
      expect(await differences(double, out)).toEqual([])
    }),
  )

  it('has each row once although answers are lost, and parts are stored all the same', () => {
    let calls = 0
    const faults = () => {
      calls++
      if (calls % 11 === 0) return '500-after' as const
      if (calls % 13 === 0) return 'reset-after' as const
      return calls % 17 === 0 ? ('slow-down' as const) : undefined
    }
    return withBucket({ faults }, async (double, run) => {
      const out = 's3://bucket/charges/'
      const options = { compress: 'zstd', rotateRows: 3_000, commitEvery: 0 } as const
      await lastValueFrom(
        run(10_000, out, options).pipe(
          takeWhile((event) => E.isLeft(event) || event.right.rows < 4_000, true),
        ),
      )
      const last = await lastValueFrom(run(10_000, out, { ...options, resume: true }))
      expect(last).toMatchObject({ right: { ended: true, rows: 10_000 } })
      const texts = [...double.objects].flatMap(([key, bytes]) =>
        key.endsWith('.ndjson.zst') ? [unzstd(bytes).toString()] : [],
      )
      const ids = texts.flatMap(idsIn)
      expect([ids.length, new Set(ids).size]).toEqual([10_000, 10_000])
      expect(await differences(double, out)).toEqual([])
    })
  })

  it('says what a URL should be', () =>
    withBucket({}, async (_, run) => {
      expect(await lastValueFrom(run(10, 's3://Bucket/x.csv'))).toMatchObject({
        left: { _tag: 'UnusablePath' },
      })
    }))
})
