/** Methods of a client: one argument each, and stubs in their place, at their first use and in calls composed of them. */
import { mock } from 'node:test'
import { firstValueFrom, from, lastValueFrom, map, mergeMap, of, toArray } from 'rxjs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type AnyEndpoint, isList } from '../../src/api/Endpoint.js'
import { tables } from '../../src/api/index.js'
import { E } from '../../src/fp.js'
import { api, type Client, InvalidOption, type TimedOut } from '../../src/index.js'
import { item } from '../support/batch.js'
import { CHARGE, lab, NEW_CHARGE } from '../support/lab.js'
import { account } from './pay/account.js'

type AnyMethod = (...given: ReadonlyArray<unknown>) => unknown

const STUBBED: TimedOut = {
  _tag: 'TimedOut',
  endpoint: 'a stub',
  attempts: 1,
  phase: 'state',
  limit: 0,
  message: 'stubbed',
}

const RESOURCES = Object.keys(tables)

/** Every function of a client, by its dotted name; `payBatch` alone has options of its own. */
const methodsOf = (client: Client): ReadonlyArray<readonly [string, AnyMethod]> => {
  const { withAnswer } = client
  const all = [
    ...RESOURCES.map((name) => [name, Reflect.get(client, name)] as const),
    ...RESOURCES.map((name) => [`withAnswer.${name}`, Reflect.get(withAnswer, name)] as const),
  ].flatMap(([name, object]: readonly [string, object]) =>
    Object.entries(object).map(([method, call]) => [`${name}.${method}`, call] as const),
  )
  const own = Object.entries<unknown>({
    with: client.with,
    request: client.request,
    [api.charges.retrieve.route]: client.request(api.charges.retrieve),
  }) as ReadonlyArray<readonly [string, AnyMethod]>
  return [...all, ...own].filter(([name]) => !/\.(ledger|payBatch)$/.test(name))
}

describe('a second argument', () => {
  const ofRows = Object.values(tables).flatMap((table: Record<string, AnyEndpoint>) =>
    Object.values(table),
  )

  it.each([
    [{ onBehalfOf: 'acct_2' }],
    [{ idempotencyKey: 'invoice-1' }],
    [{ headers: {} }],
    [null],
    ['key_secret'],
    [() => {}],
  ])('%j throws before anything is sent, whatever the method', (second) => {
    const { client, calls, logins } = lab()
    const methods = methodsOf(client)
    expect(methods.length).toBeGreaterThan(2 * ofRows.filter((row) => !isList(row)).length)
    for (const [name, method] of methods) {
      const call = () => method({}, second)
      expect(call, name).toThrow(InvalidOption)
      expect(call, name).toThrow(`${name} takes one argument`)
      expect(call, name).toThrow('payments.with({ ')
      expect(call, name).not.toThrow('key_secret')
    }
    expect([calls(), logins()]).toEqual([[], []])
  })

  it('is named where it has a place of its own', () => {
    const { client } = lab()
    const create = client.charges.create as AnyMethod
    expect(() => create(NEW_CHARGE, { onBehalfOf: 'acct_2', timeout: {} })).toThrow(
      'use payments.with({ onBehalfOf: ..., timeout: ... })',
    )
    expect(() => create(NEW_CHARGE, { idempotencyKey: '1' })).toThrow(
      'a request_id is a field of the first argument',
    )
  })

  it('may be undefined, or the index of mergeMap and of a list', () => {
    const { client, run } = lab({ play: () => ({ body: CHARGE }) })
    const ids = [{ id: 'chg_1' }, { id: 'chg_2' }]
    const { retrieve } = client.charges
    const read = run(from(ids).pipe(mergeMap(retrieve)))
    const mapped = run(from(ids.map(retrieve)).pipe(mergeMap((one) => one)))
    const given = run((retrieve as AnyMethod)({ id: 'chg_1' }, undefined) as typeof mapped & never)
    expect([read.length, mapped.length, given.length]).toEqual([2, 2, 1])
  })
})

describe('a method', () => {
  afterEach(() => {
    vi.restoreAllMocks()
    mock.restoreAll()
  })

  type Stub = (object: object, name: string, fake: AnyMethod) => unknown

  const stubs: ReadonlyArray<readonly [string, Stub]> = [
    ['assignment', (object, name, fake) => Object.assign(object, { [name]: fake })],
    [
      'vi.spyOn',
      (object, name, fake) =>
        vi.spyOn(object as Record<string, AnyMethod>, name).mockImplementation(fake),
    ],
    [
      'mock.method of node:test',
      (object, name, fake) => mock.method(object as Record<string, AnyMethod>, name, fake),
    ],
    [
      'defineProperty, as by sinon.stub',
      (object, name, fake) => {
        const before = Object.getOwnPropertyDescriptor(object, name)
        expect(before).toMatchObject({
          value: expect.any(Function),
          writable: true,
          configurable: true,
        })
        Object.defineProperty(object, name, { ...before, value: fake })
      },
    ],
  ]

  it.each(stubs)('is replaced by %s at its first use, whichever it is', (_, stub) => {
    const names = methodsOf(lab().client).map(([name]) => name)
    for (const name of names.filter((one) => !one.includes('/'))) {
      const { client, calls, logins } = lab()
      const path = name.split('.')
      const method = path.pop() ?? ''
      const owner = path.reduce<object>((object, key) => Reflect.get(object, key), client)
      stub(owner, method, () => 'stubbed')
      const now: AnyMethod = Reflect.get(owner, method)
      expect(now({}), name).toBe('stubbed')
      expect([calls(), logins()]).toEqual([[], []])
    }
  })

  it('that a stub is restored to makes its own call again', async () => {
    const { client, run } = lab({ play: () => ({ body: CHARGE }) })
    const spy = vi.spyOn(client.charges, 'retrieve').mockReturnValue(of(E.left(STUBBED)))
    const read = () =>
      run(client.charges.retrieve({ id: 'chg_1' }).pipe(map(E.map(({ id }) => id))))
    expect(read()[0]?.value).toEqual(E.left(STUBBED))
    spy.mockRestore()
    expect(read()[0]?.value).toEqual(E.right(CHARGE.id))
  })

  it('of another client stays: with() makes one', () => {
    const { client } = lab()
    const stub = vi.spyOn(client.charges, 'create')
    expect(client.with({ check: false }).charges.create).not.toBe(stub)
  })
})

describe('calls composed of others call a stub', () => {
  /** Runs a job with a stub in place of a method; returns how often that was called, and the requests with its name. */
  const played = async (
    method: 'submit' | 'quote' | 'addItems' | 'create' | 'createOnce' | 'list' | 'retrieve',
    part: RegExp,
  ) => {
    const on = account()
    const sent: Array<string> = []
    const answer = of(E.left(STUBBED))
    const fake = vi.fn(() => (method === 'list' ? { pages: answer } : answer))
    const { events } = await on.inTime(
      on.life(
        (client) => {
          Object.assign(client.batchTransfers, { [method]: fake })
          return client.batchTransfers.payAll({ run: 'r', approve: () => true })([item(1)])
        },
        {
          around: (fetch) => (url, init) => {
            sent.push(`${init?.method} ${new URL(url).pathname}`)
            return fetch(url, init)
          },
        },
      ),
    )
    return {
      calls: fake.mock.calls.length,
      sent: sent.filter((one) => part.test(one)),
      end: events.at(-1),
    }
  }

  it.each([
    ['submit', /submit$/],
    ['quote', /quote$/],
    ['addItems', /add_items$/],
    ['create', /create$/],
    ['createOnce', /create$/],
    ['list', /GET .*batch_transfers$/],
    ['retrieve', /GET .*batch_transfers\/\w+$/],
  ] as const)('payAll: %s', async (method, part) => {
    const { calls, sent, end } = await played(method, part)
    expect(calls).toBeGreaterThan(0)
    expect(sent).toEqual([])
    expect(end).toMatchObject({ _tag: 'Left' })
  })

  it('createOnce: create', async () => {
    const { client, calls } = lab()
    Object.assign(client.charges, { create: () => of(E.right(CHARGE)) })
    const made = await firstValueFrom(client.charges.createOnce({ ...NEW_CHARGE, request_id: 'r' }))
    expect([made, calls()]).toEqual([E.right(CHARGE), []])
  })

  it('untilState: retrieve', async () => {
    const { client, calls } = lab()
    Object.assign(client.batchTransfers, {
      retrieve: () => of(E.right({ id: 'bat_1', status: 'BOOKED' })),
    })
    const seen = await lastValueFrom(
      client.batchTransfers.untilState({ id: 'bat_1' }).pipe(toArray()),
    )
    expect([seen.length > 0, calls()]).toEqual([true, []])
  })
})
