import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Subject } from 'rxjs'
import { afterAll, describe, expect, it } from 'vitest'
import { countEvent, countProgress, NO_COUNTERS } from '../../../src/cli/progress/ExportCounters.js'
import { monitorProgress, type ProgressSample } from '../../../src/cli/progress/ProgressMonitor.js'
import { type Recording, recorder } from '../../../src/cli/report/recorder.js'
import { reportPage, reportTo } from '../../../src/cli/report/report.js'
import { E } from '../../../src/fp.js'
import { CHARGE, type Departure, lab, problem, RESET, type Reply } from '../../support/lab.js'
import { expectNoSecret, secrets, spellings } from '../../support/secrets.js'
import { SAMPLE, state, tier } from '../progress/support.js'

const folder = await mkdtemp(join(tmpdir(), 'payments-rx-'))
afterAll(() => rm(folder, { recursive: true }))

/** Two charges that no other page has. */
const rowsAt = ({ query }: Departure): Reply => {
  const ids = ['a', 'b'].map((name) => `chg_${query.get('page_num')}${name}`)
  return { ms: 150, body: { items: ids.map((id) => ({ ...CHARGE, id })), has_more: true } }
}

/** A list read for so long in virtual time, three pages at a time. */
const recorded = (
  ms: number,
  play: (departure: Departure, nth: number) => Reply = rowsAt,
): Recording => {
  const { client, timer, runUntil } = lab({ play, drift: true, lists: { maxPages: 1e6 } })
  let counters = NO_COUNTERS
  client.events.subscribe((event) => {
    counters = countEvent(counters, event)
  })
  const watching = monitorProgress({ client, counters: () => counters, timer })
  const recording = recorder({ client, timer }, watching)
  const sample = client.charges
    .list()
    .parallel(3)
    .pages.subscribe((page) => {
      if (E.isLeft(page)) return
      const rows = counters.rows + page.right.items.length
      counters = countProgress({ rows, rejects: 0, pages: counters.pages + 1, ended: false })(
        counters,
      )
    })
  runUntil(ms)
  const taken = recording.recording()
  sample.unsubscribe()
  recording.close()
  watching.close()
  return taken
}

describe('the recording of a run', () => {
  it('has rows, requests, their limit, and latencies by second', () => {
    const { intervals, limit, logins, incidents } = recorded(5_000)
    expect(intervals).toHaveLength(5)
    expect(limit).toEqual({ name: 'endpoint', perSecond: 20 })
    expect(logins).toBe(1)
    expect(incidents.kinds.size).toBe(0)
    for (const { stats } of intervals.slice(1)) {
      expect(stats.sent).toBeGreaterThan(10)
      expect(stats.busiest).toBeLessThanOrEqual(20)
      expect(Math.abs(stats.rows - stats.sent * 2)).toBeLessThanOrEqual(12)
      expect(stats.slowest).toBeCloseTo(150)
      expect(stats.inFlightMs / stats.observedMs).toBeGreaterThan(1)
    }
  })

  it('has refusals, failures, and the pauses after them', () => {
    const { intervals, incidents, pauses } = recorded(20_000, (departure, nth) =>
      nth === 5
        ? problem(503, 'away')
        : nth === 9
          ? problem(429, 'too_many_requests')
          : nth === 40
            ? { outage: RESET }
            : nth === 60
              ? { body: { items: [{ ...CHARGE, id: 'chg_x', shade: 'blue' }], has_more: true } }
              : rowsAt(departure),
    )
    const all = (what: 'refused' | 'failed') =>
      intervals.reduce((sum, { stats }) => sum + stats[what], 0)
    expect([all('refused'), all('failed')]).toEqual([1, 2])
    expect([...incidents.kinds.keys()]).toEqual([
      'GET /api/v1/charges: 503',
      'GET /api/v1/charges: 429',
      'GET /api/v1/charges: ECONNRESET',
      'GET /api/v1/charges: unknown field: shade',
    ])
    expect(pauses).toEqual({ count: 2, ms: 2_000 })
  })

  it('has rates between samples, and averages of concurrency', () => {
    const { client, timer } = lab()
    const samples = new Subject<ProgressSample>()
    const at = (ms: number, rows: number, rejects: number, more = {}): ProgressSample => ({
      ...SAMPLE,
      elapsedMs: ms,
      counters: { ...NO_COUNTERS, rows, rejects },
      ...more,
    })
    let now = at(0, 0, 0)
    const recording = recorder({ client, timer }, { samples, current: () => now, close: () => {} })
    const endless = Number.POSITIVE_INFINITY
    const tiers = [
      tier({ name: 'global', limit: 100, allowed: 100 }),
      tier({ allowed: 12 }),
      tier({ name: 'logins', limit: 5, allowed: 5 }),
      tier({ name: 'concurrency', kind: 'concurrency', limit: 3, allowed: 3 }),
    ]
    const scheduler = state({ inFlight: 3, waiting: 4, backingOff: 1, tiers })
    samples.next(at(500, 10, 2, { scheduler, paused: 2 }))
    samples.next(at(800, 4, 1, { scheduler, paused: 2 })) // some were taken back
    const none = [tier({ name: 'endless', limit: endless, allowed: endless })]
    now = at(900, 9, 1, { scheduler: state({ inFlight: 0, tiers: none }) })
    const { intervals, limit } = recording.recording()
    expect(intervals).toMatchObject([
      {
        stats: {
          ...{ rows: 15, rejects: 2, observedMs: 900, allowed: 12 },
          ...{ inFlightMs: 3 * 800, waitingMs: 4 * 800, pausedMs: 3 * 800 },
        },
      },
    ])
    expect(limit).toEqual({ name: 'endpoint', perSecond: 20 })
    recording.close()
  })

  it('begins with the run', () => {
    const { client, timer, runUntil } = lab({ play: rowsAt })
    const watching = monitorProgress({ client, counters: () => NO_COUNTERS, timer })
    runUntil(3_000)
    const recording = recorder({ client, timer }, watching)
    const sample = client.charges.list().pages.subscribe()
    runUntil(3_900)
    const sent = recording.recording().intervals.map(({ stats }) => stats.sent)
    expect(sent).toEqual([0, 0, 0, expect.any(Number)])
    expect(sent[3]).toBeGreaterThan(3)
    sample.unsubscribe()
    recording.close()
    watching.close()
  })

  it('has bounded size', () => {
    const taken = recorded(250_000)
    const { intervals } = taken
    expect(intervals.length).toBeLessThanOrEqual(240)
    expect(intervals.reduce((sum, { stats }) => sum + stats.sent, 0)).toBeGreaterThan(4_000)
    expect(reportPage(FACTS, taken).length).toBeLessThan(400_000)
  })
})

const FACTS = {
  title: 'Export of charges',
  began: 0,
  ended: 5_000,
  ms: 5_000,
  starts: 1,
  isComplete: true,
  verdict: 'Complete: 5 rows',
  summary: 'complete',
  query: [],
  counts: [],
  files: [],
  totals: [],
  reasons: [],
  version: '1.2.3',
}

describe('--report', () => {
  it('writes a page', async () => {
    const { client, timer } = lab()
    const watching = monitorProgress({ client, counters: () => NO_COUNTERS, timer })
    const report = reportTo(join(folder, 'report.html'))({ client, timer }, watching)
    expect(await report.write(FACTS)).toBeUndefined()
    expect(await readFile(join(folder, 'report.html'), 'utf8')).toMatch(
      /^<!doctype html>\n<html lang/,
    )
  })

  it('returns the reason when no page can be written', async () => {
    const { client, timer } = lab()
    const watching = monitorProgress({ client, counters: () => NO_COUNTERS, timer })
    const report = reportTo(join(folder, 'x'.repeat(300)))({ client, timer }, watching)
    expect(await report.write(FACTS)).toMatch(/^cannot write .*ENAMETOOLONG/)
  })
})

describe('no secret shows in a report', () => {
  it('whatever the service echoes of a request', () => {
    const echo = ({ request }: Departure, nth: number): Reply => {
      const all = Object.values(request.headers).join(' ; ')
      if (nth % 3 === 0) {
        return {
          outage: { _tag: 'Unreachable', code: 'ECONNRESET', reason: all, mayHaveArrived: true },
        }
      }
      return nth % 3 === 1
        ? { status: 500, body: { code: all, message: all } }
        : { status: 429, body: { code: all, message: all } }
    }
    const { client, timer, runUntil, sent } = lab({
      credentials: { clientId: 'lab-client', apiKey: secrets.apiKey },
      login: () => ({ status: 201, body: { token: secrets.token } }),
      play: echo,
    })
    const watching = monitorProgress({ client, counters: () => NO_COUNTERS, timer })
    const recording = recorder({ client, timer }, watching)
    client.charges.list().pages.subscribe()
    runUntil(60_000)
    const taken = recording.recording()
    expect(sent.some(({ request }) => JSON.stringify(request).includes(secrets.token))).toBe(true)
    expect(taken.incidents.kinds.size).toBeGreaterThan(1)
    expectNoSecret(reportPage(FACTS, taken))
    recording.close()
    watching.close()
    expect(spellings(secrets.token).length).toBeGreaterThan(1)
  })
})
