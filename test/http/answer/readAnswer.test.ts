/** Answers, as the interface prints them, read as values. */
import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { Charge } from '../../../src/codec/Charge.js'
import { compile, parseExact } from '../../../src/decode/index.js'
import { E, O } from '../../../src/fp.js'
import { isGarbledBody } from '../../../src/http/answer/failureOf.js'
import { pageReader, valueReader } from '../../../src/http/answer/readAnswer.js'
import { rowText } from '../../../src/stream/rawRows.js'
import { context, responseOf } from '../responseOf.js'

/** Written from the interface's tables, not taken from a codec. */
const CHARGE_TEXT = `{
  "id": "chg_8d2f", "amount": 1050.5, "currency": "EUR", "reason": "taxes",
  "reference": "Zo\\u00eb \\u20ac", "request_id": "7f687fe6-dcf4-4462-92fa-80335301d9d2",
  "source": "acct_9", "fee": 0, "short_reference_id": "CH260106F0MQ", "status": "PENDING",
  "created_at": "2024-02-29T23:59:59+0800", "updated_at": "2024-03-01T00:00:00+0800"
}`

const readCharge = valueReader(compile(Charge))(context)
const readCharges = pageReader(compile(Charge))({ page_num: 4 })(context)

describe('one value', () => {
  it('is read from literal JSON, and its times keep their text', () => {
    expect(readCharge(responseOf(200, CHARGE_TEXT))).toEqual(
      E.right({
        id: 'chg_8d2f',
        amount: 1050.5,
        currency: 'EUR',
        reason: 'taxes',
        reference: 'Zoë €',
        request_id: '7f687fe6-dcf4-4462-92fa-80335301d9d2',
        source: 'acct_9',
        fee: 0,
        short_reference_id: 'CH260106F0MQ',
        status: 'PENDING',
        created_at: '2024-02-29T23:59:59+0800',
        updated_at: '2024-03-01T00:00:00+0800',
      }),
    )
  })

  it('may have fields and statuses that are not known yet', () => {
    const novel = { ...JSON.parse(CHARGE_TEXT), status: 'FROZEN', settled_by: { who: 'me' } }
    expect(readCharge(responseOf(200, novel))).toEqual(E.right(novel))
  })

  it.each([
    ['a number where a text belongs', { id: 7 }, 'id', 'string', 'number 7'],
    [
      'a text where a number belongs',
      { amount: '9.99' },
      'amount',
      'a finite number',
      'text of 4 characters',
    ],
    ['null', { currency: null }, 'currency', 'a currency code of 3 capital letters', 'null'],
    ['a lost field', { fee: undefined }, 'fee', 'a finite number', 'missing'],
  ])('that has %s is not taken', (_, wrong, path, expected, actual) => {
    const read = readCharge(responseOf(200, { ...JSON.parse(CHARGE_TEXT), ...wrong }))
    expect(read).toEqual(
      E.left({
        _tag: 'Undecodable',
        endpoint: 'GET /api/v1/charges/{id}',
        attempts: 2,
        path,
        expected,
        actual,
        causes: [{ path, expected, actual }],
        message: `GET /api/v1/charges/{id}: ${path} should be ${expected}, but is ${actual}`,
      }),
    )
  })

  it('that is nested too deeply for its digits is called so, and not asked for again', () => {
    const deep = `{ "more": ${'['.repeat(50_000)}${']'.repeat(50_000)}, ${CHARGE_TEXT.slice(1)}`
    expect(readCharge(responseOf(200, deep))._tag).toBe('Right')
    const read = valueReader(compile(Charge), parseExact)(context)(responseOf(200, deep))
    expect(read).toMatchObject(
      E.left({ _tag: 'Undecodable', path: '', expected: 'nested less deeply' }),
    )
    expect(E.isLeft(read) && read.left._tag === 'Undecodable' && isGarbledBody(read.left)).toBe(
      false,
    )
  })

  it.each([
    ['<html>', 'text of 6 characters'],
    ['<', 'text of 1 character'],
    ['{"id": "chg', 'text of 11 characters'],
    ['{"id": "x"} trailing', 'text of 20 characters'],
    ['', 'empty'],
  ])('that is no JSON is told by its size: %s', (body, actual) => {
    const read = readCharge(responseOf(200, body))
    expect(read).toMatchObject(E.left({ _tag: 'Undecodable', path: '', expected: 'JSON', actual }))
    expect(E.isLeft(read) && read.left._tag === 'Undecodable' && isGarbledBody(read.left)).toBe(
      true,
    )
  })

  it.each([
    ['', undefined],
    ['done', 'done'],
    ['{"id":1}', { id: 1 }],
  ])('may be anything for a call that answers anything: %j', (body, value) => {
    const read = valueReader(compile(t.unknown), JSON.parse, 'anything')(context)
    expect(read(responseOf(200, body))).toEqual(E.right(value))
  })
})

describe('a page', () => {
  const row = JSON.parse(CHARGE_TEXT)

  it('is cut into the texts of its rows once', () => {
    const page = readCharges(responseOf(200, `{"has_more": false, "items": [${CHARGE_TEXT}]}`))
    const raw = E.isRight(page) ? page.right.raw : []
    expect(rowText(raw)).toMatchObject({ length: 1 })
    expect(rowText(raw)).toBe(rowText(raw))
  })

  it('has its rows decoded one by one, beside the rows as they came', () => {
    const rows = [row, { ...row, amount: {} }, { ...row, id: 'chg_2' }, 'no row']
    const page = readCharges(responseOf(200, { has_more: true, items: rows }))
    expect(page).toMatchObject(
      E.right({ position: { page_num: 4 }, next: O.some({ page_num: 5 }), raw: rows }),
    )
    expect(E.isRight(page) ? page.right.items : []).toEqual([
      E.right(row),
      E.left(
        expect.objectContaining({
          _tag: 'Undecodable',
          path: 'items[1].amount',
          expected: 'a finite number',
          actual: 'object',
          message:
            'GET /api/v1/charges/{id}: items[1].amount should be a finite number, but is object',
        }),
      ),
      E.right({ ...row, id: 'chg_2' }),
      E.left(expect.objectContaining({ _tag: 'Undecodable', path: 'items[3]' })),
    ])
  })

  it.each([
    [{ has_more: true, items: [] }, O.some({ page_num: 5 })],
    [{ has_more: false, items: [] }, O.none],
    [{ items: [] }, O.none],
    [{ page_after: 'b2Zm', items: [] }, O.some({ page: 'b2Zm' })],
    [{ page_after: 'b2Zm', has_more: false, items: [] }, O.some({ page: 'b2Zm' })],
    [{ page_after: '', items: [] }, O.none],
    [{ page_after: null, items: [] }, O.none],
    [{ has_more: null, page_after: null, items: [] }, O.none],
  ])('goes on as its envelope says: %j', (envelope, next) => {
    expect(readCharges(responseOf(200, envelope))).toMatchObject(E.right({ next }))
  })

  it.each([
    [{ has_more: 'true', items: [] }, 'has_more', 'text of 4 characters'],
    [{ has_more: 1, items: [] }, 'has_more', 'number 1'],
    [{ has_more: false, page_after: 17, items: [] }, 'page_after', 'number 17'],
  ])('that goes on in another type is no page, or the list would end: %j', (page, path, actual) => {
    expect(readCharges(responseOf(200, page))).toMatchObject(
      E.left({ _tag: 'Undecodable', path, actual }),
    )
  })

  it.each([{}, { items: {} }, [], 'text', null])('without items is no page: %j', (envelope) => {
    expect(readCharges(responseOf(200, JSON.stringify(envelope)))).toMatchObject(
      E.left({ _tag: 'Undecodable' }),
    )
  })
})
