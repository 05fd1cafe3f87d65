import {
  concat,
  defer,
  EMPTY,
  from,
  materialize,
  mergeMap,
  type Observable,
  of,
  range,
  timer,
} from 'rxjs'
import { map } from 'rxjs/operators'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { E } from '../../src/fp.js'
import type { BatchTransfer, Charge, Failure, NewBatchItem } from '../../src/index.js'
import type { ObservableEither } from '../../src/stream/either/ObservableEither.js'
import { BATCH, item } from '../support/batch.js'
import {
  CHARGE,
  type Lab,
  lab,
  problem,
  REFUSED_CONNECTION,
  RESET,
  type Reply,
} from '../support/lab.js'

/** One retrieve after the other finds the next of these states; the last one stays. */
const inStates = (value: object, states: ReadonlyArray<string>): Lab =>
  lab({
    play: (_departure, nth) => ({
      body: { ...value, status: states[Math.min(nth, states.length) - 1] },
    }),
  })

const statusOf = (ea: E.Either<Failure, { readonly status: string }> | undefined) =>
  ea !== undefined && E.isRight(ea) ? ea.right.status : ea?.left._tag

describe('untilState', () => {
  it('retrieves after 1, 2, 4 ... s until the state is final', () => {
    const { client, calls, run } = inStates(CHARGE, ['NEW', 'PENDING', 'ARCHIVED', 'SETTLED'])
    const out = run(client.charges.untilState({ id: 'chg_1' }))
    expect(out.map(({ value }) => statusOf(value))).toEqual(['SETTLED'])
    const departed = calls().map(({ at }) => at)
    const pauses = departed.slice(1).map((at, i) => at - (departed[i] ?? 0) - 10) // 10 ms to answer
    expect(pauses).toEqual([1_000, 2_000, 4_000])
  })

  it('never waits longer than 16 s between two requests', () => {
    const { client, calls, run } = inStates(CHARGE, [...Array(9).fill('PENDING'), 'FAILED'])
    run(client.charges.untilState({ id: 'chg_1' }))
    const departed = calls().map(({ at }) => at)
    expect(Math.max(...departed.slice(1).map((at, i) => at - (departed[i] ?? 0)))).toBe(16_010)
  })

  it('stops at SUSPENDED only if that is one of the states', () => {
    const states = ['SUSPENDED', 'FAILED']
    const first = inStates(CHARGE, states)
    expect(statusOf(first.run(first.client.charges.untilState({ id: 'chg_1' }))[0]?.value)).toBe(
      'FAILED',
    )
    const second = inStates(CHARGE, states)
    const woken = second.client.charges.untilState({ id: 'chg_1', states: ['SUSPENDED'] })
    expect(statusOf(second.run(woken)[0]?.value)).toBe('SUSPENDED')
  })

  it('stops in a final state, whatever the states', () => {
    const { client, run } = inStates(CHARGE, ['PENDING', 'FAILED'])
    const [out] = run(client.charges.untilState({ id: 'chg_1', states: ['SETTLED'] }))
    expect(statusOf(out?.value)).toBe('FAILED')
  })

  it.each([
    'BOOKED',
    'PARTIALLY_BOOKED',
    'FAILED',
    'CANCELLED',
    'APPROVAL_RECALLED',
    'APPROVAL_REJECTED',
    'APPROVAL_BLOCKED',
  ])('stops a batch at %s', (state) => {
    const { client, run } = inStates(BATCH, ['SCHEDULED', 'BOOKING', state])
    const out = run(client.batchTransfers.untilState({ id: 'bat_1' }))
    expect(out.map(({ value }) => statusOf(value))).toEqual([state])
  })

  it.each([
    ['its limit', { limit: 60_000 }, 60_000],
    ['an hour by default', {}, 3_600_000],
  ])('ends as TimedOut after %s', (_, given, limit) => {
    const { client, run } = inStates(BATCH, ['OVERDUE'])
    expect(run(client.batchTransfers.untilState({ id: 'bat_1', ...given }))).toMatchObject([
      { at: limit, value: E.left({ _tag: 'TimedOut', phase: 'state', limit }) },
    ])
  })

  it('counts its requests, and names the states', () => {
    const { client, run } = inStates(BATCH, ['OVERDUE'])
    const [out] = run(
      client.batchTransfers.untilState({ id: 'bat_1', states: ['BOOKED'], limit: 6_000 }),
    )
    expect(out?.value).toMatchObject(E.left({ attempts: 3 })) // at 0, 1 and 3 s
  })

  it.each([
    ['DRAFTING', /within 6000 ms; its last state was DRAFTING$/], // the batch was never submitted
    ['IN_REVIEW_2', /its last state was IN_REVIEW_2$/],
    ['account 1234567', /its last state was text of 15 characters$/],
  ])('says in which state it was: %s', (state, said) => {
    const { client, run } = inStates(BATCH, ['DRAFTING', state])
    const [out] = run(client.batchTransfers.untilState({ id: 'bat_1', limit: 6_000 }))
    expect(out?.value).toMatchObject(E.left({ message: expect.stringMatching(said) }))
  })

  it('names no last state without a response', () => {
    const { client, run } = lab({ play: () => ({ ms: 500, body: CHARGE }) })
    const [out] = run(client.charges.untilState({ id: 'chg_1', limit: 100 }))
    expect(out?.value).toMatchObject(E.left({ message: expect.stringMatching(/100 ms$/) }))
  })

  it('waits for a state that comes after a month, and for one without a limit', () => {
    const month = 30 * 86_400_000
    for (const limit of [month, Number.POSITIVE_INFINITY]) {
      const states = Array.from({ length: 100 }, () => 'SCHEDULED')
      const { client, run } = inStates(BATCH, [...states, 'BOOKED'])
      const out = run(client.batchTransfers.untilState({ id: 'bat_1', states: ['BOOKED'], limit }))
      expect(out.map(({ value }) => statusOf(value))).toEqual(['BOOKED'])
    }
  })

  it.each<readonly [string, unknown]>([
    ['limit', { id: 'chg_1', limit: Number.NaN }],
    ['limit', { id: 'chg_1', limit: 0 }],
    ['limit', { id: 'chg_1', limit: -1 }],
    ['limit', { id: 'chg_1', limit: '60000' }],
    ['limit', { id: 'chg_1', limit: true }],
    ['limit', { id: 'chg_1', limit: new Date(60_000) }],
    ['states', { id: 'chg_1', states: 'SETTLED' }],
    ['states', { id: 'chg_1', states: [1] }],
    ['states', { id: 'chg_1', states: null }],
    ['id', undefined],
  ])('sends nothing when its %s makes no wait: %j', (field, given) => {
    const { client, sent, run } = inStates(CHARGE, ['SETTLED'])
    const call: ReturnType<typeof client.charges.untilState> = Reflect.apply(
      client.charges.untilState,
      undefined,
      given === undefined ? [] : [given],
    )
    const message = expect.stringContaining(`${field} should be`)
    expect(run(call)).toMatchObject([{ value: E.left({ _tag: 'InvalidRequest', field, message }) }])
    expect(sent).toEqual([])
  })

  it('is a projection, which ignores the index that `mergeMap` hands it', () => {
    const { client, run } = inStates(CHARGE, ['SETTLED'])
    const ids = from([{ id: 'chg_1' }, { id: 'chg_2' }])
    const out = run(ids.pipe(mergeMap(client.charges.untilState)))
    expect(out.map(({ value }) => statusOf(value))).toEqual(['SETTLED', 'SETTLED'])
  })

  it('ends with the first failure', () => {
    const { client, run, calls } = lab({
      play: () => ({ status: 404, body: { code: 'not_found' } }),
    })
    const out = run(client.charges.untilState({ id: 'chg_1' }))
    expect(statusOf(out[0]?.value)).toBe('Refused')
    expect(calls()).toHaveLength(1)
  })

  it('asks for nothing before it is subscribed to', () => {
    const { client, calls } = inStates(CHARGE, ['SETTLED'])
    client.charges.untilState({ id: 'chg_1' })
    expect(calls()).toHaveLength(0)
  })

  it('has the type of the resource', () => {
    const { client } = lab()
    expectTypeOf(client.charges.untilState({ id: 'a' })).toEqualTypeOf<
      ObservableEither<Failure, Charge>
    >()
    expectTypeOf(client.batchTransfers.untilState({ id: 'a' })).toEqualTypeOf<
      ObservableEither<Failure, BatchTransfer>
    >()
  })

  it('types known states, and accepts any other', () => {
    const { client } = lab()
    const untilState = client.batchTransfers.untilState
    type State = NonNullable<Parameters<typeof untilState>[0]['states']>[number]
    expectTypeOf<State>().toEqualTypeOf<BatchTransfer['status']>()
    const states: ReadonlyArray<string> = ['IN_APPROVAL', 'ARCHIVED']
    untilState({ id: 'bat_1', states })
  })
})

const items = (n: number) => range(0, n).pipe(map(item))

it.each(['addAllItems', 'uploadAll'] as const)('%s of nothing fails, and sends nothing', (name) => {
  const { client, calls, run } = lab({ play: () => ({ body: '' }) })
  const { addAllItems } = client.batchTransfers
  const none =
    name === 'addAllItems'
      ? addAllItems({ id: 'bat_1' })(EMPTY)
      : client.reference.uploadAll()(EMPTY)
  expect(run<unknown>(none).map(({ value }) => value)).toMatchObject([
    { count: 0, outcome: { _tag: 'Left', left: { _tag: 'InvalidRequest', field: 'items' } } },
  ])
  expect(calls()).toEqual([])
})

describe('addAllItems', () => {
  const answering = (): Lab => lab({ play: () => ({ body: BATCH }) })
  /** The requests that add items; others read the batch. */
  const adding = ({ calls }: Pick<Lab, 'calls'>) =>
    calls().filter(({ request }) => request.method === 'POST')

  it('sends 100 per call, in order, and emits each outcome', () => {
    const { client, calls, run } = answering()
    const out = run(items(250).pipe(client.batchTransfers.addAllItems({ id: 'bat_1' })))
    expect(out.map(({ value }) => [value.first, value.count, value.outcome._tag])).toEqual([
      [0, 100, 'Right'],
      [100, 100, 'Right'],
      [200, 50, 'Right'],
    ])
    const sent = adding({ calls }).flatMap(({ body }) => body.items as ReadonlyArray<NewBatchItem>)
    expect(sent.map(({ request_id }) => request_id)).toEqual(
      Array.from({ length: 250 }, (_, i) => `item-${i}`),
    )
    expect(calls().map(({ route }) => route)).toEqual([
      'GET /api/v1/batch_transfers/bat_1',
      ...Array(3).fill('POST /api/v1/batch_transfers/bat_1/add_items'),
    ])
  })

  it('accepts the batch itself, and sends only its id', () => {
    const { client, calls, run } = answering()
    run(items(1).pipe(client.batchTransfers.addAllItems(BATCH)))
    expect(adding({ calls }).map(({ body }) => Object.keys(body))).toEqual([['items']])
  })

  it('rejects an argument that is no batch', () => {
    const { client, run } = answering()
    const { addAllItems } = client.batchTransfers
    for (const given of [['bat_1'], []]) {
      const add: ReturnType<typeof addAllItems> = Reflect.apply(addAllItems, undefined, given)
      const [out] = run(items(1).pipe(add))
      expect(out?.value.outcome).toMatchObject(E.left({ _tag: 'InvalidRequest', field: 'id' }))
    }
  })

  it('sends at most 1,000 to a batch, and fails the rest', () => {
    const { client, calls, run } = answering()
    const out = run(items(1_030).pipe(client.batchTransfers.addAllItems({ id: 'bat_1' })))
    expect(adding({ calls })).toHaveLength(10)
    expect(out.at(-1)?.value).toMatchObject({
      first: 1_000,
      count: 30,
      outcome: E.left({
        _tag: 'InvalidRequest',
        endpoint: 'POST /api/v1/batch_transfers/{id}/add_items',
        attempts: 0,
        field: 'items',
        expected: 'at most 1000 items in all',
        actual: 'item 1030',
        causes: [{ path: 'items', expected: 'at most 1000 items in all', actual: 'item 1030' }],
        message:
          'POST /api/v1/batch_transfers/{id}/add_items: items should be at most 1000 items in all, but there are 1030; the last ones were not sent',
      }),
    })
  })

  it('goes on after a call that failed, and ends with its failure', () => {
    const { client, run } = lab({
      play: ({ request }, nth) =>
        request.method === 'POST' && nth === 2
          ? { status: 400, body: { code: 'invalid_argument' } }
          : { body: BATCH },
    })
    const out = run(items(300).pipe(client.batchTransfers.addAllItems({ id: 'bat_1' })))
    expect(out.map(({ value }) => [value.first, value.count, value.outcome._tag])).toEqual([
      [0, 100, 'Right'],
      [100, 100, 'Left'],
      [200, 100, 'Right'],
      [100, 0, 'Left'],
    ])
  })

  const refused = problem(400, 'invalid_argument')
  const lost = { outage: RESET }

  it.each<readonly [string, ReadonlyArray<Reply>, ReadonlyArray<readonly [number, string]>]>([
    [
      'if others failed as well',
      [lost, lost, lost, refused],
      [
        [0, 'Ambiguous'],
        [100, 'Refused'],
        [0, 'Ambiguous'],
      ],
    ],
    [
      'also after a definite one',
      [refused, lost, lost, lost],
      [
        [0, 'Refused'],
        [100, 'Ambiguous'],
        [200, 'added'],
        [100, 'Ambiguous'],
      ],
    ],
  ])('ends with the failure of a call that may have arrived, %s', (_, replies, expected) => {
    const { client, run } = lab({
      play: ({ request }, nth) =>
        (request.method === 'POST' ? replies[nth - 1] : undefined) ?? { body: BATCH },
      lookUpFor: 0,
    })
    const all = items((expected.length - 1) * 100)
    const out = run(all.pipe(client.batchTransfers.addAllItems({ id: 'bat_1' })))
    const outcomes = out.map(({ value: { first, outcome } }) => [
      first,
      E.isLeft(outcome) ? outcome.left._tag : 'added',
    ])
    expect(outcomes).toEqual(expected)
  })

  it.each([
    ['while a call is under way', 5],
    ['at once', 0],
  ])('tells of what was sent before it fails with its source, %s', (_, ms) => {
    const { client, calls, run, timer: clock } = answering()
    const broken = timer(ms, clock).pipe(
      map((): NewBatchItem => {
        throw new Error('row 251 is bad')
      }),
    )
    const out = run(
      concat(items(250), broken).pipe(
        client.batchTransfers.addAllItems({ id: 'bat_1' }),
        materialize(),
      ),
    ).map(({ value }) => value)
    expect(adding({ calls })).toHaveLength(2)
    expect(out).toMatchObject([
      { kind: 'N', value: { first: 0, count: 100, outcome: E.right(BATCH) } },
      { kind: 'N', value: { first: 100, count: 100, outcome: E.right(BATCH) } },
      { kind: 'E', error: new Error('row 251 is bad') },
    ])
  })

  describe('tells of a request_id that comes again with other contents, which the platform would ignore', () => {
    const added = (wire: Lab, ...given: ReadonlyArray<unknown>) => {
      const all = from(given as ReadonlyArray<NewBatchItem>) // as JavaScript calls, too
      return wire
        .run(all.pipe(wire.client.batchTransfers.addAllItems({ id: 'bat_1' })))
        .map(({ value }) => value)
    }
    const hundred = Array.from({ length: 100 }, (_, i) => item(i))

    it.each([
      ['in one call', [item(0)], 'items[1].request_id'],
      ['in another call', hundred, 'items[0].request_id'],
    ])('%s', (_, before, field) => {
      const wire = answering()
      const out = added(wire, ...before, { ...item(0), transfer_amount: 200 }, item(1_000))
      expect(out.at(-1)?.outcome).toMatchObject(
        E.left({
          _tag: 'InvalidRequest',
          endpoint: 'POST /api/v1/batch_transfers/{id}/add_items',
          field,
          expected: 'unique, except among identical items',
          actual: 'the same as in item 0 of the stream, whose transfer_amount is 100, not 200',
        }),
      )
      expect(adding(wire)).toHaveLength(before.length < 100 ? 0 : 1) // of that call, nothing is sent
    })

    it('names each repeated item', () => {
      const [chunk] = added(
        answering(),
        item(0),
        item(1),
        { ...item(1), reference: 'Bonus' },
        { ...item(0), metadata: { of: 'May' } },
      )
      expect(chunk?.outcome).toMatchObject(
        E.left({
          causes: [
            {
              path: 'items[2].request_id',
              actual:
                'the same as in item 1 of the stream, whose reference is text of 5 characters, not a different text of 5 characters',
            },
            {
              path: 'items[3].request_id',
              actual: 'the same as in item 0 of the stream, whose metadata is missing, not object',
            },
          ],
        }),
      )
    })

    it.each<readonly [object, string]>([
      [{ transfer_amount: 200 }, 'transfer_amount is 100, not 200'],
      [{ transfer_currency: 'EUR' }, 'transfer_currency is USD, not EUR'],
      [{ transfer_method: 'SWIFT' }, 'transfer_method is LOCAL, not SWIFT'],
      [{ metadata: { 'no. 4929000000006789': 1 } }, 'metadata is missing, not object'],
      [
        { beneficiary_id: '4929000000006789' },
        'beneficiary_id is text of 5 characters, not text of 16',
      ],
    ])('within one call, by the field that differs: %o', (other, how) => {
      const { client, run, sent } = lab()
      const items: ReadonlyArray<NewBatchItem> = [item(7), item(8), { ...item(7), ...other }]
      const [out] = run(client.batchTransfers.addItems({ id: 'bat_1', items }))
      expect(out?.value).toMatchObject(
        E.left({
          field: 'items[2].request_id',
          message: expect.stringContaining(`the same as in item 0, whose ${how}`),
        }),
      )
      expect(JSON.stringify(out)).not.toContain('4929')
      expect(sent).toEqual([])
    })

    it('and goes on with the next call', () => {
      const wire = answering()
      const out = added(wire, { ...item(0), reference: 'Bonus' }, ...hundred, item(100))
      expect(out.map(({ count, outcome }) => [count, outcome._tag])).toEqual([
        [100, 'Left'],
        [2, 'Right'],
        [0, 'Left'],
      ])
    })

    it.each<readonly [string, (wage: object) => unknown, number]>([
      ['refused when its object was changed in place and comes again', (wage) => wage, 1],
      ['taken when its object was marked, and it comes as it was sent', () => item(0), 2],
    ])('as it was sent: %s', (_, again, calls) => {
      const wire = answering()
      const wage: Record<string, unknown> = { ...item(0) }
      const marked = defer(() => {
        wage.remarks = 'sent'
        return of(again(wage))
      })
      const all = concat(from([wage, ...hundred.slice(1)]), marked) as Observable<NewBatchItem>
      const out = wire.run(all.pipe(wire.client.batchTransfers.addAllItems({ id: 'bat_1' })))
      expect(out.at(-1)?.value.outcome).toMatchObject(
        calls === 2 ? E.right(BATCH) : E.left({ field: 'items[0].request_id' }),
      )
      expect(adding(wire)).toHaveLength(calls)
    })

    it('also if its call may have arrived', () => {
      const wire = lab({ play: () => ({ outage: RESET }) })
      const out = added(wire, ...hundred, { ...item(0), reference: 'Bonus' })
      expect(out).toMatchObject([
        { outcome: E.left({ _tag: 'Ambiguous' }) },
        { outcome: E.left({ _tag: 'InvalidRequest', field: 'items[0].request_id' }) },
        { outcome: E.left({ _tag: 'Ambiguous' }) },
      ])
    })

    it.each([
      ['was not sent', { ...item(0), transfer_amount: 'oops' }, { body: BATCH }],
      ['was refused', { ...item(0), transfer_amount: 0 }, problem(400, 'invalid_argument')],
      ['never left', { ...item(0), transfer_amount: 0 }, { outage: REFUSED_CONNECTION }],
    ])('but not of one that is corrected after its call %s', (_, wrong, first) => {
      const isFirst = (items: unknown) => Array.isArray(items) && items.length === 100
      const wire = lab({ play: ({ body }) => (isFirst(body.items) ? first : { body: BATCH }) })
      const out = added(wire, wrong, ...hundred.slice(1), item(0))
      expect(out.map(({ outcome }) => outcome._tag)).toEqual(['Left', 'Right', 'Left'])
    })

    it('after errors of an item by itself', () => {
      const wrong = { ...item(0), transfer_amount: 'oops' }
      const [chunk] = added(answering(), wrong, item(0))
      expect(chunk?.outcome).toMatchObject(E.left({ field: 'items[0].transfer_amount' }))
    })

    it('but not of the same item again, whatever the order of its fields', () => {
      const { request_id, ...rest } = { ...item(0), metadata: { a: 1, b: 2 } }
      const again = { ...rest, remarks: undefined, metadata: { b: 2, a: 1 }, request_id }
      const wire = answering()
      const [chunk] = added(wire, { request_id, ...rest }, again)
      expect(chunk?.outcome._tag).toBe('Right')
    })

    it('nor if a stream is subscribed to again', () => {
      const wire = answering()
      let amount = 100
      const wages = defer(() => from([{ ...item(0), transfer_amount: amount++ }]))
      const again = wages.pipe(wire.client.batchTransfers.addAllItems({ id: 'bat_1' }))
      const out = wire.run(concat(again, again))
      expect(out.map(({ value }) => value.outcome._tag)).toEqual(['Right', 'Right'])
    })

    it('nor with check: false', () => {
      const wire = lab({ check: false, play: () => ({ body: BATCH }) })
      const { request_id: _, ...nameless } = item(0)
      const [chunk] = added(wire, item(0), { ...item(0), reference: 'Bonus' }, nameless, null)
      expect(chunk?.outcome._tag).toBe('Right')
    })

    it('nor without a request_id, which is another failure', () => {
      const [chunk] = added(answering(), { reference: 'Pay' }, { reference: 'Bonus' }, null, 7)
      expect(chunk?.outcome).toMatchObject(E.left({ field: 'items[0].reason' }))
    })

    it('a value without JSON is reported as such', () => {
      const loop: Record<string, unknown> = {}
      loop.loop = loop
      const [chunk] = added(answering(), item(0), { ...item(0), metadata: loop })
      expect(chunk?.outcome._tag).toBe('Left')
    })
  })

  it('is recommended for more than 100 items in one call', () => {
    const { client, calls, run } = answering()
    const out = run(
      client.batchTransfers.addItems({
        id: 'bat_1',
        items: Array.from({ length: 101 }, (_, i) => item(i)),
      }),
    )
    expect(calls()).toHaveLength(0)
    expect(out).toMatchObject([{ value: E.left({ _tag: 'InvalidRequest', field: 'items' }) }])
    expect(JSON.stringify(out)).toMatch(/addAllItems/)
  })
})

describe('uploadAll', () => {
  it('sends 500 per call, each with the options', () => {
    const { client, calls, run } = lab({ play: () => ({ body: '' }) })
    const order = (n: number) => ({
      category: 'goods_trade_online' as const,
      currency: 'USD' as const,
      item_name: 'Shoes',
      item_quantity: 1,
      item_unit_price: 50,
      item_url: 'https://shop.example/1',
      line_total: 50,
      order_datetime: new Date(0).toISOString(),
      order_id: `order-${n}`,
      shipment_provider: 'Post',
      shipment_tracking_number: 'TRACK-1',
    })
    const out = run(
      range(0, 700).pipe(map(order), client.reference.uploadAll({ allow_partial_success: true })),
    )
    expect(out.map(({ value }) => [value.first, value.count, value.outcome._tag])).toEqual([
      [0, 500, 'Right'],
      [500, 200, 'Right'],
    ])
    expect(calls().map(({ query }) => query.get('allow_partial_success'))).toEqual(['true', 'true'])
  })
})
