import { lastValueFrom, type Observable, tap, toArray } from 'rxjs'
import { describe, expect, it } from 'vitest'
import {
  type BenchEvent,
  type BenchOptions,
  type BenchResult,
  bench,
} from '../../src/bench/index.js'
import { createSandbox, type SandboxOptions, sandboxCredentials } from '../../src/sandbox/index.js'
import { virtualTime } from '../support/idleClock.js'

const resultOf = (event: BenchEvent | undefined): BenchResult => {
  if (event?._tag === 'Right' && event.right._tag === 'Measured') return event.right.result
  throw new Error(`no result: ${JSON.stringify(event)}`)
}

/** Runs `bench` against a sandbox in this process, in virtual time. */
const measured = async (options: BenchOptions, sandbox: SandboxOptions = {}) => {
  const { timer, run } = virtualTime()
  const server = createSandbox({ charges: 2_000_000, batches: 20, latency: 150, ...sandbox, timer })
  const events = bench({
    connection: {
      baseUrl: 'https://sandbox',
      credentials: sandboxCredentials,
      environment: sandbox.environment ?? 'production',
      fetch: server.fetch,
    },
    duration: 8_000,
    usage: () => ({ cpu: 0, memory: 0, timers: { fired: 0, late: 0 } }),
    pageSize: 100, // larger pages take longer to make
    ...options,
    timer,
  })
  const all = await run(lastValueFrom(events.pipe(toArray())))
  return { last: all.at(-1), all, stats: server.stats() }
}

const requestsOf = ({ stats }: { readonly stats: { readonly requests: number } }): number =>
  stats.requests - 1 // the login

describe('bench', () => {
  it('fills the limit of one endpoint with as many concurrent requests as that takes', async () => {
    const run = await measured({})
    const { boundBy, verdict, share, rowsPerSecond, requestsPerSecond, width, ...rest } = resultOf(
      run.last,
    )
    expect(boundBy).toBe('quota')
    expect(verdict).toMatch(
      /^9\d % of the rate limit used: one endpoint allows 20 requests per second$/,
    )
    expect(share).toBeGreaterThan(0.95)
    expect(share).toBeLessThanOrEqual(1)
    expect(rowsPerSecond / requestsPerSecond).toBeCloseTo(100, 5)
    expect(width).toBeLessThan(8) // 20 x 0.15 s
    expect(rest.bestWidth).toEqual({ width, by: 'run', share })
    expect(rest.answer.p50).toBeCloseTo(150, -1)
    expect(rest.refused + rest.failed + rest.retries).toBe(0)
  })

  it('counts as many requests and rows as the service', async () => {
    const run = await measured({})
    const { total } = resultOf(run.last)
    expect([total.requests, total.logins]).toEqual([requestsOf(run), 1])
    expect(total.rows).toBe(requestsOf(run) * 100)
  })

  it('tries more concurrent requests where they may be the bound, and says what that reached', async () => {
    const run = await measured({ parallel: 3 }, { latency: 490 })
    const { boundBy, verdict, share, width, bestWidth, requestsPerSecond } = resultOf(run.last)
    expect([boundBy, width]).toEqual(['concurrency', 3])
    expect(requestsPerSecond).toBeCloseTo(3 / 0.49, 0)
    expect(verdict).toMatch(
      /^31 % of the rate limit used: 3 concurrent requests at 490 ms per page; `--parallel 14` reached 9\d %$/,
    )
    expect(share).toBeCloseTo(0.306, 1)
    expect(bestWidth).toMatchObject({ width: 14, by: 'run' })
    expect(bestWidth.share).toBeGreaterThan(0.9)
  })

  it('reads eight endpoints up to the limit of all together', async () => {
    const { last } = await measured({ workload: 'mixed' })
    const { ceiling, share, boundBy } = resultOf(last)
    expect(ceiling).toEqual({ name: 'global', perSecond: 100 })
    expect([boundBy, share > 0.93]).toEqual(['quota', true])
  })

  it('honours a share of the limits', async () => {
    const { last } = await measured({ share: 0.5 })
    const { ceiling, requestsPerSecond } = resultOf(last)
    expect(ceiling).toEqual({ name: 'endpoint', perSecond: 10 })
    expect(requestsPerSecond).toBeLessThanOrEqual(10)
  })

  it('writes drafts, and deletes them', async () => {
    const write = { workload: 'write', write: true, duration: 5_000 } as const
    const { last, stats } = await measured(write, { environment: 'test' })
    const { rows, requests, ceiling } = resultOf(last)
    expect([rows > 0, rows % 100, ceiling.perSecond]).toEqual([true, 0, 10])
    expect(requests).toBeGreaterThan(rows / 100)
    const made = stats.endpoints['POST /api/v1/batch_transfers/create']?.requests
    expect(made).toBeGreaterThan(0)
    expect(stats.endpoints['POST /api/v1/batch_transfers/{id}/delete']?.requests).toBe(made)
  })

  it('tells how far it is', async () => {
    const { all } = await measured({ duration: 4_000 })
    const tags = all.map((event) => (event._tag === 'Right' ? event.right._tag : 'Left'))
    expect([...new Set(tags)]).toEqual(['Progress', 'Measured'])
    expect(tags.length).toBeGreaterThan(12)
  })

  it('ends with the failure of the service if nothing can be read', async () => {
    const { last } = await measured({
      connection: {
        baseUrl: 'https://sandbox',
        fetch: async () => Response.json({}, { status: 403 }),
      },
    })
    expect(last).toMatchObject({ _tag: 'Left', left: { endpoint: 'GET /api/v1/charges' } })
  })

  it.each<[string, BenchOptions, string]>([
    [
      'writes to production',
      { workload: 'write', write: true, connection: { environment: 'production' } },
      "workload should be 'read', 'mixed' or 'export', because the write workload requires environment: 'test'",
    ],
    [
      'writes that were not asked for',
      { workload: 'write', connection: { environment: 'test' } },
      'write should be true, because the write workload creates and deletes draft batches',
    ],
    [
      'other programs on a real account',
      { peers: true, connection: {} },
      'peers should be omitted: other programs would exceed the limits of a real account',
    ],
    ['a run too short', { duration: 10 }, 'duration should be at least 2000 milliseconds'],
  ])('refuses %s, and sends nothing', (_, options, message) => {
    const { connection } = options
    const fetch = () => Promise.reject(new Error('was sent'))
    const given = connection && {
      connection: { baseUrl: 'https://a.example', ...connection, fetch },
    }
    expect(() => bench({ ...options, ...given })).toThrow(message)
  })

  it('sends nothing before it is subscribed to', async () => {
    const { timer, pass } = virtualTime()
    const server = createSandbox({ timer })
    const { fetch } = server
    const events: Observable<BenchEvent> = bench({
      connection: { baseUrl: 'https://sandbox', credentials: sandboxCredentials, fetch },
      timer,
    })
    await pass(1_000)
    expect(server.stats().requests).toBe(0)
    const running = events.pipe(tap()).subscribe()
    await pass(5_000)
    running.unsubscribe()
    const { requests } = server.stats()
    await pass(5_000)
    expect([requests > 40, server.stats().requests - requests]).toEqual([true, 0])
  })
})
