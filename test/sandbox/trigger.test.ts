import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { documentedEvents, eventNames } from '../../src/codec/Webhook.js'
import { type TriggerOptions, trigger } from '../../src/sandbox/index.js'
import { createReceiver } from '../../src/webhooks/index.js'
import { virtualTime } from '../support/idleClock.js'

const url = 'https://shop.test/hooks'
const secret = 'example-webhook-secret'

/** Triggers an event; returns the bodies that arrived, parsed, and what came back. */
const triggered = async (options: Pick<TriggerOptions, 'event'> & Partial<TriggerOptions>) => {
  const { timer, run } = virtualTime()
  const arrived: Array<{ readonly body: Record<string, unknown>; readonly request: Request }> = []
  const results = await run(
    trigger({
      ...{ url, secret, timer },
      deliver: async (request) => {
        arrived.push({ body: JSON.parse(await request.clone().text()), request })
        return new Response()
      },
      ...options,
    }),
  )
  return { arrived, results, data: Object(arrived[0]?.body.data) }
}

it('knows the 31 events of the interface', () => {
  expect(new Set(documentedEvents).size).toBe(31)
})

it.each(eventNames)('a receiver believes %s, and reads its payload', async (event) => {
  const { timer, run, pass } = virtualTime()
  const receiver = createReceiver({ secret, timer })
  const names: Array<string> = []
  const failures: Array<unknown> = []
  receiver.events.subscribe((came) => names.push(came._tag === 'Right' ? came.right.name : ''))
  receiver.failures.subscribe((failure) => failures.push(failure))
  const [delivery] = await run(trigger({ event, url, secret, timer, deliver: receiver.fetch }))
  expect(delivery).toMatchObject({ status: 200, isGenuine: true, isRight: true })
  await pass(1)
  expect(failures).toEqual([])
  expect(names).toEqual([event])
})

it('signs the text with the secret', async () => {
  const { results, arrived } = await triggered({ event: 'account.active' })
  const request = arrived[0]?.request
  const text = (request?.headers.get('x-timestamp') ?? '') + results[0]?.body
  const signature = createHmac('sha256', secret).update(text).digest('hex')
  expect(request?.headers.get('x-signature')).toBe(signature)
  expect(request?.method).toBe('POST')
})

describe('the payload of a version', () => {
  it.each(['account.dormant', 'account.closed'] as const)('%s is of 2026-08-21', async (event) => {
    const { data } = await triggered({ event, apiVersion: '2026-08-21' })
    expect(data.status).toBe(event.slice('account.'.length).toUpperCase())
    const before = triggered({ event, apiVersion: '2026-08-20' })
    await expect(before).rejects.toThrow(`${event} is an event since version 2026-08-21`)
  })

  it('spend selections have source_id from 2026-08-21 on', async () => {
    for (const [apiVersion, selections] of [
      ['2026-08-20', [{}]],
      ['2026-08-21', [{ source_id: expect.any(String) }]],
    ] as const) {
      const bill = await triggered({ event: 'spend.bill.paid', apiVersion })
      expect(bill.data.line_items).toMatchObject([{ accounting_field_selections: selections }])
      expect(bill.data.line_items[0].accounting_field_selections).toEqual(selections)
      const expense = await triggered({ event: 'spend.expense.draft', apiVersion })
      expect(expense.data.accounting_field_selections).toEqual(selections)
      expect(expense.data.line_items[0].accounting_field_selections).toEqual(selections)
      expect(expense.arrived[0]?.body).toMatchObject({ account_id: null, org_id: 'org_sandbox' })
    }
  })

  const CARD = {
    card_transaction_lifecycle_id: expect.any(String),
    card_transaction_id: expect.any(String),
    card_transaction_event_id: expect.any(String),
  }

  it.each([
    ['2026-07-16', { lifecycle_id: expect.any(String), transaction_date_time: expect.any(String) }],
    ['2026-07-17', { card_transaction_data: CARD, transaction_date_time: expect.any(String) }],
    ['2026-08-20', { card_transaction_data: CARD, transaction_date_time: expect.any(String) }],
    ['2026-08-21', { card_transaction_data: CARD, transacted_at: expect.any(String) }],
  ])('issuing transactions of %s', async (apiVersion, expected) => {
    const { data } = await triggered({ event: 'issuing.transaction.succeeded', apiVersion })
    expect(data).toEqual(expected)
  })

  it.each([
    ['2026-07-16', { transaction_id: expect.any(String) }],
    ['2026-07-17', { card_transaction_data: CARD, transaction_id: expect.any(String) }],
    ['2026-08-20', { card_transaction_data: CARD, transaction_id: expect.any(String) }],
    ['2026-08-21', { card_transaction_data: CARD, card_transaction_event_id: expect.any(String) }],
  ])('disputes of %s', async (apiVersion, expected) => {
    const { data } = await triggered({ event: 'issuing.transaction_dispute.won', apiVersion })
    expect(data).toEqual(expected)
  })

  it('of a charge is of the moment of the event', async () => {
    const { arrived, data } = await triggered({ event: 'charge.settled' })
    expect(data.updated_at).toBe(arrived[0]?.body.created_at)
  })

  it('is in camel case before 2024-02-22', async () => {
    const { arrived } = await triggered({ event: 'charge.new', apiVersion: '2024-02-21' })
    expect(arrived[0]?.body).toMatchObject({
      accountId: 'acct_sandbox',
      data: { requestId: expect.any(String) },
    })
  })
})

it('sends data of the caller, also for an event that is not known', async () => {
  const { arrived } = await triggered({ event: 'brand.new.event', data: { x: [1] }, id: 'evt_7' })
  expect(arrived[0]?.body).toMatchObject({ id: 'evt_7', name: 'brand.new.event', data: { x: [1] } })
})

it.each([
  [{ event: 'acount.active' }, 'did you mean account.active?'],
  [{ event: 'account.active', url: 'ftp://x' }, 'url should be an HTTP or HTTPS URL'],
  [{ event: 'account.active', url: 'https://user:pass@x/' }, 'without user name'],
  [{ event: 'account.active', secret: '' }, 'secret should be'],
  [{ event: 'account.active', apiVersion: 'latest' }, 'apiVersion should be a date'],
])('refuses %j', async (options, message) => {
  const refused = triggered(options)
  await expect(refused).rejects.toThrow(message)
  await expect(refused).rejects.not.toThrow('pass')
})

describe('faults', () => {
  const received = async (fault: NonNullable<TriggerOptions['fault']>) => {
    const { timer, run, pass } = virtualTime()
    const receiver = createReceiver({ secret, timer })
    const ids: Array<string> = []
    const tags: Array<string> = []
    receiver.on('account.active').subscribe(({ id }) => ids.push(id))
    receiver.failures.subscribe(({ _tag }) => tags.push(_tag))
    const began = timer.now()
    const options = { event: 'account.active', url, secret, timer, fault } as const
    const results = await run(trigger({ ...options, deliver: receiver.fetch }))
    const took = timer.now() - began
    await pass(1)
    return { ids, tags, results, took }
  }

  it('twice: the same event arrives again', async () => {
    const { ids, results } = await received('twice')
    expect(results.map(({ isRight }) => isRight)).toEqual([true, true])
    expect(results[0]?.id).toBe(results[1]?.id)
    expect(ids).toHaveLength(1)
  })

  it.each([
    ['forged', 'Forged'],
    ['stale', 'Stale'],
  ] as const)('%s: a refusal is right', async (fault, tag) => {
    const { ids, tags, results } = await received(fault)
    expect(results).toMatchObject([{ status: 401, isGenuine: false, isRight: true }])
    expect([ids, tags]).toEqual([[], [tag]])
  })

  it('late: after ten seconds', async () => {
    expect((await received('late')).took).toBeGreaterThanOrEqual(10_000)
  })

  it('a receiver that accepts what is forged is wrong', async () => {
    const { results } = await triggered({ event: 'account.active', fault: 'forged' })
    expect(results).toMatchObject([{ status: 200, isRight: false }])
  })

  it('a receiver that does not answer is told', async () => {
    const deliver = () => new Promise<Response>(() => {})
    const { results } = await triggered({ event: 'account.active', deliver })
    expect(results).toMatchObject([{ reason: 'no response in 10 s', isRight: false }])
  })
})
