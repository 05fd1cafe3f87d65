/** The table of what is sent again, row by row and fault by fault, in virtual time. */
import * as t from 'io-ts'
import { merge } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E } from '../../../src/fp.js'
import { type Client, endpoint, type Failure, type NewBatchItem } from '../../../src/index.js'
import { item } from '../../support/batch.js'
import { CHARGE, lab, problem, REFUSED_CONNECTION, RESET, type Reply } from '../../support/lab.js'

const BAD_JSON: Reply = { body: '{"id": "chg' }

const faults = {
  'connection refused': { outage: REFUSED_CONNECTION },
  'connection reset': { outage: RESET },
  'no connection in time': { outage: { _tag: 'TimedOut', phase: 'connect', limit: 10_000 } },
  'no headers in time': { outage: { _tag: 'TimedOut', phase: 'headers', limit: 60_000 } },
  'no body in time': { outage: { _tag: 'TimedOut', phase: 'body', limit: 30_000 } },
  '500': problem(500, 'internal_error'),
  '503': { status: 503, body: '<html>' },
  '400 service_unavailable': problem(400, 'service_unavailable'),
  'a body cut off': BAD_JSON,
  '409 request_pending': problem(409, 'request_pending'),
  '409 of another code': problem(409, 'batch_state_invalid'),
  '400 invalid_argument': problem(400, 'invalid_argument'),
  '403': problem(403, 'forbidden'),
  '404': problem(404, 'not_found'),
  'a 400 whose body broke': { status: 400, body: '{"code":"servi', incompleteBody: true },
  'a 403 whose body broke': { status: 403, body: '{"code":"forbi', incompleteBody: true },
  'a redirect': { status: 302, body: '' },
  '408': { status: 408, body: '<html>' },
  '425 with a code': problem(425, 'too_early'),
  '404 without a code': { status: 404, body: '<html>' },
  '400 with a code that is no text': { status: 400, body: { code: 7 } },
  'an empty 200': { body: '' },
  'an empty 204': { status: 204, body: '' },
  '200 of another shape': { body: { id: 7 } },
  '200 with null': { body: null },
} satisfies Readonly<Record<string, Reply>>

type Fault = keyof typeof faults

const submit = endpoint('POST /api/v1/batch_transfers/{id}/submit', {
  params: t.type({ id: t.string }),
  success: t.type({ id: t.string }),
})

const addItems = endpoint('POST /api/v1/batch_transfers/{id}/add_items', {
  params: t.type({ id: t.string, request_id: t.string }),
  success: t.type({ id: t.string }),
  repeatable: 'by request_id',
})

const kinds = {
  'a GET': (client: Client) => client.charges.retrieve({ id: 'chg_1' }),
  'a POST with a request_id': (client: Client) =>
    client.request(addItems)({ id: 'b', request_id: 'r' }),
  'a POST without one': (client: Client) => client.request(submit)({ id: 'b' }),
} as const

type CallName = keyof typeof kinds

type Ending = `${number} ${Failure['_tag']}`

/** How often each is sent when it always ends so, and what comes out: a GET, a POST with a request_id, a POST without one. */
const table: Readonly<Record<Fault, readonly [Ending, Ending, Ending]>> = {
  'connection refused': ['3 Unreachable', '3 Unreachable', '3 Unreachable'],
  'connection reset': ['3 Unreachable', '3 Ambiguous', '1 Ambiguous'],
  'no connection in time': ['3 TimedOut', '3 TimedOut', '3 TimedOut'],
  'no headers in time': ['3 TimedOut', '3 Ambiguous', '1 Ambiguous'],
  'no body in time': ['3 TimedOut', '3 Ambiguous', '1 Ambiguous'],
  '500': ['3 ServerFault', '3 Ambiguous', '1 Ambiguous'],
  '503': ['3 ServerFault', '3 Ambiguous', '1 Ambiguous'],
  '400 service_unavailable': ['3 ServerFault', '3 Ambiguous', '1 Ambiguous'],
  'a body cut off': ['3 Undecodable', '3 Ambiguous', '1 Ambiguous'],
  '409 request_pending': ['3 Refused', '3 Ambiguous', '1 Ambiguous'],
  '409 of another code': ['1 Refused', '3 Ambiguous', '1 Refused'],
  '400 invalid_argument': ['1 Refused', '1 Refused', '1 Refused'],
  '403': ['1 Refused', '1 Refused', '1 Refused'],
  '404': ['1 Refused', '1 Refused', '1 Refused'],
  'a 400 whose body broke': ['1 Refused', '3 Ambiguous', '1 Ambiguous'],
  'a 403 whose body broke': ['1 Refused', '3 Ambiguous', '1 Ambiguous'],
  'a redirect': ['3 ServerFault', '3 Ambiguous', '1 Ambiguous'],
  '408': ['3 ServerFault', '3 Ambiguous', '1 Ambiguous'],
  '425 with a code': ['3 ServerFault', '3 Ambiguous', '1 Ambiguous'],
  '404 without a code': ['1 Refused', '3 Ambiguous', '1 Ambiguous'],
  '400 with a code that is no text': ['1 Refused', '3 Ambiguous', '1 Ambiguous'],
  'an empty 200': ['3 Undecodable', '3 Ambiguous', '1 Ambiguous'],
  'an empty 204': ['3 Undecodable', '3 Ambiguous', '1 Ambiguous'],
  '200 of another shape': ['1 Undecodable', '1 Ambiguous', '1 Ambiguous'],
  '200 with null': ['1 Undecodable', '1 Ambiguous', '1 Ambiguous'],
}

const rows = (Object.keys(faults) as ReadonlyArray<Fault>).flatMap((fault) =>
  (Object.keys(kinds) as ReadonlyArray<CallName>).map((call, n) => ({ fault, call, n })),
)

describe('sent again', () => {
  it.each(rows)('$call, after $fault', ({ fault, call, n }) => {
    const { client, calls, run } = lab({ play: () => faults[fault] })
    const [{ value } = { value: undefined }, ...more] = run<E.Either<Failure, unknown>>(
      kinds[call](client),
    )
    expect(value).toMatchObject(E.left({ attempts: calls().length }))
    const ending = value && E.isLeft(value) ? value.left._tag : 'no failure'
    expect(`${calls().length} ${ending}`).toBe(table[fault][n])
    expect(more).toEqual([])
  })

  it('never if one of several items has no request_id', () => {
    const { client, calls, run } = lab({ check: false, play: () => ({ outage: RESET }) })
    const { request_id: _, ...nameless } = item(2)
    const items = [item(1), nameless] as ReadonlyArray<unknown> as Array<NewBatchItem>
    const out = run(client.batchTransfers.addItems({ id: 'bat_1', items }))
    expect(calls().filter(({ request }) => request.method === 'POST')).toHaveLength(1)
    expect(out.map(({ value }) => value)).toMatchObject([E.left({ _tag: 'Ambiguous' })])
  })

  it('after 1 and 2 seconds, and until it succeeds', () => {
    const { client, calls, run } = lab({
      play: (_, nth) => (nth < 3 ? { outage: RESET } : { body: CHARGE }),
    })
    const out = run(client.charges.retrieve({ id: 'chg_1' }))
    expect(calls().map(({ at }) => at)).toEqual([10, 1_020, 3_030])
    expect(out).toEqual([{ at: 3_040, value: E.right(CHARGE) }])
  })

  it('any call after a 429, until the attempts are used up', () => {
    for (const call of Object.values(kinds)) {
      const { client, calls, run } = lab({
        play: () => problem(429, 'too_many_requests'),
        retry: { throttled: 4 },
      })
      const out = run<E.Either<Failure, unknown>>(call(client))
      expect(calls()).toHaveLength(5)
      expect(out.map(({ value }) => value)).toEqual([
        E.left(expect.objectContaining({ _tag: 'Throttled', attempts: 5 })),
      ])
    }
  })

  it.each([429, 503, 409])('after a %i no sooner than `Retry-After` says', (status) => {
    const { client, calls, run } = lab({
      play: (_, nth) =>
        nth === 1
          ? { ...problem(status, 'request_pending'), headers: { 'retry-after': '7' } }
          : { body: CHARGE },
    })
    run(client.charges.retrieve({ id: 'chg_1' }))
    const [first = 0, second = 0] = calls().map(({ at }) => at)
    expect(second - first).toBeGreaterThanOrEqual(7_010)
  })

  it.each([0, 3_600_000, -3_600_000])(
    'at the date of a `Retry-After`, by the clock of the service, which is %i ms ahead',
    (skew) => {
      for (const status of [429, 503]) {
        const { client, calls, timer, run } = lab({
          play: (_, nth) => {
            if (nth > 1) return { body: CHARGE }
            const at = timer.now() + skew
            const headers = { date: utc(at), 'retry-after': utc(at + 20_000) }
            return { ms: 0, ...problem(status, 'request_pending'), headers }
          },
        })
        timer.frame = Date.UTC(2026, 0, 1)
        run(client.charges.retrieve({ id: 'chg_1' }))
        const [first = 0, second = 0] = calls().map(({ at }) => at)
        expect(second - first).toBe(20_000)
      }
    },
  )

  it('no later than a minute after a `Retry-After`', () => {
    const { client, calls, run } = lab({
      play: (_, nth) =>
        nth === 1 ? { status: 503, headers: { 'retry-after': '86400' } } : { body: CHARGE },
    })
    run(client.charges.retrieve({ id: 'chg_1' }))
    expect(calls().map(({ at }) => at)).toEqual([10, 60_020])
  })
})

const utc = (ms: number): string => new Date(ms).toUTCString()

describe('patience', () => {
  const forever = { throttled: Number.POSITIVE_INFINITY, faults: Number.POSITIVE_INFINITY }

  it.each<readonly [string, Reply, Failure['_tag']]>([
    ['a 503', problem(503, 'internal_error'), 'ServerFault'],
    ['a 503 that asks for more', { status: 503, headers: { 'retry-after': '25' } }, 'ServerFault'],
    ['a 429', problem(429, 'too_many_requests'), 'Throttled'],
    ['a 429 that asks for more', { status: 429, headers: { 'retry-after': '25' } }, 'Throttled'],
    ['a connection that broke', { outage: RESET }, 'Unreachable'],
    ['silence', { ms: 9_000, outage: faults['no headers in time'].outage }, 'TimedOut'],
  ])('ends in time, whatever the fault: %s', (_, reply, tag) => {
    const { client, calls, run } = lab({
      play: () => reply,
      retry: { ...forever, patience: 20_000 },
    })
    const [out, ...more] = run(client.charges.retrieve({ id: 'chg_1' }))
    expect(out?.value).toMatchObject(E.left({ _tag: tag, attempts: calls().length }))
    expect(more).toEqual([])
    const [first = 0] = calls().map(({ at }) => at)
    for (const { at } of calls()) expect(at - first).toBeLessThanOrEqual(20_000)
    expect((out?.at ?? 0) - first).toBeLessThanOrEqual(20_000 + (reply.ms ?? 10))
  })

  it('ends the login in time', () => {
    const { client, logins, run } = lab({
      login: () => problem(429, 'too_many_requests'),
      retry: { ...forever, patience: 20_000 },
    })
    const [out] = run(client.charges.retrieve({ id: 'chg_1' }))
    expect(out?.value).toMatchObject(E.left({ _tag: 'Throttled' }))
    expect(out?.at).toBeLessThanOrEqual(20_000)
    expect(logins().length).toBeGreaterThan(1)
  })

  it('does not count the time in the queue before the first request', () => {
    const { client, calls, run } = lab({
      play: (_, nth) => (nth === 1 ? problem(503, 'internal_error') : { body: CHARGE }),
      limits: { concurrency: 1 },
      retry: { patience: 2_000 },
    })
    const slow = Array.from({ length: 3 }, () => client.charges.retrieve({ id: 'chg_1' }))
    const out = run(merge(...slow))
    expect(out.map(({ value }) => value)).toEqual(Array(3).fill(E.right(CHARGE)))
    expect(calls()).toHaveLength(4)
  })
})
