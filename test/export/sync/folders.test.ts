/** A list kept up to date in a folder or a bucket. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { firstValueFrom, lastValueFrom, takeWhile, toArray } from 'rxjs'
import { beforeAll, describe, expect, it } from 'vitest'
import { type S3Double, s3Double } from '../../../bench/services/s3Double.js'
import { type SyncOptions, sync, verify } from '../../../src/export/index.js'
import { E } from '../../../src/fp.js'
import { createSandbox } from '../../../src/sandbox/index.js'
import { idleClock } from '../../support/idleClock.js'
import { inTurn } from '../../support/inTurn.js'
import { sandboxClient } from '../../support/sandboxClient.js'
import { tempFolder } from '../../support/tempFolder.js'
import { rowsIn } from '../folder/rowsIn.js'
import { account, DAY } from './nights.js'

const home = tempFolder()
let made = 0

const filesIn = (folder: string) =>
  new Map(
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => [name, Uint8Array.from(readFileSync(join(folder, name)))]),
  )

const differences = async (path: string, env: SyncOptions['env'] = {}) => {
  const checks = await lastValueFrom(verify(path, { env }).pipe(toArray()))
  return checks.flatMap(
    (check): ReadonlyArray<unknown> => (E.isLeft(check) ? [check.left] : check.right.differences),
  )
}

const idsIn = async (folder: string) => (await rowsIn(filesIn(folder))).map(({ id }) => id)

const resumed = expect.objectContaining({
  right: expect.objectContaining({ started: expect.objectContaining({ resumed: true }) }),
})

const formats = ['ndjson', 'parquet'] as const

describe.each(formats)('a folder of %s', (format) => {
  const test = inTurn(formats, format)
  const make = () => `${join(home, String(++made))}/`

  test('has every charge after the first night, and nothing else but its records', async () => {
    const { payments, timer, last } = account()
    const to = make()
    const progress = await last(sync(payments.charges, { to, format, timer }))
    expect(progress).toMatchObject({ rows: 500, rejects: 0, ended: true })
    expect((await rowsIn(filesIn(to))).length).toBe(500)
    const { run } = JSON.parse(readFileSync(join(to, '_manifest.json'), 'utf8'))
    expect(run).toMatchObject({ rows: 500, complete: true })
    const extension = format === 'ndjson' ? 'ndjson.zst' : 'parquet'
    expect(
      readdirSync(to)
        .map((name) => name.replace(/[0-9a-f]{12}/, 'X'))
        .sort(),
    ).toEqual(['_checkpoint.json', '_manifest.json', `charges-X.${extension}`])
    expect(await differences(to)).toEqual([])
  })

  test('has in later nights what is new, and what has changed', async () => {
    const { payments, timer, last, pass, charge } = account()
    const options = { to: make(), format, timer }
    const settling = await charge('acct_1')
    await last(sync(payments.charges, options))
    await pass(2 * DAY)
    await charge('acct_2', '0.01')
    expect((await last(sync(payments.charges, options))).rows).toBe(2)
    expect(await differences(options.to)).toEqual([])
    const rows = await rowsIn(filesIn(options.to))
    expect(rows.find(({ id }) => id === settling)?.status).toBe('SETTLED')
    expect(rows.length).toBe(502)
    expect(new Set(rows.map(({ id }) => id)).size).toBe(502)
  })

  test('has open charges listed, and those that left read, however old they are', async () => {
    const { payments, timer, last, pass, charge } = account({ charges: 0, settleAfter: 20 * DAY })
    const options = { to: make(), format, timer }
    for (let n = 0; n < 5; n++) await charge(`acct_${n}`)
    await last(sync(payments.charges, options))
    await pass(19 * DAY)
    await last(sync(payments.charges, options))
    await pass(2 * DAY)
    await last(sync(payments.charges, options))
    await last(sync(payments.charges, options))
    const rows = await rowsIn(filesIn(options.to))
    expect(rows.map(({ status }) => status)).toEqual(rows.map(() => 'SETTLED'))
    expect(rows.length).toBe(5)
  })

  test('is gone on with where a sync was left, and then catches up', async () => {
    const { payments, timer, all, untilFree, charge } = account({ charges: 5_000 })
    const options = { to: make(), format, timer, parallel: 1 }
    await all(
      sync(payments.charges, options).pipe(
        takeWhile((event) => E.isLeft(event) || event.right.pages < 2, true),
      ),
    )
    await charge('acct_1')
    const events = await untilFree(sync(payments.charges, options))
    expect(events).toContainEqual(resumed)
    expect(new Set(await idsIn(options.to)).size).toBe(5_001)
    expect((await idsIn(options.to)).length).toBe(5_001)
  })

  test('has a list without times replaced as a whole', async () => {
    const { payments, timer, last, run, webhook } = account({ charges: 0 })
    const to = make()
    const options = { to, format, timer }
    const one = await webhook('https://one.example')
    await webhook('https://two.example')
    await last(sync(payments.webhooks.list(), options))
    await run(firstValueFrom(payments.webhooks.delete({ id: one })))
    await last(sync(payments.webhooks.list(), options))
    expect([...filesIn(to).keys()].filter((name) => name.startsWith('webhooks-')).length).toBe(1)
  })

  test('is refused in another format', async () => {
    const { payments, timer, last, failure } = account({ charges: 1 })
    const options = { to: make(), timer }
    await last(sync(payments.charges, { ...options, format }))
    const other = format === 'ndjson' ? 'parquet' : 'ndjson'
    const wrong = await failure(sync(payments.charges, { ...options, format: other }))
    expect(wrong).toMatchObject({ _tag: 'SpecMismatch', field: 'format' })
  })
})

it('refuses options of the other kind of destination', () => {
  const { payments } = account()
  expect(() => sync(payments.charges, { to: 'x/', table: 'charges' })).toThrow(
    'table should be omitted: it is only for databases',
  )
  expect(() => sync(payments.charges, { to: 'x.sqlite', format: 'parquet' })).toThrow(
    'format should be omitted: it is only for folders and buckets',
  )
})

it('says so when the folder is none', async () => {
  const { payments, timer, failure } = account()
  const path = join(home, 'file')
  writeFileSync(path, '')
  const wrong = await failure(sync(payments.charges, { to: `${path}/`, timer }))
  expect(wrong).toMatchObject({ _tag: 'UnusablePath' })
  expect(wrong.message).toBe(
    `cannot create the folder ${path}/: a file already has this name, or the name of a folder above it`,
  )
})

describe.each(formats)('a bucket, in %s', (format) => {
  const test = inTurn(formats, format)
  let double: S3Double
  beforeAll(async () => {
    double = await s3Double()
    return () => double.close()
  })

  const timer = idleClock
  const options = (to: string): SyncOptions => ({ ...{ to, format, timer }, env: double.env })
  const client = (charges: number) =>
    sandboxClient(createSandbox({ charges, limits: false, timer }).fetch, { timer })
  const objectsIn = (prefix: string) =>
    new Map(
      [...double.objects].flatMap(([name, bytes]) =>
        name.startsWith(prefix)
          ? [[name.slice(prefix.length), Uint8Array.from(bytes)] as const]
          : [],
      ),
    )

  test('has every charge, also those of a run that was left, on any machine', async () => {
    const to = `s3://bucket/${format}/`
    const { charges } = client(5_000)
    await lastValueFrom(
      sync(charges, { ...options(to), parallel: 1 }).pipe(
        takeWhile((event) => E.isLeft(event) || event.right.pages < 2, true),
      ),
    )
    const last = await lastValueFrom(sync(charges, options(to)))
    expect(last).toMatchObject({ right: { ended: true } })
    const rows = await rowsIn(objectsIn(`bucket/${format}/`))
    expect(rows.length).toBe(5_000)
    expect(await differences(to, options(to).env)).toEqual([])
    expect(new Set(rows.map(({ id }) => id)).size).toBe(5_000)
  })

  test.each([
    ['s3://nothing/', {}, 'NoSuchBucket'],
    ['s3://bucket/a/', { AWS_SECRET_ACCESS_KEY: 'top-secret' }, 'SignatureDoesNotMatch'],
    ['s3://bucket/a/', { AWS_REGION: 'us-east-1' }, 'AuthorizationHeaderMalformed'],
  ])('%s with %j is refused, and nothing is read', async (to, env, code) => {
    const { charges } = client(10)
    const given = options(to)
    const event = await lastValueFrom(sync(charges, { ...given, env: { ...given.env, ...env } }))
    expect(event).toMatchObject({ left: { code } })
    expect(JSON.stringify(event)).not.toContain('top-secret')
  })
})
