/** Rows of a codec that makes a `Date` of a text, as those of io-ts-types do. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { type FormatOptions, formatOf, openFile } from '../../../src/export/index.js'
import { tempFolder } from '../../support/tempFolder.js'
import { duckdb } from '../reading.js'

const folder = tempFolder()

const Moment = new t.Type<Date, string, unknown>(
  'Moment',
  (u): u is Date => u instanceof Date,
  (u, context) => (typeof u === 'string' ? t.success(new Date(u)) : t.failure(u, context)),
  (date) => date.toISOString(),
)

const Row = t.type({ id: t.string, at: Moment })

const AT = new Date('2023-11-14T22:13:20.123Z')

const written = async (options: FormatOptions, at = AT): Promise<string> => {
  const format = formatOf(Row)(options)
  const path = join(folder, `rows.${options.format}`)
  const file = await openFile({ path, format: format })
  try {
    await file.write([{ id: 'a', at }])
    await file.finish()
  } finally {
    await file.abandon()
  }
  return path
}

describe('a Date', () => {
  it.each([
    ['at:time', '2023-11-14T22:13:20.123Z'],
    ['at:text', '2023-11-14T22:13:20.123Z'],
    ['at:json', '"""2023-11-14T22:13:20.123Z"""'],
    ['at', '"""2023-11-14T22:13:20.123Z"""'],
  ])('is written to CSV as %s', async (column, cell) => {
    const text = await readFile(await written({ format: 'csv', columns: ['id', column] }), 'utf8')
    expect(text).toBe(`id,at\r\na,${cell}\r\n`)
  })

  it.each([
    ['at:time', 'TIMESTAMP WITH TIME ZONE'],
    ['at:text', 'VARCHAR'],
    ['at:json', 'JSON'],
  ])('is stored in Parquet as %s', async (column, type) => {
    const path = await written({ format: 'parquet', columns: ['id', column] })
    const query = await duckdb()
    const [described] = await query(`describe select "at" from read_parquet('${path}')`)
    expect(described?.column_type).toBe(type)
    const [row] = await query(
      `select epoch_us(cast(trim("at"::varchar, '"') as timestamptz))::varchar as us from read_parquet('${path}')`,
    )
    expect(row?.us).toBe('1700000000123000')
  })

  it('may be of another realm', async () => {
    const at: Date = runInNewContext(`new Date(${AT.getTime()})`)
    const options = { format: 'csv', columns: ['id', 'at:time'] } as const
    expect(await readFile(await written(options, at), 'utf8')).toBe(
      `id,at\r\na,${AT.toISOString()}\r\n`,
    )
  })

  it('that is no time does not fit', async () => {
    const none = new Date(Number.NaN)
    for (const type of ['time', 'text']) {
      const options = { format: 'parquet', columns: ['id', `at:${type}`] } as const
      await expect(written(options, none)).rejects.toMatchObject({ _tag: 'UnrepresentableRow' })
    }
  })
})
