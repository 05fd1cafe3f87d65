/**
 * Calls that may be given more than they need: those with a name in their route, which take the resource
 * itself, and the one that takes a card. They send only the fields that they name.
 */
import { describe, expect, it } from 'vitest'
import { pathNames } from '../../src/api/Endpoint.js'
import { rows } from '../../src/api/index.js'
import { E, pipe } from '../../src/fp.js'
import { type PrepareOptions, prepareRequest } from '../../src/http/request/prepareRequest.js'
import { examples } from './examples/index.js'

const SECRET = '737-whsec_of-the-resource'

/** Further fields of webhooks, batches, charges and cards. */
const more = {
  secret: SECRET,
  cvc: SECRET,
  number: SECRET,
  request_id: SECRET,
  metadata: { token: SECRET },
}

const NOW = Date.UTC(2026, 0, 10, 12)

const calls = examples.flatMap((example) => {
  const row = rows.find(({ route }) => route === example.route)
  const takesMore = example.route.includes('{') || example.route.endsWith('/bin/lookup')
  return row !== undefined && takesMore ? [{ ...example, row }] : []
})

it('they are these', () => {
  expect(calls.map(({ route }) => route).sort()).toEqual(
    rows
      .filter(({ route, at }) => pathNames(route).length > 0 || at.pan !== undefined)
      .map(({ route }) => route)
      .sort(),
  )
})

describe.each(calls)('$route', ({ row, params }) => {
  const sent = (given: object, options: Partial<PrepareOptions> = {}): unknown =>
    pipe(
      prepareRequest(row, { check: true, now: () => NOW, ...options })({
        ...given,
        ...Object(params),
      }),
      E.map(({ sentParams, ...asked }) => ({ ...asked, sentParams: sentParams() })),
    )

  it('sends no more than what it names, whatever it is given', () => {
    expect(sent(more)).toEqual(sent({}))
    expect(JSON.stringify(sent(more))).not.toContain(SECRET)
  })

  if (row.unspecified.includes('params')) return // unchecked, those are sent as they are

  it('nor does it without checks', () => {
    expect(sent(more, { check: false })).toEqual(sent({}, { check: false }))
  })
})
