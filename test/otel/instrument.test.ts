/** The traces of calls, by the SDK in memory: in virtual time. */
import { context, trace } from '@opentelemetry/api'
import * as t from 'io-ts'
import { lastValueFrom, toArray } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { Charge, createClient, endpoint, InvalidOption } from '../../src/index.js'
import { instrument } from '../../src/otel/index.js'
import { createSandbox, sandboxCredentials } from '../../src/sandbox/index.js'
import { virtualTime } from '../support/idleClock.js'
import { CHARGE, type LabOptions, lab, NEW_CHARGE, problem, RESET } from '../support/lab.js'
import { collecting, outline, withContexts } from './collecting.js'

withContexts()

const instrumented = (options: LabOptions) => {
  const made = lab({ baseUrl: 'https://payments.example', ...options })
  const collected = collecting()
  const stop = instrument(made.client, collected.providers)
  const named = (name: string) => collected.trees().find((tree) => tree.name === name)
  return { ...made, ...collected, named, stop }
}

const SERVER = { 'server.address': 'payments.example', 'server.port': 443 }

const RETRIEVE = { 'http.request.method': 'GET', 'url.template': '/api/v1/charges/{id}', ...SERVER }

describe('the trace of a call', () => {
  it('has the call, and in it its request', () => {
    const { client, run, named, trees } = instrumented({ play: () => ({ body: CHARGE }) })
    run(client.charges.retrieve({ id: 'chg_1' }))
    expect(outline(trees()).split('\n')).toContain('authentication.login')
    const call = named('charges.retrieve')
    expect(call).toEqual({
      name: 'charges.retrieve',
      kind: 'INTERNAL',
      scope: 'payments-rx',
      status: 'UNSET',
      attributes: {
        'payments_rx.endpoint': 'GET /api/v1/charges/{id}',
        'payments_rx.attempts': 1,
        'payments_rx.client': 1,
        'payments_rx.outcome': 'succeeded',
      },
      events: ['payments_rx.sent 1 0'],
      children: [
        {
          name: 'GET /api/v1/charges/{id}',
          kind: 'CLIENT',
          scope: 'payments-rx',
          status: 'UNSET',
          attributes: { ...RETRIEVE, 'http.response.status_code': 200 },
          events: [],
          children: [],
        },
      ],
    })
  })

  it('has each attempt of one that is retried, with the reason', () => {
    const { client, run, named } = instrumented({
      play: (_, nth) => {
        if (nth === 1) return problem(503, 'service_unavailable')
        return nth === 2 ? { outage: RESET } : { body: CHARGE }
      },
      random: () => 0.5,
    })
    run(client.charges.retrieve({ id: 'chg_1' }))
    const call = named('charges.retrieve')
    const outcome = { 'payments_rx.attempts': 3, 'payments_rx.outcome': 'succeeded' }
    expect(call?.attributes).toMatchObject(outcome)
    expect(call?.events).toEqual([
      'payments_rx.sent 1 0',
      expect.stringMatching(/^payments_rx\.retry 1 \d+ ServerFault$/),
      'payments_rx.sent 2 0',
      expect.stringMatching(/^payments_rx\.retry 2 \d+ Unreachable$/),
      'payments_rx.sent 3 0',
    ])
    expect(call?.children.map(({ status, attributes }) => [status, attributes])).toEqual([
      ['ERROR', { ...RETRIEVE, 'http.response.status_code': 503, 'error.type': '503' }],
      ['ERROR', { ...RETRIEVE, 'http.request.resend_count': 1, 'error.type': 'ECONNRESET' }],
      ['UNSET', { ...RETRIEVE, 'http.request.resend_count': 2, 'http.response.status_code': 200 }],
    ])
  })

  it('has the refusals of one that is throttled, and how long it waited', () => {
    const { client, run, trees } = instrumented({
      play: (_, nth) =>
        nth === 1
          ? { ...problem(429, 'too_many_requests'), headers: { 'retry-after': '2' } }
          : { ms: 100, body: CHARGE },
      limits: { concurrency: 1 },
    })
    const both = [client.charges.retrieve({ id: 'a' }), client.charges.retrieve({ id: 'a' })]
    for (const call of both) call.subscribe()
    run(client.charges.retrieve({ id: 'a' }))
    const calls = trees().filter(({ name }) => name === 'charges.retrieve')
    const events = calls.flatMap((call) => call.events)
    expect(events).toContain('payments_rx.refused 1 2000')
    const waits = events.flatMap((event) => event.match(/^payments_rx\.sent \d+ (\d+)$/)?.[1] ?? [])
    expect(waits.map(Number).some((wait) => wait >= 100)).toBe(true)
    const refused = calls
      .flatMap(({ children }) => children)
      .filter((one) => one.status !== 'UNSET')
    expect(refused.map(({ attributes }) => attributes)).toEqual([
      { ...RETRIEVE, 'http.response.status_code': 429, 'error.type': '429' },
    ])
  })

  it('says why one failed, without the words of the service', () => {
    const refusal = problem(404, 'not_found', 'no chg_4111111111111111')
    const { client, run, spans, named } = instrumented({ play: () => refusal })
    run(client.charges.retrieve({ id: 'chg_4111111111111111' }))
    const call = named('charges.retrieve')
    expect(call).toMatchObject({
      status: 'ERROR',
      attributes: { 'error.type': 'Refused', 'payments_rx.outcome': 'failed' },
      children: [{ status: 'ERROR', attributes: { 'error.type': '404' } }],
    })
    expect(spans().at(-1)?.status.message).toBe('GET /api/v1/charges/{id}: 404 not_found')
  })

  it('has no id, no key, no query and no URL', () => {
    const { client, run, spans } = instrumented({
      onBehalfOf: 'acct_4111111111111111',
      play: ({ route }) => ({
        body: route.startsWith('GET /api/v1/charges/') ? CHARGE : { has_more: false, items: [] },
      }),
    })
    run(client.charges.retrieve({ id: 'chg_4111111111111111' }))
    run(client.charges.list({ source: 'acct_4111111111111111' }))
    run(client.charges.create({ ...NEW_CHARGE, request_id: 'order-4111111111111111' }))
    const text = JSON.stringify(
      spans().map(({ name, attributes, events, status }) => [
        ...[name, attributes, status],
        events.map((event) => [event.name, event.attributes]), // their times may have any digits
      ]),
    )
    expect(text).not.toMatch(/4111|lab-client|lab-key|https?:|url\.full|\?/)
  })

  it('ends with a call that is given up', () => {
    const { client, runUntil, named } = instrumented({ play: () => ({ ms: 1_000, body: CHARGE }) })
    const given = client.charges.retrieve({ id: 'chg_1' }).subscribe()
    runUntil(100)
    given.unsubscribe()
    const call = named('charges.retrieve')
    expect(call).toMatchObject({
      status: 'UNSET',
      attributes: { 'payments_rx.outcome': 'cancelled' },
      children: [{ status: 'UNSET', attributes: { 'error.type': 'cancelled' } }],
    })
  })

  it('is named after its route, if it is none of the interface', () => {
    const { client, run, named } = instrumented({ play: () => ({ body: CHARGE }) })
    const params = t.type({ id: t.string })
    const row = endpoint('GET /api/v2/charges/{id}', { params, success: Charge })
    run(client.request(row)({ id: 'x' }))
    expect(named('GET /api/v2/charges/{id}')?.kind).toBe('INTERNAL')
  })

  it('is of clients made by with, too, and ends when it is unsubscribed from', () => {
    const { client, run, trees, stop } = instrumented({ play: () => ({ body: CHARGE }) })
    run(client.with({ priority: 'bulk' }).charges.retrieve({ id: 'chg_1' }))
    const before = trees().length
    stop.unsubscribe()
    run(client.charges.retrieve({ id: 'chg_1' }))
    expect(trees()).toHaveLength(before)
  })
})

describe('the trace of a list', () => {
  it('has the calls of all slices side by side, in the span of the caller', async () => {
    const { timer, run } = virtualTime()
    const sandbox = createSandbox({ charges: 400, timer, latency: 20 })
    const client = createClient({
      ...{ baseUrl: 'https://sandbox', credentials: sandboxCredentials, fetch: sandbox.fetch },
      timer,
    })
    const { providers, tracer, trees, spans } = collecting()
    instrument(client, providers)
    const root = tracer.startSpan('nightly')
    const rows = await context.with(trace.setSpan(context.active(), root), () =>
      run(lastValueFrom(client.charges.snapshot({ page_size: 20 }).parallel(4).pipe(toArray()))),
    )
    root.end()
    expect(rows).toHaveLength(400)
    const [tree, ...others] = trees()
    expect(others).toEqual([])
    const calls = tree?.children.filter(({ name }) => name === 'charges.list') ?? []
    expect(calls.length).toBeGreaterThanOrEqual(20)
    const outlines = new Set(calls.map((call) => outline([call])))
    expect([...outlines]).toEqual(['charges.list\n  GET /api/v1/charges\n'])
    expect(spans().every((span) => span.ended)).toBe(true)
  })
})

describe('instrument', () => {
  it.each([
    [{ tracerProvider: {} }, 'instrument: tracerProvider should be an OpenTelemetry tracer'],
    [{ metricProvider: {} }, 'instrument: metricProvider should be omitted'],
  ])('refuses %o', (options, message) => {
    const { client } = lab({})
    expect(() => instrument(client, options as never)).toThrow(InvalidOption)
    expect(() => instrument(client, options as never)).toThrow(message)
  })

  it('refuses what is no client', () => {
    expect(() => instrument({} as never)).toThrow('payments should be a client from createClient')
  })

  it('adds the attributes that it is given', () => {
    const { client, run } = lab({ play: () => ({ body: CHARGE }) })
    const { providers, spans } = collecting()
    instrument(client, { ...providers, attributes: { 'account.name': 'eu' } })
    run(client.charges.retrieve({ id: 'chg_1' }))
    expect(spans().length).toBeGreaterThan(0)
    for (const { attributes } of spans()) expect(attributes).toMatchObject({ 'account.name': 'eu' })
  })
})
