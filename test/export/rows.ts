/** Rows of every kind of field that a codec can name, for the tests of formats. */
import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import * as t from 'io-ts'
import { Instant } from '../../src/codec/Instant.js'
import { open } from '../../src/decode/index.js'
import { type Format, type FormatOptions, formatOf } from '../../src/export/index.js'
import { E } from '../../src/fp.js'

const nullable = <C extends t.Mixed>(codec: C) => t.union([codec, t.null])

export const Row = t.intersection([
  t.type({
    id: t.string,
    amount: t.number,
    currency: t.string,
    status: open('NEW', 'SETTLED'),
    created_at: Instant,
    settled: t.boolean,
    tries: t.Int,
    tags: t.array(t.string),
  }),
  t.partial({
    note: nullable(t.string),
    fee: nullable(t.partial({ amount: nullable(t.number), currency: nullable(t.string) })),
    metadata: nullable(t.UnknownRecord),
  }),
])

export type Row = t.TypeOf<typeof Row>

export const fields = [
  ...['id', 'amount', 'currency', 'status', 'created_at', 'settled', 'tries', 'tags', 'note'],
  ...['fee.amount', 'fee.currency', 'metadata'],
]

/** As rows come. */
const decoded = (made: object): Row => {
  const row = Row.decode(JSON.parse(JSON.stringify(made)))
  if (E.isLeft(row)) throw new Error('no row')
  return row.right
}

/** A row with these fields, and others. */
export const rowOf = (fields: object): Row =>
  decoded({
    ...{ id: 'a', amount: 1, currency: 'EUR', status: 'NEW', settled: true, tries: 1, tags: [] },
    created_at: '2026-01-01T00:00:00+0000',
    ...fields,
  })

/** Texts that formats trip over, and any other. */
const text = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    ',',
    '"',
    '""',
    '\r\n',
    '\n',
    "'",
    '=1+1',
    '-1',
    '@x',
    '\t',
    'null',
    'é€😀',
    '\uFEFF',
    '0x',
  ),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
)

/** Texts that DuckDB and its client hold, too: no zeros, no byte order marks. */
const plainText = text.map((s) => Buffer.from(s.replaceAll(/[\0\uFEFF]/g, '')).toString())

export const amount = fc
  .tuple(fc.integer({ min: -(10 ** 11), max: 10 ** 11 }), fc.integer({ min: 0, max: 4 }))
  .map(([n, places]) => n / 10 ** places)

const instant = fc
  .date({ min: new Date('0002-01-01'), max: new Date('9990-01-01'), noInvalidDate: true })
  .map((date) => `${date.toISOString().slice(0, 19)}+0000`)

const orNull = <A>(of: fc.Arbitrary<A>) => fc.option(of, { nil: null })

export const row: fc.Arbitrary<Row> = fc
  .record(
    {
      id: plainText,
      amount,
      currency: fc.constantFrom('EUR', 'JPY'),
      status: plainText,
      created_at: instant,
      settled: fc.boolean(),
      tries: fc.maxSafeInteger(),
      tags: fc.array(plainText, { maxLength: 3 }),
      note: orNull(plainText),
      fee: orNull(
        fc.record({ amount: orNull(amount), currency: orNull(plainText) }, { requiredKeys: [] }),
      ),
      metadata: orNull(fc.dictionary(plainText, plainText, { maxKeys: 3 })),
    },
    {
      requiredKeys: [
        'id',
        'amount',
        'currency',
        'status',
        'created_at',
        'settled',
        'tries',
        'tags',
      ],
    },
  )
  .map((made) => decoded(made))

export const pages = fc.array(fc.array(row, { maxLength: 6 }), { maxLength: 6 })

export const format = (options: FormatOptions): Format<Row> => {
  const made = formatOf<Row>(Row)(options)
  return made
}
