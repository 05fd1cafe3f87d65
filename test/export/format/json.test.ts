import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { raw } from 'jq-wasm'
import { beforeAll, describe, expect, it } from 'vitest'
import { parseExact } from '../../../src/decode/index.js'
import { jsonLines } from '../../../src/export/format/json.js'
import { type FormatOptions, openFile } from '../../../src/export/index.js'
import { runs } from '../../support/runs.js'
import { tempFolder } from '../../support/tempFolder.js'
import { format, pages, Row, rowOf } from '../rows.js'

let path = ''
const folder = tempFolder()
beforeAll(async () => {
  path = join(folder, 'rows')
})

const written = async (
  given: ReadonlyArray<ReadonlyArray<Row>>,
  options: Partial<FormatOptions> = {},
): Promise<string> => {
  const file = await openFile({ path, format: format({ format: 'ndjson', ...options }) })
  for (const page of given) await file.write(page)
  await file.finish()
  return readFile(path, 'utf8')
}

describe('NDJSON, read by jq', () => {
  it('has the same rows, a line each', () =>
    fc.assert(
      fc.asyncProperty(pages, async (given) => {
        const text = await written(given)
        const read = text === '' ? '[]' : await raw(text, '.', ['-s', '-c'])
        expect(JSON.parse(read)).toEqual(given.flat())
        expect(text.split('\n').length - 1).toBe(given.flat().length)
      }),
      { numRuns: runs(30) },
    ))
})

it.each(['ndjson', 'json'] as const)('has whole texts of multi-byte letters: %s', async (name) => {
  const row = rowOf({ note: '€'.repeat(100_000) })
  const text = await written([[row], [row]], { format: name })
  const read = name === 'json' ? text : `[${text.trimEnd().replace('\n', ',')}]`
  expect(JSON.parse(read)).toEqual([row, row])
})

describe('JSON, read by jq', () => {
  it('is one array', () =>
    fc.assert(
      fc.asyncProperty(pages, async (given) => {
        const text = await written(given, { format: 'json' })
        expect(JSON.parse(await raw(text, '.', ['-c']))).toEqual(given.flat())
      }),
      { numRuns: runs(30) },
    ))

  it('is an array when there are no rows', async () => {
    expect(await written([], { format: 'json' })).toBe('[]\n')
  })
})

describe('pages that are written in parts', () => {
  const given = [1, 700, 2_000].map((length) =>
    Array.from({ length }, (_, n) => rowOf({ id: `${n}`, note: '東京 "😀"\n'.repeat(n % 9) })),
  )

  it('are lines', async () => {
    const lines = (await written(given)).split('\n')
    expect(lines.pop()).toBe('')
    expect(lines.map((line) => JSON.parse(line))).toEqual(given.flat())
  })

  it('are one array', async () => {
    expect(JSON.parse(await written(given, { format: 'json' }))).toEqual(given.flat())
  })
})

describe('NDJSON', () => {
  it('has the fields that came, and no others', async () => {
    expect(await written([[rowOf({ later: [1, { a: null }] })]])).toContain(
      '"later":[1,{"a":null}]',
    )
  })

  it('has the columns that are named, in their order, where they were', async () => {
    const given = [
      rowOf({ fee: { amount: 2, currency: 'EUR', more: 1 }, rate: 0.5, tags: ['x'] }),
      rowOf({ fee: null, note: null }),
      rowOf({}),
    ]
    const columns = ['fee.currency', 'id', 'rate:decimal', 'tags', 'note', 'fee.amount']
    expect(await written([given], { columns })).toBe(
      '{"fee":{"currency":"EUR","amount":2},"id":"a","rate":0.5,"tags":["x"]}\n' +
        '{"fee":null,"id":"a","tags":[],"note":null}\n' +
        '{"id":"a","tags":[]}\n',
    )
  })

  it('has a whole object where it is named, even beside its fields', async () => {
    const given = [rowOf({ fee: { amount: 2, more: 1 } })]
    for (const columns of [
      ['fee', 'fee.amount'],
      ['fee.amount', 'fee'],
    ]) {
      expect(await written([given], { columns })).toBe('{"fee":{"amount":2,"more":1}}\n')
    }
  })

  it.each([undefined, ['amount', 'fee', 'tags', 'fee.amount']])(
    'has the digits of numbers as they came, if it is exact (columns %j)',
    async (columns) => {
      const text =
        '{"amount":12345678901234567890.10,"fee":{"amount":1.50,"currency":null},"tags":["a"]}'
      const { amount: _, tags: __, fee: ___, ...others } = rowOf({})
      const came = text.replace(/}$/, `,${JSON.stringify(others).slice(1)}`)
      const decoded = Row.decode(parseExact(came))
      if (decoded._tag === 'Left') throw new Error('no row')
      const options = columns === undefined ? {} : { columns }
      expect(await written([[decoded.right]], { ...options })).toBe(
        `${columns === undefined ? came : text}\n`,
      )
    },
  )
})

it('lines of JSON take anything that JSON can say', async () => {
  const file = await openFile({ path, format: jsonLines() })
  await file.write([{ a: 1 }, null, 'text', [1], true, 2])
  await expect(file.write([3, undefined])).rejects.toMatchObject({
    _tag: 'UnrepresentableRow',
    index: 1,
  })
  await file.finish()
  expect(await readFile(path, 'utf8')).toBe('{"a":1}\nnull\n"text"\n[1]\ntrue\n2\n')
})
