import * as t from 'io-ts'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { ItemsToAdd } from '../../src/codec/NewBatchItem.js'
import {
  api,
  type BatchItem,
  type BatchTransfer,
  type Bin,
  type Client,
  endpoint,
  type Failure,
  type List,
  type ObservableEither,
  type OrderUpload,
  rule,
  type WebhookWithSecret,
} from '../../src/index.js'

type ItemCode =
  | 'transfer_amount_currency_unsupported'
  | 'request_id_in_batch_duplicate'
  | 'add_batch_item_unsupported'

describe('the calls of the tables', () => {
  it('take what their rows take, and give what their rows give', () => {
    expectTypeOf<Client['batchTransfers']['addItems']>().toEqualTypeOf<
      (params: ItemsToAdd) => ObservableEither<Failure<ItemCode>, BatchTransfer>
    >()
    expectTypeOf<Client['batchTransfers']['items']>().returns.toExtend<
      List<Failure<never>, BatchItem>
    >()
    expectTypeOf<Client['reference']['lookUpBin']>().returns.toEqualTypeOf<
      ObservableEither<Failure<'validation_error' | 'not_found'>, Array<Bin>>
    >()
    expectTypeOf<Client['reference']['upload']>().parameters.toEqualTypeOf<[OrderUpload]>()
    expectTypeOf<Client['webhooks']['create']>().returns.toEqualTypeOf<
      ObservableEither<
        Failure<'field_required' | 'invalid_argument' | 'already_exists'>,
        WebhookWithSecret
      >
    >()
  })

  it('may leave parameters out where none is needed', () => {
    expectTypeOf<Client['reference']['supportedCurrencies']>().toBeCallableWith()
    expectTypeOf<Client['batchTransfers']['create']>().toBeCallableWith()
    expectTypeOf<Client['webhooks']['list']>().toBeCallableWith()
  })
})

describe('a row', () => {
  it('does not compile when its route and its parameters differ', () => {
    const params = t.type({ id: t.string })
    endpoint('GET /api/v1/things/{id}', { params, success: t.string })
    // @ts-expect-error: nothing is put into {name}
    endpoint('GET /api/v1/things/{name}', { params, success: t.string })
    // @ts-expect-error: the API has GET and POST
    endpoint('PUT /api/v1/things/{id}', { params, success: t.string })
    // @ts-expect-error: no such parameter to place
    endpoint('GET /api/v1/things/{id}', { params, success: t.string, at: { key: 'query' } })
    // @ts-expect-error: no such place
    endpoint('GET /api/v1/things/{id}', { params, success: t.string, at: { id: 'cookie' } })
    // @ts-expect-error: misspelt
    endpoint('GET /api/v1/things/{id}', { params, success: t.string, error: ['not_found'] })
  })

  it('has rules with and without the time of sending', () => {
    const row = { params: t.type({ from: t.string, to: t.string }), success: t.string }
    endpoint('GET /api/v1/a', {
      ...row,
      rules: (now) => [rule('to', 'over', ({ to }) => Date.parse(to) < now)],
    })
    endpoint('GET /api/v1/a', {
      ...row,
      rules: () => [rule('from', 'before to', ({ from, to }) => from < to)],
    })
    endpoint('GET /api/v1/a', {
      ...row,
      // @ts-expect-error: no such field
      rules: (now) => [rule('too', 'over', ({ to }) => Date.parse(to) < now)],
    })
  })

  it('may be made of another one, and has the same types', () => {
    const again = endpoint('POST /api/v2/webhooks/{id}/delete', {
      ...api.webhooks.delete,
      repeatable: 'as it is',
    })
    expect(again.repeatable).toBe('as it is')
    const call = ({ request }: Client) => request(again)
    expectTypeOf(call).returns.toExtend<Client['webhooks']['delete']>()
  })
})
