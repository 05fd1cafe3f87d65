import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { parseExact } from '../../../src/decode/index.js'
import { type FormatOptions, openFile } from '../../../src/export/index.js'
import { runs } from '../../support/runs.js'
import { tempFolder } from '../../support/tempFolder.js'
import { duckdb, type Query } from '../reading.js'
import { fields, format, pages, Row, row, rowOf } from '../rows.js'

let path = ''
const folder = tempFolder()
beforeAll(async () => {
  path = join(folder, 'rows.csv')
})

const written = async (
  given: ReadonlyArray<ReadonlyArray<Row>>,
  options: Partial<FormatOptions> = {},
): Promise<string> => {
  const file = await openFile({ path, format: format({ format: 'csv', ...options }) })
  for (const page of given) await file.write(page)
  await file.finish()
  return readFile(path, 'utf8')
}

/** The values of a row as the library of reference is given them. */
const valuesOf = ({ tags, fee, metadata, ...row }: Row) => [
  ...[row.id, row.amount, row.currency, row.status, row.created_at, row.settled, row.tries],
  ...[JSON.stringify(tags), row.note, fee?.amount, fee?.currency],
  metadata === undefined || metadata === null ? metadata : JSON.stringify(metadata),
]

/** Masks what csv-stringify leaves alone: a formula behind a line feed or a NUL. */
const masked = (value: unknown): unknown =>
  typeof value === 'string' && /^[\n\0]/.test(value) ? `'${value}` : value

const reference = (rows: ReadonlyArray<Row>, escape_formulas: boolean): string =>
  stringify(
    [fields, ...rows.map((row) => valuesOf(row).map(escape_formulas ? masked : (value) => value))],
    {
      record_delimiter: '\r\n',
      quote_record_delimiter: true,
      quoted_match: /^(\\\.)?$/, // `\.` alone in a line ends the input of PostgreSQL
      cast: { boolean: String },
      escape_formulas,
    },
  )

describe('CSV', () => {
  it.each(['keep', 'mask'] as const)('is what csv-stringify writes (formulas: %s)', (formulas) =>
    fc.assert(
      fc.asyncProperty(pages, async (given) => {
        expect(await written(given, { formulas })).toBe(
          reference(given.flat(), formulas === 'mask'),
        )
      }),
      { numRuns: runs(200) },
    ),
  )

  it.each([[['id', 'currency']], [['currency']]])('quotes line breaks: %j', async (columns) => {
    const text = await written(
      ['a\rb', '\r', 'a\nb'].map((currency) => [rowOf({ currency })]),
      { columns },
    )
    const before = columns.length > 1 ? 'a,' : ''
    const cells = ['"a\rb"', '"\r"', '"a\nb"'].map((cell) => `${before}${cell}\r\n`)
    expect(text).toBe(`${columns.join(',')}\r\n${cells.join('')}`)
  })

  it('has names of columns in quotes that need them', async () => {
    const columns = ['a":b:text', 'id']
    expect(await written([[rowOf({ 'a":b': 'x' })]], { columns })).toBe('"a"":b",id\r\nx,a\r\n')
  })

  it('is the same where code generation is forbidden', () =>
    fc.assert(
      fc.asyncProperty(pages, async (given) => {
        const expected = await written(given)
        vi.stubGlobal('Function', () => {
          throw new EvalError('forbidden')
        })
        const told = await written(given).finally(() => vi.unstubAllGlobals())
        expect(told).toBe(expected)
      }),
      { numRuns: runs(20) },
    ))

  it('is the same of pages that are written in parts', async () => {
    const given = [1, 249, 250, 251, 2_000].map((length) =>
      Array.from({ length }, (_, n) => rowOf({ id: `${n}`, note: '東京, "😀"'.repeat(n % 7) })),
    )
    expect(await written(given)).toBe(reference(given.flat(), false))
  })

  it('has its header, and no more, when there are no rows', async () => {
    expect(await written([])).toBe(`${fields.join(',')}\r\n`)
  })

  it('tells an empty text from nothing', async () => {
    const given = [rowOf({ note: '' }), rowOf({ note: null }), rowOf({})]
    expect(await written([given], { columns: ['note', 'id'] })).toBe(
      'note,id\r\n"",a\r\n,a\r\n,a\r\n',
    )
  })

  it('has a line for a row of one column that is null', async () => {
    const given = [rowOf({ note: 'x' }), rowOf({ note: null })]
    expect(await written([given], { columns: ['note'] })).toBe('note\r\nx\r\n""\r\n')
  })

  it('has a text in quotes that alone in its line would end what PostgreSQL reads', async () => {
    const given = [rowOf({ note: '\\.' }), rowOf({ note: '\\..' })]
    expect(await written([given], { columns: ['note'] })).toBe('note\r\n"\\."\r\n\\..\r\n')
  })

  it('says half of a surrogate pair as UTF-8 does, within JSON, too, and leaves alone what looks like it', async () => {
    const given = [rowOf({ metadata: { a: 'cut \ud83d', '\udc00': '\\ud83d \u{1f600}' } })]
    expect(await written([given], { columns: ['metadata'] })).toBe(
      'metadata\r\n"{""a"":""cut \ufffd"",""\ufffd"":""\\\\ud83d \u{1f600}""}"\r\n',
    )
  })

  it('has the digits of a number that is called JSON, as they came', async () => {
    const columns = ['id', 'amount:json', 'fee:json']
    const json = JSON.stringify(rowOf({})).replace(
      '"amount":1',
      '"amount":12.50,"fee":{"amount":9007199254740993.57}',
    )
    const decoded = Row.decode(parseExact(json))
    if (decoded._tag === 'Left') throw new Error('no row')
    expect(await written([[decoded.right]], { columns })).toBe(
      'id,amount,fee\r\na,12.50,"{""amount"":9007199254740993.57}"\r\n',
    )
  })

  it('has numbers as JSON has them', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: -(2 ** 32), max: 2 ** 32 })), async (cents) => {
        const rows = cents.map((n) => rowOf({ amount: n / 100 }))
        const lines = rows.map(({ amount }) => `${amount}\r\n`)
        expect(await written([rows], { columns: ['amount'] })).toBe(`amount\r\n${lines.join('')}`)
      }),
    ))

  it('leaves numbers alone when it masks formulas', async () => {
    const given = [rowOf({ amount: -1.5, note: '-1.5' }), rowOf({ amount: 2, note: '=A1' })]
    expect(await written([given], { columns: ['amount', 'note'], formulas: 'mask' })).toBe(
      "amount,note\r\n-1.5,'-1.5\r\n2,'=A1\r\n",
    )
  })

  it('leaves them alone in columns of JSON, too', async () => {
    const given = [rowOf({ amount: -1.5, note: '-1.5' }), rowOf({ amount: 2, note: '=A1' })]
    const columns = ['amount:json', 'note:json', 'rate:json']
    const rows = given.map((row) => ({ ...row, rate: -0.25 }))
    expect(await written([rows], { columns, formulas: 'mask' })).toBe(
      'amount,note,rate\r\n-1.5,"""-1.5""",-0.25\r\n2,"""=A1""",-0.25\r\n',
    )
  })

  describe('read by DuckDB', () => {
    let query: Query
    beforeAll(async () => {
      query = await duckdb()
    })

    it('has the same values', () =>
      fc.assert(
        fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 8 }), async (given) => {
          await written([given])
          const read = await query(
            `select * from read_csv('${path}', header = true, all_varchar = true, comment = '', delim = ',', quote = '"',
             escape = '"', new_line = '\\r\\n', allow_quoted_nulls = false)`,
          )
          expect(read.map((one) => Object.values(one))).toEqual(
            given.map((one) =>
              valuesOf(one).map((value) => (value == null ? null : String(value))),
            ),
          )
        }),
        { numRuns: runs(30) },
      ))
  })
})
