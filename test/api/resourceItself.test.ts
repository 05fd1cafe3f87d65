/**
 * Calls that may be given more than they need: those with a name in their route, which take the resource
 * itself, and the one that takes a card. They send only the fields that they name.
 */
import { type Observable, take } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { pathNames, untyped } from '../../src/api/Endpoint.js'
import { rows } from '../../src/api/index.js'
import type { ClientOptions } from '../../src/index.js'
import { lab } from '../support/lab.js'
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

const PARTNER = { clientId: 'partner', clientSecret: 'open sesame' }

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
  /** The request of a call that is given this, besides what it needs. */
  const sent = (given: object, options: Pick<ClientOptions, 'check'> = {}) => {
    const { client, run, calls } = lab({ partner: PARTNER, ...options })
    const call: (params: unknown) => Observable<unknown> = client.request(untyped(row))
    run(call({ ...given, ...Object(params) }).pipe(take(1)))
    const { url, headers, body } = calls()[0]?.request ?? {}
    return { url, headers, body }
  }

  it('sends no more than what it names, whatever it is given', () => {
    expect(sent({}).url).toBeDefined()
    expect(sent(more)).toEqual(sent({}))
    expect(JSON.stringify(sent(more))).not.toContain(SECRET)
  })

  if (row.unspecified.includes('params')) return // unchecked, those are sent as they are

  it('nor does it without checks', () => {
    expect(sent(more, { check: false })).toEqual(sent({}, { check: false }))
  })
})
