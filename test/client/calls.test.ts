import { concatMap, from, map, merge, type Observable, take, toArray } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E } from '../../src/fp.js'
import type { Client, ClientEvent, Failure } from '../../src/index.js'
import {
  CHARGE,
  CREATE,
  LIST,
  LOGIN,
  lab,
  ME,
  NEW_CHARGE,
  problem,
  REFUSED_CONNECTION,
  RESET,
  USER_AGENT,
} from '../support/lab.js'

const bearer = (n: number) => `Bearer token-${n}-xxxxxxxx`

describe('a call', () => {
  it('does nothing until it is subscribed', () => {
    const { client, sent, runUntil } = lab()
    client.charges.create(NEW_CHARGE)
    client.charges.retrieve({ id: 'chg_1' })
    client.charges.list()
    client.with({ onBehalfOf: 'acct_2' }).charges.list().pages
    runUntil(100_000)
    expect(sent).toEqual([])
  })

  it('logs in, then sends one request with the token, and completes', () => {
    const { client, sent, run } = lab()
    const out = run(client.charges.retrieve({ id: 'chg_1' }))
    expect(out).toEqual([{ at: 20, value: E.right(CHARGE) }])
    expect(
      sent.map(({ at, request: { method, url, headers, body } }) => ({
        at,
        method,
        url,
        headers,
        body,
      })),
    ).toEqual([
      {
        at: 0,
        method: 'POST',
        url: 'https://platform.test/api/v1/authentication/login',
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          'user-agent': USER_AGENT,
          'x-client-id': ME.clientId,
          'x-api-key': ME.apiKey,
        },
        body: '{}',
      },
      {
        at: 10,
        method: 'GET',
        url: 'https://platform.test/api/v1/charges/chg_1',
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          'user-agent': USER_AGENT,
          authorization: bearer(1),
        },
        body: undefined,
      },
    ])
  })

  it('goes to its path, whatever slashes the base ends with', () => {
    const { client, sent, run } = lab({ baseUrl: 'https://platform.test//' })
    run(client.charges.retrieve({ id: 'chg_1' }))
    expect(sent.at(-1)?.request.url).toBe('https://platform.test/api/v1/charges/chg_1')
  })

  it('may take as long as the docs say, and so may a login', () => {
    const { client, sent, run } = lab()
    run(client.charges.retrieve({ id: 'chg_1' }))
    const timeout = { connect: 10_000, headers: 60_000, body: 30_000, whole: 600_000 }
    expect(sent.map(({ request }) => request.timeout)).toEqual([timeout, timeout])
  })

  it('with a parameter that breaks a rule is not sent, and no login either', () => {
    const { client, sent, run } = lab()
    const out = run(client.charges.create({ ...NEW_CHARGE, reference: '' }))
    expect(out).toEqual([
      {
        at: 0,
        value: E.left({
          _tag: 'InvalidRequest',
          endpoint: CREATE,
          attempts: 0,
          field: 'reference',
          expected: 'a string of 1 to 140 characters',
          actual: 'text of 0 characters',
          causes: [expect.anything()],
          message: `${CREATE}: reference should be a string of 1 to 140 characters, but is text of 0 characters; nothing was sent`,
        }),
      },
    ])
    expect(sent).toEqual([])
  })

  it.each([
    ['aborted when it is left', 15, { sent: 2, aborted: 1 }],
    ['not sent when it is left before: its login is for the next one', 5, { sent: 1, aborted: 0 }],
  ])('is %s', (_, leave, expected) => {
    const { client, timer, runUntil, sent, aborted } = lab()
    const subscription = client.charges.retrieve({ id: 'chg_1' }).subscribe()
    timer.schedule(() => subscription.unsubscribe(), leave)
    runUntil(100_000)
    expect({ sent: sent.length, aborted: aborted() }).toEqual(expected)
    client.charges.retrieve({ id: 'chg_1' }).subscribe()
    runUntil(200_000)
    expect(sent).toHaveLength(expected.sent + 1)
  })

  it('is not sent again when it is left during a backoff', () => {
    const { client, timer, runUntil, calls } = lab({ play: () => ({ outage: REFUSED_CONNECTION }) })
    const subscription = client.charges.retrieve({ id: 'chg_1' }).subscribe()
    timer.schedule(() => subscription.unsubscribe(), 500)
    runUntil(100_000)
    expect(calls()).toHaveLength(1)
  })
})

it.each(['2027-05-05', '2027-05-05T10:00', '2027-05-05T10:00:00', '2027-05-05T10:00+08', ''])(
  'a batch for %j is read back as it was sent',
  (transfer_date) => {
    const { client, run } = lab({
      play: ({ body }) => ({
        body: {
          ...body,
          id: 'bat_1',
          short_reference_id: 'BT1',
          status: 'DRAFTING',
          total_item_count: 0,
          valid_item_count: 0,
          updated_at: '2026-01-01T00:00:00+0000',
        },
      }),
    })
    const [made] = run(client.batchTransfers.create({ request_id: 'payroll-1', transfer_date }))
    expect(made?.value).toMatchObject(E.right({ transfer_date }))
  },
)

describe('a 204', () => {
  it.each<readonly [string, (client: Client) => Observable<unknown>, unknown]>([
    ['batch', ({ batchTransfers }) => batchTransfers.delete({ id: 'b' }), undefined],
    ['webhook', ({ webhooks }) => webhooks.delete({ id: 'w' }), { id: 'w', deleted: true }],
    ['partner', ({ partnerWebhooks }) => partnerWebhooks.delete({ id: 'w' }), undefined],
  ])('is the acknowledgement that a %s was deleted', (_, call, outcome) => {
    const partner = { clientId: 'partner', clientSecret: 'partner-secret' }
    const { client, run } = lab({ partner, play: () => ({ status: 204, body: '' }) })
    const [done] = run(call(client))
    expect(done?.value).toEqual(E.right(outcome))
  })
})

describe('events', () => {
  it('tell what happens, while it happens', () => {
    const { client, events, run } = lab({
      play: (_, nth) => (nth === 1 ? { outage: RESET } : { body: CHARGE, ms: 30 }),
    })
    run(client.charges.retrieve({ id: 'chg_1' }))
    const route = 'GET /api/v1/charges/{id}'
    const failure = expect.objectContaining({ _tag: 'Unreachable', endpoint: route, attempts: 1 })
    const baseUrl = 'https://platform.test'
    const template = '/api/v1/charges/{id}'
    const [call, login] = [
      { call: 1, endpoint: route },
      { call: 2, endpoint: LOGIN },
    ]
    const logIn = { method: 'POST', template: '/api/v1/authentication/login', baseUrl }
    expect(events).toEqual([
      { _tag: 'Started', ...call, method: 'GET', template, baseUrl },
      { _tag: 'Started', ...login, ...logIn },
      { _tag: 'Sent', ...login, attempt: 1, waited: 0 },
      { _tag: 'Answered', ...login, attempt: 1, status: 201, took: 10 },
      { _tag: 'Ended', ...login, outcome: 'succeeded', attempts: 1, took: 10 },
      { _tag: 'LoggedIn', validFor: expect.any(Number) },
      { _tag: 'Sent', ...call, attempt: 1, waited: 0 },
      { _tag: 'Unanswered', ...call, attempt: 1, failure, took: 10 },
      { _tag: 'Retrying', ...call, attempt: 1, failure, pause: 1_000 },
      { _tag: 'Sent', ...call, attempt: 2, waited: 0 },
      { _tag: 'Answered', ...call, attempt: 2, status: 200, took: 30 },
      { _tag: 'Ended', ...call, outcome: 'succeeded', attempts: 2, took: 1_050 },
    ])
  })

  const endings = (events: ReadonlyArray<ClientEvent>) =>
    events.flatMap((event) => (event._tag === 'Ended' && event.endpoint !== LOGIN ? [event] : []))

  it('tell how long a request waits in the queue, and after a refusal until it queues again', () => {
    const { client, events, run } = lab({
      limits: { concurrency: 1 },
      play: ({ route }, nth) =>
        route.endsWith('/b') && nth === 1
          ? { status: 429, headers: { 'retry-after': '3' }, body: '' }
          : { body: CHARGE, ms: 200 },
    })
    const retrieve = (id: string) => client.charges.retrieve({ id })
    run(merge(retrieve('a'), retrieve('b')))
    const attempts = events.flatMap((event) => {
      if (event._tag === 'Sent' && event.endpoint !== LOGIN) {
        return [[event.call, event.attempt, `waited ${event.waited}`]]
      }
      return event._tag === 'Throttled' ? [[event.call, event.attempt, `pause ${event.pause}`]] : []
    })
    expect(attempts).toEqual([
      [1, 1, 'waited 0'],
      [3, 1, 'waited 200'],
      [3, 1, 'pause 3000'],
      [3, 2, 'waited 0'],
    ])
  })

  it('tell that all attempts were refused', () => {
    const { client, events, run } = lab({
      retry: { throttled: 1 },
      play: () => problem(429, 'too_many_requests'),
    })
    run(client.charges.retrieve({ id: 'a' }))
    expect(events.filter(({ _tag }) => _tag === 'Throttled')).toHaveLength(1)
    const message = 'GET /api/v1/charges/{id}: 429 too_many_requests'
    const failure = { _tag: 'Throttled', code: 'too_many_requests', message }
    expect(endings(events)).toMatchObject([{ outcome: 'failed', attempts: 2, failure }])
  })

  it('tell the end of a call that is unsubscribed from, once', () => {
    const { client, events, runUntil } = lab({ play: () => ({ body: CHARGE, ms: 500 }) })
    const reading = client.charges.retrieve({ id: 'a' }).subscribe()
    runUntil(100)
    reading.unsubscribe()
    expect(endings(events)).toEqual([
      {
        ...{ _tag: 'Ended', call: 1, endpoint: 'GET /api/v1/charges/{id}' },
        ...{ outcome: 'cancelled', attempts: 1, took: expect.any(Number) },
      },
    ])
  })

  it('tell one end of a call whose subscriber leaves with its value', () => {
    const { client, events, run } = lab()
    run(client.charges.retrieve({ id: 'a' }).pipe(take(1)))
    expect(endings(events)).toMatchObject([{ outcome: 'succeeded' }])
  })

  it('tell the status and code of a failure, but none of its words', () => {
    const { client, events, run } = lab({
      play: () => problem(404, 'not_found', 'no charge of Jane Doe'),
    })
    run(client.charges.retrieve({ id: 'a' }))
    const failure = {
      _tag: 'Refused',
      status: 404,
      code: 'not_found',
      message: 'GET /api/v1/charges/{id}: 404 not_found',
    }
    expect(endings(events)).toMatchObject([{ outcome: 'failed', failure }])
    expect(JSON.stringify(events)).not.toContain('Jane Doe')
  })

  it('do not tell of a call with invalid parameters', () => {
    const { client, events, run } = lab()
    run(client.charges.retrieve({ id: '' }))
    expect(events).toEqual([])
  })

  it('belong to the call in which a write was found by its request_id', () => {
    const { client, events, run } = lab({
      retry: { faults: 0 },
      play: ({ route }) =>
        route === CREATE
          ? { outage: RESET }
          : { body: { items: [{ ...CHARGE, request_id: 'request-1' }], has_more: false } },
    })
    run(client.charges.create({ ...NEW_CHARGE, request_id: 'request-1' }))
    const found = { _tag: 'Recovered', call: 1, endpoint: CREATE, requestId: 'request-1' }
    expect(events).toContainEqual(found)
    expect(endings(events).map(({ endpoint }) => endpoint)).toEqual([LIST, CREATE])
  })
})

describe('a failure', () => {
  it('in one call ends no stream', () => {
    const { client, run } = lab({
      play: ({ route }) => (route.endsWith('/bad') ? problem(404, 'not_found') : { body: CHARGE }),
    })
    const ids = from(['a', 'bad', 'c']).pipe(map((id) => ({ id })))
    const tags = ids.pipe(
      concatMap(client.charges.retrieve),
      map(
        E.match(
          (failure: Failure) => failure._tag,
          ({ id }) => id,
        ),
      ),
      toArray(),
    )
    expect(run(tags).map(({ value }) => value)).toEqual([['chg_1', 'Refused', 'chg_1']])
  })
})
