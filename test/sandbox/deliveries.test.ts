import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { firstValueFrom } from 'rxjs'
import { expect, it } from 'vitest'
import { E } from '../../src/fp.js'
import {
  createSandbox,
  type DeliveryFault,
  type SandboxOptions,
  sandboxPartner,
} from '../../src/sandbox/index.js'
import { createReceiver } from '../../src/webhooks/index.js'
import { item } from '../support/batch.js'
import { virtualTime } from '../support/idleClock.js'
import { NEW_CHARGE } from '../support/lab.js'
import { sandboxClient } from '../support/sandboxClient.js'

const CHARGES = ['charge.new', 'charge.pending', 'charge.settled', 'charge.failed']

interface Delivered {
  readonly at: number
  readonly url: string
  readonly name: string
  readonly id: string
  readonly account: unknown
  readonly body: Readonly<Record<string, unknown>>
  /** The HMAC of its text and timestamp by `secret`. */
  readonly isSignedBy: (secret: string) => boolean
}

/** A sandbox in virtual time, and what it delivers. `answer` has the status of the n-th delivery, from 0. */
const open = async (
  options: SandboxOptions = {},
  answer: (n: number) => number | Promise<number> = () => 200,
) => {
  const time = virtualTime()
  const { timer, run } = time
  const began = timer.now()
  const delivered: Array<Delivered> = []
  const sandbox = createSandbox({
    charges: 10,
    limits: false,
    ...options,
    timer,
    deliver: async (request) => {
      const text = await request.text()
      const body = JSON.parse(text)
      const signedAt = request.headers.get('x-timestamp') ?? ''
      const signature = request.headers.get('x-signature')
      delivered.push({
        at: timer.now() - began,
        url: request.url,
        name: body.name,
        id: body.id,
        account: body.account_id ?? body.accountId,
        body,
        isSignedBy: (secret) =>
          createHmac('sha256', secret)
            .update(signedAt + text)
            .digest('hex') === signature,
      })
      return new Response(null, { status: await answer(delivered.length - 1) })
    },
  })
  const payments = sandboxClient(sandbox.fetch, { partner: sandboxPartner, timer })
  const value = async <A>(call: Parameters<typeof firstValueFrom<E.Either<unknown, A>>>[0]) => {
    const either = await run(firstValueFrom(call))
    if (E.isLeft(either)) throw new Error(JSON.stringify(either.left))
    return either.right
  }
  const subscribe = (events: ReadonlyArray<string>, version = '2026-08-21') =>
    value(payments.webhooks.create({ events, url: 'https://shop.test/hook', version }))
  const charge = (source = 'acct_1') => value(payments.charges.create({ ...NEW_CHARGE, source }))
  return { ...time, sandbox, payments, value, subscribe, charge, delivered }
}

it('tells each status of a charge when it comes, signed by the secret of the webhook', async () => {
  const { subscribe, charge, pass, delivered } = await open()
  const { secret } = await subscribe(CHARGES)
  const created = await charge('acct_1_failed')
  await pass(60_000)
  expect(delivered.map(({ name, at }) => [name, at])).toEqual([
    ['charge.new', 0],
    ['charge.pending', 2_000],
    ['charge.failed', 4_000],
  ])
  expect(delivered.every(({ isSignedBy }) => isSignedBy(secret))).toBe(true)
  expect(delivered[2]?.body).toMatchObject({
    account_id: 'acct_sandbox',
    version: '2026-08-21',
    created_at: '2026-01-01T00:00:04+0000',
    data: { id: created.id, status: 'FAILED', updated_at: '2026-01-01T00:00:04+0000' },
  })
})

it('tells the states of a batch and of its funding', async () => {
  const { subscribe, payments, value, pass, delivered } = await open()
  await subscribe([
    ...['drafting', 'scheduled', 'booking', 'booked'].map((one) => `payout.batch_transfers.${one}`),
    ...['scheduled', 'processing', 'funded'].map((one) => `payout.batch_transfers.funding.${one}`),
  ])
  const { id } = await value(payments.batchTransfers.create({ name: 'March' }))
  await value(payments.batchTransfers.addItems({ id, items: [item(1)] }))
  await value(payments.batchTransfers.submit({ id }))
  await pass(60_000)
  expect(delivered.map(({ name }) => name.replace('payout.batch_transfers.', ''))).toEqual([
    ...['drafting', 'scheduled', 'funding.scheduled', 'funding.processing', 'funding.funded'],
    ...['booking', 'booked'],
  ])
  expect(delivered.at(-1)?.body).toMatchObject({ data: { id, status: 'BOOKED' } })
})

it('has the names and keys of the version that was subscribed to', async () => {
  const { subscribe, charge, payments, value, pass, delivered } = await open()
  await subscribe(['batch_transfers.drafting', 'charge.new'], '2024-01-31')
  await charge()
  await value(payments.batchTransfers.create({ metadata: { cost_center: 'x' } }))
  await pass(1_000)
  expect(delivered.map(({ name }) => name)).toEqual(['charge.new', 'batch_transfers.drafting'])
  expect(delivered[0]?.body).toMatchObject({
    accountId: 'acct_sandbox',
    createdAt: expect.any(String),
    data: { shortReferenceId: expect.any(String) },
  })
  expect(delivered[1]?.body).toMatchObject({ data: { metadata: { cost_center: 'x' } } })
})

it('tells a partner of the accounts that are connected', async () => {
  const { payments, value, charge, pass, delivered } = await open()
  const webhook = { events: ['charge.new'], url: 'https://partner.test/', version: '2026-08-21' }
  const { id, secret } = await value(payments.partnerWebhooks.create(webhook))
  await charge('acct_a')
  await value(payments.partnerWebhooks.connect({ id, account_id: 'acct_a' }))
  await charge('acct_a')
  await charge('acct_b')
  await value(payments.partnerWebhooks.disconnect({ id, account_id: 'acct_a' }))
  await charge('acct_a')
  await pass(10_000)
  expect(delivered.map(({ name, account }) => [name, account])).toEqual([['charge.new', 'acct_a']])
  expect(delivered[0]?.isSignedBy(secret)).toBe(true)
})

it('sends no event of an account again once it is disconnected', async () => {
  const { payments, value, charge, pass, delivered } = await open({}, () => 500)
  const webhook = { events: ['charge.new'], url: 'https://partner.test/', version: '2026-08-21' }
  const { id } = await value(payments.partnerWebhooks.create(webhook))
  await value(payments.partnerWebhooks.connect({ id, account_id: 'acct_a' }))
  await charge('acct_a')
  await pass(1_500)
  await value(payments.partnerWebhooks.disconnect({ id, account_id: 'acct_a' }))
  await pass(60_000)
  expect(delivered.map(({ at }) => at)).toEqual([0, 1_000])
})

it('sends again after 1, 2, 4 ... s what is not answered by 200, eight times', async () => {
  const { subscribe, charge, pass, delivered, sandbox } = await open({}, (n) => (n < 3 ? 204 : 500))
  await subscribe(['charge.new'])
  await charge()
  await pass(600_000)
  const seconds = delivered.map(({ at }) => at / 1_000)
  expect(seconds).toEqual([0, 1, 3, 7, 15, 31, 63, 127, 255])
  expect(new Set(delivered.map(({ id }) => id)).size).toBe(1)
  expect(sandbox.stats().deliveries).toMatchObject({ sent: 9, accepted: 0, givenUp: 1 })
})

it('does not hold up other events for one that gets no answer', async () => {
  const { subscribe, charge, pass, delivered } = await open({}, () => new Promise(() => {}))
  await subscribe(CHARGES)
  await charge()
  await charge()
  await pass(5_000)
  expect(delivered).toHaveLength(4)
})

it('sends to the URL that the webhook has now, and nothing after it was deleted', async () => {
  const { subscribe, charge, payments, value, pass, delivered } = await open()
  const { id } = await subscribe(CHARGES)
  await charge()
  await pass(1_000)
  await value(payments.webhooks.update({ id, url: 'https://other.test/' }))
  await pass(2_000)
  await charge()
  await pass(1_000)
  await value(payments.webhooks.delete({ id }))
  await pass(60_000)
  expect(delivered.map(({ name, url }) => [name, url])).toEqual([
    ['charge.new', 'https://shop.test/hook'],
    ['charge.settled', 'https://other.test/'],
    ['charge.new', 'https://other.test/'],
  ])
})

it.each<[DeliveryFault, string]>([
  ['lost', 'charge.settled at 2'],
  ['late', 'charge.settled at 2, charge.new at 10'],
  ['twice', 'charge.new at 0, charge.new at 0, charge.settled at 2'],
  ['out-of-order', 'charge.settled at 2, charge.new at 2'],
  ['forged', 'charge.new at 0, charge.new at 0, charge.settled at 2'],
  ['stale', 'charge.new at 0, charge.settled at 2'],
  ['slow-answer', 'charge.new at 0, charge.new at 1, charge.settled at 2'],
])('a first event that is %s', async (fault, expected) => {
  const plan = { deliveryFaults: ({ nth }: { nth: number }) => (nth === 1 ? fault : undefined) }
  const { subscribe, charge, pass, delivered, sandbox } = await open(plan)
  const { secret } = await subscribe(CHARGES)
  await charge()
  await pass(60_000)
  expect(delivered.map(({ name, at }) => `${name} at ${at / 1_000}`).join(', ')).toBe(expected)
  expect(delivered.filter(({ isSignedBy }) => !isSignedBy(secret))).toHaveLength(
    fault === 'forged' ? 1 : 0,
  )
  expect(sandbox.stats().deliveries.faults).toEqual({ [fault]: 1 })
})

it('a receiver refuses what is forged or stale, and gets each event once', async () => {
  const { timer, run, pass } = virtualTime()
  const inbox = { fetch: async (_: Request) => new Response() }
  const sandbox = createSandbox({
    ...{ charges: 10, limits: false, timer, arrivals: 700 },
    deliver: (request) => inbox.fetch(request),
    deliveryFaults: { twice: 0.2, forged: 0.2, stale: 0.2, 'slow-answer': 0.2, late: 0.2 },
  })
  const payments = sandboxClient(sandbox.fetch, { timer })
  const webhook = { events: ['charge.new'], url: 'https://a.test/', version: '2026-08-21' }
  const created = await run(firstValueFrom(payments.webhooks.create(webhook)))
  if (E.isLeft(created)) throw new Error('no webhook')
  const receiver = createReceiver({ secret: created.right.secret, timer })
  inbox.fetch = receiver.fetch
  const ids: Array<string> = []
  const failures = new Set<string>()
  receiver.on('charge.new').subscribe(({ payload }) => ids.push(payload.id))
  receiver.failures.subscribe(({ _tag }) => failures.add(_tag))
  await pass(70_000)
  sandbox.close()
  await pass(60_000)
  expect(ids.length).toBeGreaterThan(80)
  expect(new Set(ids).size).toBe(ids.length)
  expect(failures).toEqual(new Set(['Forged', 'Stale']))
})

it('one seed always makes one sequence of events', async () => {
  const events = async (seed: number) => {
    const deliveryFaults = { late: 0.2, twice: 0.2, 'out-of-order': 0.2, lost: 0.2 }
    const { subscribe, pass, delivered } = await open({ seed, arrivals: 500, deliveryFaults })
    await subscribe(CHARGES)
    await pass(60_000)
    return delivered.map(({ at, id, body }) => ({ at, id, body }))
  }
  const [first, same, other] = await Promise.all([events(7), events(7), events(8)])
  expect(first.length).toBeGreaterThan(150)
  expect(same).toEqual(first)
  expect(other.map(({ id }) => id)).not.toEqual(first.map(({ id }) => id))
})

it('delivers over HTTP to this machine, and to no other host that is not named', async () => {
  const names: Array<string> = []
  let heard = () => {}
  const server = createServer((incoming, outgoing) => {
    incoming.setEncoding('utf8')
    let text = ''
    incoming.on('data', (part) => {
      text += part
    })
    incoming.on('end', () => {
      names.push(JSON.parse(text).name)
      outgoing.end()
      heard()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const sandbox = createSandbox({ charges: 10, limits: false, settleAfter: 0 })
  const payments = sandboxClient(sandbox.fetch)
  const webhook = { events: ['charge.settled'], version: '2026-08-21' }
  for (const url of ['https://example.com/', 'http://10.0.0.1/', `http://127.0.0.1:${port}/`]) {
    await firstValueFrom(payments.webhooks.create({ ...webhook, url }))
  }
  const came = new Promise<void>((resolve) => {
    heard = resolve
  })
  const charge = { amount: '1', currency: 'EUR', reference: 'x', source: 'a' } as const
  await firstValueFrom(payments.charges.create({ ...charge, reason: 'travel' }))
  await came
  sandbox.close()
  server.close()
  expect(names).toEqual(['charge.settled'])
  expect(sandbox.stats().deliveries).toMatchObject({ blocked: 2 })
})
