/** The client over real sockets, against a server that fails in every way it can. */
import { lastValueFrom } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E } from '../../src/fp.js'
import { wasRecovered } from '../../src/index.js'
import type { Fault } from '../support/judge.js'
import { all, idOf, ids, isList, judged, newCharge } from '../support/judged.js'
import { lab } from '../support/lab.js'

it('asks once at a port that `fetch` blocks', () => {
  const outage = {
    _tag: 'Unreachable',
    code: 'BLOCKED_PORT',
    reason: 'bad port',
    mayHaveArrived: false,
  } as const
  const { client, run, calls } = lab({ play: () => ({ outage }) })
  expect(run(client.charges.list().pages)).toMatchObject([
    { value: E.left({ _tag: 'Unreachable', code: 'BLOCKED_PORT', attempts: 1 }) },
  ])
  expect(calls()).toHaveLength(1)
})

const BY_ID = /charges\/[^/]+$/

it('a charge is read again where the answer is an object without an id', async () => {
  const { client, calls } = await judged({
    charges: 1,
    fault: ({ route, nth }) =>
      BY_ID.test(route) && nth < 3 ? { status: 200, body: {} } : undefined,
  })
  const [id = ''] = ids(1)
  expect(await lastValueFrom(client.charges.retrieve({ id }))).toMatchObject(E.right({ id }))
  expect(calls().filter(({ route }) => BY_ID.test(route))).toHaveLength(3)
})

describe('if the connection fails', () => {
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

  it('a charge created before the connection broke is found, and marked as recovered', async () => {
    const { client } = await judged({
      fault: ({ route }) => (route.endsWith('/create') ? 'reset-after' : undefined),
    })
    const made = await lastValueFrom(client.charges.create(newCharge))
    expect(E.isRight(made) && wasRecovered(made.right)).toBe(true)
    expect(await all(client)).toHaveLength(1)
  })

  it('a charge that was not created is ambiguous', async () => {
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
