/** No secret of a webhook shows, however a delivery ends, nor a signature, nor what was in a body. */
import { createHmac } from 'node:crypto'
import { firstValueFrom, VirtualTimeScheduler } from 'rxjs'
import { expect, it } from 'vitest'
import { E } from '../../src/fp.js'
import {
  createReceiver,
  createVerifier,
  type Delivery,
  InvalidOption,
  payloadOf,
  type ReceiverOptions,
  type WebhookEvent,
} from '../../src/webhooks/index.js'
import { everything, expectNoSecret, secrets } from '../support/secrets.js'
import { headers, NOW, sign } from './support.js'

const secret = secrets.webhookSecret

/** A body that holds every secret. */
const all = Object.values(secrets)
const body = JSON.stringify({ id: 7, name: all, data: Object.fromEntries(all.map((s) => [s, s])) })

const signed = headers(body, { secret })
const signature = sign(body, { secret })

const spoilt = (header: string, value: string): Delivery => ({
  headers: { ...signed, [header]: value },
  body,
})

/** Ways in which a delivery is not believed, by what becomes of it. */
const ways: Readonly<Record<string, Delivery>> = {
  NotRaw: { headers: signed, body: JSON.parse(body) },
  'Unsigned, for a secret in the time': spoilt('x-timestamp', secret),
  'Unsigned, for two': { headers: { ...signed, 'x-signature': [signature, secret] }, body },
  'Forged, by two that were joined': spoilt('x-signature', `${signature}, ${secret}`),
  'Forged, by the secret itself': spoilt('x-signature', secret),
  'Forged, by a part of the signature': spoilt('x-signature', signature.slice(0, 62)),
  'Forged, in Base64': spoilt('x-signature', Buffer.from(secret).toString('base64')),
  Stale: { headers: headers(body, { secret, timestamp: '1' }), body },
  Undecodable: { headers: signed, body },
  'Undecodable, for it is no JSON': {
    headers: headers(`${secret}${body}`, { secret }),
    body: `${secret}${body}`,
  },
}

const options = (): ReceiverOptions => {
  const timer = new VirtualTimeScheduler()
  timer.frame = NOW
  return { secret: [secret, secrets.clientSecret], timer }
}

const expectNothing = (told: ReadonlyArray<unknown>): void => {
  for (const text of told.flatMap(everything)) {
    expectNoSecret(text)
    for (const part of [signature.slice(0, 16), createHmac('sha256', secret).digest('hex')]) {
      expect(text.toLowerCase()).not.toContain(part)
    }
  }
}

it.each(Object.entries(ways))('when it is %s', async (way, delivery) => {
  const verify = createVerifier(options())
  const verifying = verify(delivery)
  const came = await firstValueFrom(verifying)
  if (E.isRight(came)) throw new Error('was believed')
  expect(way).toMatch(new RegExp(`^${came.left._tag}\\b`))
  expect(came.left.message).not.toContain('\n')
  expectNothing([verify, verifying, came, came.left.message])
})

const { NotRaw: _, ...sent } = ways

it.each(Object.entries(sent))('to a receiver, when it is %s', async (_, { headers, body }) => {
  const settings = options()
  const receiver = createReceiver(settings)
  const told: Array<unknown> = []
  receiver.events.subscribe((came) => told.push(came))
  const request = new Request('https://shop.test/', {
    method: 'POST',
    headers: new Headers(Object.entries(headers)),
    body: String(body),
  })
  const answer = await receiver.fetch(request)
  if (settings.timer instanceof VirtualTimeScheduler) settings.timer.flush()
  expect(told).toHaveLength(1)
  expect([...answer.headers]).toEqual([])
  expectNothing([receiver, told, answer, await answer.text()])
})

it('when an option is wrong', () => {
  for (const wrong of [`${secret}\n`, ` ${secret}`, [secret, ''], { secret }]) {
    const make = () => createVerifier({ secret: wrong as unknown as string })
    expect(make).toThrow(InvalidOption)
    try {
      make()
    } catch (error) {
      expectNothing([error])
    }
  }
})

/** Event names of every family, and what is wrong with each of these. */
const wrong = Object.fromEntries(all.map((one) => [one, one]))
const misfits: ReadonlyArray<readonly [string, unknown]> = [
  ['charge.new', { ...wrong, id: 7, amount: secrets.cardNumber, status: all }],
  ['charge.new', { object: { ...wrong, amount: secret } }],
  ['payout.batch_transfers.booked', { ...wrong, status: all }],
  ['account.active', { ...wrong, id: [secret] }],
  ['spend.bill.paid', { line_items: wrong }],
  ['spend.expense.draft', { line_items: [{ accounting_field_selections: secret }] }],
  ['issuing.transaction.failed', { card_transaction_data: secret, transacted_at: wrong }],
  ['issuing.transaction_dispute.won', secret],
]

it.each(misfits)('when what %s is about is something else', (name, data) => {
  const event: WebhookEvent = { id: 'evt_1', name, data, raw: { id: 'evt_1', name, data } }
  const about = payloadOf(event)
  expect(about).toMatchObject(E.left({ _tag: 'Undecodable' }))
  expectNothing([about])
})
