/** A service reads the params out of a request that the client wrote into it: for all rows at once. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AnyEndpoint, paramsAt } from '../../src/api/Endpoint.js'
import { rows } from '../../src/api/index.js'
import { E } from '../../src/fp.js'
import { prepareRequest } from '../../src/http/request/prepareRequest.js'
import { arbitrary } from '../codec/arbitrary.js'
import { runs } from '../support/runs.js'
import { received } from './received.js'

/** When nothing is too old: orders and days of any year pass. */
const EVER = Number.NEGATIVE_INFINITY

/** With a `request_id` of its own, where it has one: two items with the same one are refused. */
const ownId = (item: object, n: number): object =>
  'request_id' in item ? { ...item, request_id: `item-${n}` } : item

/** With what the client adds, and without what a query cannot hold: an empty list, a field of any shape. */
const ready = (row: AnyEndpoint, drawn: unknown): object => {
  const { added_later, types, ...given } = Object(drawn)
  return {
    ...(row.repeatable === 'by request_id' ? { request_id: 'generated' } : {}),
    ...given,
    ...(Array.isArray(given.items) ? { items: given.items.map(ownId) } : {}),
    ...(Array.isArray(types) && types.length > 0 ? { types } : {}),
  }
}

// the login's parameters are headers of any text, and tested with the tokens
const calls = rows.filter(({ auth }) => auth !== 'none')

describe.each(calls)('$route', (row) => {
  const write = prepareRequest(row, { check: true, now: () => EVER })
  const codec = paramsAt(EVER)(row)

  it('carries its parameters', () => {
    fc.assert(
      fc.property(arbitrary(row.params), (drawn) => {
        const given = ready(row, drawn)
        const asked = write(given)
        if (E.isLeft(asked)) {
          expect(asked.left[0].path).toBe('id') // no segment of a path
        } else {
          expect(codec.decode(received(row, asked.right))).toEqual(codec.decode(given))
        }
      }),
      { numRuns: runs(200) },
    )
  })
})
