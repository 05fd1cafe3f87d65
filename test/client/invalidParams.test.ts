/** Parameters that would be sent as something else than what they say: refused, and nothing is sent. */
import type { Observable } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E } from '../../src/fp.js'
import type { Client } from '../../src/index.js'
import { BATCH, item } from '../support/batch.js'
import { lab, NEW_CHARGE } from '../support/lab.js'

/** As JavaScript calls: without the types, which refuse most of these. */
const untyped = (call: unknown): ((params: unknown) => Observable<unknown>) => call as never

const outcome = (call: (client: Client) => unknown, params: unknown, check = true) => {
  const { client, run, sent } = lab({ check, play: () => ({ body: { items: [] } }) })
  const out = run(untyped(call(client))(params)).map(({ value }) => value)
  return { out, sent }
}

const status = 'SETTLED'

const noFields: Readonly<Record<string, unknown>> = {
  'a string': status,
  'a number': 7,
  null: null,
  'a list': [{ status }],
  'a Map': new Map([['status', status]]),
  'a URLSearchParams': new URLSearchParams({ status }),
  'a Date': new Date(0),
  'a function': () => ({ status }),
}

const calls: Readonly<Record<string, (client: Client) => unknown>> = {
  'charges.list': ({ charges }) => charges.list,
  'batchTransfers.list': ({ batchTransfers }) => batchTransfers.list,
  'batchTransfers.create': ({ batchTransfers }) => batchTransfers.create,
  'reference.quota': ({ reference }) => reference.quota,
}

const cases = Object.keys(calls).flatMap((call) =>
  Object.keys(noFields).map((as) => ({ call, as })),
)

it.each([
  ['of a class with a name of its own', Object.assign(new Error('no'), { id: 'chg_1' })],
  ['without a prototype', Object.assign(Object.create(null), { id: 'chg_1' })],
  ['frozen', Object.freeze({ id: 'chg_1' })],
])('parameters may be an object %s', (_, params) => {
  const { sent } = outcome(({ charges }) => charges.retrieve, params)
  expect(sent.map(({ route }) => route)).toContain('GET /api/v1/charges/chg_1')
})

describe('parameters without fields', () => {
  it.each(cases)('are refused: $call of $as', ({ call, as }) => {
    for (const check of [true, false]) {
      const { out, sent } = outcome(calls[call] ?? (() => {}), noFields[as], check)
      expect(out).toMatchObject([
        E.left({
          _tag: 'InvalidRequest',
          field: '',
          message: expect.stringContaining('the parameters should be an object'),
        }),
      ])
      expect(JSON.stringify(out)).not.toContain(status)
      expect(sent).toEqual([])
    }
  })

  it.each(Object.keys(noFields))('are refused by a snapshot, too: %s', (as) => {
    const { out, sent } = outcome(({ charges }) => charges.snapshot, noFields[as])
    expect(out).toMatchObject([E.left({ _tag: 'InvalidRequest', field: '' })])
    expect(sent).toEqual([])
  })
})

class Settled {
  get status(): 'SETTLED' {
    return status
  }
}

class Identified {
  readonly amount = NEW_CHARGE.amount
  readonly currency = NEW_CHARGE.currency
  readonly reason = NEW_CHARGE.reason
  readonly reference = NEW_CHARGE.reference
  readonly source = NEW_CHARGE.source
  get request_id(): string {
    return 'mine'
  }
}

class Bank {
  readonly account_currency = 'EUR'
  readonly account_name = 'A'
  readonly bank_country_code = 'DE'
  get iban(): string {
    return 'DE00'
  }
}

describe('a field that only the prototype has', () => {
  it.each([
    ['status', ({ charges }: Client) => charges.list, new Settled()],
    ['status', ({ charges }: Client) => charges.list, Object.create({ status })],
    ['status', ({ charges }: Client) => charges.snapshot, new Settled()],
    ['request_id', ({ charges }: Client) => charges.create, new Identified()],
    [
      'items[1].beneficiary.bank_details.iban',
      ({ batchTransfers }: Client) => batchTransfers.addItems,
      {
        id: 'bat_1',
        items: [
          item(0),
          {
            ...item(1),
            beneficiary_id: undefined,
            beneficiary: { entity_type: 'PERSONAL', bank_details: new Bank() },
          },
        ],
      },
    ],
    [
      'items[0].currency',
      ({ reference }: Client) => reference.upload,
      { items: [Object.create({ currency: 'USD' })], allow_partial_success: true },
    ],
  ])('is named: %s', (field, call, params) => {
    const { out, sent } = outcome(call, params)
    expect(out).toMatchObject([
      E.left({
        _tag: 'InvalidRequest',
        field,
        message: expect.stringContaining(`${field} should be a field of the object itself`),
      }),
    ])
    expect(sent).toEqual([])
  })
})

it('an object of a class is as good as any other, where its fields are its own', () => {
  class Batch {
    readonly name = 'January'
    get label(): string {
      return `batch ${this.name}`
    }
  }
  const { client, run, calls: sent } = lab({ play: () => ({ body: BATCH }) })
  expect(run(client.batchTransfers.create(new Batch()))).toMatchObject([{ value: E.right(BATCH) }])
  expect(sent().map(({ body }) => body)).toEqual([{ name: 'January', request_id: 'uuid-1' }])
})

it('an object without a prototype is one', () => {
  const { client, run, calls: sent } = lab({ play: () => ({ body: { items: [] } }) })
  run(client.charges.list(Object.assign(Object.create(null), { status })))
  expect(sent().map(({ query }) => query.get('status'))).toEqual([status])
})

it('an object that only looks like a Date is reported as an object', () => {
  for (const id of [Object.create(Date.prototype), new Proxy(new Date(0), {})]) {
    const { out } = outcome(({ charges }) => charges.retrieve, { id })
    const message = 'GET /api/v1/charges/{id}: id should be string, but is object; nothing was sent'
    expect(out).toMatchObject([E.left({ _tag: 'InvalidRequest', message })])
  }
})

it.each([
  [new Date('tomorrow'), 'is invalid Date'],
  [new Date(8.64e15), 'is Date of the year 275760'],
])('an invalid Date is reported with its fault: %o', (to_created_at, actual) => {
  for (const kind of ['list', 'snapshot'] as const) {
    const { out, sent } = outcome(({ charges }) => charges[kind], { to_created_at })
    const message = `GET /api/v1/charges: to_created_at should be a Date or an ISO 8601 time, but ${actual}; nothing was sent`
    expect(out).toMatchObject([E.left({ _tag: 'InvalidRequest', message })])
    expect(sent).toEqual([])
  }
})
