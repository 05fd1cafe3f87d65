/** The client over real sockets, against a server that was written from the interface alone. */
import { from, lastValueFrom, mergeMap, take, toArray } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E } from '../../src/fp.js'
import { CLIENT, charge, judge } from '../support/judge.js'
import { all, closing, idOf, ids, isList, judged, newCharge } from '../support/judged.js'

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

  it('a charge is created, and the amount is sent as text', async () => {
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

  it('a missing resource is refused with the code of the service', async () => {
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

  it('wrong keys are reported once, without being repeated', async () => {
    const { client, server } = await judged({}, { credentials: { ...CLIENT, apiKey: 'wrong-key' } })
    const out = await lastValueFrom(client.charges.create(newCharge))
    expect(out).toMatchObject(E.left({ _tag: 'Unauthorized', code: 'credentials_invalid' }))
    expect(server.seen).toHaveLength(1)
  })
})

describe('with unusual responses', () => {
  it('rows of a wrong type are one `Left` each, and all others are read', async () => {
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

  it('empty pages with has_more do not end a list', async () => {
    const { client } = await judged({
      charges: 30,
      page: (page, n) => (n % 2 === 0 ? { has_more: true, items: [] } : page),
    })
    expect((await all(client, { page_size: 10 })).map(idOf)).toEqual(ids(30).slice(10, 20))
  })

  it('too many of them do', async () => {
    const { client } = await judged(
      { page: () => ({ has_more: true, items: [] }) },
      { lists: { maxEmptyPages: 5 } },
    )
    expect((await all(client)).map(idOf)).toEqual(['Truncated'])
  })

  it('a page that is repeated ends a list', async () => {
    const { client } = await judged(
      { charges: 10, page: ({ items }) => ({ has_more: true, items }) },
      { lists: { maxPages: 7 } },
    )
    expect((await all(client, { page_size: 10 })).at(-1)).toMatchObject(
      E.left({ _tag: 'Truncated' }),
    )
  })

  it('a redirect is a fault, and nothing is sent to where it points', async () => {
    const other = await judge()
    closing(other)
    const { client } = await judged({
      fault: (seen) =>
        isList(seen) ? { status: 307, headers: { location: `${other.url}/api` } } : undefined,
    })
    expect(await all(client)).toMatchObject([E.left({ _tag: 'ServerFault', status: 307 })])
    expect(other.seen).toEqual([])
  })
})

describe('unsubscribing', () => {
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

  it('from a loop aborts the page requested ahead', async () => {
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
