/** Rows of one's own from code without types: what is wrong is named before anything is sent. */
import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { byNumber, Charge, endpoint, InvalidOption } from '../../src/index.js'
import { lab } from '../support/lab.js'

const good = { params: t.type({ id: t.string }), success: Charge }

/** As a program without types calls it. */
const asked = (route: string, row: object): unknown => {
  const { client } = lab()
  const made: unknown = Reflect.apply(endpoint, undefined, [route, { ...good, ...row }])
  return Reflect.apply(client.request, undefined, [made])
}

describe('a row', () => {
  it.each(['GET /api/v2/things/{id}', 'POST /api/v2/things'])('may be of %s', (route) => {
    expect(asked(route, {})).toBeInstanceOf(Function)
    expect(asked(route, { paging: byNumber(10) })).toBeInstanceOf(Function)
  })

  it('may say more than is asked of it', () => {
    const { client } = lab()
    const row = { ...endpoint('GET /api/v2/things/{id}', good), doc: 'mine' }
    expect(client.request(row)).toBeInstanceOf(Function)
  })

  it.each([
    'DELETE /api/v2/things',
    'get /api/v2/things',
    'GET api/v2/things',
    'GET /api/v2/things?all=true',
    'POST /api/v2/things#all',
    '/api/v2/things',
    '',
  ])('is of no route %o', (route) => {
    expect(() => asked(route, {})).toThrow(InvalidOption)
    expect(() => asked(route, {})).toThrow(
      /^request\S* route should be GET or POST and a path without a query, such as 'GET /,
    )
  })

  it.each([
    [{ params: undefined }, /params should be an io-ts codec.* missing/],
    [{ success: { a: 1 } }, /success should be an io-ts codec.* an object/],
    [{ paging: 5 }, /paging should be byNumber\(size\) or byCursor\(size\)/],
    [{ paging: { style: 'numbers', first: {} } }, /paging should be byNumber/],
    [{ status: 204 }, /status should be 200 or 201/],
    [{ answer: 'text' }, /answer should be one of 'json', 'anything'/],
    [{ auth: 'none at all' }, /auth should be one of/],
    [{ repeatable: 'always' }, /repeatable should be one of 'by request_id'/],
    [{ errors: { 400: 'bad' } }, /errors\.400 should be a list of strings/],
    [{ otherErrors: [1] }, /otherErrors\[0\] should be a string/],
    [{ foundBy: 'charges' }, /foundBy should be the route of an API list/],
    [{ rules: 1 }, /rules should be a function/],
    [{ knownBy: 'id' }, /knownBy should be a list of strings/],
    [{ at: 1 }, /at should be an object with the place of each parameter/],
    [{ at: new Map([['id', 'query']]) }, /at should be an object with the place of each parameter/],
    [{ at: { a: 'path' } }, /at\.a should be 'query' or a header such as 'header x-name'/],
    [{ at: { a: 'cookie' } }, /at\.a should be/],
    [{ at: { a: 'headers x-a' } }, /at\.a should be/],
    [{ at: { a: 'header x y' } }, /at\.a should be/],
    [{ at: { a: 'header ' } }, /at\.a should be/],
    [{ at: { a: 'header x-ä' } }, /at\.a should be/],
    [{ at: { a: 1 } }, /at\.a should be/],
    [{ at: { a: 'whole body' } }, /at\.a should be/],
  ])('is none with %o', (row, message) => {
    expect(() => asked('GET /api/v2/things/{id}', row)).toThrow(InvalidOption)
    expect(() => asked('GET /api/v2/things/{id}', row)).toThrow(message)
  })

  it('for a POST has a body, and places in it', () => {
    const route = 'POST /api/v2/things'
    for (const place of ['query', 'whole body', 'header x-a', undefined]) {
      expect(asked(route, { at: { a: place } })).toBeInstanceOf(Function)
    }
    const wrong = () => asked(route, { at: { a: 'body' } })
    expect(wrong).toThrow(/at\.a should be 'query', 'whole body' or a header such as/)
  })

  it('says where its request_id stands, when the whole body is something else', () => {
    const row = { at: { lines: 'whole body' }, repeatable: 'by request_id' }
    expect(() => asked('POST /api/v2/things', row)).toThrow(
      "request: at.request_id should be 'query' or a header, because another parameter is the whole body",
    )
    const placed = { ...row, at: { ...row.at, request_id: 'header x-request' } }
    expect(asked('POST /api/v2/things', placed)).toBeInstanceOf(Function)
  })

  it('is no text', () => {
    const { client } = lab()
    expect(() => Reflect.apply(client.request, undefined, ['GET /x'])).toThrow(InvalidOption)
  })
})
