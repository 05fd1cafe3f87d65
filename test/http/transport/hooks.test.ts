/** Hooks of ky around the requests of a client. */
import { createHmac } from 'node:crypto'
import type { AfterResponseHook, BeforeRequestHook, Hooks } from 'ky'
import { firstValueFrom, lastValueFrom } from 'rxjs'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { E } from '../../../src/fp.js'
import { type ClientOptions, InvalidOption, type RequestHooks } from '../../../src/index.js'
import { createSandbox, sandboxCredentials } from '../../../src/sandbox/index.js'
import type { JudgeOptions } from '../../support/judge.js'
import { clientOf, judged, newCharge } from '../../support/judged.js'
import { CHARGE } from '../../support/lab.js'

const hooked = (hooks: RequestHooks, server: JudgeOptions = {}, more: ClientOptions = {}) =>
  judged({ charges: 1, ...server }, { hooks, ...more })

it('have the types of ky', () => {
  expectTypeOf<Pick<Hooks, 'beforeRequest' | 'afterResponse'>>().toExtend<RequestHooks>()
  expectTypeOf<NonNullable<ClientOptions['hooks']>>().toExtend<{
    readonly beforeRequest?: ReadonlyArray<BeforeRequestHook> | undefined
    readonly afterResponse?: ReadonlyArray<AfterResponseHook> | undefined
  }>()
})

it('run around calls and logins, in order, and may add headers', async () => {
  const order: Array<string> = []
  const { server, client } = await hooked({
    beforeRequest: [
      ({ request }) => request.headers.set('x-team', 'treasury'),
      ({ request }) => {
        const headers = { ...Object.fromEntries(request.headers), 'x-proxy': 'eu' }
        return new Request(request, { headers })
      },
      async ({ request }) => {
        const text = await request.text() // may be used up: what is sent is the client's
        request.headers.set('x-signature', createHmac('sha256', 'k').update(text).digest('hex'))
      },
    ],
    afterResponse: [
      ({ request, response }) => {
        order.push(`${request.method} ${response.status}`)
      },
    ],
  })
  expect(await lastValueFrom(client.charges.list())).toMatchObject(E.right({}))
  expect(await firstValueFrom(client.charges.create(newCharge))).toMatchObject(E.right({}))
  expect(order).toEqual(['POST 201', 'GET 200', 'POST 201'])
  for (const { headers, body } of server.seen) {
    expect(headers).toMatchObject({
      'x-team': 'treasury',
      'x-proxy': 'eu',
      'x-signature': createHmac('sha256', 'k').update(body).digest('hex'),
    })
  }
})

it('may replace the response', async () => {
  const { client } = await hooked({
    afterResponse: [
      ({ request }) =>
        request.method === 'GET' ? Response.json({ ...CHARGE, id: 'chg_hook' }) : undefined,
    ],
  })
  expect(await firstValueFrom(client.charges.retrieve({ id: 'chg_0' }))).toMatchObject(
    E.right({ id: 'chg_hook' }),
  )
})

it('leave it known that a connection was refused', async () => {
  const { server, client } = await hooked(
    { beforeRequest: [() => undefined] },
    {},
    { credentials: { token: async () => ({ token: 't' }) }, retry: { faults: 0 } },
  )
  await server.close()
  expect(await firstValueFrom(client.batchTransfers.submit({ id: 'b' }))).toMatchObject(
    E.left({ _tag: 'Unreachable', code: 'ECONNREFUSED', mayHaveArrived: false }),
  )
})

describe('a hook that answers itself', () => {
  it.each([500, 503, 403])('sent nothing, so that its %i leaves nothing open', async (status) => {
    const answered: RequestHooks = {
      beforeRequest: [
        ({ request }) =>
          request.url.endsWith('/submit') ? new Response('maintenance', { status }) : undefined,
      ],
    }
    const { server, client, calls } = await hooked(answered)
    const ended = await firstValueFrom(client.batchTransfers.submit({ id: 'b' }))
    expect(ended).toMatchObject(E.left({ _tag: 'ServerFault', status }))
    expect(calls()).toEqual([])
    expect(server.seen).toHaveLength(1) // the login
  })

  it('is believed', async () => {
    const { client, calls } = await hooked({
      beforeRequest: [
        ({ request }) => (request.method === 'GET' ? Response.json(CHARGE) : undefined),
      ],
    })
    expect(await firstValueFrom(client.charges.retrieve({ id: 'chg_1' }))).toEqual(E.right(CHARGE))
    expect(calls()).toEqual([])
  })
})

describe('a hook that throws is a bug, whose error is told as it is', () => {
  const bug = new RangeError('a bug of the hook')
  const failing = (): never => {
    throw bug
  }

  it.each<readonly [string, RequestHooks, number]>([
    ['before a login', { beforeRequest: [failing] }, 0],
    ['after a login', { afterResponse: [async () => failing()] }, 1],
    [
      'before a call',
      { beforeRequest: [({ request }) => (request.method === 'GET' ? failing() : undefined)] },
      1,
    ],
    [
      'after a call',
      { afterResponse: [({ request }) => (request.method === 'GET' ? failing() : undefined)] },
      2,
    ],
  ])('%s', async (_, hooks, sent) => {
    const { server, client } = await hooked(hooks)
    await expect(firstValueFrom(client.charges.retrieve({ id: 'chg_0' }))).rejects.toBe(bug)
    expect(server.seen).toHaveLength(sent)
  })
})

describe('a hook that changes what the client has decided', () => {
  const onlyCalls =
    (hook: BeforeRequestHook): BeforeRequestHook =>
    (state) =>
      state.request.url.includes('/login') ? undefined : hook(state)

  it.each<readonly [string, BeforeRequestHook]>([
    ['the header authorization', ({ request }) => request.headers.set('authorization', 'Bearer x')],
    ['the header authorization', ({ request }) => request.headers.delete('authorization')],
    ['the header x-on-behalf-of', ({ request }) => request.headers.set('x-on-behalf-of', 'acct_2')],
    ['the method', ({ request }) => new Request(request, { method: 'PUT' })],
    ['the URL', ({ request }) => new Request(`${request.url}?a=b`, request)],
    ['the body', ({ request }) => new Request(request, { body: '{"amount":"1000000"}' })],
  ])('is refused by name: %s', async (changed, hook) => {
    const { client, calls } = await hooked(
      { beforeRequest: [onlyCalls(hook)] },
      {},
      { onBehalfOf: 'acct_1' },
    )
    const told = await firstValueFrom(client.charges.create(newCharge)).catch((e: unknown) => e)
    expect(told).toBeInstanceOf(InvalidOption)
    expect(String(told)).toMatch(new RegExp(`hooks.beforeRequest should be .* changed ${changed}$`))
    expect(calls()).toEqual([])
  })

  it('is refused at the login as well', async () => {
    const { server, client } = await hooked({
      beforeRequest: [({ request }) => request.headers.set('authorization', 'Basic cHJveHk=')],
    })
    await expect(lastValueFrom(client.charges.list())).rejects.toThrow('the header authorization')
    expect(server.seen).toEqual([])
  })

  it('by retrying beside the limits is refused', async () => {
    const { default: ky } = await import('ky')
    const again: AfterResponseHook = () => ky.retry()
    const { server, client } = await hooked({ afterResponse: [again] })
    await expect(lastValueFrom(client.charges.list())).rejects.toThrow(
      'hooks.afterResponse should be functions that do not return ky.retry()',
    )
    expect(server.seen).toHaveLength(1)
  })
})

describe('beside a fetch of the caller', () => {
  it('run as well', async () => {
    const statuses: Array<number> = []
    const sandbox = createSandbox({ charges: 3 })
    const client = clientOf('https://sandbox.test', {
      credentials: sandboxCredentials,
      fetch: sandbox.fetch,
      hooks: { afterResponse: [({ response }) => void statuses.push(response.status)] },
    })
    expect(await lastValueFrom(client.charges.list())).toMatchObject(E.right({}))
    expect(statuses).toEqual([201, 200])
  })

  it('need a Response for afterResponse', async () => {
    const plain = { status: 200, headers: { get: () => null }, body: null }
    const client = clientOf('https://platform.test', {
      fetch: async () => plain,
      hooks: { afterResponse: [() => undefined] },
    })
    await expect(lastValueFrom(client.charges.list())).rejects.toThrow(
      'hooks.afterResponse should be omitted, because your fetch does not return a Response',
    )
  })
})
