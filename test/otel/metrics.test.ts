/** The metrics of a client and of its exports; and the dashboard, by the names of these. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { metrics as globalMetrics, trace } from '@opentelemetry/api'
import { DataPointType, type MetricData } from '@opentelemetry/sdk-metrics'
import { forkJoin, lastValueFrom, of, Subject, toArray } from 'rxjs'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { exportTo } from '../../src/export/index.js'
import { E } from '../../src/fp.js'
import { createClient } from '../../src/index.js'
import { instrument, instrumentExport } from '../../src/otel/index.js'
import { createSandbox, sandboxCredentials } from '../../src/sandbox/index.js'
import { virtualTime } from '../support/idleClock.js'
import { CHARGE, lab, problem } from '../support/lab.js'
import { collecting, outline, withContexts } from './collecting.js'

withContexts()

const home = mkdtempSync(join(tmpdir(), 'payments-rx-otel-'))
afterAll(() => rmSync(home, { recursive: true }))

const root = fileURLToPath(new URL('../..', import.meta.url))
const pointsOf = (metric: MetricData | undefined) =>
  metric?.dataPoints.map(({ attributes, value }) => ({ attributes, value })) ?? []

/** An export of 250 charges, in virtual time, with everything instrumented. */
const exported = async (out: string) => {
  const { timer, run } = virtualTime()
  const { fetch } = createSandbox({ charges: 250, timer })
  const client = createClient({
    ...{ baseUrl: 'https://sandbox.example', credentials: sandboxCredentials, fetch },
    timer,
  })
  const collected = collecting()
  const stop = instrument(client, collected.providers)
  const source = client.charges.snapshot({ page_size: 50 }).parallel(2)
  const event = await run(
    lastValueFrom(exportTo(source, { out, timer }).pipe(instrumentExport(collected.providers))),
  )
  return { ...collected, event, stop }
}

describe('metrics of a client', () => {
  it('have the duration of each request, in seconds, by the conventions', async () => {
    const { client, run } = lab({
      baseUrl: 'http://localhost:8080',
      play: (_, nth) =>
        nth === 1 ? { ...problem(503, 'down'), ms: 40 } : { ms: 300, body: CHARGE },
    })
    const { providers, measured } = collecting()
    instrument(client, providers)
    run(client.charges.retrieve({ id: 'chg_1' }))
    const metric = (await measured()).get('http.client.request.duration')
    expect(metric?.descriptor).toMatchObject({ unit: 's' })
    const common = { 'server.address': 'localhost', 'server.port': 8080 }
    const get = { ...common, 'http.request.method': 'GET', 'url.template': '/api/v1/charges/{id}' }
    const points = pointsOf(metric).filter(
      ({ attributes }) => attributes['http.request.method'] === 'GET',
    )
    expect(points).toMatchObject([
      {
        attributes: { ...get, 'http.response.status_code': 503, 'error.type': '503' },
        value: { count: 1, sum: 0.04 },
      },
      {
        attributes: { ...get, 'http.response.status_code': 200 },
        value: {
          count: 1,
          sum: 0.3,
          buckets: {
            boundaries: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
          },
        },
      },
    ])
    expect(JSON.stringify(points)).not.toContain('chg_1')
  })

  it('have what waits, runs and was refused, as it is when they are collected', async () => {
    const { client, runUntil } = lab({
      play: (_, nth) =>
        nth === 1
          ? { ...problem(429, 'too_many_requests'), headers: { 'retry-after': '60' } }
          : { ms: 10_000, body: CHARGE },
      limits: { concurrency: 2 },
    })
    const { providers, measured } = collecting()
    instrument(client, providers)
    for (let n = 0; n < 5; n++) client.charges.retrieve({ id: 'a' }).subscribe()
    runUntil(5_000)
    const found = await measured()
    const sums = (name: string) => pointsOf(found.get(name)).map(({ value }) => value)
    expect(sums('payments_rx.scheduler.running')).toEqual([2])
    expect(sums('payments_rx.scheduler.waiting')).toEqual([3])
    const refused = pointsOf(found.get('payments_rx.scheduler.refused'))
    expect(refused.map(({ attributes }) => attributes['payments_rx.limit'])).toEqual([
      'concurrency',
      'global',
      'endpoint',
      'logins',
    ])
    expect(refused.reduce((sum, { value }) => sum + Number(value), 0)).toBeGreaterThan(0)
  })

  it('add up for several clients, which a number tells apart', async () => {
    const { providers, measured } = collecting()
    const begin = (calls: number) => {
      const { client, runUntil } = lab({ play: () => ({ ms: 10_000 }), limits: { concurrency: 2 } })
      for (let n = 0; n < calls; n++) client.charges.retrieve({ id: 'a' }).subscribe()
      runUntil(5_000)
      return { client, subscription: instrument(client, providers) }
    }
    const [first] = [begin(12), begin(7), begin(4)]
    const waiting = async () =>
      pointsOf((await measured()).get('payments_rx.scheduler.waiting')).map(
        ({ attributes, value }) => [attributes['payments_rx.client'], value],
      )
    expect(await waiting()).toEqual([
      [1, 10],
      [2, 5],
      [3, 2],
    ])
    first?.subscription.unsubscribe()
    begin(3)
    expect(new Map((await waiting()).map(([client, value]) => [client, value])).get(1)).toBe(1)
  })

  it('are counted once for clients that share a scheduler', async () => {
    const { providers, measured } = collecting()
    const play = () => ({ ms: 10_000 })
    const { client, runUntil } = lab({ play, limits: { concurrency: 2 } })
    const other = lab({ play, scheduler: client.scheduler }).client
    const [stop] = [client, other].map((one) => instrument(one, providers))
    for (let n = 0; n < 5; n++) client.charges.retrieve({ id: 'a' }).subscribe()
    runUntil(5_000)
    const sums = async () =>
      pointsOf((await measured()).get('payments_rx.scheduler.waiting')).map(({ value }) => value)
    expect(await sums()).toEqual([3])
    stop?.unsubscribe()
    expect((await sums()).at(-1)).toBe(3)
  })

  it('are counted once for a client that is instrumented twice', async () => {
    const { client, run } = lab({ play: () => ({ body: CHARGE }) })
    const { providers, measured, trees } = collecting()
    const first = instrument(client, providers)
    expect(instrument(client.with({ check: false }), providers)).toBe(first)
    run(client.charges.retrieve({ id: 'chg_1' }))
    const calls = trees().filter(({ name }) => name === 'charges.retrieve')
    expect(calls).toHaveLength(1)
    const [point] = pointsOf((await measured()).get('http.client.request.duration')).filter(
      ({ attributes }) => attributes['http.request.method'] === 'GET',
    )
    expect(point?.value).toMatchObject({ count: 1 })
    first.unsubscribe()
    expect(instrument(client, providers)).not.toBe(first)
  })

  it('are read no more once it is unsubscribed from', async () => {
    const { client, run } = lab({ play: () => ({ body: CHARGE }) })
    const { providers, measured } = collecting()
    instrument(client, providers).unsubscribe()
    run(client.charges.retrieve({ id: 'chg_1' }))
    expect([...(await measured()).keys()]).toEqual([])
  })
})

describe('an export', () => {
  it('is a span, with all of its calls in it', async () => {
    const { trees, event } = await exported(join(home, 'traced.csv'))
    expect(event).toMatchObject({ right: { rows: 250 } })
    const [tree, ...others] = trees()
    expect(others).toEqual([])
    expect(tree).toMatchObject({
      name: 'export',
      kind: 'INTERNAL',
      status: 'UNSET',
      attributes: {
        'payments_rx.rows': 250,
        'payments_rx.rejects': 0,
        'payments_rx.resumed': false,
        'payments_rx.outcome': 'succeeded',
      },
    })
    const calls = tree?.children ?? []
    expect(new Set(calls.map((call) => outline([call])))).toEqual(
      new Set([
        'authentication.login\n  POST /api/v1/authentication/login\n',
        'charges.list\n  GET /api/v1/charges\n',
      ]),
    )
    expect(calls.length).toBeGreaterThanOrEqual(6)
  })

  it('has its own attributes and calls, also beside another one of the same client', async () => {
    const { timer, run } = virtualTime()
    const { fetch } = createSandbox({ charges: 300, every: 600_000, timer })
    const credentials = sandboxCredentials
    const client = createClient({ baseUrl: 'https://sandbox.example', credentials, fetch, timer })
    const { providers, trees } = collecting()
    instrument(client, providers)
    const days = ['2024-01-01', '2024-01-02'].map((day) =>
      exportTo(
        client.charges.snapshot({ from_created_at: day, to_created_at: day, page_size: 20 }),
        { out: join(home, `${day}.csv`), timer },
      ).pipe(instrumentExport({ ...providers, attributes: { 'job.id': day } })),
    )
    await run(lastValueFrom(forkJoin(days)))
    const exports = trees().filter(({ name }) => name === 'export')
    const ids = exports.map(({ attributes }) => attributes['job.id'])
    expect(ids.sort()).toEqual(['2024-01-01', '2024-01-02'])
    for (const { attributes, children } of exports) {
      const calls = children.filter(({ name }) => name === 'charges.list')
      expect(attributes['payments_rx.rows']).toBeGreaterThan(100)
      expect(calls.length).toBeGreaterThanOrEqual(Number(attributes['payments_rx.pages']))
    }
  })

  it('counts its rows and bytes', async () => {
    const { measured, event } = await exported(join(home, 'counted.csv'))
    if (E.isLeft(event)) throw event.left
    const metrics = await measured()
    expect(pointsOf(metrics.get('payments_rx.export.rows'))).toMatchObject([{ value: 250 }])
    const bytes = event.right.run?.files.reduce((sum, file) => sum + file.bytes, 0)
    expect(pointsOf(metrics.get('payments_rx.export.bytes'))).toMatchObject([{ value: bytes }])
  })

  it('counts only the rows of this start, if it is resumed', async () => {
    const { providers, measured } = collecting()
    const progress = { rejects: 0, pages: 1, ended: false }
    const events = of(
      E.right({ ...progress, rows: 100, started: { resumed: true } }),
      E.right({ ...progress, rows: 130 }),
      E.right({ ...progress, rows: 120 }), // a commit failed
      E.right({ ...progress, rows: 150, ended: true }),
    )
    await lastValueFrom(events.pipe(instrumentExport(providers), toArray()))
    const rows = pointsOf((await measured()).get('payments_rx.export.rows'))
    expect(rows).toMatchObject([{ value: 50 }])
  })

  it('says how it failed, or that it was given up', async () => {
    const { providers, trees } = collecting()
    const failed = of(E.left({ _tag: 'Locked', path: '/home/me/secret.csv' }))
    await lastValueFrom(failed.pipe(instrumentExport(providers)))
    new Subject<never>().pipe(instrumentExport(providers)).subscribe().unsubscribe()
    expect(trees()).toMatchObject([
      { status: 'ERROR', attributes: { 'error.type': 'Locked', 'payments_rx.outcome': 'failed' } },
      { status: 'UNSET', attributes: { 'payments_rx.outcome': 'cancelled' } },
    ])
    expect(JSON.stringify(trees())).not.toContain('secret')
  })
})

describe('metrics of the global provider', () => {
  /** Starts an SDK, as a program does once. */
  const start = () => {
    const { providers, ...collected } = collecting()
    trace.setGlobalTracerProvider(providers.tracerProvider)
    globalMetrics.setGlobalMeterProvider(providers.meterProvider)
    return collected
  }
  const stop = () => {
    trace.disable()
    globalMetrics.disable()
  }
  afterEach(stop)

  /** Metrics after a call of each of two clients, which both have one request on its way. */
  const measuredAfter = async (
    { measured, spans }: ReturnType<typeof start>,
    labs: Labs,
    until = 5_000,
  ) => {
    for (const { client, runUntil } of labs) {
      client.charges.retrieve({ id: 'a' }).subscribe()
      client.charges.retrieve({ id: 'b' }).subscribe()
      runUntil(until)
    }
    const found = await measured()
    const points = (name: string) =>
      pointsOf(found.get(name)).map(({ attributes, value }) => [
        attributes['payments_rx.client'] ?? attributes['http.request.method'],
        typeof value === 'object' ? value.count : value,
      ])
    return {
      requests: points('http.client.request.duration'),
      running: points('payments_rx.scheduler.running').sort(),
      spans: spans().filter(({ name }) => name === 'charges.retrieve').length,
    }
  }
  const twoLabs = () =>
    [1, 2].map(() =>
      lab({ play: ({ route }) => ({ ms: route.endsWith('/a') ? 10 : 100_000, body: CHARGE }) }),
    )
  type Labs = ReturnType<typeof twoLabs>
  const expected = {
    requests: expect.arrayContaining([['GET', 2]]),
    running: [
      [1, 1],
      [2, 1],
    ],
    spans: 2,
  }

  it('are recorded once, and gauges too, whether the SDK starts before the clients are instrumented or after', async () => {
    for (const isFirst of [true, false]) {
      const before = isFirst ? start() : undefined
      const labs = twoLabs()
      for (const { client } of labs) instrument(client)
      const sdk = before ?? start()
      for (const { client } of labs) instrument(client)
      expect(await measuredAfter(sdk, [...labs].reverse())).toEqual(expected)
      stop()
    }
  })

  it('are recorded for a client that had calls under way when the SDK started', async () => {
    const [one] = twoLabs()
    if (one === undefined) throw new Error('none')
    instrument(one.client)
    one.client.charges.retrieve({ id: 'a' }).subscribe()
    const { measured } = start()
    one.runUntil(5_000)
    expect([...(await measured()).keys()]).toContain('http.client.request.duration')
  })

  it('end when it is unsubscribed from, wherever they were registered', async () => {
    const labs = twoLabs()
    const subscriptions = labs.map(({ client }) => instrument(client))
    const sdk = start()
    await measuredAfter(sdk, labs)
    subscriptions[0]?.unsubscribe()
    const { running } = await measuredAfter(sdk, labs, 10_000)
    expect(running).toEqual([
      [1, 1], // as it was
      [2, 2],
    ])
  })

  it('go from one provider to the next, each with what it was told', async () => {
    const labs = twoLabs()
    for (const { client } of labs) instrument(client)
    const first = start()
    await measuredAfter(first, labs)
    stop()
    const second = start()
    const { running } = await measuredAfter(second, labs, 10_000)
    expect(running).toEqual([
      [1, 2],
      [2, 2],
    ])
    const before = (await first.measured()).get('payments_rx.scheduler.running')
    expect(pointsOf(before).map(({ value }) => value)).toEqual([1, 1])
  })

  it('have the rows of an export whose operator was made before the SDK started', async () => {
    const operator = instrumentExport()
    const { measured } = start()
    const progress = { rejects: 0, pages: 1, ended: false, started: { resumed: false } }
    await lastValueFrom(of(E.right({ ...progress, rows: 5 })).pipe(operator))
    const rows = pointsOf((await measured()).get('payments_rx.export.rows'))
    expect(rows).toMatchObject([{ value: 5 }])
  })
})

describe('the dashboard', () => {
  /** The names of a metric as Prometheus has them: with `_total`, or the unit, at the end. */
  const prometheusNames = (metric: MetricData): ReadonlyArray<string> => {
    const { name, unit } = metric.descriptor
    const base = name.replaceAll('.', '_')
    if (metric.dataPointType === DataPointType.HISTOGRAM) {
      expect(unit).toBe('s')
      return ['bucket', 'count', 'sum'].map((end) => `${base}_seconds_${end}`)
    }
    expect(['By', '{request}', '{row}']).toContain(unit)
    const isTotal = metric.dataPointType === DataPointType.SUM && metric.isMonotonic
    return [isTotal ? `${base}_total` : base]
  }

  it('asks for every metric that is there, and for no other', async () => {
    const { measured } = await exported(join(home, 'dashboard.csv'))
    const there = [...(await measured()).values()]
    const dashboard = readFileSync(join(root, 'docs/grafana.json'), 'utf8')
    const asked = new Set(dashboard.match(/\b(?:http_client|payments_rx)_\w+/g))
    const labels = ['payments_rx_limit', 'http_request_method', 'http_response_status_code']
    const metrics = [...asked].filter((name) => !labels.includes(name))
    const known = new Set(there.flatMap(prometheusNames))
    expect(metrics.filter((name) => !known.has(name))).toEqual([])
    for (const metric of there) {
      expect(prometheusNames(metric).filter((name) => asked.has(name)).length).toBeGreaterThan(0)
    }
  })

  it('is named on the page with all metrics', async () => {
    const { measured } = await exported(join(home, 'page.csv'))
    const page = readFileSync(join(root, 'docs/telemetry.md'), 'utf8')
    for (const name of (await measured()).keys()) expect(page).toContain(`\`${name}\``)
    expect(page).toContain('grafana.json')
  })
})
