/** The table of what is sent again, row by row and fault by fault, in virtual time. */
import * as t from 'io-ts'
import { mergeMap, of, repeat, retry, timeout } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E } from '../../src/fp.js'
import { type Client, endpoint, type Failure } from '../../src/index.js'
import {
  CHARGE,
  CREATE,
  lab,
  NEW_CHARGE,
  type Play,
  problem,
  REFUSED_CONNECTION,
  RESET,
  type Reply,
} from '../support/lab.js'

const BAD_JSON: Reply = { body: '{"id": "chg' }

const faults = {
  'connection refused': { outage: REFUSED_CONNECTION },
  'connection reset': { outage: RESET },
  'no connection in time': { outage: { _tag: 'TimedOut', phase: 'connect', limit: 10_000 } },
  'no headers in time': { outage: { _tag: 'TimedOut', phase: 'headers', limit: 60_000 } },
  'no body in time': { outage: { _tag: 'TimedOut', phase: 'body', limit: 30_000 } },
  '500': problem(500, 'internal_error'),
  '503': { status: 503, body: '<html>' },
  '400 service_unavailable': problem(400, 'service_unavailable'),
  'a body cut off': BAD_JSON,
  '409 request_pending': problem(409, 'request_pending'),
  '409 of another code': problem(409, 'batch_state_invalid'),
  '400 invalid_argument': problem(400, 'invalid_argument'),
  '403': problem(403, 'forbidden'),
  '404': problem(404, 'not_found'),
  'a redirect': { status: 302, body: '' },
  'an empty 200': { body: '' },
  'an empty 204': { status: 204, body: '' },
  '200 of another shape': { body: { id: 7 } },
  '200 with null': { body: null },
} satisfies Readonly<Record<string, Reply>>

type Fault = keyof typeof faults

const submit = endpoint('POST /api/v1/batch_transfers/{id}/submit', {
  params: t.type({ id: t.string }),
  success: t.type({ id: t.string }),
})

const addItems = endpoint('POST /api/v1/batch_transfers/{id}/add_items', {
  params: t.type({ id: t.string, request_id: t.string }),
  success: t.type({ id: t.string }),
  repeatable: 'by request_id',
})

const calls = {
  'a GET': (client: Client) => client.charges.retrieve({ id: 'chg_1' }),
  'a POST with a request_id': (client: Client) =>
    client.request(addItems)({ id: 'b', request_id: 'r' }),
  'a POST without one': (client: Client) => client.request(submit)({ id: 'b' }),
} as const

type CallName = keyof typeof calls

/** How often each is sent when it always ends so, and what comes out. */
const table: Readonly<
  Record<Fault, Readonly<Record<CallName, readonly [number, Failure['_tag']]>>>
> = {
  'connection refused': {
    'a GET': [3, 'Unreachable'],
    'a POST with a request_id': [3, 'Unreachable'],
    'a POST without one': [3, 'Unreachable'],
  },
  'connection reset': {
    'a GET': [3, 'Unreachable'],
    'a POST with a request_id': [3, 'Ambiguous'],
    'a POST without one': [1, 'Ambiguous'],
  },
  'no connection in time': {
    'a GET': [3, 'TimedOut'],
    'a POST with a request_id': [3, 'TimedOut'],
    'a POST without one': [3, 'TimedOut'],
  },
  'no headers in time': {
    'a GET': [3, 'TimedOut'],
    'a POST with a request_id': [3, 'Ambiguous'],
    'a POST without one': [1, 'Ambiguous'],
  },
  'no body in time': {
    'a GET': [3, 'TimedOut'],
    'a POST with a request_id': [3, 'Ambiguous'],
    'a POST without one': [1, 'Ambiguous'],
  },
  '500': {
    'a GET': [3, 'ServerFault'],
    'a POST with a request_id': [3, 'Ambiguous'],
    'a POST without one': [1, 'Ambiguous'],
  },
  '503': {
    'a GET': [3, 'ServerFault'],
    'a POST with a request_id': [3, 'Ambiguous'],
    'a POST without one': [1, 'Ambiguous'],
  },
  '400 service_unavailable': {
    'a GET': [3, 'ServerFault'],
    'a POST with a request_id': [3, 'Ambiguous'],
    'a POST without one': [1, 'Ambiguous'],
  },
  'a body cut off': {
    'a GET': [3, 'Undecodable'],
    'a POST with a request_id': [3, 'Ambiguous'],
    'a POST without one': [1, 'Ambiguous'],
  },
  '409 request_pending': {
    'a GET': [3, 'Refused'],
    'a POST with a request_id': [3, 'Ambiguous'],
    'a POST without one': [1, 'Ambiguous'],
  },
  '409 of another code': {
    'a GET': [1, 'Refused'],
    'a POST with a request_id': [3, 'Ambiguous'],
    'a POST without one': [1, 'Refused'],
  },
  '400 invalid_argument': {
    'a GET': [1, 'Refused'],
    'a POST with a request_id': [1, 'Refused'],
    'a POST without one': [1, 'Refused'],
  },
  '403': {
    'a GET': [1, 'Refused'],
    'a POST with a request_id': [1, 'Refused'],
    'a POST without one': [1, 'Refused'],
  },
  '404': {
    'a GET': [1, 'Refused'],
    'a POST with a request_id': [1, 'Refused'],
    'a POST without one': [1, 'Refused'],
  },
  'a redirect': {
    'a GET': [1, 'Refused'],
    'a POST with a request_id': [1, 'Refused'],
    'a POST without one': [1, 'Refused'],
  },
  'an empty 200': {
    'a GET': [3, 'Undecodable'],
    'a POST with a request_id': [3, 'Ambiguous'],
    'a POST without one': [1, 'Ambiguous'],
  },
  'an empty 204': {
    'a GET': [3, 'Undecodable'],
    'a POST with a request_id': [3, 'Ambiguous'],
    'a POST without one': [1, 'Ambiguous'],
  },
  '200 of another shape': {
    'a GET': [1, 'Undecodable'],
    'a POST with a request_id': [1, 'Ambiguous'],
    'a POST without one': [1, 'Ambiguous'],
  },
  '200 with null': {
    'a GET': [1, 'Undecodable'],
    'a POST with a request_id': [1, 'Ambiguous'],
    'a POST without one': [1, 'Ambiguous'],
  },
}

const rows = (Object.keys(faults) as ReadonlyArray<Fault>).flatMap((fault) =>
  (Object.keys(calls) as ReadonlyArray<CallName>).map((call) => ({ fault, call })),
)

describe('sent again', () => {
  it.each(rows)('$call, after $fault', ({ fault, call }) => {
    const { client, calls: sent, run } = lab({ play: () => faults[fault] })
    const [{ value } = { value: undefined }, ...more] = run<E.Either<Failure, unknown>>(
      calls[call](client),
    )
    const [times, tag] = table[fault][call]
    expect([sent().length, value]).toEqual([
      times,
      E.left(expect.objectContaining({ _tag: tag, attempts: times })),
    ])
    expect(more).toEqual([])
  })

  it('after 1 and 2 seconds, and until it succeeds', () => {
    const {
      client,
      calls: sent,
      run,
    } = lab({
      play: (_, nth) => (nth < 3 ? { outage: RESET } : { body: CHARGE }),
    })
    const out = run(client.charges.retrieve({ id: 'chg_1' }))
    expect(sent().map(({ at }) => at)).toEqual([10, 1_020, 3_030])
    expect(out).toEqual([{ at: 3_040, value: E.right(CHARGE) }])
  })

  it('as often as the client is told', () => {
    for (const faults of [0, 1, 5]) {
      const {
        client,
        calls: sent,
        run,
      } = lab({
        play: () => ({ outage: RESET }),
        retry: { faults },
      })
      run(client.charges.retrieve({ id: 'chg_1' }))
      expect(sent()).toHaveLength(faults + 1)
    }
  })

  it('any call after a 429, until the attempts are used up', () => {
    for (const call of Object.values(calls)) {
      const {
        client,
        calls: sent,
        run,
      } = lab({
        play: () => problem(429, 'too_many_requests'),
        retry: { throttled: 4 },
      })
      const out = run<E.Either<Failure, unknown>>(call(client))
      expect(sent()).toHaveLength(5)
      expect(out.map(({ value }) => value)).toEqual([
        E.left(expect.objectContaining({ _tag: 'Throttled', attempts: 5 })),
      ])
    }
  })

  it('after a 429 no sooner than `Retry-After` says', () => {
    const {
      client,
      calls: sent,
      run,
    } = lab({
      play: (_, nth) =>
        nth === 1
          ? { ...problem(429, 'too_many_requests'), headers: { 'retry-after': '7' } }
          : { body: CHARGE },
    })
    run(client.charges.retrieve({ id: 'chg_1' }))
    const [first = 0, second = 0] = sent().map(({ at }) => at)
    expect(second - first).toBeGreaterThanOrEqual(7_010)
  })
})

describe('a request_id', () => {
  const requestIds = (play: Play, params: Readonly<Record<string, unknown>> = NEW_CHARGE) => {
    const all = lab({ play })
    const given = Object.freeze({ ...params })
    all.run(all.client.charges.create({ ...NEW_CHARGE, ...given }))
    expect(given).toEqual(params)
    return all.calls().flatMap(({ route, body }) => (route === CREATE ? [body.request_id] : []))
  }

  it('is made when left out, and is the same in every attempt', () => {
    expect(requestIds(() => ({ outage: RESET }))).toEqual(['uuid-1', 'uuid-1', 'uuid-1'])
    expect(requestIds((_, nth) => (nth < 4 ? problem(429, 'x') : { body: CHARGE }))).toEqual(
      Array(4).fill('uuid-1'),
    )
  })

  it('is the caller’s where there is one', () => {
    const given = { ...NEW_CHARGE, request_id: 'mine' }
    expect(requestIds(() => ({ outage: RESET }), given)).toEqual(['mine', 'mine', 'mine'])
  })

  it.each([null, '', 17])('that is %j is refused, and no other is made in its place', (given) => {
    const params: Readonly<Record<string, unknown>> = { request_id: given }
    const { client, sent, run } = lab()
    const calls = [
      client.charges.create({ ...NEW_CHARGE, ...params }),
      client.batchTransfers.create({ name: 'a batch', ...params }),
    ]
    for (const call of calls) {
      expect(run<unknown>(call)).toMatchObject([
        { value: E.left({ _tag: 'InvalidRequest', field: 'request_id' }) },
      ])
    }
    expect(sent).toEqual([])
  })

  it('that is none, and goes unchecked, makes nothing safe to send again', () => {
    const params: Readonly<Record<string, unknown>> = { request_id: null }
    const all = lab({ play: () => ({ outage: RESET }), check: false })
    const out = all.run(all.client.charges.create({ ...NEW_CHARGE, ...params }))
    expect(out.map(({ value }) => value)).toMatchObject([
      E.left({ _tag: 'Ambiguous', attempts: 1 }),
    ])
    expect(all.calls().map(({ body }) => body.request_id)).toEqual([null])
  })

  it('is one for each call, however often what it gave is subscribed to', () => {
    const { client, calls: sent, run } = lab()
    const create = client.charges.create(NEW_CHARGE)
    run(create)
    run(create.pipe(repeat(2)))
    run(of(NEW_CHARGE, NEW_CHARGE).pipe(mergeMap(client.charges.create)))
    expect(sent().map(({ body }) => body.request_id)).toEqual([
      ...['uuid-1', 'uuid-1', 'uuid-1'],
      ...['uuid-2', 'uuid-3'],
    ])
  })

  it('is the same when a call that took too long is subscribed to again', () => {
    const {
      client,
      calls: sent,
      run,
      timer,
    } = lab({ play: (_, nth) => ({ body: CHARGE, ms: nth === 1 ? 1_000 : 10 }) })
    const out = run(
      client.charges.create(NEW_CHARGE).pipe(timeout({ each: 300, scheduler: timer }), retry(1)),
    )
    expect(out.map(({ value }) => value)).toEqual([E.right(CHARGE)])
    expect(sent().map(({ body }) => body.request_id)).toEqual(['uuid-1', 'uuid-1'])
  })

  it('is made for nobody who does not subscribe', () => {
    let made = 0
    const { client, run } = lab({ uuid: () => `made-${++made}` })
    const create = client.charges.create(NEW_CHARGE)
    expect(made).toBe(0)
    run(create)
    expect(made).toBe(1)
  })
})

describe('a request_id that is not written', () => {
  const amount = { amount: t.number }
  const Amount = t.type(amount)
  const success = t.type({ id: t.string })
  const renaming = new t.Type<t.TypeOf<typeof Amount>, unknown, unknown>(
    'an amount, and nothing else',
    Amount.is,
    Amount.validate,
    ({ amount }) => ({ amount }),
  )
  const lost: Play = () => ({ outage: RESET })

  it.each([
    ['strict', t.strict(amount)],
    ['exact', t.exact(Amount)],
    ['written by an encoder', renaming],
  ])('makes no call safe to repeat, nor is told of: %s', (_, params) => {
    const row = endpoint('POST /api/v1/payouts/create', {
      params,
      success,
      repeatable: 'by request_id',
    })
    for (const given of [{ amount: 5 }, { amount: 5, request_id: 'mine' }]) {
      const { client, calls, run } = lab({ play: lost })
      const out = run(client.request(row)(given))
      expect(calls().map(({ body }) => body)).toEqual([{ amount: 5 }])
      expect(out).toMatchObject([
        { value: E.left({ _tag: 'Ambiguous', attempts: 1, tried: ['sent once'] }) },
      ])
      expect(JSON.stringify(out)).not.toContain('requestId')
    }
  })

  it('is none of an item either, nor is one that JSON leaves out', () => {
    class Line {
      a = 1
      get request_id() {
        return 'i1'
      }
    }
    const strict = endpoint('POST /api/v1/lines/add', {
      params: t.type({ items: t.array(t.strict({ a: t.number })) }),
      success,
      repeatable: 'by request_id of items',
    })
    const open = endpoint('POST /api/v1/lines/add', {
      params: t.type({ items: t.array(t.type({ a: t.number })) }),
      success,
      repeatable: 'by request_id of items',
    })
    const line = { a: 1, request_id: 'i1' }
    for (const add of [
      ({ request }: Client) => request(strict)({ items: [line] }),
      ({ request }: Client) => request(open)({ items: [new Line()] }),
    ]) {
      const { client, calls, run } = lab({ play: lost })
      const out = run(add(client))
      expect(calls().map(({ body }) => body)).toEqual([{ items: [{ a: 1 }] }])
      expect(out).toMatchObject([{ value: E.left({ _tag: 'Ambiguous', attempts: 1 }) }])
    }
  })

  it('is one where a row has another place for it', () => {
    const row = endpoint('POST /api/v1/lines', {
      params: t.intersection([
        t.type({ lines: t.array(t.number) }),
        t.partial({ request_id: t.string }),
      ]),
      success,
      repeatable: 'by request_id',
      at: { lines: 'whole body', request_id: 'header x-request' },
    })
    const { client, calls, run } = lab({ play: lost })
    expect(run(client.request(row)({ lines: [1] }))).toMatchObject([
      { value: E.left({ _tag: 'Ambiguous', attempts: 3, requestId: 'uuid-1' }) },
    ])
    expect(calls().map(({ request }) => request.headers['x-request'])).toEqual(
      Array(3).fill('uuid-1'),
    )
  })

  it('is an empty one', () => {
    const row = endpoint('POST /api/v1/payouts/create', {
      params: t.intersection([Amount, t.partial({ request_id: t.string })]),
      success,
      repeatable: 'by request_id',
    })
    const once = { _tag: 'Ambiguous', attempts: 1, tried: ['sent once'] }
    const own = lab({ play: lost })
    expect(own.run(own.client.request(row)({ amount: 5, request_id: '' }))).toMatchObject([
      { value: E.left(once) },
    ])
    const unchecked = lab({ play: lost, check: false })
    const charge = unchecked.client.charges.create({ ...NEW_CHARGE, request_id: '' })
    expect(unchecked.run(charge)).toMatchObject([{ value: E.left(once) }])
    expect(unchecked.calls().map(({ body }) => body.request_id)).toEqual([''])
  })
})
