/** Uploads of which the service is to use what passes: it judges the items, and nobody before it. */
import { from } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E } from '../../src/fp.js'
import type { OrderItem } from '../../src/index.js'
import { lab } from '../support/lab.js'

const order: OrderItem = {
  category: 'goods_trade_online',
  currency: 'USD',
  item_name: 'Shoes',
  item_quantity: 1,
  item_unit_price: 50,
  item_url: 'https://shop.example/1',
  line_total: 50,
  order_datetime: new Date(0),
  order_id: 'order-1',
  shipment_provider: 'Post',
  shipment_tracking_number: 'TRACK-1',
}

/** As it comes from a file: without its type. */
const untyped = (u: unknown) => JSON.parse(JSON.stringify(u))

const uploading = () => lab({ play: () => ({ body: '' }) })

const sent = ({ calls }: ReturnType<typeof uploading>) => calls().map(({ body }) => body)

const written = { ...order, order_datetime: '1970-01-01T00:00:00+0000' }

describe('allow_partial_success', () => {
  it.each([
    ['too short', { ...order, item_name: 'a' }],
    ['without a field', { ...order, currency: undefined }],
    ['too old', { ...order, order_datetime: '1960-01-01T00:00:00Z' }],
    ['no item', null],
    ['at no time', { ...order, order_datetime: 'soon' }],
  ])('sends an item that is %s, and the good ones as ever', (_, item) => {
    const all = uploading()
    const bad = untyped(item)
    const out = all.run(
      all.client.reference.upload({ allow_partial_success: true, items: [order, bad] }),
    )
    expect(out.map(({ value }) => E.isRight(value))).toEqual([true])
    expect(sent(all)).toEqual([[written, bad]])
  })

  it('writes the time of an item that does not pass as of any other', () => {
    const all = uploading()
    const bad: OrderItem = { ...order, item_name: 'a' }
    all.run(all.client.reference.upload({ allow_partial_success: true, items: [bad] }))
    expect(sent(all)).toEqual([[{ ...written, item_name: 'a' }]])
  })

  it('sends whole chunks of a stream', () => {
    const all = uploading()
    const bad = untyped({ ...order, item_name: 'a' })
    const upload = all.client.reference.uploadAll({ allow_partial_success: true })
    const out = all.run(from([order, bad, order]).pipe(upload))
    expect(out.map(({ value }) => [value.count, value.outcome._tag])).toEqual([[3, 'Right']])
    expect(sent(all)).toEqual([[written, bad, written]])
  })

  it.each([false, undefined])('refuses them when it is %s', (flag) => {
    const all = uploading()
    const bad = untyped({ ...order, item_name: 'a' })
    const items = { items: [order, bad] }
    const upload =
      flag === undefined
        ? all.client.reference.upload(items)
        : all.client.reference.upload({ ...items, allow_partial_success: flag })
    expect(all.run(upload).map(({ value }) => value)).toMatchObject([
      E.left({ _tag: 'InvalidRequest', field: 'items[1].item_name' }),
    ])
    expect(sent(all)).toEqual([])
  })

  it.each([0, 501])('refuses %i items all the same', (count) => {
    const all = uploading()
    const items = Array.from({ length: count }, () => order)
    const out = all.run(all.client.reference.upload({ allow_partial_success: true, items }))
    expect(out.map(({ value }) => value)).toMatchObject([
      E.left({ _tag: 'InvalidRequest', field: 'items' }),
    ])
    expect(sent(all)).toEqual([])
  })
})
