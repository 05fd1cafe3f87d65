import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { count, EMPTY_METER, progressed } from '../../../src/cli/Meter.js'
import { watch } from '../../../src/cli/progress/watch.js'
import { page } from '../../../src/cli/report/page.js'
import type { Recording } from '../../../src/cli/report/Recording.js'
import { recorder } from '../../../src/cli/report/recorder.js'
import { openReport } from '../../../src/cli/report/report.js'
import { WrongUse } from '../../../src/cli/Terminal.js'
import { E } from '../../../src/fp.js'
import { CHARGE, type Departure, lab, problem, type Reply } from '../../support/lab.js'
import { expectNoSecret, secrets, spellings } from '../../support/secrets.js'

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
  const { client, timer, runUntil } = lab({ play, lists: { maxPages: 1e6 } })
  let meter = EMPTY_METER
  client.events.subscribe((event) => {
    meter = count(meter, event)
  })
  const watching = watch({ client, meter: () => meter, timer })
  const recording = recorder({ client, timer }, watching)
  const reading = client.charges
    .list()
    .parallel(3)
    .pages.subscribe((page) => {
      if (E.isLeft(page)) return
      const rows = meter.rows + page.right.items.length
      meter = progressed({ rows, rejects: 0, pages: meter.pages + 1, ended: false })(meter)
    })
  runUntil(ms)
  const taken = recording.recording()
  reading.unsubscribe()
  recording.close()
  watching.close()
  return taken
}

describe('what is kept of a run', () => {
  it('is rows, requests, their limit, and how long answers took, second by second', () => {
    const { stretches, limit, logins, incidents } = recorded(5_000)
    expect(stretches).toHaveLength(5)
    expect(limit).toEqual({ name: 'endpoint', perSecond: 20 })
    expect(logins).toBe(1)
    expect(incidents.kinds.size).toBe(0)
    for (const { bucket } of stretches.slice(1)) {
      expect(bucket.sent).toBeGreaterThan(10)
      expect(bucket.busiest).toBeLessThanOrEqual(20)
      expect(Math.abs(bucket.rows - bucket.sent * 2)).toBeLessThanOrEqual(12)
      expect(bucket.slowest).toBeCloseTo(150)
      expect(bucket.flying / bucket.seen).toBeGreaterThan(1)
    }
  })

  it('is what was refused and what failed, and how long that was waited for', () => {
    const { stretches, incidents, pauses } = recorded(20_000, (departure, nth) =>
      nth === 5
        ? problem(503, 'away')
        : nth === 9
          ? problem(429, 'too_many_requests')
          : rowsAt(departure),
    )
    const all = (what: 'refused' | 'failed') =>
      stretches.reduce((sum, { bucket }) => sum + bucket[what], 0)
    expect([all('refused'), all('failed')]).toEqual([1, 1])
    expect([...incidents.kinds.keys()]).toEqual([
      'GET /api/v1/charges: 503',
      'GET /api/v1/charges: 429',
    ])
    expect(pauses).toEqual({ count: 1, ms: expect.any(Number) })
  })

  it('does not grow with the run', () => {
    const taken = recorded(600_000)
    const { stretches } = taken
    expect(stretches.length).toBeLessThanOrEqual(240)
    expect(stretches.reduce((sum, { bucket }) => sum + bucket.sent, 0)).toBeGreaterThan(10_000)
    expect(page(FACTS, taken).length).toBeLessThan(400_000)
  })
})

const FACTS = {
  title: 'Export of charges',
  began: 0,
  ms: 5_000,
  isComplete: true,
  summary: 'complete',
  query: [],
  counts: [],
  files: [],
  version: '1.2.3',
}

describe('--report', () => {
  it('writes a page', async () => {
    const { client, timer } = lab()
    const watching = watch({ client, meter: () => EMPTY_METER, timer })
    const report = await openReport(join(folder, 'report.html'), { client, timer }, watching)
    expect(await report.write(FACTS)).toBeUndefined()
    expect(await readFile(join(folder, 'report.html'), 'utf8')).toMatch(
      /^<!doctype html>\n<html lang/,
    )
  })

  it('says why no page can be written', async () => {
    const { client, timer } = lab()
    const watching = watch({ client, meter: () => EMPTY_METER, timer })
    const report = await openReport(join(folder, 'x'.repeat(300)), { client, timer }, watching)
    expect(await report.write(FACTS)).toMatch(/^cannot write .*ENAMETOOLONG/)
  })

  it('is refused before anything is sent, where no file can be made', async () => {
    const { client, timer } = lab()
    const watching = watch({ client, meter: () => EMPTY_METER, timer })
    const opening = openReport(join(folder, 'no/such/folder.html'), { client, timer }, watching)
    await expect(opening).rejects.toThrow(WrongUse)
  })
})

describe('no secret shows in a report', () => {
  it('whatever the service says of a request', () => {
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
    const watching = watch({ client, meter: () => EMPTY_METER, timer })
    const recording = recorder({ client, timer }, watching)
    client.charges.list().pages.subscribe()
    runUntil(60_000)
    const taken = recording.recording()
    expect(sent.some(({ request }) => JSON.stringify(request).includes(secrets.token))).toBe(true)
    expect(taken.incidents.kinds.size).toBeGreaterThan(1)
    expectNoSecret(page(FACTS, taken))
    recording.close()
    watching.close()
    expect(spellings(secrets.token).length).toBeGreaterThan(1)
  })
})
