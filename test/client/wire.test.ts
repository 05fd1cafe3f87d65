/** The client over real sockets, against a server that was written from the interface alone. */
import { from, lastValueFrom, mergeMap, take, toArray } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E } from '../../src/fp.js'
import { CLIENT, charge } from '../support/judge.js'
import { all, idOf, ids, judged, newCharge } from '../support/judged.js'

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
