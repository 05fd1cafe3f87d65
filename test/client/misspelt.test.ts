/** Misspelt parameters: a `requestId` would pay again at each run, a `fromCreatedAt` return everything. */
import type { Observable } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { shapeOf } from '../../scripts/reference/schemaOf.js'
import type { AnyEndpoint } from '../../src/api/Endpoint.js'
import { rows } from '../../src/api/index.js'
import { E } from '../../src/fp.js'
import type { Client } from '../../src/index.js'
import { examples } from '../api/examples/index.js'
import { BATCH, item } from '../support/batch.js'
import { CHARGE, lab, NEW_CHARGE } from '../support/lab.js'

/** As JavaScript calls, or TypeScript with a variable: without the check of excess properties. */
const untyped = (call: unknown): ((params: unknown) => Observable<unknown>) => call as never

const outcome = (call: (client: Client) => unknown, params: unknown, check = true) => {
  const { client, run, sent, calls, events } = lab({
    check,
    partner: { clientId: 'partner', clientSecret: 'secret-of-the-partner' },
    play: ({ route }) => ({
      body: route.includes('charges/create') ? CHARGE : { ...BATCH, items: [] },
    }),
  })
  const out = run(untyped(call(client))(params)).map(({ value }) => value)
  return { out, sent, bodies: calls().map(({ body }) => body), events }
}

const refused = (field: string, message: string) => [
  E.left({
    ...{ _tag: 'InvalidRequest', field, message: expect.stringContaining(message) },
    ...{ endpoint: expect.any(String), attempts: 0, causes: expect.any(Array) },
    ...{ expected: expect.stringContaining('omitted'), actual: expect.any(String) },
  }),
]

const camel = (name: string): string =>
  name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

const misspellings = (name: string): ReadonlyArray<string> =>
  [camel(name), name.toUpperCase(), name.slice(1), `${name}s`].filter((one) => one !== name)

/** Every name at the top of the parameters, the optional ones as well. */
const namesOf = ({ params }: AnyEndpoint): ReadonlyArray<string> => {
  const { properties = {}, allOf = [] } = shapeOf(params)
  return [properties, ...allOf.map((one) => one.properties ?? {})].flatMap(Object.keys)
}

/** Each object in the parameters of an example but `metadata`, with its path and a way to replace it. */
const objectsIn = (
  u: unknown,
  path = '',
  replace: (one: object) => unknown = (one) => one,
): ReadonlyArray<{
  readonly path: string
  readonly value: object
  readonly replace: (one: object) => unknown
}> => {
  if (Array.isArray(u)) {
    return u.flatMap((one, i) =>
      objectsIn(one, `${path}[${i}]`, (anew) =>
        replace(u.map((old, at) => (at === i ? anew : old))),
      ),
    )
  }
  if (typeof u !== 'object' || u === null) return []
  const within = Object.entries(u).filter(([name]) => name !== 'metadata')
  return [
    { path, value: u, replace },
    ...within.flatMap(([name, one]) =>
      objectsIn(one, path === '' ? name : `${path}.${name}`, (anew) =>
        replace({ ...u, [name]: anew }),
      ),
    ),
  ]
}

const calls = examples.map((example) => {
  const row = rows.find(({ route }) => route === example.route)
  if (row === undefined) throw new Error(`no row ${example.route}`)
  return { ...example, row }
})

describe.each(calls)('$route', ({ row, params = {} }) => {
  const request = ({ request }: Client): unknown => request(row)

  it.each(namesOf(row).flatMap((name) => misspellings(name).map((wrong) => ({ name, wrong }))))(
    'refuses $wrong, and asks if $name was meant',
    ({ name, wrong }) => {
      const { [name]: value = 'text', ...others } = Object(params)
      const { out, sent } = outcome(request, { ...others, [wrong]: value })
      expect(out).toEqual(refused(wrong, `(did you mean ${name}?)`))
      expect(sent).toEqual([])
    },
  )

  it('refuses a misspelt name at any depth', () => {
    for (const { path, value, replace } of objectsIn(params)) {
      for (const [name, one] of Object.entries(value)) {
        const { [name]: _, ...others } = Object(value)
        const wrong = camel(name) === name ? `${name}s` : camel(name)
        const { out, sent } = outcome(request, replace({ ...others, [wrong]: one }))
        const field = path === '' ? wrong : `${path}.${wrong}`
        expect(out).toEqual(refused(field, `(did you mean ${name}?)`))
        expect(sent).toEqual([])
      }
    }
  })

  it('takes all names of its example', () => {
    const { out } = outcome(request, params)
    expect(JSON.stringify(out)).not.toContain('unknown parameter')
    expect(JSON.stringify(out)).not.toContain('did you mean')
  })
})

describe('a name that is like none', () => {
  const closed: Readonly<Record<string, readonly [(client: Client) => unknown, object, string]>> = {
    'charges.create': [
      ({ charges }) => charges.create,
      NEW_CHARGE,
      'amount, currency, reason, reference, source, request_id',
    ],
    'charges.list': [({ charges }) => charges.list, {}, 'currency, from_created_at'],
    'charges.snapshot': [({ charges }) => charges.snapshot, {}, 'currency, from_created_at'],
    'batchTransfers.create': [({ batchTransfers }) => batchTransfers.create, {}, 'request_id'],
    'batchTransfers.list': [({ batchTransfers }) => batchTransfers.list, {}, 'page, page_size'],
    'webhooks.create': [
      ({ webhooks }) => webhooks.create,
      { events: [], url: 'https://x', version: '2026-01-01' },
      'events, url, version, request_id',
    ],
    'webhooks.list': [({ webhooks }) => webhooks.list, {}, 'page, page_size'],
    'partnerWebhooks.list': [
      ({ partnerWebhooks }) => partnerWebhooks.list,
      {},
      'page_num, page_size',
    ],
    'reference.quota': [({ reference }) => reference.quota, {}, 'type'],
  }

  it.each(Object.entries(closed))('is refused in a closed list: %s', (_, [call, params, known]) => {
    const { out, sent } = outcome(call, { ...params, customer: 'c-1' })
    const message = `customer should be omitted: unknown parameter; the parameters are ${known}`
    expect(out).toEqual(refused('customer', message))
    expect(sent).toEqual([])
  })

  it('is refused where there are no parameters', () => {
    const { out } = outcome(({ reference }) => reference.supportedCurrencies, { currency: 'EUR' })
    expect(out).toEqual(refused('currency', 'unknown parameter, but is text of 3'))
  })

  it('from another kind of paging is refused as well', () => {
    const { out } = outcome(({ webhooks }) => webhooks.list, { page_num: 2 })
    expect(out).toEqual(refused('page_num', 'unknown parameter'))
  })

  it('is sent where the list is open: items, and whom they pay', () => {
    const bank_details = {
      account_currency: 'EUR',
      account_name: 'A',
      bank_country_code: 'DE',
      iban: 'DE00',
      tax_region: 'x',
    }
    const { beneficiary_id: _, ...paying } = item(1)
    const beneficiary = { entity_type: 'PERSONAL', bank_details, nickname: 'A' }
    const items = [{ ...paying, beneficiary, urgency: 'high' }]
    const { bodies } = outcome(({ batchTransfers }) => batchTransfers.addItems, { id: 'b', items })
    expect(bodies).toEqual([{ items }])
  })

  it('is sent inside metadata, however it is spelt', () => {
    const metadata = { requestId: 'mine', metaData: { Metadata: 1 } }
    const batch = { request_id: 'r-1', metadata }
    expect(outcome(({ batchTransfers }) => batchTransfers.create, batch).bodies).toEqual([batch])
    const items = [{ ...item(1), metadata }]
    const { bodies } = outcome(({ batchTransfers }) => batchTransfers.addItems, { id: 'b', items })
    expect(bodies).toEqual([{ items }])
  })
})

it('a misspelt name that is undefined counts as left out', () => {
  const { bodies } = outcome(({ charges }) => charges.create, {
    ...NEW_CHARGE,
    request_id: 'r-1',
    requestId: undefined,
  })
  expect(bodies).toEqual([{ ...NEW_CHARGE, request_id: 'r-1' }])
})

it('a name that may be a secret is not repeated', () => {
  const { out } = outcome(({ charges }) => charges.create, { ...NEW_CHARGE, '4111111111111111': 1 })
  expect(JSON.stringify(out)).not.toContain('4111')
  expect(out).toMatchObject([E.left({ field: '*' })])
})

it('check: false passes all names', () => {
  const { bodies } = outcome(
    ({ charges }) => charges.create,
    { ...NEW_CHARGE, request_id: 'r-1', requestId: 'r-2', customer: 'c-1' },
    false,
  )
  expect(bodies).toEqual([{ ...NEW_CHARGE, request_id: 'r-1', requestId: 'r-2', customer: 'c-1' }])
})

describe('an event says when a request_id was generated', () => {
  const generated = (params: object) =>
    outcome(({ charges }) => charges.create, params).events.filter(
      ({ _tag }) => _tag === 'RequestIdGenerated',
    )

  it('once a call, with the id', () => {
    expect(generated(NEW_CHARGE)).toEqual([
      {
        _tag: 'RequestIdGenerated',
        call: 1,
        endpoint: 'POST /api/v1/charges/create',
        requestId: 'uuid-1',
      },
    ])
  })

  it('and not for one that was given, or for a call that is not sent', () => {
    expect(generated({ ...NEW_CHARGE, request_id: 'mine' })).toEqual([])
    expect(generated({ ...NEW_CHARGE, amount: 'much' })).toEqual([])
  })
})

it('a wait for a state has names as well', () => {
  const { out, sent } = outcome(({ charges }) => charges.untilState, { id: 'c', state: ['NEW'] })
  expect(out).toEqual(refused('state', '(did you mean states?)'))
  expect(sent).toEqual([])
})
