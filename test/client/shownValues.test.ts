/** Which wrong parameters an error shows: words where one of several was expected, and dates. Nothing else. */
import type { Observable } from 'rxjs'
import { describe, expect, it } from 'vitest'
import type { E } from '../../src/fp.js'
import type { Client, InvalidRequest } from '../../src/index.js'
import { BATCH, item } from '../support/batch.js'
import { lab, ME, NEW_CHARGE } from '../support/lab.js'
import { expectNoSecret, secrets } from '../support/secrets.js'

type Params = Readonly<Record<string, unknown>>

/** As JavaScript calls: without the types, which refuse most of these. */
const invalid = (call: (client: Client) => unknown, params: Params): InvalidRequest => {
  const { client, run, sent } = lab()
  const untyped = call(client) as (params: Params) => Observable<E.Either<InvalidRequest, unknown>>
  const [outcome] = run(untyped(params))
  expect(sent).toEqual([])
  if (outcome?.value._tag !== 'Left') throw new Error('it was sent')
  return outcome.value.left
}

const list = ({ charges }: Client) => charges.list
const create = ({ charges }: Client) => charges.create
const createBatch = ({ batchTransfers }: Client) => batchTransfers.create
const addItems = ({ batchTransfers }: Client) => batchTransfers.addItems

const STATUSES = '"NEW" | "PENDING" | "SETTLED" | "SUSPENDED" | "FAILED"'

describe('a wrong value of an enumeration is shown', () => {
  it.each([
    ['SETTELD', "'SETTELD' (did you mean SETTLED?)"],
    ['settled', "'settled' (did you mean SETTLED?)"],
    ['PAID', "'PAID'"],
    ['paid', "'paid'"],
  ])('%s', (status, actual) => {
    expect(invalid(list, { status })).toMatchObject({
      field: 'status',
      actual,
      message: `GET /api/v1/charges: status should be ${STATUSES}, but is ${actual}; nothing was sent`,
    })
  })

  it('in a body', () => {
    expect(invalid(create, { ...NEW_CHARGE, reason: 'good_purchased' })).toMatchObject({
      field: 'reason',
      actual: "'good_purchased' (did you mean goods_purchased?)",
    })
  })

  it('in an item of a list', () => {
    const items = [item(1), { ...item(2), transfer_method: 'SWIFTT' }]
    expect(invalid(addItems, { id: 'bat_1', items })).toMatchObject({
      field: 'items[1].transfer_method',
      actual: "'SWIFTT' (did you mean SWIFT?)",
    })
  })
})

describe('a wrong date is shown', () => {
  it.each([
    ['2026-02-30', "'2026-02-30', a day that does not exist"],
    ['2026-13-01', "'2026-13-01', a day that does not exist"],
    ['2026-02-30T10:00:00+0000', "'2026-02-30T10:00:00+0000', a day that does not exist"],
    ['2026-01-31T25:00', "'2026-01-31T25:00'"],
    ['31.01.2026', "'31.01.2026'"],
    ['2026/01/31', "'2026/01/31'"],
  ])('%s', (date, actual) => {
    const from = { from_created_at: date }
    expect(invalid(list, from)).toMatchObject({ field: 'from_created_at', actual })
    expect(invalid(({ charges }) => charges.snapshot, from)).toMatchObject({ actual })
    const batch = { request_id: 'payroll-1', transfer_date: date }
    expect(invalid(createBatch, batch)).toMatchObject({
      field: 'transfer_date',
      message: `POST /api/v1/batch_transfers/create: transfer_date should be an ISO 8601 date, such as "2026-01-31", but is ${actual}; nothing was sent`,
    })
  })
})

it('a date that is past is shown', () => {
  const past = { request_id: 'payroll-1', transfer_date: '1969-12-01' } // it is 1970
  expect(invalid(createBatch, past)).toMatchObject({
    expected: 'today or later',
    actual: "'1969-12-01'",
  })
})

describe('nothing else is', () => {
  const texts = [
    ...Object.values(secrets),
    secrets.cardNumber.replace(/(\d{4})(?=\d)/g, '$1-'),
    secrets.cardNumber.replace(/(\d{4})(?=\d)/g, '$1/'),
    `2026-01-31T${secrets.cardNumber}`,
    `2026-01-31 ${secrets.cardNumber}`,
    `PAID${secrets.cardNumber}`,
    'GB29NWBK60161331926819',
    'Jane Doe',
    'paid to Jane',
    'kWjdhsAKHSdkjhKLSHDkjhasdKJH',
    'SECRET123',
  ]

  it.each(texts)('not %s', (text) => {
    const failures = [
      invalid(list, { status: text }),
      invalid(list, { from_created_at: text }),
      invalid(create, { ...NEW_CHARGE, reason: text }),
      invalid(createBatch, { ...BATCH, transfer_date: text }),
    ]
    for (const failure of failures) {
      const shown = JSON.stringify(failure)
      expect(shown).not.toContain(JSON.stringify(text).slice(1, -1))
      expectNoSecret(shown)
    }
  })

  it('not a text that is the key of the client', () => {
    const { client, run } = lab({ credentials: { ...ME, apiKey: 'pa.secret' } })
    const params: object = { status: 'pa.secret' }
    expect(JSON.stringify(run(client.charges.list(Object(params))))).not.toContain('pa.secret')
  })

  it.each(['Visa', '12,50', 'x'])('not %s for an amount', (amount) => {
    const length = `text of ${amount.length} character${amount.length === 1 ? '' : 's'}`
    expect(invalid(create, { ...NEW_CHARGE, amount }).actual).toBe(length)
  })

  it('not what a response has in place of a known value', () => {
    const { client, run } = lab({ play: () => ({ body: { id: 'a', created_at: '2026-02-30' } }) })
    expect(JSON.stringify(run(client.charges.retrieve({ id: 'a' })))).not.toContain('2026-02-30')
  })
})
