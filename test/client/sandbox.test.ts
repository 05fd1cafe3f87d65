/** The client over real sockets, against the sandbox and its faults. */
import { concatMap, from, lastValueFrom, toArray } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E } from '../../src/fp.js'
import {
  createSandbox,
  type FaultName,
  type Faults,
  listen,
  sandboxCredentials,
} from '../../src/sandbox/index.js'
import { all, clientOf, closing, idOf, newCharge } from '../support/judged.js'

describe('against the sandbox', () => {
  const sandboxed = async (faults: Faults, charges = 200) => {
    const sandbox = createSandbox({ charges, limits: false, faults })
    const { url } = closing(await listen(sandbox, { port: 0 }))
    const client = clientOf(url, { credentials: sandboxCredentials })
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

  it('a malformed row is one failure, and all others are read', async () => {
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
    const client = clientOf('https://sandbox.test', {
      credentials: sandboxCredentials,
      fetch: sandbox.fetch,
    })
    expect(await all(client, { page_size: 10 })).toHaveLength(50)
    expect(sandbox.stats().requests).toBe(6)
  })
})
