import { describe, expect, expectTypeOf, it } from 'vitest'
import { E } from '../../src/fp.js'
import type { Answer, Charge, Client, Failure, ObservableEither, Session } from '../../src/index.js'
import { wasRecovered } from '../../src/index.js'
import {
  CHARGE,
  CREATE,
  LIST,
  LOGIN,
  lab,
  ME,
  NEW_CHARGE,
  problem,
  RESET,
  type Reply,
} from '../support/lab.js'

describe('withAnswer', () => {
  const headers = { 'x-request-id': 'trace-1', 'x-region': 'eu' }

  it('emits the response beside the value', () => {
    const { client, run } = lab({
      play: (_, nth) =>
        nth === 1 ? problem(503, 'internal_error') : { status: 200, body: CHARGE, headers },
    })
    const [out] = run(client.withAnswer.charges.retrieve({ id: 'chg_1' }))
    expect(out?.value).toEqual(
      E.right({
        value: CHARGE,
        status: 200,
        header: expect.any(Function),
        attempts: 2,
        traceId: 'trace-1',
      }),
    )
    const header = (name: string) =>
      out !== undefined && E.isRight(out.value) ? out.value.right.header(name) : undefined
    expect([header('X-Region'), header('x-none')]).toEqual(['eu', undefined])
  })

  it('keeps the failures of the call, and the options of `with`', () => {
    const { client, calls, run } = lab({ play: () => problem(404, 'not_found') })
    const account = client.with({ onBehalfOf: 'acct_2' })
    const [out] = run(account.withAnswer.charges.retrieve({ id: 'chg_1' }))
    expect(out?.value).toMatchObject(E.left({ _tag: 'Refused', status: 404, attempts: 1 }))
    expect(calls()[0]?.request.headers).toMatchObject({ 'x-on-behalf-of': 'acct_2' })
    const [invalid] = run(client.withAnswer.charges.retrieve({ id: '..' }))
    expect(invalid?.value).toMatchObject(E.left({ _tag: 'InvalidRequest', field: 'id' }))
  })

  it('shows, of a write that was looked up, the response it was found in', () => {
    const play = ({ route }: { readonly route: string }): Reply =>
      route === LIST
        ? { body: { has_more: false, items: [{ ...CHARGE, request_id: 'uuid-1' }] }, headers }
        : { outage: RESET }
    const { client, run, calls } = lab({ play })
    const [out] = run(client.withAnswer.charges.create(NEW_CHARGE))
    expect(calls().map(({ route }) => route)).toEqual([CREATE, CREATE, CREATE, LIST])
    expect(out?.value).toMatchObject(E.right({ status: 200, attempts: 3, traceId: 'trace-1' }))
    const recovered = out !== undefined && E.isRight(out.value) && out.value.right.value
    expect(wasRecovered(recovered)).toBe(true)
  })

  it('has the calls with one value, typed', () => {
    const { client } = lab()
    expect(client.withAnswer.charges).toHaveProperty('retrieve')
    expect(client.withAnswer.charges).not.toHaveProperty('list')
    type Answers = Client['withAnswer']
    expectTypeOf<Answers['charges']>().toHaveProperty('retrieve')
    expectTypeOf<Answers['charges']>().not.toHaveProperty('list')
    expectTypeOf<Answers['webhooks']>().toHaveProperty('delete')
    expectTypeOf<Answers['webhooks']>().not.toHaveProperty('list')
    expectTypeOf(client.withAnswer.charges.retrieve).parameters.toEqualTypeOf<
      Parameters<Client['charges']['retrieve']>
    >()
    expectTypeOf(client.withAnswer.charges.retrieve).returns.toExtend<
      ObservableEither<Failure, Answer<Charge>>
    >()
    // @ts-expect-error: lists have many responses
    expect(client.withAnswer.charges.list).toBeUndefined()
  })

  it('a failure of decoding has the same trace id', () => {
    const { client, run } = lab({ play: () => ({ body: { id: 7 }, headers }) })
    const [out] = run(client.charges.retrieve({ id: 'chg_1' }))
    expect(out?.value).toMatchObject(E.left({ _tag: 'Undecodable', traceId: 'trace-1' }))
  })

  it('has no trace id for a card number, as its failures have none', () => {
    const play = () => ({ body: [], headers: { 'x-request-id': '4242424242424242' } })
    const { client, run } = lab({ play })
    const [out] = run(client.withAnswer.reference.lookUpBin({ pan: '4242424242424242' }))
    expect(out?.value).toMatchObject(E.right({ status: 200, attempts: 1 }))
    expect(out?.value).not.toHaveProperty('right.traceId')
  })
})

describe('authentication.login', () => {
  const params = { client_id: 'another', api_key: 'another-key-7b9c' }

  it('is a call as all others, and logs nothing else in', () => {
    const { client, sent, run } = lab()
    const [out] = run(client.authentication.login({ ...params, login_as: 'acct_1' }))
    expect(out?.value).toMatchObject(E.right({ token: expect.stringMatching(/^token-1-/) }))
    expect(sent.map(({ route, request }) => [route, request.headers])).toMatchObject([
      [LOGIN, { 'x-client-id': 'another', 'x-api-key': params.api_key, 'x-login-as': 'acct_1' }],
    ])
    expect(sent[0]?.request.headers).not.toHaveProperty('authorization')
    expectTypeOf(client.authentication.login).returns.toExtend<ObservableEither<Failure, Session>>()
  })

  it('counts toward the limit of logins of its client id, and not that of endpoints', () => {
    const limits = { logins: 1, endpoint: 1 }
    const { client, run } = lab({ limits })
    const at = (client_id: string) =>
      run(client.authentication.login({ ...params, client_id })).map((out) => out.at)
    expect(at(ME.clientId)).toEqual([10])
    expect(at('another')).toEqual([20])
    const [second = 0] = at(ME.clientId)
    expect(second).toBeGreaterThan(60_000)
  })

  it('is refused once, and repeats no key', () => {
    const { client, sent, run } = lab({
      login: () => problem(401, 'credentials_invalid', `no such key: ${params.api_key}`),
    })
    const [out] = run(client.authentication.login(params))
    expect(out?.value).toMatchObject(
      E.left({ _tag: 'Unauthorized', code: 'credentials_invalid', attempts: 1 }),
    )
    expect(JSON.stringify(out)).not.toContain(params.api_key)
    expect(sent).toHaveLength(1)
  })
})
