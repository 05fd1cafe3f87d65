import { describe, expect, expectTypeOf, it } from 'vitest'
import type { Charge } from '../../src/codec/Charge.js'
import type { EventBill } from '../../src/codec/WebhookEvent.js'
import { trigger } from '../../src/sandbox/index.js'
import { createReceiver, type TypedEvent } from '../../src/webhooks/index.js'
import { virtualTime } from '../support/idleClock.js'

const secret = 'example-webhook-secret'
const url = 'https://shop.test/hooks'

const open = () => {
  const { timer, run, pass } = virtualTime()
  const receiver = createReceiver({ secret, timer })
  const send = async (event: string, data?: unknown, apiVersion = '2026-08-21') => {
    await run(trigger({ event, url, secret, timer, apiVersion, data, deliver: receiver.fetch }))
    await pass(1) // events are emitted after the answer
  }
  return { receiver, send }
}

describe('receiver.on', () => {
  it('emits the events of one name, with their payload', async () => {
    const { receiver, send } = open()
    const bills: Array<unknown> = []
    receiver.on('spend.bill.paid').subscribe(({ name, payload }) => bills.push([name, payload]))
    await send('spend.bill.paid', { line_items: [] })
    await send('spend.bill.rejected', { line_items: [] })
    expect(bills).toEqual([['spend.bill.paid', { line_items: [] }]])
  })

  it('recognizes batch events of older versions', async () => {
    const { receiver, send } = open()
    const names: Array<string> = []
    receiver.on('payout.batch_transfers.booked').subscribe(({ name }) => names.push(name))
    await send('payout.batch_transfers.booked', undefined, '2024-06-14')
    expect(names).toEqual(['payout.batch_transfers.booked'])
  })

  it('leaves a payload that does not match its name to failures', async () => {
    const { receiver, send } = open()
    const seen: Array<unknown> = []
    receiver.on('charge.settled').subscribe((event) => seen.push(event))
    receiver.failures.subscribe(({ _tag, message }) => seen.push(`${_tag}: ${message}`))
    await send('charge.settled', { id: 5 })
    expect(seen).toEqual([expect.stringMatching(/^Undecodable: data\.id should be string/)])
  })

  it('has a way out for events that are not known yet', async () => {
    const { receiver, send } = open()
    const data: Array<unknown> = []
    receiver.onUnlisted('brand.new').subscribe((event) => data.push(event.data))
    await send('brand.new', { x: 1 })
    expect(data).toEqual([{ x: 1 }])
  })

  it('has the types of the payloads', () => {
    const { receiver } = open()
    expectTypeOf(receiver.on('spend.bill.paid')).toExtend<{
      readonly subscribe: (next: (event: TypedEvent<'spend.bill.paid'>) => void) => unknown
    }>()
    expectTypeOf<TypedEvent<'spend.bill.paid'>['payload']>().toEqualTypeOf<EventBill>()
    expectTypeOf<TypedEvent<'charge.settled'>['payload']>().toEqualTypeOf<Charge>()
    // @ts-expect-error the names of its family are in the compiler's message
    receiver.on('spend.bill.payed')
    // @ts-expect-error no family
    receiver.on('brand.new')
  })
})
