/** A folder of nightly exports, or of an earlier version, goes on as one that a sync keeps. */
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lastValueFrom, toArray } from 'rxjs'
import { afterAll, describe, expect, it } from 'vitest'
import { exportTo, readRows, sync, verify } from '../../../src/export/index.js'
import { E } from '../../../src/fp.js'
import { Charge } from '../../../src/index.js'
import { account, DAY } from './nights.js'

const home = mkdtempSync(join(tmpdir(), 'payments-rx-adopt-'))
afterAll(() => rmSync(home, { recursive: true }))
let made = 0

/** Two nights of exports into one folder; a charge has changed between them. */
const exported = async (format: 'ndjson' | 'parquet') => {
  const nights = account({ charges: 50 })
  const out = `${join(home, String(++made))}/`
  const night = () =>
    nights.run(
      lastValueFrom(
        exportTo(nights.payments.charges.snapshot(), {
          ...{ out, format, sinceLast: true, timer: nights.timer },
        }),
      ),
    )
  const settling = await nights.charge('acct_1')
  expect(await night()).toMatchObject({ right: { rows: 51 } })
  await nights.pass(2 * DAY)
  await nights.charge('acct_2')
  expect(await night()).toMatchObject({ right: { ended: true } })
  return { ...nights, out, settling }
}

const rowsOf = async (folder: string) => {
  const rows = await lastValueFrom(readRows(folder, { codec: Charge }).pipe(toArray()))
  return rows.flatMap((row) => (E.isRight(row) ? [row.right] : []))
}

const differences = async (folder: string) => {
  const checks = await lastValueFrom(verify(folder).pipe(toArray()))
  return checks.flatMap(
    (check): ReadonlyArray<unknown> => (E.isLeft(check) ? [check.left] : check.right.differences),
  )
}

describe.each(['ndjson', 'parquet'] as const)('a folder of nightly exports in %s', (format) => {
  it('is refused to a sync that is not told to adopt it', async () => {
    const { payments, out, timer, failure } = await exported(format)
    const before = readdirSync(out)
    const error = await failure(sync(payments.charges, { to: out, format, timer }))
    expect(error).toMatchObject({ _tag: 'UnusableDestination' })
    expect(error.message).toContain('--adopt')
    expect(readdirSync(out)).toEqual(before)
  })

  it('has each row once, in its last version, when a sync has adopted it', async () => {
    const { payments, out, timer, last, settling, asked } = await exported(format)
    asked.length = 0
    const options = { to: out, format, timer, adopt: true, sweep: 'off' } as const
    const progress = await last(sync(payments.charges, options))
    expect(progress).toMatchObject({ ended: true, proof: { rows: 51, differences: [] } })
    // pages of 2,000; those of a proof are shorter
    const pages = asked.filter(({ searchParams }) => searchParams.get('page_size') === '2000')
    const froms = pages.map(({ searchParams }) => searchParams.get('from_created_at') ?? '')
    for (const from of froms.filter((text) => text !== '')) expect(from > '2025-12-2').toBe(true)
    const rows = await rowsOf(out)
    expect(rows.length).toBe(52)
    expect(new Set(rows.map(({ id }) => id)).size).toBe(52)
    expect(rows.find(({ id }) => id === settling)?.status).toBe('SETTLED')
    expect(readdirSync(out).filter((name) => /^(part|run)-/.test(name))).toEqual([])
    expect(await differences(out)).toEqual([])
    expect(await last(sync(payments.charges, { to: out, format, timer }))).toMatchObject({
      ended: true,
    })
  })
})

interface Run {
  readonly spec: { readonly destination: string }
}

it('a folder of version 0.1 is adopted, too', async () => {
  const { payments, out, timer, last, failure } = await exported('ndjson')
  const { sum: _, kind: __, ...manifest } = JSON.parse(readFileSync(`${out}_manifest.json`, 'utf8'))
  const runs = manifest.runs.map(({ spec: { destination: output, ...spec }, ...run }: Run) => ({
    ...run,
    purpose: { ...spec, output },
  }))
  const old = { ...manifest, version: 2, runs }
  const sum = createHash('sha256').update(JSON.stringify(old)).digest('hex')
  rmSync(`${out}_manifest.json`)
  writeFileSync(`${out}manifest.json`, JSON.stringify({ ...old, sum }))
  expect((await failure(sync(payments.charges, { to: out, timer }))).message).toContain('--adopt')
  await last(sync(payments.charges, { to: out, timer, adopt: true }))
  expect((await rowsOf(out)).length).toBe(52)
  expect(readdirSync(out)).not.toContain('manifest.json')
})

it('a folder with a file that was changed is not adopted', async () => {
  const { payments, out, timer, failure } = await exported('ndjson')
  const [part = ''] = readdirSync(out).filter((name) => name.startsWith('part-'))
  renameSync(`${out}${part}`, `${out}elsewhere`)
  const error = await failure(sync(payments.charges, { to: out, timer, adopt: true }))
  expect(error).toMatchObject({ _tag: 'ReadFailed' })
  expect(readdirSync(out)).toContain('elsewhere')
})
