import * as fc from 'fast-check'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { type EventName, eventNames, type KnownEvent } from '../../src/codec/Webhook.js'
import { type Payload, payloadOf, WebhookEvent } from '../../src/codec/WebhookEvent.js'
import { causes } from '../../src/decode/index.js'
import { E, pipe } from '../../src/fp.js'
import type { UndecodableEvent, WebhookFailure } from '../../src/webhooks/index.js'
import { runs } from '../support/runs.js'
import { chance, json } from './chance.js'

const read = (raw: unknown): WebhookEvent => {
  const event = WebhookEvent.decode(raw)
  if (E.isLeft(event)) throw new Error(JSON.stringify(causes(event.left)))
  return event.right
}

const newer = {
  id: 'evt_1',
  name: 'account.dormant',
  account_id: 'acct_1',
  org_id: null,
  data: { id: 'acct_1', status: 'DORMANT', someKey: 1 },
  created_at: '2026-09-01T08:30:00+00:00',
  version: '2026-08-21',
  added_later: true,
}

const charge = {
  id: 'chg_1',
  amount: 9.99,
  currency: 'EUR',
  reason: 'travel',
  reference: 'Order 17',
  requestId: 'r-1',
  source: 'acct_1',
  fee: 0.1,
  shortReferenceId: 'CH-1',
  status: 'SETTLED',
  createdAt: '2024-01-01T00:00:00+0000',
  updatedAt: '2024-01-01T00:00:00+0000',
  metadata: { orderNumber: '17' },
}

const older = { id: 'evt_2', name: 'charge.settled', accountId: 'acct_1', data: charge }

describe('the envelope', () => {
  it('is seen in one way, and kept as it came', () => {
    expect(read(newer)).toEqual({
      id: 'evt_1',
      name: 'account.dormant',
      account_id: 'acct_1',
      org_id: null,
      data: { id: 'acct_1', status: 'DORMANT', someKey: 1 },
      created_at: '2026-09-01T08:30:00+00:00',
      version: '2026-08-21',
      raw: newer,
    })
    expect(WebhookEvent.encode(read(newer))).toBe(newer)
  })

  it('may be in camel case, with its data', () => {
    const { requestId, shortReferenceId, createdAt, updatedAt, ...same } = charge
    expect(read(older)).toEqual({
      id: 'evt_2',
      name: 'charge.settled',
      account_id: 'acct_1',
      data: {
        ...same,
        request_id: requestId,
        short_reference_id: shortReferenceId,
        created_at: createdAt,
        updated_at: updatedAt,
      },
      raw: older,
    })
  })

  it.each([
    ['of an older version', { version: '2024-02-21' }, 'delta_x'],
    ['without a version, in a camel case envelope', { accountId: null }, 'delta_x'],
    [
      'with an empty version, in a camel case envelope',
      { version: null, createdAt: 'x' },
      'delta_x',
    ],
    ['of a newer version', { version: '2024-02-22', accountId: 'a' }, 'deltaX'],
    ['that says nothing of its age', {}, 'deltaX'],
    ['without a version, in a snake case envelope', { account_id: 'acct_1' }, 'deltaX'],
    ['whose version is empty, in such an envelope', { version: '', account_id: 'a' }, 'deltaX'],
  ])('%s has its keys brought to snake case, or left', (_, more, key) => {
    const raw = { id: 'evt_3', name: 'made.later', data: { map: { deltaX: 2 } }, ...more }
    expect(read(raw).data).toEqual({ map: { [key]: 2 } })
  })

  it('goes by its newer spelling where it has both', () => {
    expect(read({ ...newer, account_id: null, accountId: 'acct_9' }).account_id).toBeNull()
  })

  it('needs nothing else: what cannot be read is left out, and is in raw', () => {
    const odd = { ...newer, created_at: 1_700_000_000_000, createdAt: newer.created_at, org_id: 7 }
    const event = read(odd)
    expect(event.created_at).toBe(newer.created_at)
    expect('org_id' in event).toBe(false)
    expect(event.raw).toEqual(odd)
    expect('created_at' in read({ ...newer, created_at: 1_700_000_000_000 })).toBe(false)
  })

  it('needs id, name and data', () => {
    const first = (raw: unknown) => pipe(WebhookEvent.decode(raw), E.mapLeft(causes), E.swap)
    for (const key of ['id', 'name', 'data'] as const) {
      const { [key]: _, ...rest } = newer
      expect(first(rest)).toMatchObject({ right: [{ path: key, actual: 'missing' }] })
    }
    expect(first({ ...newer, name: 7 })).toMatchObject({ right: [{ path: 'name' }] })
    expect(first([])).toMatchObject({ right: [{ path: '' }] })
    expect(E.isRight(WebhookEvent.decode({ id: 'e', name: 'n', data: null }))).toBe(true)
  })

  it('reads back what it writes', () => {
    const raws = fc.noShrink(fc.nat()).map((seed) => {
      const random = chance(seed)
      const version = random() < 0.5 ? {} : { version: '2026-08-21' }
      return { ...Object(json(3)(random)), id: 'e', name: 'n', data: json(4)(random), ...version }
    })
    fc.assert(
      fc.property(raws, (raw) => {
        const event = WebhookEvent.decode(raw)
        expect(pipe(event, E.map(WebhookEvent.encode), E.chain(WebhookEvent.decode))).toEqual(event)
      }),
      { numRuns: runs(2_000) },
    )
  })
})

describe('event names', () => {
  it('are those of the interface and those seen elsewhere', () => {
    expect(eventNames).toHaveLength(31 + 5 + 19 + 2)
    expect(new Set(eventNames).size).toBe(eventNames.length)
  })

  it('are completed, and open', () => {
    expectTypeOf<'spend.bill.paid'>().toExtend<KnownEvent>()
    expectTypeOf<string>().toExtend<EventName>()
    expectTypeOf<string>().not.toExtend<KnownEvent>()
  })
})

const payload = (name: string, data: unknown) =>
  payloadOf(read({ id: 'e', name, data, version: '2026-08-21' }))

const selections = [{ source_id: 'src_1', name: 'kept' }, {}]

const bill = { line_items: [{ accounting_field_selections: selections }] }

const expense = { accounting_field_selections: selections, ...bill }

const card = {
  card_transaction_data: {
    card_transaction_lifecycle_id: 'l',
    card_transaction_id: 't',
    card_transaction_event_id: 'e',
  },
}

describe('payloads', () => {
  it.each([
    ['account.closed', { id: 'a', status: 'CLOSED' }, 'Account', 'account'],
    ['spend.bill.paid', bill, 'Bill', 'bill'],
    ['spend.expense.draft', expense, 'Expense', 'expense'],
    ['issuing.transaction.failed', { ...card, transacted_at: null }, 'Transaction', 'transaction'],
    ['issuing.transaction.succeeded', { lifecycle_id: 'l' }, 'Transaction', 'transaction'],
    ['issuing.transaction_dispute.canceled', card, 'Dispute', 'dispute'],
    ['issuing.transaction_dispute.won', { transaction_id: 't' }, 'Dispute', 'dispute'],
    ['connection.disconnected', 'anything', 'Other', 'data'],
  ])('decode for %s', (name, data, tag, key) => {
    expect(payload(name, data)).toEqual(E.right({ _tag: tag, [key]: data }))
  })

  it('are what has an id, though it holds an object, too', () => {
    const data = { id: 'a', status: 'ACTIVE', object: { id: 'b' } }
    expect(payload('account.active', data)).toEqual(E.right({ _tag: 'Account', account: data }))
  })

  it('are found for every name that is known', () => {
    const tags = new Set(
      eventNames
        .filter((name) => !/^(charge|payout|partner_connection|connection)\./.test(name))
        .map((name) =>
          pipe(
            payload(name, {}),
            E.match(
              () => 'none',
              ({ _tag }) => _tag,
            ),
          ),
        ),
    )
    expect(tags).toEqual(new Set(['Account', 'Bill', 'Expense', 'Transaction', 'Dispute']))
  })

  it('for charges are charges, in either spelling, and also one level down', () => {
    const { data } = read(older)
    expect(payloadOf(read(older))).toEqual(E.right({ _tag: 'Charge', charge: data }))
    expect(payload('charge.new', { object: data })).toEqual(
      E.right({ _tag: 'Charge', charge: data }),
    )
    const spoilt = payload('charge.new', { ...Object(data), amount: '1' })
    const wrong = {
      path: 'data.amount',
      expected: 'a finite number',
      actual: 'text of 1 character',
    }
    expect(spoilt).toEqual(
      E.left({
        _tag: 'Undecodable',
        ...wrong,
        causes: [wrong],
        message: 'data.amount should be a finite number, but is text of 1 character',
      }),
    )
  })

  it.each(['payout.batch_transfers.booked', 'batch_transfers.funding.funded'])(
    'for %s are batches',
    (name) => {
      const batch = {
        id: 'b',
        request_id: 'r',
        short_reference_id: 's',
        status: 'BOOKED',
        total_item_count: 1,
        valid_item_count: 1,
        updated_at: '2026-01-01T00:00:00+0000',
      }
      expect(payload(name, batch)).toEqual(E.right({ _tag: 'BatchTransfer', batchTransfer: batch }))
    },
  )

  it('are refused when they are not what their name says', () => {
    const spoilt = payload('spend.bill.paid', {
      line_items: [{ accounting_field_selections: [{ source_id: 7 }] }],
    })
    expect(spoilt).toMatchObject(
      E.left({ path: 'data.line_items[0].accounting_field_selections[0].source_id' }),
    )
    const deeper = { object: { line_items: 'none' } }
    expect(payload('spend.bill.paid', deeper)).toMatchObject(
      E.left({ path: 'data.object.line_items' }),
    )
    for (const data of [null, 'a string', [], 7]) {
      expect(payload('charge.new', data)).toMatchObject(E.left({ _tag: 'Undecodable' }))
    }
    expect(payload('charge.new', 'a text')).toMatchObject(
      E.left({ path: 'data', actual: 'text of 6 characters' }),
    )
  })

  it('are refused as a delivery is that is no event, by one type', () => {
    expectTypeOf(payloadOf).returns.toEqualTypeOf<E.Either<UndecodableEvent, Payload>>()
    expectTypeOf<UndecodableEvent>().toExtend<WebhookFailure>()
  })
})
