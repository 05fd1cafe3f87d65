/** A folder of nightly exports, compacted: the last version of each row, and nothing else. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lastValueFrom, toArray } from 'rxjs'
import { afterAll, describe, expect, it } from 'vitest'
import { compact, type ExportOptions, exportTo, verify } from '../../src/export/index.js'
import { E } from '../../src/fp.js'
import type { Charge } from '../../src/index.js'
import { virtualTime } from '../../src/sandbox/index.js'
import { duckdb } from './reading.js'
import { type Memory, memory } from './run/memory.js'
import { account, DAY } from './sync/nights.js'

const home = mkdtempSync(join(tmpdir(), 'payments-rx-compact-'))
afterAll(() => rmSync(home, { recursive: true }))

/** Three nights: charges come, and settle a day later. Resolves with the last version of each. */
const nights = async (options: Partial<ExportOptions<Charge>> & { readonly out: string }) => {
  const { payments, timer, run, pass, charge } = account({ charges: 300 })
  const night = async (): Promise<void> => {
    const source = payments.charges.snapshot({ page_size: 50 }) // in order: files hold old rows and new ones
    const given = { sinceLast: true, rotateRows: 90, timer, ...options }
    const last = await run(lastValueFrom(exportTo<Charge>(source, given)))
    if (E.isLeft(last)) throw last.left
  }
  for (let n = 0; n < 3; n++) {
    await charge(`acct_${n}`)
    await night()
    await pass(1.5 * DAY)
  }
  await night()
  const all = await run(lastValueFrom(payments.charges.snapshot().pipe(toArray())))
  return { rows: all.flatMap((ea) => (E.isRight(ea) ? [ea.right] : [])), night }
}

const compacted = async (folder: string, files?: Memory) => {
  const { timer, run } = virtualTime()
  const last = await run(
    lastValueFrom(compact(folder, { timer, ...(files === undefined ? {} : { files }) })),
  )
  if (E.isLeft(last)) throw last.left
  return last.right
}

describe.each([
  [{ format: 'ndjson' }, 'ndjson'],
  [{ format: 'ndjson', compress: 'gzip' }, 'ndjson.gz'],
  [{ format: 'ndjson', compress: 'zstd' }, 'ndjson.zst'],
  [{ format: 'parquet' }, 'parquet'],
  [{ format: 'parquet', compress: 'gzip', amounts: 'text' }, 'parquet'],
] as const)('a folder of %j', (format, extension) => {
  it('has one row for each id, its last version, and can be added to', async () => {
    const out = join(home, JSON.stringify(format).replaceAll(/\W/g, ''), '/')
    const { rows, night } = await nights({ ...format, out })
    const sql = await duckdb()
    const reader = extension === 'parquet' ? 'read_parquet' : 'read_json'
    const found = () =>
      sql(`select id, status, amount::text as amount from ${reader}('${out}*.${extension}')`)
    expect((await found()).length).toBeGreaterThan(rows.length)

    const names = readdirSync(out)
    const { removed, ended } = await compacted(out)
    expect({ removed: removed > 0, ended }).toEqual({ removed: true, ended: true })
    // one file had both old rows and current ones
    expect(readdirSync(out).filter((name) => !names.includes(name))).not.toEqual([])
    const key = ({ id, status, amount }: Readonly<Record<string, unknown>>): string =>
      `${id} ${status} ${Number(amount)}`
    expect((await found()).map(key).sort()).toEqual(rows.map((row) => key({ ...row })).sort())

    const checks = await lastValueFrom(verify(out).pipe(toArray()))
    expect(checks.flatMap((check) => (E.isRight(check) ? check.right.differences : []))).toEqual([])
    expect(await compacted(out)).toMatchObject({ removed: 0, rows: rows.length })
    await night()
    await compacted(out)
    expect((await found()).length).toBe(rows.length)
  })
})

it('keeps no sums of rows that it removed', async () => {
  const out = '/exports/charges/'
  const files = memory()
  files.mkdir('/exports', { recursive: true })
  await nights({ out, files })
  const runs = () => JSON.parse(files.text(`${out}manifest.json`)).runs
  const before = runs()
  for (const { totals } of before) expect(totals).toBeDefined()
  await compacted(out, files)
  const lost: ReadonlyArray<number> = runs().flatMap(
    ({ rows, totals }: { readonly rows: number; readonly totals?: unknown }, at: number) => {
      expect(totals).toEqual(rows < before[at].rows ? undefined : before[at].totals)
      return rows < before[at].rows ? [at] : []
    },
  )
  expect(lost.length).toBeGreaterThan(0)
})

it('is whole when a compaction is killed at any change to the disk, and repeated', async () => {
  const out = '/exports/charges/'
  const original = memory()
  original.mkdir('/exports', { recursive: true })
  const { rows } = await nights({ out, files: original })
  const expected = rows.map(({ id, status }) => `${id} ${status}`).sort()

  const current = (files: Memory): ReadonlyArray<string> => {
    const { runs } = JSON.parse(files.text(`${out}manifest.json`))
    const listed: ReadonlyArray<string> = runs.flatMap(
      (run: { readonly files: ReadonlyArray<{ readonly path: string }> }) =>
        run.files.map(({ path }) => path),
    )
    const names = files.names().map((name) => name.slice(out.length))
    expect(names.filter((name) => !name.endsWith('.json')).sort()).toEqual([...listed].sort())
    return listed
      .flatMap((name) => files.text(`${out}${name}`).split('\n').slice(0, -1))
      .map((line) => JSON.parse(line))
      .map(({ id, status }) => `${id} ${status}`)
      .sort()
  }

  const whole = original.after('kill')
  await compacted(out, whole)
  expect(current(whole)).toEqual(expected)
  const changes = whole.changes()
  expect(changes).toBeGreaterThan(10)
  for (let dies = 1; dies <= changes; dies++) {
    for (const what of ['kill', 'power cut'] as const) {
      const first = original.after('kill', { dies })
      await compacted(out, first).catch(() => undefined)
      const next = first.after(what)
      await compacted(out, next)
      expect(current(next)).toEqual(expected)
    }
  }
})

it.each([
  ['that is not there', 'nowhere', 'UnusablePath'],
  ['that has no export', 'empty', 'NoManifest'],
  ['of CSV', 'csv', 'UnusablePath'],
])('refuses a folder %s', async (_, name, tag) => {
  const out = join(home, name, '/')
  if (name !== 'nowhere') mkdirSync(out)
  if (name === 'csv') await nights({ out, format: 'csv' })
  await expect(compacted(out)).rejects.toMatchObject({ _tag: tag })
})
