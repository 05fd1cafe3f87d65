import fc from 'fast-check'
import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { BatchTransfer } from '../../../src/codec/index.js'
import { parseExact } from '../../../src/decode/index.js'
import { formatNames } from '../../../src/export/format/Format.js'
import { type FormatName, formatOf } from '../../../src/export/index.js'
import { E } from '../../../src/fp.js'
import { forAll } from '../../support/forAll.js'
import { row as anyRow, format, Row, rowOf } from '../rows.js'

const Money = t.type({ amount: t.number })

const money = (name: FormatName) => formatOf(Money)({ format: name })

/** Ten-thousandths as JSON would have it. */
const written = (units: bigint): string => {
  const digits = String(units < 0n ? -units : units).padStart(5, '0')
  return `${units < 0n ? '-' : ''}${digits.slice(0, -4)}.${digits.slice(-4)}`
}

const read = (text: string): { readonly amount: number } => {
  const decoded = Money.decode(parseExact(`{"amount":${text}}`))
  if (E.isLeft(decoded)) throw new Error('no money')
  return decoded.right
}

describe.each(formatNames)('an amount in %s', (name) => {
  it('fits when no other of four decimals reads as the same number, and only then', () => {
    const below = 2n ** 39n * 10_000n
    forAll(fc.bigInt({ min: -below + 1n, max: below - 1n }), (units) => {
      const { amount } = read(written(units))
      expect(money(name).check({ amount })).toBeUndefined()
      expect(read(written(units + 1n)).amount).not.toBe(amount)
      expect(read(written(units - 1n)).amount).not.toBe(amount)
    })
    for (const amount of [2 ** 39, -(2 ** 39), 1e300, Number.POSITIVE_INFINITY, Number.NaN]) {
      expect(money(name).check({ amount })).toMatchObject({
        _tag: 'UnrepresentableRow',
        field: 'amount',
        message: expect.stringContaining("numbers: 'exact'"),
      })
    }
  })

  it('fits with its digits', () => {
    const large = read('99999999999999.0001')
    expect(money(name).check(large)).toBeUndefined()
    expect(money(name).check({ amount: large.amount })).toMatchObject({ field: 'amount' })
  })
})

describe('an amount somewhere inside', () => {
  const quote = (amount: number) => ({
    ...{ amount_beneficiary_receives: 1, amount_payer_pays: amount, fee_amount: 1 },
    ...{ fee_currency: 'EUR', source_currency: 'EUR', transfer_currency: 'EUR' },
  })
  const batch = (amount: number) => {
    const decoded = BatchTransfer.decode({
      ...{ id: 'a', request_id: 'b', short_reference_id: 'c', status: 'BOOKED' },
      ...{ total_item_count: 1, valid_item_count: 1, updated_at: '2026-01-01T00:00:00+0000' },
      quote_summary: { quotes: [quote(1), quote(amount)] },
    })
    if (E.isLeft(decoded)) throw new Error('no batch')
    return decoded.right
  }
  const how = (columns?: ReadonlyArray<string>) => {
    const made = formatOf(BatchTransfer)({ format: 'ndjson', ...(columns && { columns }) })
    return made
  }

  it('is found', () => {
    expect(how().check(batch(2))).toBeUndefined()
    expect(how().check(batch(1e16))).toMatchObject({
      field: 'quote_summary.quotes.1.amount_payer_pays',
    })
  })

  it('does not matter when it is not written', () => {
    expect(how(['id']).check(batch(1e16))).toBeUndefined()
    expect(how(['quote_summary']).check(batch(1e16))).toBeDefined()
  })
})

it('an amount that only the caller knows of is looked at, too', () => {
  const how = format({ format: 'csv', columns: ['id', 'rate:decimal'] })
  expect(how.check(rowOf({ rate: 1 }))).toBeUndefined()
  expect(how.check(rowOf({ rate: 1e12 }))).toMatchObject({ field: 'rate' })
})

describe('a number of a column that only the caller knows of', () => {
  const rowWith = (text: string, parse: (text: string) => unknown = JSON.parse): Row => {
    const { id, ...rest } = rowOf({})
    const json = `{"id":${JSON.stringify(id)},"more":${text},${JSON.stringify(rest).slice(1)}`
    const row = Row.decode(parse(json))
    if (E.isLeft(row)) throw new Error('no row')
    return row.right
  }
  const large = '9007199254740993'

  describe.each(formatNames)('in %s', (name) => {
    const misfitOf = (type: string, text: string, parse?: (text: string) => unknown) =>
      format({ format: name, columns: ['id', `more:${type}`] }).check(rowWith(text, parse))

    it.each(['integer', 'json'])('is not rounded: %s', (type) => {
      expect(misfitOf(type, '9007199254740991')).toBeUndefined()
      expect(misfitOf(type, 'null')).toBeUndefined()
      expect(misfitOf(type, large)).toMatchObject({ field: 'more' })
      expect(misfitOf(type, `-${large}`)).toMatchObject({ field: 'more' })
    })

    it('is not rounded inside of what nobody described', () => {
      expect(misfitOf('json', `{"a":[1,"${large}",12.5,true,null]}`)).toBeUndefined()
      expect(misfitOf('json', `{"a":[1,${large}]}`)).toMatchObject({ field: 'more.a.1' })
      expect(misfitOf('json', `[600000000000.25]`)).toMatchObject({ field: 'more.0' })
      expect(misfitOf('json', `{"a":[1,${large}]}`, parseExact)).toBeUndefined()
    })

    it('is no integer when it is none', () => {
      expect(misfitOf('integer', '1.5')).toMatchObject({ field: 'more' })
    })
  })

  it.each(['ndjson', 'json', 'csv'] as const)('is not rounded in a text of %s', (name) => {
    const { check } = format({ format: name, columns: ['id', 'more:text'] })
    expect(check(rowWith('12'))).toBeUndefined()
    expect(check(rowWith(large))).toMatchObject({ field: 'more' })
    expect(check(rowWith(large, parseExact))).toBeUndefined()
  })

  it('does not matter where rows are written whole, as they came', () => {
    const row = rowOf({ metadata: { n: Number(large) } })
    expect(format({ format: 'ndjson' }).check(row, true)).toBeUndefined()
    expect(format({ format: 'ndjson' }).check(row)).toMatchObject({ field: 'metadata.n' })
    expect(format({ format: 'csv' }).check(row)).toMatchObject({ field: 'metadata.n' })
  })

  it('does not keep back a row whose numbers are known', () => {
    const { check } = format({ format: 'csv' })
    forAll(anyRow, (row) => {
      expect(check(row)).toBeUndefined()
    })
    expect(check(rowOf({ tries: 2 ** 53 }))).toMatchObject({ field: 'tries' })
  })
})
