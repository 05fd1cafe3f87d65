/**
 * The client over real sockets, against a server that was written from the interface alone, and
 * against the sandbox; both fail in every way they can.
 */
import { concatMap, from, lastValueFrom, mergeMap, take, toArray } from 'rxjs'
import { afterEach, describe, expect, it } from 'vitest'
import { E } from '../../src/fp.js'
import {
  type Charge,
  type Client,
  type ClientOptions,
  createClient,
  type Failure,
  wasRecovered,
} from '../../src/index.js'
import {
  createSandbox,
  type FaultName,
  type Faults,
  listen,
  sandboxCredentials,
} from '../../src/sandbox/index.js'
import {
  CLIENT,
  charge,
  type Fault,
  type JudgeOptions,
  judge,
  type Seen,
} from '../support/judge.js'
import { hasty, PATIENT } from '../support/timers.js'

const open: Array<() => Promise<void>> = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()))
})

const NONE = {
  global: Number.POSITIVE_INFINITY,
  endpoint: Number.POSITIVE_INFINITY,
  concurrency: 50,
  logins: Number.POSITIVE_INFINITY,
}

/** A server, and a client of it for whom seconds pass in milliseconds. */
const judged = async (options: JudgeOptions = {}, more: Partial<ClientOptions> = {}) => {
  const server = await judge(options)
  open.push(server.close)
  const client = createClient({
    baseUrl: server.url,
    credentials: CLIENT,
    limits: NONE,
    timer: hasty(),
    timeout: PATIENT,
    random: () => 0,
    ...more,
  })
  const calls = () => server.seen.filter(({ route }) => !route.endsWith('/login'))
  return { server, client, calls }
}

const all = (client: Client, filter: Parameters<Client['charges']['list']>[0] = {}) =>
  lastValueFrom(client.charges.list(filter).pipe(toArray()))

const idOf = (item: E.Either<Failure, Charge>): string =>
  E.isRight(item) ? item.right.id : item.left._tag

const ids = (count: number) => Array.from({ length: count }, (_, n) => `chg_${n}`)

const newCharge = {
  amount: '12.50',
  currency: 'EUR',
  reason: 'goods_purchased',
  reference: 'Zoë €',
  source: 'acct_1',
} as const

const isList = ({ route }: Seen): boolean => route === 'GET /api/v1/charges'

describe('against literal JSON', () => {
  it('a charge is retrieved, field for field', async () => {
    const { client, server } = await judged({ charges: 5 })
    expect(await lastValueFrom(client.charges.retrieve({ id: 'chg_3' }))).toEqual(
      E.right(charge(3)),
    )
    expect(server.seen.map(({ route, headers }) => [route, headers['content-type']])).toEqual([
      ['POST /api/v1/authentication/login', 'application/json'],
      ['GET /api/v1/charges/{id}', 'application/json'],
    ])
  })

  it('a charge is made, and the amount is sent as text', async () => {
    const { client, calls } = await judged()
    const made = await lastValueFrom(client.charges.create({ ...newCharge, amount: 12.5 }))
    expect(made).toMatchObject(E.right({ status: 'NEW', amount: 12.5, reference: 'Zoë €' }))
    const [{ body } = { body: '' }] = calls()
    expect(JSON.parse(body)).toEqual({
      ...newCharge,
      amount: '12.5',
      request_id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    })
  })

  it('a list is read to its end, in order, whatever the page size', async () => {
    const { client, calls } = await judged({ charges: 1_234 })
    expect((await all(client, { page_size: 500 })).map(idOf)).toEqual(ids(1_234))
    expect(calls().map(({ url }) => url.search)).toEqual([
      '?page_size=500&page_num=0',
      '?page_size=500&page_num=1',
      '?page_size=500&page_num=2',
    ])
    expect(await all(client, { status: 'SETTLED', currency: 'EUR', page_size: 10 })).toHaveLength(
      ids(1_234).filter((_, n) => n % 5 === 2 && n % 2 === 1).length,
    )
  })

  it('`take(5)` on a list sends one request besides the login', async () => {
    const { client, server } = await judged({ charges: 1_000 })
    expect(await lastValueFrom(client.charges.list().pipe(take(5), toArray()))).toHaveLength(5)
    expect(server.seen).toHaveLength(2)
  })

  it('what does not exist is refused with the service’s code', async () => {
    const { client } = await judged()
    expect(await lastValueFrom(client.charges.retrieve({ id: 'chg/?#%' }))).toMatchObject(
      E.left({ _tag: 'Refused', status: 404, code: 'not_found', attempts: 1 }),
    )
  })

  it('calls share one login, and one new one after a 401', async () => {
    const { client, server, calls } = await judged({ charges: 40 })
    const retrieve = () =>
      lastValueFrom(
        from(ids(20)).pipe(
          mergeMap((id) => client.charges.retrieve({ id })),
          toArray(),
        ),
      )
    expect((await retrieve()).every(E.isRight)).toBe(true)
    server.revoke()
    expect((await retrieve()).every(E.isRight)).toBe(true)
    expect(server.seen.length - calls().length).toBe(2)
    expect(calls().length).toBeLessThanOrEqual(60)
  })

  it('wrong keys are told once, without being repeated', async () => {
    const { client, server } = await judged({}, { credentials: { ...CLIENT, apiKey: 'wrong-key' } })
    const out = await lastValueFrom(client.charges.create(newCharge))
    expect(out).toMatchObject(E.left({ _tag: 'Unauthorized', code: 'credentials_invalid' }))
    expect(server.seen).toHaveLength(1)
  })
})

describe('when the line fails', () => {
  const kinds: ReadonlyArray<Fault> = [
    'reset',
    'reset-after',
    'cut-length',
    'cut-chunked',
    'cut-close',
    { status: 500, body: { code: 'internal_error' } },
    { status: 502, body: '<html>Bad Gateway</html>' },
    { status: 429, body: { code: 'too_many_requests', message: '', trace_id: 't', details: {} } },
    { status: 429, headers: { 'retry-after': '2' } },
    { status: 401, body: { code: 'credentials_expired' } },
    { status: 400, body: { code: 'service_unavailable' } },
  ]

  it.each(kinds)('a list is complete all the same: %j', async (kind) => {
    const { client, calls } = await judged({
      charges: 60,
      fault: (seen) => (isList(seen) && seen.nth % 3 === 2 ? kind : undefined),
    })
    expect((await all(client, { page_size: 10 })).map(idOf)).toEqual(ids(60))
    expect(calls().length).toBeGreaterThan(6)
  })

  it.each(kinds)('a charge is made exactly once: %j', async (kind) => {
    const { client, calls } = await judged({
      fault: ({ route, nth }) =>
        route.endsWith('/create') && nth === 1
          ? typeof kind === 'object' && kind.status !== 401 && kind.status !== 429
            ? { ...kind, after: true }
            : kind
          : undefined,
    })
    const made = await lastValueFrom(client.charges.create(newCharge))
    expect(made).toMatchObject(E.right({ reference: 'Zoë €' }))
    const sent = calls().filter(({ route }) => route.endsWith('/create'))
    expect(sent).toHaveLength(2)
    expect(sent[0]?.body).toBe(sent[1]?.body)
    expect(await all(client)).toHaveLength(1)
  })

  it('a charge that was made before the line broke is found, and marked', async () => {
    const { client } = await judged({
      fault: ({ route }) => (route.endsWith('/create') ? 'reset-after' : undefined),
    })
    const made = await lastValueFrom(client.charges.create(newCharge))
    expect(E.isRight(made) && wasRecovered(made.right)).toBe(true)
    expect(await all(client)).toHaveLength(1)
  })

  it('a charge that was not is ambiguous, and there is none', async () => {
    const { client } = await judged({
      fault: ({ route }) => (route.endsWith('/create') ? 'reset' : undefined),
    })
    expect(await lastValueFrom(client.charges.create(newCharge))).toMatchObject(
      E.left({
        _tag: 'Ambiguous',
        tried: ['sent 3 times with the same request_id', expect.stringContaining('not found')],
      }),
    )
    expect(await all(client)).toHaveLength(0)
  })

  it.each(kinds)('for good, a list ends in a `Left` that says so: %j', async (kind) => {
    const { client } = await judged(
      {
        charges: 60,
        fault: (seen) =>
          isList(seen) && seen.url.searchParams.get('page_num') === '3' ? kind : undefined,
      },
      { retry: { throttled: 2, faults: 1 } },
    )
    const out = await all(client, { page_size: 10 })
    expect(out.map(idOf)).toEqual([...ids(30), 'Truncated'])
    expect(out.at(-1)).toMatchObject(E.left({ position: { page_num: 3 }, pages: 3 }))
  })
})

describe('when the answers are odd', () => {
  it('rows of a wrong type are one `Left` each, and all others come', async () => {
    const { client } = await judged({
      charges: 100,
      page: ({ has_more, items }) => ({
        has_more,
        items: items.map((item, n) => (n === 3 ? { ...item, amount: 'ten' } : item)),
      }),
    })
    const out = await all(client, { page_size: 10 })
    expect(out.filter(E.isRight)).toHaveLength(90)
    expect(out.filter(E.isLeft).map(({ left }) => left)).toEqual(
      Array(10).fill(
        expect.objectContaining({
          _tag: 'Undecodable',
          path: 'items[3].amount',
          actual: 'text of 3 characters',
        }),
      ),
    )
  })

  it('empty pages that say there is more end nothing', async () => {
    const { client } = await judged({
      charges: 30,
      page: (page, n) => (n % 2 === 0 ? { has_more: true, items: [] } : page),
    })
    expect((await all(client, { page_size: 10 })).map(idOf)).toEqual(ids(30).slice(10, 20))
  })

  it('an endless run of them does', async () => {
    const { client } = await judged(
      { page: () => ({ has_more: true, items: [] }) },
      { lists: { maxEmptyPages: 5 } },
    )
    expect((await all(client)).map(idOf)).toEqual(['Truncated'])
  })

  it('a page that comes again and again is not read without end', async () => {
    const { client } = await judged(
      { charges: 10, page: ({ items }) => ({ has_more: true, items }) },
      { lists: { maxPages: 7 } },
    )
    expect((await all(client, { page_size: 10 })).at(-1)).toMatchObject(
      E.left({ _tag: 'Truncated' }),
    )
  })

  it('a redirect is refused, and nothing is sent to where it points', async () => {
    const other = await judge()
    open.push(other.close)
    const { client } = await judged({
      fault: (seen) =>
        isList(seen) ? { status: 307, headers: { location: `${other.url}/api` } } : undefined,
    })
    expect(await all(client)).toMatchObject([E.left({ _tag: 'Refused', status: 307 })])
    expect(other.seen).toEqual([])
  })
})

describe('leaving', () => {
  it('aborts the request in flight: the server sees the end', async () => {
    const { client, server } = await judged({
      fault: (seen) => (isList(seen) ? 'silent' : undefined),
    })
    const subscription = client.charges.list().subscribe()
    await server.until(() => server.seen.some(isList))
    expect(server.abandoned()).toBe(0)
    subscription.unsubscribe()
    await server.until(() => server.abandoned() === 1)
  })

  it('a loop aborts the page that was asked for ahead', async () => {
    const { client, server } = await judged({
      charges: 100,
      fault: (seen) => (isList(seen) && seen.nth === 2 ? 'silent' : undefined),
    })
    for await (const _ of client.charges.list({ page_size: 10 })) {
      await server.until(() => server.seen.filter(isList).length === 2)
      break
    }
    await server.until(() => server.abandoned() === 1)
    expect(server.seen.filter(isList)).toHaveLength(2)
  })
})

describe('against the sandbox', () => {
  const sandboxed = async (faults: Faults, charges = 200) => {
    const sandbox = createSandbox({ charges, limits: false, faults })
    const { url, close } = await listen(sandbox, { port: 0 })
    open.push(close)
    const client = createClient({
      baseUrl: url,
      credentials: sandboxCredentials,
      limits: NONE,
      timer: hasty(),
      timeout: PATIENT,
      random: () => 0,
    })
    return { client, sandbox }
  }

  const every: ReadonlyArray<FaultName> = [
    '429',
    '500',
    '500-after',
    'reset-before',
    'reset-after',
    'cut-off',
    'unknown-field',
    'unknown-enum',
    'token-revoked',
  ]

  it.each(every)('a list is complete, whatever the fault: %s', async (name) => {
    const { client, sandbox } = await sandboxed(({ route, nth }) =>
      route === 'GET /api/v1/charges' && nth % 4 === 2 ? name : undefined,
    )
    const out = await all(client, { page_size: 20 })
    expect(new Set(out.map(idOf)).size).toBe(200)
    expect(out.every(E.isRight)).toBe(true)
    expect(sandbox.stats().faults[name]).toBeGreaterThanOrEqual(2)
  })

  it('a malformed row is counted, and all others come', async () => {
    const { client } = await sandboxed(({ route, nth }) =>
      route === 'GET /api/v1/charges' && nth === 2 ? 'malformed-row' : undefined,
    )
    const out = await all(client, { page_size: 20 })
    expect([out.filter(E.isRight).length, out.filter(E.isLeft).length]).toEqual([199, 1])
  })

  it.each(every)('charges are made exactly once, whatever the fault: %s', async (name) => {
    const { client } = await sandboxed(
      ({ route, nth }) => (route.endsWith('/create') && nth % 2 === 1 ? name : undefined),
      0,
    )
    const out = await lastValueFrom(
      from([1, 2, 3]).pipe(
        concatMap((n) => client.charges.create({ ...newCharge, request_id: `order-${n}` })),
        toArray(),
      ),
    )
    expect(out.map(E.map(({ request_id }) => request_id))).toEqual(
      [1, 2, 3].map((n) => E.right(`order-${n}`)),
    )
    expect(await all(client)).toHaveLength(3)
  })

  it('in process, without a socket, all is the same', async () => {
    const sandbox = createSandbox({ charges: 50, limits: false })
    const client = createClient({
      baseUrl: 'https://sandbox.test',
      credentials: sandboxCredentials,
      limits: NONE,
      fetch: sandbox.fetch,
    })
    expect(await all(client, { page_size: 10 })).toHaveLength(50)
    expect(sandbox.stats().requests).toBe(6)
  })
})
