/** Types as callers meet them in the compiler. Nothing here is sent. */
import * as t from 'io-ts'
import { from, mergeMap, type Observable } from 'rxjs'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { E } from '../../src/fp.js'
import {
  type AnyFailure,
  type Charge,
  type Client,
  type ClientOptions,
  createClient,
  endpoint,
  type Failure,
  type List,
  type NewCharge,
  type ObservableEither,
  type Page,
  type Paged,
  type Position,
  type SnapshotFailure,
  type SnapshotPosition,
} from '../../src/index.js'

const client = createClient({
  baseUrl: 'https://platform.test',
  credentials: { clientId: 'me', apiKey: 'key-81dc9bdb52d0' },
})

type ChargeCode = 'field_required' | 'invalid_argument'

describe('calls', () => {
  it('with one value take one object and give one stream', () => {
    expectTypeOf(client.charges.create).parameter(0).toExtend<NewCharge>()
    expectTypeOf<[NewCharge]>().toExtend<Parameters<typeof client.charges.create>>()
    type Created = ReturnType<typeof client.charges.create>
    expectTypeOf<Created>().toExtend<ObservableEither<Failure<ChargeCode>, Charge>>()
    expectTypeOf<ObservableEither<Failure<ChargeCode>, Charge>>().toExtend<Created>()
    expectTypeOf(client.charges.retrieve).parameter(0).toEqualTypeOf<{ id: string }>()
  })

  it('that list need no parameters, and give a list seen several ways', () => {
    const list = client.charges.list()
    expectTypeOf(list).toExtend<Paged<Failure<ChargeCode>, Charge, Position>>()
    expectTypeOf<List<Failure<ChargeCode>, Charge>>().toExtend<typeof list>()
    expectTypeOf(list.parallel(4)).toExtend<Paged<Failure<ChargeCode>, Charge, Position>>()
    expectTypeOf(list).toExtend<Observable<E.Either<Failure<ChargeCode>, Charge>>>()
    expectTypeOf(list).toExtend<AsyncIterable<E.Either<Failure<ChargeCode>, Charge>>>()
    expectTypeOf(list.pages).toExtend<
      Observable<E.Either<Failure<ChargeCode>, Page<Failure<ChargeCode>, Charge, Position>>>
    >()
    expectTypeOf(list.drain(() => from([1, 2]))).toEqualTypeOf<Observable<number>>()
  })

  it('are projections', () => {
    const ids = from([{ id: 'a' }])
    expectTypeOf(ids.pipe(mergeMap(client.charges.retrieve))).toEqualTypeOf<
      Observable<E.Either<Failure<ChargeCode>, Charge>>
    >()
  })

  it('do not compile with wrong parameters', () => {
    // @ts-expect-error: no such status
    client.charges.list({ status: 'SETLED' })
    // @ts-expect-error: no such parameter
    client.charges.list({ state: 'SETTLED' })
    // @ts-expect-error: a number belongs here
    client.charges.list({ page_size: '100' })
    // @ts-expect-error: an id is needed
    client.charges.retrieve()
    // @ts-expect-error: an id is an object's field
    client.charges.retrieve('chg_1')
    const charge = { amount: '1', currency: 'USD', reference: 'r', source: 's' } as const
    // @ts-expect-error: no such reason
    client.charges.create({ ...charge, reason: 'gift' })
    // @ts-expect-error: a source is needed
    client.charges.create({ amount: '1', currency: 'USD', reason: 'taxes', reference: 'r' })
    // @ts-expect-error: options of one call are another client
    expect(() => client.charges.retrieve({ id: 'chg_1' }, { onBehalfOf: 'acct_2' })).toThrow()
    // @ts-expect-error: no such table
    client.refunds
  })

  it('leave a request_id out, or take one', () => {
    const charge = {
      amount: 9.99,
      currency: 'USD',
      reason: 'taxes',
      reference: 'r',
      source: 's',
    } as const
    client.charges.create(charge)
    client.charges.create({ ...charge, amount: '9.99', request_id: 'mine' })
  })
})

describe('failures', () => {
  it('are a union that a `switch` exhausts', () => {
    const name = (failure: Failure<ChargeCode>): string => {
      switch (failure._tag) {
        case 'InvalidRequest':
          return failure.field
        case 'Unauthorized':
        case 'ServerFault':
        case 'Unreachable':
          return failure.code
        case 'Refused':
          expectTypeOf(failure.code).toEqualTypeOf<ChargeCode | (string & {})>()
          return failure.code
        case 'Throttled':
          return failure.message
        case 'TimedOut':
          expectTypeOf(failure.phase).toEqualTypeOf<
            'connect' | 'headers' | 'body' | 'whole' | 'deadline' | 'state'
          >()
          return failure.phase
        case 'Undecodable':
          return failure.path
        case 'Truncated':
          expectTypeOf(failure.cause).toEqualTypeOf<AnyFailure | undefined>()
          return `${failure.pages}`
        case 'Ambiguous':
          return failure.tried.join()
        default:
          failure satisfies never
          return failure
      }
    }
    expectTypeOf(name).returns.toBeString()
  })
})

describe('rows', () => {
  it('tell their calls', () => {
    const row = endpoint('GET /api/v1/novelties/{id}', {
      params: t.type({ id: t.string }),
      success: t.type({ colour: t.string }),
      errors: { 404: ['faded'], 409: ['lost'] },
    })
    expectTypeOf(client.request(row)).toEqualTypeOf<
      (params: { id: string }) => ObservableEither<Failure<'faded' | 'lost'>, { colour: string }>
    >()
    expectTypeOf(client.request(row)).parameters.toEqualTypeOf<[params: { id: string }]>()
  })

  it('do not compile when the route names what is not among the parameters', () => {
    const success = t.unknown
    // @ts-expect-error: {name} is no parameter
    endpoint('GET /api/v1/novelties/{name}', { params: t.type({ id: t.string }), success })
    // @ts-expect-error: a path is made of texts
    endpoint('GET /api/v1/novelties/{id}', { params: t.type({ id: t.number }), success })
    // @ts-expect-error: neither GET nor POST
    endpoint('PUT /api/v1/novelties', { params: t.type({}), success })
    const at = { ident: 'header x-id' } as const
    // @ts-expect-error: `at` names no parameter
    endpoint('GET /api/v1/novelties', { params: t.type({ id: t.string }), success, at })
  })
})

describe('options', () => {
  it('do not compile when misspelt', () => {
    const baseUrl = 'https://platform.test'
    const credentials = { clientId: 'me', apiKey: 'key-81dc9bdb52d0' }
    // what is left out comes from variables
    void ((): ClientOptions => ({ credentials }))
    // @ts-expect-error: no such option
    void ((): ClientOptions => ({ baseUrl, credentials, enviroment: 'sandbox' }))
    // @ts-expect-error: no such environment
    void ((): ClientOptions => ({ baseUrl, credentials, environment: 'staging' }))
    // @ts-expect-error: milliseconds are numbers
    void ((): ClientOptions => ({ baseUrl, credentials, timeout: { headers: '5s' } }))
    // @ts-expect-error: credentials are not for one call
    void ((one: Client) => one.with({ credentials }))
    // @ts-expect-error: no such option of a call
    void ((one: Client) => one.with({ onBehalf: 'acct_2' }))
  })

  it('a snapshot ends on a failure of its list, and goes on from where it says', () => {
    const snapshot = client.charges.snapshot({ status: 'SETTLED' })
    expectTypeOf(snapshot).toExtend<Paged<AnyFailure, Charge, SnapshotPosition>>()
    expectTypeOf(snapshot.parallel(4).from).parameter(0).toEqualTypeOf<SnapshotPosition>()
    const goOn = (failure: SnapshotFailure<ChargeCode>) =>
      failure._tag === 'Truncated' && 'slices' in failure.position
        ? snapshot.from(failure.position)
        : undefined
    expectTypeOf(goOn).returns.toEqualTypeOf<typeof snapshot | undefined>()
    // @ts-expect-error a snapshot has no page numbers
    client.charges.snapshot({ page_num: 1 })
  })
})
