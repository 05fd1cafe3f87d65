/** The `request_id` that makes a call safe to send again: which one is sent, and when there is none. */
import * as t from 'io-ts'
import { mergeMap, of, repeat, retry, timeout } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E } from '../../../src/fp.js'
import { type Client, endpoint } from '../../../src/index.js'
import { CHARGE, CREATE, lab, NEW_CHARGE, type Play, problem, RESET } from '../../support/lab.js'

describe('a request_id', () => {
  const requestIds = (play: Play, params: Readonly<Record<string, unknown>> = NEW_CHARGE) => {
    const all = lab({ play })
    const given = Object.freeze({ ...params })
    all.run(all.client.charges.create({ ...NEW_CHARGE, ...given }))
    expect(given).toEqual(params)
    return all.calls().flatMap(({ route, body }) => (route === CREATE ? [body.request_id] : []))
  }

  it('is generated if absent, and the same in every attempt', () => {
    expect(requestIds(() => ({ outage: RESET }))).toEqual(['uuid-1', 'uuid-1', 'uuid-1'])
    expect(requestIds((_, nth) => (nth < 4 ? problem(429, 'x') : { body: CHARGE }))).toEqual(
      Array(4).fill('uuid-1'),
    )
  })

  it('is kept if given', () => {
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

  it('that is invalid and unchecked makes no retry safe', () => {
    const params: Readonly<Record<string, unknown>> = { request_id: null }
    const all = lab({ play: () => ({ outage: RESET }), check: false })
    const out = all.run(all.client.charges.create({ ...NEW_CHARGE, ...params }))
    expect(out.map(({ value }) => value)).toMatchObject([
      E.left({ _tag: 'Ambiguous', attempts: 1 }),
    ])
    expect(all.calls().map(({ body }) => body.request_id)).toEqual([null])
  })

  it('is one for each call, however often its stream is subscribed to', () => {
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

  it('is the same if a call is subscribed to again after a timeout', () => {
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

  it('is not generated before subscription', () => {
    let made = 0
    const { client, run } = lab({ uuid: () => `made-${++made}` })
    const create = client.charges.create(NEW_CHARGE)
    expect(made).toBe(0)
    run(create)
    expect(made).toBe(1)
  })

  it.each<[unknown, string]>([
    [undefined, 'undefined'],
    [null, 'null'],
    ['', 'text of 0 characters'],
    [5, 'number 5'],
    [Promise.resolve('made'), 'object'],
  ])('is a text, or nothing is sent: %s', (made, actual) => {
    const option: object = { uuid: () => made } // of a caller without types
    for (const check of [true, false]) {
      const { client, run, sent } = lab({ check, ...option })
      const [outcome] = run(client.charges.create(NEW_CHARGE))
      const expected = 'a text that is not empty, as the option uuid should make it'
      expect(outcome?.value).toMatchObject(
        E.left({
          _tag: 'InvalidRequest',
          field: 'request_id',
          message: `POST /api/v1/charges/create: request_id should be ${expected}, and is ${actual}; nothing was sent`,
        }),
      )
      expect(sent).toEqual([])
    }
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

  it('makes the same of an item, or of a value without JSON', () => {
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
