import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { parseExact } from '../../../src/decode/index.js'
import { type FormatOptions, openFile } from '../../../src/export/index.js'
import { runs } from '../../support/runs.js'
import { tempFolder } from '../../support/tempFolder.js'
import { duckdb, type Query } from '../reading.js'
import { amount, format, pages, Row, rowOf } from '../rows.js'

let path = ''
const folder = tempFolder()
let query: Query
beforeAll(async () => {
  path = join(folder, 'rows.parquet')
  query = await duckdb()
})

const written = async (
  given: ReadonlyArray<ReadonlyArray<Row>>,
  options: Partial<FormatOptions> = {},
): Promise<void> => {
  const file = await openFile({
    path,
    format: format({ format: 'parquet', rowGroup: 7, ...options }),
  })
  for (const page of given) await file.write(page)
  await file.finish()
}

const read = (columns = '*') => query(`select ${columns} from read_parquet('${path}')`)

/** Ten-thousandths. */
const units = (n: number): bigint => BigInt(Math.round(n * 10_000))

const micros = (time: string): string =>
  String(BigInt(new Date(time.replace('+0000', 'Z')).getTime()) * 1_000n)

describe('Parquet, read by DuckDB', () => {
  it('has a type for each column', async () => {
    await written([])
    const types = await query(`describe select * from read_parquet('${path}')`)
    expect(Object.fromEntries(types.map((row) => [row.column_name, row.column_type]))).toEqual({
      id: 'VARCHAR',
      amount: 'DECIMAL(18,4)',
      currency: 'VARCHAR',
      status: 'VARCHAR',
      created_at: 'TIMESTAMP WITH TIME ZONE',
      settled: 'BOOLEAN',
      tries: 'BIGINT',
      tags: 'JSON',
      note: 'VARCHAR',
      'fee.amount': 'DECIMAL(18,4)',
      'fee.currency': 'VARCHAR',
      metadata: 'JSON',
    })
  })

  it('has the same values', () =>
    fc.assert(
      fc.asyncProperty(pages, async (given) => {
        await written(given)
        const rows = await read(
          `id, (amount::decimal(38, 4) * 10000)::bigint::varchar amount, status, epoch_us(created_at)::varchar created_at, settled,
           tries::varchar tries, tags::varchar tags, note, ("fee.amount"::decimal(38, 4) * 10000)::bigint::varchar fee, metadata::varchar metadata`,
        )
        expect(rows).toEqual(
          given.flat().map((row) => ({
            id: row.id,
            amount: String(units(row.amount)),
            status: row.status,
            created_at: micros(row.created_at),
            settled: row.settled,
            tries: String(row.tries),
            tags: JSON.stringify(row.tags),
            note: row.note ?? null,
            fee: row.fee?.amount == null ? null : String(units(row.fee.amount)),
            metadata: row.metadata == null ? null : JSON.stringify(row.metadata),
          })),
        )
      }),
      { numRuns: runs(30) },
    ))

  it('sums money exactly', () =>
    fc.assert(
      fc.asyncProperty(fc.array(amount, { minLength: 1, maxLength: 50 }), async (amounts) => {
        await written([amounts.map((amount) => rowOf({ amount }))])
        const [row] = await query(
          `select (sum(amount)::decimal(38, 4) * 10000)::hugeint::varchar total from read_parquet('${path}')`,
        )
        expect(row?.total).toBe(String(amounts.map(units).reduce((a, b) => a + b, 0n)))
      }),
      { numRuns: runs(20) },
    ))

  it('finds rows by what is said of their row groups', async () => {
    const given = Array.from({ length: 40 }, (_, n) => rowOf({ id: `id-${n}`, amount: n / 4 }))
    await written([given])
    for (const { id, amount } of given) {
      expect(await query(`select id from '${path}' where amount = ${amount}`)).toEqual([{ id }])
    }
  })

  it('has amounts as text when asked to', async () => {
    await written([[rowOf({ amount: 12.5 })]], { amounts: 'text', columns: ['amount'] })
    expect(await read()).toEqual([{ amount: '12.5' }])
  })

  it('takes the digits that came', async () => {
    const decoded = Row.decode(
      parseExact(JSON.stringify(rowOf({})).replace('"amount":1', '"amount":99999999999999.9900')),
    )
    if (decoded._tag === 'Left') throw new Error('no row')
    const page = [decoded.right]
    await written([page], { columns: ['amount'] })
    expect(await read('amount::varchar amount')).toEqual([{ amount: '99999999999999.9900' }])
    await written([page], { columns: ['amount'], amounts: 'text' })
    expect(await read()).toEqual([{ amount: '99999999999999.9900' }])
    const whole = Row.decode(
      parseExact(JSON.stringify(rowOf({})).replace('"amount":1', '"amount":9007199254740993')),
    )
    if (whole._tag === 'Left') throw new Error('no row')
    await written([[whole.right]], { columns: ['amount:integer'] })
    expect(await read('amount::varchar amount')).toEqual([{ amount: '9007199254740993' }])
    await written([page], { columns: ['amount:json'] })
    expect(await read('amount::varchar amount')).toEqual([{ amount: '99999999999999.9900' }])
  })

  it('has half of a surrogate pair within JSON as UTF-8 does', async () => {
    await written([[rowOf({ metadata: { a: 'cut \ud83d' } })]], { columns: ['metadata'] })
    expect(await read()).toEqual([{ metadata: '{"a":"cut \ufffd"}' }])
  })

  it('has fields that the codec does not name, with the type they are given', async () => {
    const given = [rowOf({ rate: 0.25, extra: { a: 1 }, at: '2026-01-01' }), rowOf({})]
    const columns = ['rate:decimal', 'extra:json', 'at:time', 'tries:decimal', 'fee']
    await written([given], { columns })
    expect(
      await read('rate::varchar rate, extra, epoch_ms("at")::varchar moment, tries, fee'),
    ).toEqual([
      { rate: '0.2500', extra: '{"a":1}', moment: '1767225600000', tries: '1.0000', fee: null },
      { rate: null, extra: null, moment: null, tries: '1.0000', fee: null },
    ])
  })
})

describe('Parquet', () => {
  it.each([
    ['amount', { amount: 0.12345 }],
    ['created_at', { created_at: '2026-02-30T00:00:00+0000' }],
    ['created_at', { created_at: '2016-12-31T23:59:60+0000' }],
    ['created_at', { created_at: '2026-01-01T00:00:00.0000001Z' }],
    ['amount', { amount: 2 ** 39 }],
  ])('refuses %s where it would say something else: %j', async (field, odd) => {
    const how = format({ format: 'parquet' })
    const row = rowOf(odd)
    expect(how.check(row)).toMatchObject({ _tag: 'UnrepresentableRow', field })
    const file = await openFile({ path, format: how })
    const refused = await file.write([rowOf({}), row]).catch((error: unknown) => error)
    expect(refused).toMatchObject({ _tag: 'UnrepresentableRow' })
    expect(refused).toMatchObject({ index: 1, field })
    await file.write([rowOf({ id: 'b' })]) // nothing is broken
    expect(await file.finish()).toMatchObject({ rows: 1 })
  })

  it.each(['4503599627370497.5', '9007199254740990.6', '1.0000000000000000001', '1e-30', '1e18'])(
    'refuses %s where a whole number belongs, whatever number it is read as',
    (digits) => {
      const text = JSON.stringify(rowOf({})).replace('"tries":1', `"tries":${digits}`)
      const row = { ...rowOf({}), ...Object(parseExact(text)) }
      const exact = format({ format: 'parquet' })
      expect(exact.check(row)).toMatchObject({ field: 'tries' })
      const csv = format({ format: 'csv' })
      expect(csv.check(row)?.field).toBe(digits === '1e18' ? undefined : 'tries')
    },
  )

  it.each(['1', '12.000', '1e3', '-9007199254740993', '999999999999999999'])(
    'has %s where a whole number belongs',
    async (digits) => {
      const text = JSON.stringify(rowOf({})).replace('"tries":1', `"tries":${digits}`)
      const row = { ...rowOf({}), ...Object(parseExact(text)) }
      await written([[row]], { columns: ['tries'] })
      const [[whole = '', power = '0'] = []] = [digits.split('e')]
      const value = BigInt(whole.replace(/\..*/, '')) * 10n ** BigInt(power)
      expect(await read('tries::varchar tries')).toEqual([{ tries: `${value}` }])
    },
  )

  it('without rows says what its list of row groups is of, as strict readers ask', async () => {
    await written([])
    const text = (await readFile(path)).toString('latin1')
    expect(text).toContain('\x16\x00\x19\x0c\x28\x0bpayments-rx') // no rows; a list of no structures
    await written([[rowOf({})]])
    expect((await readFile(path)).toString('latin1')).toContain('\x19\x1c') // of one
  })

  it('is no Parquet before it is finished', async () => {
    const file = await openFile({ path, format: format({ format: 'parquet' }) })
    await file.write([rowOf({})])
    await file.commit()
    await expect(read()).rejects.toThrow('magic bytes')
    await file.finish()
    expect(await read('id')).toEqual([{ id: 'a' }])
  })

  it('is gone on with where nothing was written yet', async () => {
    const how = format({ format: 'parquet' })
    const file = await openFile({ path, format: how })
    const mark = await file.commit()
    await file.abandon()
    const sha256 = createHash('sha256').digest('hex')
    for (const from of [mark, { bytes: 0, rows: 0, sha256 }]) {
      const again = await openFile({ path, format: how, from })
      await again.write([rowOf({})])
      await again.finish()
      expect((await readFile(path, 'latin1')).slice(0, 4)).toBe('PAR1')
      expect(await read('id')).toEqual([{ id: 'a' }])
    }
  })

  it('is not gone on with where no row group ends', async () => {
    const how = format({ format: 'parquet' })
    const file = await openFile({ path, format: how })
    await file.write([rowOf({})])
    const mark = await file.commit()
    await file.abandon()
    const wrong = { ...mark, bytes: mark.bytes - 1 }
    await expect(openFile({ path, format: how, from: wrong })).rejects.toMatchObject({
      _tag: 'ChecksumMismatch',
      path,
    })
  })

  it('is not gone on with where it was begun by what writes marks in another way', async () => {
    const how = format({ format: 'parquet' })
    const file = await openFile({ path, format: how })
    await file.write([rowOf({})])
    const { bytes, rows } = await file.commit()
    await file.abandon()
    const all = await readFile(path)
    all[bytes - 16 - all.readUInt32LE(bytes - 8) + 1] = 127 // a version that is to come
    await writeFile(path, all)
    const from = { bytes, rows, sha256: createHash('sha256').update(all).digest('hex') }
    await expect(openFile({ path, format: how, from })).rejects.toMatchObject({
      _tag: 'ChecksumMismatch',
      message: `${path} was started by another runtime, or by a newer version of it: it cannot be resumed`,
    })
    expect(await readFile(path)).toEqual(all)
  })

  it.each<[string, Partial<FormatOptions>, Partial<FormatOptions>, string]>([
    [
      'another type',
      { columns: ['id', 'note'] },
      { columns: ['id', 'note:time'] },
      'column 2 was note (text), but is now note (time)',
    ],
    [
      'amounts as text',
      {},
      { amounts: 'text' },
      'column 2 was amount (decimal), but is now amount (decimal as text)',
    ],
    [
      'fewer columns',
      { columns: ['id', 'tries'] },
      { columns: ['id'] },
      'column 2 was tries (integer), but is now none',
    ],
    [
      'more columns',
      { columns: ['id'] },
      { columns: ['id', 'tries'] },
      'column 2 was none, but is now tries (integer)',
    ],
  ])('is not resumed with other columns, and stays as it is: %s', async (_, first, after, why) => {
    const file = await openFile({ path, format: format({ format: 'parquet', ...first }) })
    await file.write([rowOf({})])
    const mark = await file.commit()
    await file.write([rowOf({}), rowOf({})])
    await file.commit()
    await file.abandon()
    const before = await readFile(path)
    const how = format({ format: 'parquet', ...after })
    await expect(openFile({ path, format: how, from: mark })).rejects.toMatchObject({
      _tag: 'ChecksumMismatch',
      message: `${path} was started with other columns (${why}): it cannot be resumed`,
    })
    expect(await readFile(path)).toEqual(before)
  })
})
