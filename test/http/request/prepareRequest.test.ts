import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { batchTransfers } from '../../../src/api/batchTransfers.js'
import { charges } from '../../../src/api/charges.js'
import { type AnyEndpoint, untyped } from '../../../src/api/Endpoint.js'
import { webhooks } from '../../../src/api/webhooks.js'
import { E } from '../../../src/fp.js'
import { type PreparedRequest, prepareRequest } from '../../../src/http/request/prepareRequest.js'
import { endpoint } from '../../../src/index.js'
import { forAll } from '../../support/forAll.js'

const ask = (row: { readonly route: AnyEndpoint['route'] }, params: unknown, check = true) =>
  prepareRequest(untyped(row), { check, now: () => 0 })(params)

/** The request that is sent. */
const asked = (
  row: { readonly route: AnyEndpoint['route'] },
  params: unknown,
): Omit<PreparedRequest, 'sentParams'> => {
  const made = ask(row, params)
  if (E.isLeft(made)) throw new Error(JSON.stringify(made.left))
  const { sentParams: _, ...sent } = made.right
  return sent
}

const anything = { params: t.UnknownRecord, success: t.unknown }

describe('parameters of a codec that transforms', () => {
  const Day = new t.Type<Date, string, unknown>(
    'a day as text',
    (u): u is Date => u instanceof Date,
    (u, context) =>
      typeof u === 'string' && /^\d{4}-\d\d-\d\d$/.test(u)
        ? t.success(new Date(u))
        : t.failure(u, context),
    (day) => day.toISOString().slice(0, 10),
  )
  const row = endpoint('GET /api/v1/days', {
    params: t.type({ since: Day }),
    success: t.unknown,
  })

  it('may be in decoded or in encoded form', () => {
    for (const since of [new Date('2026-03-04'), '2026-03-04']) {
      expect(asked(row, { since }).target).toBe('/api/v1/days?since=2026-03-04')
    }
  })

  it('are not sent if the codec encodes what it does not decode', () => {
    expect(ask(row, { since: new Date(Number.NaN) })).toMatchObject(E.left([{ path: 'since' }]))
  })

  it('are rejected in any other form', () => {
    expect(ask(row, { since: '4 March' })).toMatchObject(
      E.left([{ path: 'since', expected: 'a day as text', actual: 'text of 7 characters' }]),
    )
  })
})

it('a Date of another realm is one', () => {
  const from_created_at: unknown = runInNewContext('new Date(0)')
  expect(from_created_at).not.toBeInstanceOf(Date)
  expect(asked(charges.list, { from_created_at }).target).toBe(
    '/api/v1/charges?from_created_at=1970-01-01T00%3A00%3A00%2B0000',
  )
})

describe('a POST', () => {
  it('carries its parameters as JSON, an amount as text', () => {
    const made = asked(charges.create, {
      amount: 12.5,
      currency: 'USD',
      reason: 'goods_purchased',
      reference: 'Order 17',
      request_id: 'r-17',
      source: 'acct_1',
    })
    expect({ ...made, body: JSON.parse(made.body ?? '') }).toEqual({
      method: 'POST',
      path: '/api/v1/charges/create',
      target: '/api/v1/charges/create',
      headers: {},
      body: {
        amount: '12.5',
        currency: 'USD',
        reason: 'goods_purchased',
        reference: 'Order 17',
        request_id: 'r-17',
        source: 'acct_1',
      },
    })
  })

  it('sends an empty object without parameters', () => {
    const row = endpoint('POST /api/v1/batch_transfers/{id}/submit', {
      params: t.type({ id: t.string }),
      success: t.unknown,
    })
    expect(asked(row, { id: 'b 1' })).toEqual({
      method: 'POST',
      path: '/api/v1/batch_transfers/b%201/submit',
      target: '/api/v1/batch_transfers/b%201/submit',
      headers: {},
      body: '{}',
    })
  })

  it('puts each parameter where its row says', () => {
    const row = endpoint('POST /api/v1/reference/order_items/upload', {
      params: t.type({ items: t.array(t.string), types: t.array(t.string), trace: t.string }),
      success: t.unknown,
      at: { items: 'whole body', types: 'query', trace: 'header x-trace' },
    })
    expect(
      asked(row, { items: ['a', 'b'], types: ['CN_INBOUND', 'ID_OUTBOUND'], trace: 't' }),
    ).toEqual({
      method: 'POST',
      path: '/api/v1/reference/order_items/upload',
      target: '/api/v1/reference/order_items/upload?types=CN_INBOUND&types=ID_OUTBOUND',
      headers: { 'x-trace': 't' },
      body: '["a","b"]',
    })
  })

  it('sends parameters named like members of Object', () => {
    const row = endpoint('POST /api/v1/names', anything)
    expect(asked(row, { constructor: 'a', toString: 'b' }).body).toBe(
      '{"constructor":"a","toString":"b"}',
    )
  })

  it('rejects a parameter beside one that is the whole body', () => {
    const row = {
      params: t.type({ lines: t.array(t.number), note: t.string, rest: t.array(t.number) }),
      success: t.unknown,
    }
    const given = { lines: [1], note: 'lost?', rest: [] }
    const one = endpoint('POST /api/v1/lines', { ...row, at: { lines: 'whole body' } })
    expect(ask(one, given)).toMatchObject(
      E.left([
        {
          path: 'note',
          expected:
            'omitted, or placed outside the body with "at", because lines is the entire body',
          actual: 'text of 5 characters',
        },
      ]),
    )
    const two = endpoint('POST /api/v1/lines', {
      ...row,
      at: { lines: 'whole body', rest: 'whole body', note: 'query' },
    })
    expect(ask(two, given)).toMatchObject(E.left([{ path: 'rest', actual: 'list of 0' }]))
  })
})

describe('a GET', () => {
  it('carries its parameters in the query, numbers as text, and has no body', () => {
    expect(
      asked(charges.list, {
        page_num: 3,
        page_size: 2_000,
        status: 'SETTLED',
        from_created_at: '2024-05-06T07:08:09+0000',
        to_created_at: new Date(Date.UTC(2024, 4, 7)),
      }),
    ).toEqual({
      method: 'GET',
      path: '/api/v1/charges',
      target:
        '/api/v1/charges?page_num=3&page_size=2000&status=SETTLED' +
        '&from_created_at=2024-05-06T07%3A08%3A09%2B0000' +
        '&to_created_at=2024-05-07T00%3A00%3A00%2B0000',
      headers: {},
    })
  })

  it('has no query without parameters, and leaves out those that are undefined', () => {
    expect(asked(charges.list, undefined).target).toBe('/api/v1/charges')
    expect(asked(charges.list, { status: undefined, source: 's' }).target).toBe(
      '/api/v1/charges?source=s',
    )
  })

  it('writes a Date that no codec knows like other times, and other values as JSON', () => {
    const since = new Date(Date.UTC(2026, 0, 2, 3, 4, 5, 678))
    const { target } = asked(charges.list, { since, between: [since, since], n: 1, yes: true })
    expect([...new URL(target, 'http://host.test').searchParams]).toEqual([
      ['since', '2026-01-02T03:04:05+0000'],
      ['between', '2026-01-02T03:04:05+0000'],
      ['between', '2026-01-02T03:04:05+0000'],
      ['n', '1'],
      ['yes', 'true'],
    ])
  })

  it('encodes any text in its query', () => {
    const row = endpoint('GET /api/v1/charges', anything)
    const texts = fc.dictionary(
      fc.string({ minLength: 1 }).filter((name) => name !== '__proto__'),
      fc.string({ unit: 'grapheme' }),
      { noNullPrototype: true },
    )
    forAll(texts, (params) => {
      const url = new URL(asked(row, params).target, 'http://host.test')
      expect(Object.fromEntries(url.searchParams)).toEqual(params)
      expect(url.search).not.toMatch(/[ "<>]/)
    })
  })
})

describe('a path', () => {
  const row = endpoint('GET /api/v1/charges/{id}', {
    params: t.type({ id: t.string }),
    success: t.unknown,
  })

  it('encodes any text', () => {
    const names = fc
      .string({ minLength: 1, unit: 'grapheme' })
      .filter((name) => name !== '.' && name !== '..')
    forAll(names, (id) => {
      const { pathname, search, hash } = new URL(asked(row, { id }).target, 'http://host.test')
      expect([search, hash]).toEqual(['', ''])
      expect(pathname.split('/').slice(0, -1)).toEqual(['', 'api', 'v1', 'charges'])
      expect(decodeURIComponent(pathname.split('/')[4] ?? '')).toBe(id)
    })
  })

  it.each([
    [{ id: '' }, 'text of 0 characters'],
    [{ id: '.' }, 'text of 1 character'],
    [{ id: '..' }, 'text of 2 characters'],
    [{ id: 'half \ud83d' }, 'text of 6 characters'],
    [{ id: 5 }, 'number 5'],
    [{ id: undefined }, expect.any(String)],
    [{}, 'missing'],
  ])('refuses %j, with and without checks', (params, actual) => {
    for (const check of [true, false]) {
      expect(ask(row, params, check)).toMatchObject(E.left([{ path: 'id', actual }]))
    }
  })

  it('says what it takes', () => {
    const expected = expect.stringContaining('Unicode text')
    expect(ask(row, { id: 'half \ud83d' })).toMatchObject(E.left([{ expected }]))
  })
})

describe('checks', () => {
  it.each([
    ['page_size', { page_size: 9 }],
    ['page_size', { page_size: 2_001 }],
    ['page_num', { page_num: -1 }],
    ['page_num', { page_num: 1.5 }],
    ['status', { status: 'settled' }],
    ['currency', { currency: 'usd' }],
    ['currency', { currency: 'USd' }],
    ['from_created_at', { from_created_at: 'yesterday' }],
    ['to_created_at', { to_created_at: new Date(Number.NaN) }],
    ['from_created_at', { from_created_at: new Date(Date.UTC(10_000, 0)) }],
    ['from_created_at', { from_created_at: new Date(Date.UTC(-1, 0)) }],
  ])('refuse a wrong %s: %j', (path, params) => {
    expect(ask(charges.list, params)).toMatchObject(E.left([{ path }]))
  })

  it('name the first of several errors, and repeat no text', () => {
    const made = ask(charges.create, { amount: 'a lot', currency: 'USD', reason: 'gift' })
    expect(made).toMatchObject(
      E.left([
        { path: 'amount', actual: 'text of 5 characters' },
        { path: 'reason' },
        { path: 'reference' },
        { path: 'source' },
      ]),
    )
    expect(JSON.stringify(made)).not.toContain('a lot')
  })

  it('say how to pass an object of a decimal library', () => {
    class Decimal {
      readonly digits = '12.50'
      toFixed = () => this.digits
    }
    const params = { ...{ currency: 'USD', reason: 'gift', reference: 'r', source: 's' } }
    for (const amount of [new Decimal(), Object(12.5)]) {
      const actual =
        amount instanceof Decimal ? 'a decimal object (pass amount.toFixed())' : 'object'
      const made = ask(charges.create, { ...params, amount })
      expect(made).toMatchObject(
        E.left(expect.arrayContaining([expect.objectContaining({ path: 'amount', actual })])),
      )
    }
  })

  it('accept fields that no codec knows', () => {
    expect(asked(charges.list, { settled_by: 'x' }).target).toBe('/api/v1/charges?settled_by=x')
  })

  const own: Record<string, unknown> = {}
  own.own = own

  it.each<readonly [string, unknown, string]>([
    ['a function', { a: () => 1, b: 'x' }, 'object with function at a'],
    ['a function alone', () => 'x', 'function'],
    ['a symbol alone', Symbol('x'), 'symbol'],
    ['a function in a list', ['x', () => 'x'], 'list of 2 with function at 1'],
    ['nothing at the end of a list', ['x', undefined], 'list of 2 with undefined at 1'],
    ['a bigint alone', 10n, 'bigint'],
    ['an object that holds itself', own, 'something else'],
    ['a symbol in a list', [{ a: [Symbol('x')] }], 'list of 1 with symbol at 0.a'],
    ['nothing in a list', { a: [undefined, 1] }, 'object with undefined at a.0'],
    ['no number', { a: { b: Number.NaN } }, 'object with number NaN at a.b'],
    ['no number alone', Number.NEGATIVE_INFINITY, 'number -Infinity'],
    ['no time', { a: new Date(Number.NaN) }, 'object with invalid Date at a'],
    ['no time in a list', [new Date(Number.NaN)], 'list of 1 with invalid Date at 0'],
    ['no time alone', new Date(Number.NaN), 'invalid Date'],
    ['a function that another value stands for', { toJSON: () => ({ a: () => 1 }) }, 'object with'],
    ['a bigint', { n: 10n }, 'object with bigint at n'],
    ['a Map', { a: [new Map([[1, 2]])] }, 'object with Map at a.0'],
    ['a Set alone', new Set([1]), 'Set'],
    ['a RegExp', { a: /x/ }, 'object with RegExp at a'],
    ['a Promise', { a: Promise.resolve(1) }, 'object with Promise at a'],
    ['parameters of a URL', { a: new URLSearchParams('b=1') }, 'object with URLSearchParams at a'],
    [
      'an object without fields of its own',
      { a: new (class Point {})() },
      'object with Point at a',
    ],
    ['no number in a box', { a: Object(Number.NaN) }, 'object with number NaN at a'],
  ])('refuse what JSON would leave out, at any depth: %s', (_, extra, actual) => {
    for (const check of [true, false]) {
      for (const row of [batchTransfers.create, charges.list]) {
        expect(ask(row, { request_id: 'b', extra }, check)).toMatchObject(
          E.left([
            {
              path: 'extra',
              expected: 'a JSON-serializable value',
              actual: expect.stringContaining(actual),
            },
          ]),
        )
      }
    }
  })

  it('reject them in fields of a codec, and in unchecked times', () => {
    const metadata = { a: () => 1, b: 'x' }
    expect(ask(batchTransfers.create, { request_id: 'b', metadata })).toMatchObject(
      E.left([{ path: 'metadata', actual: 'object with function at a' }]),
    )
    const to_created_at = new Date(Number.NaN)
    expect(ask(charges.list, { to_created_at }, false)).toMatchObject(
      E.left([{ path: 'to_created_at', actual: 'invalid Date' }]),
    )
  })

  it('accept values with toJSON', () => {
    const shared = { at: new Date(0), none: undefined, null: null }
    const money = { toJSON: (name: string) => `${name}: 1.00` }
    const own = new (class {
      readonly net = 1
    })()
    const metadata = { one: shared, two: [shared], money, own }
    expect(asked(batchTransfers.create, { request_id: 'b', name: 'n', metadata }).body).toBe(
      JSON.stringify({ request_id: 'b', name: 'n', metadata }),
    )
  })

  it('reject values nested too deeply for JSON', () => {
    let metadata = {}
    for (let depth = 0; depth < 100_000; depth++) metadata = { metadata }
    expect(ask(batchTransfers.create, { request_id: 'b', metadata }, false)).toMatchObject(
      E.left([{ path: 'metadata', expected: 'a JSON-serializable value' }]),
    )
  })

  it('that are off send parameters unchanged that the codec cannot encode', () => {
    expect(ask(batchTransfers.addItems, { id: 'b' }, false)).toMatchObject(
      E.right({ target: '/api/v1/batch_transfers/b/add_items', body: '{}' }),
    )
  })

  it('that are off send only the fields of the codec', () => {
    const webhook = { id: 'wh_1', url: 'https://a.test/new', secret: 'whsec_1', events: [] }
    expect(ask(webhooks.update, webhook, false)).toMatchObject(
      E.right({ body: '{"url":"https://a.test/new"}' }),
    )
  })
})

describe('a header', () => {
  const row = endpoint('GET /api/v1/pa/reference/bin/lookup', {
    params: t.type({ number: t.string }),
    success: t.unknown,
    at: { number: 'header x-pan' },
  })

  it('holds its parameter, which is in neither path nor query', () => {
    expect(asked(row, { number: '4111111111111111' })).toEqual({
      method: 'GET',
      path: '/api/v1/pa/reference/bin/lookup',
      target: '/api/v1/pa/reference/bin/lookup',
      headers: { 'x-pan': '4111111111111111' },
    })
  })

  it('is rejected without being repeated if `fetch` would reject it', () => {
    for (const number of ['4111\r\nx-evil: 1', '41\u{4f60}11', ' 4111', '4111\t', '']) {
      const made = ask(row, { number })
      expect(made).toMatchObject(E.left([{ path: 'number', actual: 'another value' }]))
      expect(JSON.stringify(made)).not.toContain('4111')
    }
  })
})

it('never changes the parameters of its caller', () => {
  const given = Object.freeze({ page_size: 50, from_created_at: new Date(0) })
  asked(charges.list, given)
  expect(given).toEqual({ page_size: 50, from_created_at: new Date(0) })
})
