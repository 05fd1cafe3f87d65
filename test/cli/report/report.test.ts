import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addIncident,
  emptyStats,
  NO_INCIDENTS,
  type Recording,
} from '../../../src/cli/report/recorder.js'
import { type ReportFacts, reportPage } from '../../../src/cli/report/report.js'
import { addTime } from '../../../src/report/histogram.js'

const FACTS: ReportFacts = {
  title: 'Export of charges',
  began: Date.UTC(2026, 0, 31, 12),
  ended: Date.UTC(2026, 0, 31, 12, 0, 3),
  ms: 3_000,
  starts: 1,
  isComplete: true,
  verdict: 'Complete: 5,000 rows',
  summary: 'complete: 5,000 rows',
  query: [['status', 'SETTLED']],
  counts: [['Rows', '5,000']],
  files: [{ path: 'charges.ndjson', rows: 5_000, bytes: 1_234_567, sha256: 'abc123' }],
  totals: [],
  reasons: [],
  version: '1.2.3',
}

const intervals = [2_000, 3_000, 0].map((rows, i) => {
  const one = { ...emptyStats(), rows, sent: 2, busiest: 2, observedMs: 1_000, inFlightMs: 1_500 }
  addTime(one.latency, 150)
  return { from: i * 1_000, to: (i + 1) * 1_000, stats: one }
})

const RECORDING: Recording = {
  intervals,
  incidents: NO_INCIDENTS,
  limit: { name: 'endpoint', perSecond: 20 },
  logins: 1,
  pauses: { count: 0, ms: 0 },
}

const EMPTY: Recording = { ...RECORDING, intervals: [] }

const shownIn = (text: string): string =>
  text
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')

/** The paths of a chart, one for each of its lines. */
const drawnIn = (text: string, id: string): ReadonlyArray<string | undefined> => {
  const drawing = text.split(`<figure id="${id}">`)[1]?.split('preserveAspectRatio')[1] ?? ''
  const [own = ''] = drawing.split('</figure>')
  return Array.from(own.matchAll(/<path class="line [^"]*" d="([^"]*)"/g), ([, path]) => path)
}

describe('a report', () => {
  it('shows the query, the outcome, and the files', () => {
    const shown = shownIn(reportPage(FACTS, RECORDING))
    for (const said of [
      'Export of charges',
      'Began 2026-01-31 12:00:00 UTC',
      'complete: 5,000 rows',
      'status SETTLED',
      'charges.ndjson 5,000 1.2 MB abc123',
      'ended 2026-01-31 12:00:03 UTC',
      '5,000 rows read, 0 of them rejected. At most 3,000 a second, and none for 1.0 s',
      '(endpoint limit, 20 a second)',
      'Half of the answers came within 151 ms',
      'Nothing: every request was answered',
      'Made by payments-rx 1.2.3',
    ]) {
      expect(shown).toContain(said)
    }
  })

  it('shows charts after the outcome, and folds sums', () => {
    const totals = [{ status: 'SETTLED', currency: 'EUR', rows: 2, amount: '30.50' }]
    const text = reportPage({ ...FACTS, totals }, RECORDING)
    const [outcome, charts, asked] = ['<h1', 'Over time', 'What was asked for'].map((mark) =>
      text.indexOf(mark),
    )
    expect([outcome, charts, asked]).toEqual([outcome, charts, asked].sort((a = 0, b = 0) => a - b))
    expect(text).toMatch(/<details><summary>Show 1 sum<\/summary>[\s\S]*30\.50[\s\S]*<\/details>/)
  })

  it('omits the hash of an incomplete file', () => {
    const files = [{ path: 'charges.ndjson', rows: 5, bytes: 412 }]
    const shown = shownIn(reportPage({ ...FACTS, files }, RECORDING))
    expect(shown).toContain('SHA-256 charges.ndjson 5 412 B The numbers behind the charts')
  })

  it('shows why a run is incomplete, and its incidents', () => {
    const incidents = addIncident('GET /api/v1/charges: 503', 1_500)(NO_INCIDENTS)
    const facts = {
      ...FACTS,
      isComplete: false,
      summary: 'incomplete: 5 rows',
      reason: 'it is away',
    }
    const text = reportPage(facts, { ...RECORDING, incidents })
    expect(shownIn(text)).toContain('incomplete: 5 rows it is away')
    expect(shownIn(text)).toContain('GET /api/v1/charges: 503 1 0:01 0:01')
    expect(text).toContain('<title>Export of charges: incomplete</title>')
    expect(text).toContain('<p class="outcome bad">it is away</p>')
  })

  it('begins with the verdict', () => {
    const facts = { ...FACTS, isComplete: false, verdict: 'Incomplete: 5 rows, 2 rejected' }
    expect(reportPage(facts, RECORDING)).toMatch(
      /<main>\s*<header>\s*<h1 class="outcome bad">Incomplete: 5 rows, 2 rejected<\/h1>/,
    )
  })

  it('tells rows and sums by status and currency, and why rows were rejected', () => {
    const totals = [
      { status: 'NEW', currency: 'EUR', rows: 1_200, amount: '-1234567.0001' },
      { status: 'SETTLED', currency: 'JPY', rows: 3, amount: '12345678901234567890' },
      { status: 'SETTLED', currency: 'USD', rows: 2 },
      { rows: 5, others: true },
    ] as const
    const reasons = [
      { reason: 'fee should be a number', rows: 1 },
      { reason: 'amount should be a number', rows: 2_000 },
    ]
    const shown = shownIn(reportPage({ ...FACTS, totals, reasons }, RECORDING))
    expect(shown).toContain('NEW EUR 1,200 -1,234,567.0001')
    expect(shown).toContain('SETTLED JPY 3 12,345,678,901,234,567,890')
    expect(shown).toContain('SETTLED USD 2 others 5')
    expect(shown).toContain('amount should be a number 2,000 fee should be a number 1')
  })

  it('says of a resumed run how often it was begun, and which start the charts are of', () => {
    const shown = shownIn(reportPage({ ...FACTS, starts: 3, ms: 61_000 }, RECORDING))
    expect(shown).toContain('3 starts took 1 min 01 s')
    expect(shown).toContain('Over time Of the last of 3 starts.')
  })

  it('says what held it up', () => {
    const because = '8 concurrent requests at 490 ms a page: --parallel 14 uses more of the quota'
    const shown = shownIn(reportPage(FACTS, { ...RECORDING, stall: { because, share: 0.9 } }))
    expect(shown).toContain(`90 % of the time: ${because}`)
    const resumed = reportPage(
      { ...FACTS, starts: 2 },
      { ...RECORDING, stall: { because, share: 0.9 } },
    )
    expect(shownIn(resumed)).toContain(`90 % of the time of the last start: ${because}`)
  })

  it('lists each kind of incident once, with count, first and last time', () => {
    const kinds = Array.from({ length: 41 }, (_, i) => `kind ${i}`)
    const happenings = [...kinds, 'kind 0'].map((what, i) => addIncident(what, i * 60_000))
    const incidents = happenings.reduce((all, next) => next(all), NO_INCIDENTS)
    const shown = shownIn(reportPage(FACTS, { ...RECORDING, incidents }))
    expect(shown).toContain('kind 0 2 0:00 41:00 kind 1 1 1:00 1:00')
    expect(shown).toContain('kind 39 1 39:00 39:00 And 1 other.')
  })

  it('works for a run in which nothing happened', () => {
    const text = reportPage({ ...FACTS, query: [], files: [] }, EMPTY)
    expect(shownIn(text)).toContain('What was asked for All that there is. Files None was written.')
    expect(text).not.toMatch(/NaN|Infinity|undefined/)
  })

  it('describes its charts in words', () => {
    const times = [...Array(90).fill(100), ...Array(8).fill(300), ...Array(2).fill(900)]
    const busy = {
      ...{ ...emptyStats(), rows: 10, rejects: 3, sent: 5, busiest: 4, refused: 2, failed: 1 },
      ...{ slowest: 12_340, allowed: 12, observedMs: 2_000 },
      ...{ inFlightMs: 3_000, waitingMs: 30_000, pausedMs: 1_000 },
    }
    for (const ms of times) addTime(busy.latency, ms)
    const last = { ...emptyStats(), rejects: 1, sent: 5, busiest: 4, slowest: 1_234 }
    const shown = shownIn(
      reportPage(FACTS, {
        ...RECORDING,
        intervals: [
          { from: 0, to: 2_000, stats: busy },
          { from: 2_000, to: 2_500, stats: last },
        ],
        pauses: { count: 2, ms: 3_000 },
      }),
    )
    for (const said of [
      '14 rows read, 4 of them rejected. At most 7 a second, without a break.',
      'are drawn each time they were sent; 1 login is not drawn.',
      'limit lowered after refusals',
      'Half of the answers came within 100 ms, 95 % within 301 ms, the slowest after 12.3 s.',
      '2 requests refused for the limits (429); 1 request without an answer, or with a 5xx.',
      '0:00 to 0:02, refused or failed 3, of them refused 2',
      '2 requests were put off for a fault to pass, for 3.0 s in all.',
      '0:00 to 0:02, under way 1.5, behind a limit 15, after a refusal or a fault 0.5',
      '0:00–0:02 7 3 2.5 4 100 ms 301 ms 909 ms 12.3 s 2 1 1.5 15 0.5',
      '0:02–0:02 2 1 4 4 1,234 ms 0 0 Made', // nothing was looked at
    ]) {
      expect(shown).toContain(said)
    }
  })

  it.each([
    [0, 'None was put off for a fault to pass. Requests'],
    [1, '1 request was put off for a fault to pass, for 0.5 s in all. Requests'],
  ])('says how many were put off: %d', (count, said) => {
    const shown = shownIn(reportPage(FACTS, { ...EMPTY, pauses: { count, ms: count * 500 } }))
    expect(shown).toContain(said)
    expect(shown).toContain('No answer came.')
  })

  it('omits the lowered limit where none was', () => {
    const whole = intervals.map((one) => ({ ...one, stats: { ...one.stats, allowed: 20 } }))
    expect(reportPage(FACTS, { ...RECORDING, intervals: whole })).not.toContain('limit lowered')
  })

  it('draws the limit within the chart', () => {
    expect(reportPage(FACTS, RECORDING)).toContain('<path class="limit" d="M0 20H1000"/>') // 20 of 25
  })

  it('draws bars for refusals, and gaps where no answer came', () => {
    const [first, , last] = intervals
    if (first === undefined || last === undefined) throw new Error('no intervals')
    const refused = { ...emptyStats(), refused: 2, sent: 2, busiest: 2 }
    const text = reportPage(FACTS, {
      ...RECORDING,
      intervals: [first, { from: 1_000, to: 2_000, stats: refused }, last],
    })
    expect(drawnIn(text, 'trouble')[0]).toBe('M333.33 100V0H666.67V100Z')
    expect(drawnIn(text, 'latency')[0]).toBe('M0 24.71H333.33M666.67 24.71H1000')
  })

  it('has no NaN or Infinity', () => {
    expect(reportPage(FACTS, RECORDING)).not.toMatch(/NaN|Infinity|undefined/)
  })

  it('loads nothing, runs nothing, and allows nothing but its own style', () => {
    const text = reportPage(FACTS, RECORDING)
    expect(text).not.toMatch(/<script|\son\w+=|style="|src=|href=|url\(|@import|https?:/i)
    const style = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? ''
    const hash = createHash('sha256').update(style).digest('base64')
    const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`
    expect(text).toContain(
      `<meta http-equiv="Content-Security-Policy" content="${policy.replaceAll("'", '&#39;')}">`,
    )
  })

  it('escapes every text', () => {
    const nasty = fc.oneof(
      fc.constantFrom(
        '</script><script>alert(1)</script>',
        '</title><img src=x onerror=alert(1)>',
        '" onmouseover="alert(1)',
        "' onfocus='alert(1)",
        '--></style></td></table>',
        '&lt;b&gt;&#60;',
        '\u0000<\u202e>',
      ),
      fc.string({ unit: 'binary' }),
    )
    const tags = (text: string) => text.match(/<\/?[a-zA-Z!][^>]*>/g)
    const of = (value: string) => {
      const { intervals } = RECORDING
      const incidents = addIncident(value, 0)(NO_INCIDENTS)
      return reportPage(
        {
          ...FACTS,
          title: value,
          isComplete: false,
          summary: value,
          reason: value,
          query: [[value, value]],
          counts: [[value, value]],
          files: [{ path: value, rows: 1, bytes: 1, sha256: value }],
          version: value,
        },
        { ...RECORDING, intervals, incidents, limit: { name: value, perSecond: 20 } },
      )
    }
    const harmless = tags(of('x'))
    fc.assert(
      fc.property(nasty, (value) => {
        fc.pre(value !== '')
        expect(tags(of(value))).toEqual(harmless)
      }),
    )
  })

  it('has roles and labels for screen readers', () => {
    const text = reportPage(FACTS, RECORDING)
    expect(text).toContain('<html lang="en">')
    const ids = Array.from(text.matchAll(/\sid="([^"]+)"/g), ([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const named = Array.from(text.matchAll(/aria-labelledby="([^"]+)"/g), ([, id = '']) =>
      id.split(' '),
    )
    expect(named.length).toBeGreaterThan(8)
    for (const id of named.flat()) expect(ids).toContain(id)
    expect(text.match(/<h1[ >]/g)).toHaveLength(1)
    expect(text.match(/<figure/g)).toHaveLength(5)
    expect(text.match(/role="img"/g)).toHaveLength(5)
    expect(text).toContain('<th scope="row">0:00–0:01</th><td class="n">2,000</td>')
  })
})
