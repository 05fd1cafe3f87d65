/** Exports into a bucket: folders of objects, and one object of many parts. */
import { lastValueFrom, type SchedulerLike, Subscription, takeWhile, toArray } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { type S3Double, type S3DoubleOptions, s3Double } from '../../../bench/services/s3Double.js'
import { type ExportOptions, exportTo, proveCopy, verify } from '../../../src/export/index.js'
import { E } from '../../../src/fp.js'
import { type Charge, createClient } from '../../../src/index.js'
import { createSandbox, sandboxCredentials } from '../../../src/sandbox/index.js'
import { idleClock } from '../../support/idleClock.js'
import { unzstd } from '../reading.js'

const timer = idleClock

const client = (charges: number) =>
  createClient({
    baseUrl: 'https://sandbox',
    credentials: sandboxCredentials,
    fetch: createSandbox({ charges, limits: false, timer }).fetch,
    timer,
  })

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
    exportTo(client(charges).charges.snapshot(), {
      out,
      env: double.env,
      timer,
      ...more,
    })
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
      expect(events.find((event) => E.isRight(event) && event.right.begun)).toMatchObject({
        right: { begun: { resumed: true } },
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

  it('is not written over by a run that does not say so', () =>
    withBucket({}, async (_double, run) => {
      const out = 's3://bucket/charges/'
      await lastValueFrom(run(10, out))
      expect(await lastValueFrom(run(10, out))).toMatchObject({ left: { _tag: 'OutputExists' } })
      expect(await lastValueFrom(run(10, out, { restart: true }))).toMatchObject({
        right: { ended: true },
      })
    }))
})

it.each(['s3://bucket/all.ndjson', 's3://bucket/all/'])(
  'a run into %s that was frozen while another took over is fenced, and changes nothing of it',
  (out) =>
    withBucket({}, async (double) => {
      const { fetch } = createSandbox({ charges: 8_000, limits: false, timer })
      let pages = 0
      let thaw = () => {}
      const thawed = new Promise<void>((resolve) => {
        thaw = resolve
      })
      let freeze = () => {}
      const frozen = new Promise<void>((resolve) => {
        freeze = resolve
      })
      /** A clock of a frozen process: renews no lease, and ends no request. */
      const still: SchedulerLike = { now: () => timer.now(), schedule: () => new Subscription() }
      const payments = (gate: () => Promise<void>, timer: SchedulerLike) =>
        createClient({
          baseUrl: 'https://sandbox',
          credentials: sandboxCredentials,
          fetch: async (input, init) => {
            await gate()
            return fetch(input, init)
          },
          timer,
        }).charges.snapshot()
      const gate = async (): Promise<void> => {
        if (++pages < 4) return
        freeze()
        await thawed
      }
      const options = { out, env: double.env, commitEvery: 0 }
      const first = lastValueFrom(exportTo(payments(gate, still), { ...options, timer: still }))
      await frozen
      const second = exportTo(
        payments(async () => {}, timer),
        { ...options, timer, resume: true },
      )
      // while a step of the first one is still on its way, that one lives
      let last = await lastValueFrom(second)
      while (E.isLeft(last) && last.left._tag === 'Locked') last = await lastValueFrom(second)
      expect(last).toMatchObject({ right: { ended: true, rows: 8_000 } })
      const before = double.objects
      thaw()
      expect(await first).toMatchObject({ left: { _tag: 'Fenced' } })
      for (const [key, bytes] of before) expect(double.objects.get(key)?.equals(bytes)).toBe(true)
      // it may put an unfinished object once more, as no manifest has it; the next run removes that
      const others = [...double.objects.keys()].filter((key) => !before.has(key))
      expect(others.filter((key) => !/\.[0-9a-f]{12}\.part$/.test(key))).toEqual([])
    }),
)

describe('bad days', () => {
  it.each([
    ['s3://nothing/charges.csv', 'NoSuchBucket', 's3://nothing/'],
    ['s3://nothing/charges/', 'NoSuchBucket', 's3://nothing/'],
  ])('%s: %s', (out, code, name) =>
    withBucket({}, async (_, run) => {
      const last = await lastValueFrom(run(10, out))
      expect(last).toMatchObject({ left: { code } })
      expect(E.isLeft(last) && last.left.message).toContain(name)
    }),
  )

  it('says what a URL should be', () =>
    withBucket({}, async (_, run) => {
      expect(await lastValueFrom(run(10, 's3://Bucket/x.csv'))).toMatchObject({
        left: { _tag: 'UnusablePath' },
      })
    }))
})

it('Parquet is one object, too', () =>
  withBucket({}, async (double, run) => {
    await lastValueFrom(run(3_000, 's3://bucket/charges.parquet'))
    expect(double.objects.get('bucket/charges.parquet')?.subarray(0, 4).toString()).toBe('PAR1')
  }))

it('counts the rows of a bucket against the service', async () => {
  await withBucket({}, async (double, run) => {
    await lastValueFrom(run(300, 's3://bucket/charges/'))
    const proof = (charges: number) =>
      lastValueFrom(
        proveCopy(client(charges).charges, {
          copy: 's3://bucket/charges/',
          env: double.env,
          timer,
        }),
      )
    expect(await proof(300)).toMatchObject(E.right({ rows: 300, differences: [] }))
    expect(await proof(301)).not.toMatchObject(E.right({ differences: [] }))
  })
})
