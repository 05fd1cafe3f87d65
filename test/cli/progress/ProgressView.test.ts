import { Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { of } from 'rxjs'
import { describe, expect, it } from 'vitest'
import {
  countEvent,
  countedInThisRun,
  countProgress,
  NO_COUNTERS,
} from '../../../src/cli/progress/ExportCounters.js'
import { monitorProgress, type ProgressMonitor } from '../../../src/cli/progress/ProgressMonitor.js'
import {
  type ProgressView,
  progressJson,
  progressLines,
  progressLogLine,
  showProgress,
  type ViewFlags,
  waitNotes,
} from '../../../src/cli/progress/ProgressView.js'
import { describeStall, type StallReason } from '../../../src/cli/progress/StallReason.js'
import type { Terminal } from '../../../src/cli/Terminal.js'
import { E } from '../../../src/fp.js'
import type { TierSnapshot } from '../../../src/scheduler/index.js'
import { CHARGE, type Departure, lab, problem, type Reply } from '../../support/lab.js'
import { jsonLines } from '../support.js'
import { COUNTERS, SAMPLE, state, tier } from './support.js'

interface Screen {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
  readonly env?: Terminal['env']
}

const DONE = { status: 0, summary: 'complete: 5 rows' }
const FAILED = { status: 1, summary: 'incomplete: 5 rows', reason: 'the service is away' }

/** A list of charges, a page of 5 per request, read for a minute in virtual time; and what was shown. */
const shown = (
  shown: Partial<ViewFlags>,
  screen: Screen = {},
  play: (departure: Departure, nth: number) => Reply = rowsAt,
  during: (view: ProgressView, watch: ProgressMonitor) => void = () => {},
): string => {
  const chunks: Array<string> = []
  const stderr = Object.assign(
    new Writable({
      decodeStrings: false,
      write: (chunk, _encoding, done) => {
        chunks.push(String(chunk))
        done()
      },
    }),
    { isTTY: screen.isTTY ?? false, columns: screen.columns ?? 120, rows: screen.rows ?? 30 },
  )
  const { client, timer, runUntil } = lab({ play })
  let counters = NO_COUNTERS
  client.events.subscribe((event) => {
    counters = countEvent(counters, event)
  })
  const watching = monitorProgress({ client, counters: () => counters, timer })
  const flags = { progress: 'auto', quiet: false, ...shown } as const
  const showing = showProgress({ env: screen.env ?? {}, stderr }, flags, watching)
  const reading = client.charges.list().pages.subscribe((page) => {
    if (E.isLeft(page)) return
    const rows = counters.rows + page.right.items.length
    const pages = counters.pages + 1
    const progress = { rows, rejects: 0, pages, share: rows / 1_000, ended: false }
    counters = countProgress(progress)(counters)
  })
  runUntil(61_000)
  during(showing, watching)
  reading.unsubscribe()
  watching.close()
  return chunks.join('')
}

/** Five charges that no other page has. */
function rowsAt({ query }: Departure): Reply {
  const ids = Array.from({ length: 5 }, (_, i) => `chg_${query.get('page_num')}_${i}`)
  return { ms: 400, body: { items: ids.map((id) => ({ ...CHARGE, id })), has_more: true } }
}

const away = (departure: Departure, nth: number): Reply =>
  nth > 3 ? problem(503, 'away') : rowsAt(departure)

describe('on a terminal', () => {
  it('redraws a line, and leaves the summary', () => {
    const text = shown({}, { isTTY: true }, undefined, (view) => view.end(DONE))
    const drawn = stripVTControlCharacters(text).split('\n')
    expect(drawn).toContainEqual(
      expect.stringMatching(
        /^█{3}░{17} {2}\d\d % {2}\d+ rows {2}1\d rows\/s {2}.* min \d\d s left$/,
      ),
    )
    expect(stripVTControlCharacters(text).endsWith('complete: 5 rows\n')).toBe(true)
  })

  it('stops drawing when the monitor closes, and still prints the summary', () => {
    const text = shown({}, { isTTY: true }, undefined, (view, { close }) => {
      close()
      view.end(DONE)
    })
    expect(stripVTControlCharacters(text).endsWith('complete: 5 rows\n')).toBe(true)
  })

  it('keeps messages above the line', () => {
    const text = shown({}, { isTTY: true }, undefined, (view) => view.say('one thing'))
    expect(text).toContain('one thing\n')
  })

  it('has the verdict in colour, unless NO_COLOR is set', () => {
    const end = (outcome: typeof DONE) => (view: ProgressView) => view.end(outcome)
    const green = '\u001b[32mcomplete\u001b[39m: 5 rows\n'
    const red = '\u001b[31mincomplete\u001b[39m: 5 rows\n'
    expect(shown({}, { isTTY: true }, undefined, end(DONE))).toContain(green)
    expect(shown({}, { isTTY: true }, undefined, end(FAILED))).toContain(red)
    const plain = shown({}, { isTTY: true, env: { NO_COLOR: '1' } }, undefined, end(DONE))
    expect(plain).not.toContain('\u001b[32m')
  })

  it('has no colours where NO_COLOR is set', () => {
    const colours = '\u001b[31m'
    expect(shown({}, { isTTY: true }, away)).toContain(colours)
    expect(shown({}, { isTTY: true, env: { NO_COLOR: '' } }, away)).toContain(colours)
    const plain = shown({}, { isTTY: true, env: { NO_COLOR: '1' } }, away)
    expect(plain).not.toContain(colours)
    expect(plain).toMatch(/retrying in \d\.\d s: GET \/api\/v1\/charges: 503 away/)
  })
})

describe('in a log', () => {
  it('prints a line every half minute, without control sequences', () => {
    const text = shown({}, {}, undefined, (view) => view.end(DONE))
    expect(text).toMatch(
      /^\d+ %, \d+ rows, .* 30\.0 s, .*\n\d+ %, .* 1 min 00 s, .*\ncomplete: 5 rows\n$/,
    )
  })

  it('says once that an answer is waited for, five seconds after it was asked for', () => {
    const slow = (departure: Departure, nth: number): Reply =>
      nth === 3 ? { ...rowsAt(departure), ms: 12_000 } : rowsAt(departure)
    const lines = shown({}, {}, slow)
      .split('\n')
      .filter((line) => line.includes('no response for'))
    expect(lines).toEqual([
      expect.stringMatching(/ [56]\.\d s, .*no response for \d+ s: 1 request/),
    ])
  })

  it('prints the same on a terminal that cannot redraw', () => {
    expect(shown({}, { isTTY: true, env: { TERM: 'dumb' } })).toBe(shown({}))
  })

  it.each([{ columns: 0 }, { rows: 0 }])('prints the same on a terminal of no size: %j', (size) => {
    expect(shown({}, { isTTY: true, ...size })).toBe(shown({}))
  })

  it('ends with the reason', () => {
    const text = shown({ progress: 'none' }, {}, undefined, (view) => view.end(FAILED))
    expect(text).toBe('incomplete: 5 rows\npayments-rx: the service is away\n')
  })
})

describe('for machines', () => {
  it('prints one JSON object a second, and the outcome in the last', () => {
    const text = shown({ progress: 'json' }, { isTTY: true }, undefined, (view) => {
      view.say('one thing')
      view.end(FAILED)
    })
    const all = jsonLines(text)
    expect(all.filter(({ type }) => type === 'progress')).toHaveLength(61)
    expect(all[2]).toMatchObject({ type: 'progress', elapsedMs: 3_000, rows: 35, refused: 0 })
    expect(all.at(-2)).toEqual({ type: 'message', message: 'one thing' })
    expect(all.at(-1)).toMatchObject({ type: 'end', ...FAILED, elapsedMs: 61_000 })
  })

  it('has the same fields every time, null where nothing is known', () => {
    const all = jsonLines(shown({ progress: 'json' }))
    for (const record of all) expect(Object.keys(record)).toEqual(Object.keys(all[0] ?? {}))
    expect(all[0]).toMatchObject({ msLeft: null })
    expect(all[40]).toMatchObject({ msLeft: expect.any(Number), share: expect.any(Number) })
  })

  it('has each number under its own name', () => {
    const counters = { ...COUNTERS, rejects: 3, refused: 9, failed: 7 }
    const record = progressJson({
      ...{ ...SAMPLE, counters, elapsedMs: 31_000.4, rowsPerSecond: 39_800.3 },
      ...{ msLeft: 35_400.2, paused: 4 },
      scheduler: state({ waiting: 5, inFlight: 2, backingOff: 1, refused: 77 }),
      stallReasons: [{ _tag: 'Refused', requests: 1 }],
    })
    expect(record).toEqual({
      ...{ elapsedMs: 31_000, rows: 1_234_000, rejects: 3, pages: 617, rowsPerSecond: 39_800 },
      ...{ share: 0.47, msLeft: 35_400, requests: 618, refused: 9, failed: 7, quota: 0.98 },
      ...{ inFlight: 2, waiting: 5, backingOff: 5 },
      waits: ['1 request refused (429): retrying after a pause'],
    })
  })

  it('names what it waits for', () => {
    expect(jsonLines(shown({ progress: 'json' }, {}, away))[1]).toMatchObject({
      failed: expect.any(Number),
      backingOff: 1,
      waits: [expect.stringMatching(/^retrying in .*503 away/)],
    })
  })
})

describe('quiet', () => {
  it('prints only what went wrong with --quiet', () => {
    const during = (last: typeof DONE) => (view: ProgressView) => {
      view.say('one thing')
      view.end(last)
    }
    expect(shown({ quiet: true }, { isTTY: true }, undefined, during(DONE))).toBe('')
    const failed = shown({ quiet: true }, {}, undefined, during(FAILED))
    expect(failed).toBe('payments-rx: the service is away\n')
  })
})

describe('samples', () => {
  const watched = (tiers: ReadonlyArray<TierSnapshot>) => {
    const { client, timer, runUntil } = lab()
    const scheduler = { ...client.scheduler, state: of(state({ tiers })) }
    const { events } = client
    const watched = { events, scheduler }
    const watching = monitorProgress({ client: watched, counters: () => COUNTERS, timer })
    return { watching, runUntil }
  }

  it('have the share of the most used rate limit', () => {
    const others = [
      tier({ name: 'concurrency', kind: 'concurrency', share: 1 }),
      tier({ name: 'endless', limit: Number.POSITIVE_INFINITY, share: 0 }),
    ]
    const rates = [tier({ name: 'global', share: 0.3 }), tier({ share: 0.9 })]
    expect(watched([...others, ...rates]).watching.current().quota).toBe(0.9)
    expect(watched(others).watching.current().quota).toBeUndefined()
  })

  it('end when they are closed', () => {
    const { watching, runUntil } = watched([])
    let seen = 0
    watching.samples.subscribe(() => {
      seen++
    })
    runUntil(1_000)
    watching.close()
    runUntil(5_000)
    expect(seen).toBe(4)
  })
})

it('says that one request at a time is the bound, as it was given', () => {
  const { client, timer, runUntil } = lab({ play: rowsAt })
  const watching = monitorProgress({ client, counters: () => NO_COUNTERS, timer, parallel: 1 })
  const said: Array<string | undefined> = []
  watching.samples.subscribe(({ stallReasons: [reason] }) => {
    said.push(reason && describeStall(reason))
  })
  client.charges.list().pages.subscribe()
  runUntil(10_000)
  watching.close()
  expect(said.at(-1)).toBe(
    '1 concurrent request at 400 ms per page: --parallel 11 would use more of the quota (estimate)',
  )
})

describe('a run that was resumed', () => {
  const begun = { rows: 900, rejects: 3, pages: 9, share: 0.9, ended: false }
  const resumed = countProgress({ ...begun, started: { resumed: true } })(NO_COUNTERS)

  it('begins at the share of the run before, and counts its own rows for speed', () => {
    expect(resumed.share).toBe(0.9)
    expect(countedInThisRun(resumed)).toEqual({ rows: 0, rejects: 0 })
  })

  it('never falls', () => {
    expect(countProgress({ ...begun, share: 0.1 })(resumed).share).toBe(0.9)
    const { share: _, ...unknown } = begun
    expect(countProgress(unknown)(resumed).share).toBe(0.9)
  })

  it('has the speed of the last seconds, rejected rows included', () => {
    const { client, timer, runUntil } = lab()
    let counters = resumed
    const watching = monitorProgress({ client, counters: () => counters, timer })
    runUntil(1_000)
    counters = { ...resumed, rows: 910, rejects: 13 }
    expect(watching.current().rowsPerSecond).toBe(20)
    watching.close()
  })

  it('ends at 100 %', () => {
    const last = { rows: 910, rejects: 3, pages: 10, share: 1, ended: true }
    const ended = countProgress(last)(resumed)
    expect(ended.share).toBe(1)
    expect(countedInThisRun(ended)).toEqual({ rows: 10, rejects: 0 })
  })
})

const lineAt = (columns: number, sample = SAMPLE): string =>
  progressLines({ columns, colours: false }, sample)

describe('a line on a terminal', () => {
  it('shows everything where it is wide', () => {
    expect(lineAt(140)).toBe(
      '█████████░░░░░░░░░░░  47 %  1,234,000 rows  39,800 rows/s  98 % of the quota  0 refused  31.0 s  about 40 s left',
    )
  })

  it.each([
    [
      100,
      '█████████░░░░░░░░░░░  47 %  1,234,000 rows  39,800 rows/s  98 % of the quota  about 40 s left',
    ],
    [80, '████░░░░░░  47 %  1,234,000 rows  39,800 rows/s  about 40 s left'],
    [70, '████░░░░░░  47 %  1,234,000 rows  39,800 rows/s  about 40 s left'],
    [60, '47 %  1,234,000 rows  39,800 rows/s  about 40 s left'],
    [40, '47 %  1,234,000 rows  about 40 s left'],
    [30, '47 %  1,234,000 rows'],
    [12, '1,234,000 …'],
  ])('says the most telling where it is %d columns wide', (columns, text) => {
    expect(lineAt(columns)).toBe(text)
  })

  it('drops good news before bad news', () => {
    const counters = { ...COUNTERS, rejects: 3, refused: 2 }
    expect(lineAt(50, { ...SAMPLE, counters })).toBe(
      '47 %  1,234,000 rows  3 rejected  about 40 s left',
    )
    expect(lineAt(100, { ...SAMPLE, counters: { ...counters, failed: 1 } })).toBe(
      '█████████░░░░░░░░░░░  47 %  1,234,000 rows  39,800 rows/s  1 failed  3 rejected  about 40 s left',
    )
  })

  it('has a bar, share, rows, rate and time left on 80 columns, whatever the numbers', () => {
    const bad = { rejects: 9_999, refused: 9_999, failed: 9_999 }
    const counters = { ...COUNTERS, rows: 1_234_567_890, ...bad }
    const line = lineAt(80, { ...SAMPLE, counters, msLeft: 45_000_000, elapsedMs: 400_000_000 })
    expect(line).toMatch(
      /^█{4,}░{5,} {2}47 % {2}1,234,567,890 rows {2}39,800 rows\/s {2}about 12 h 30 min left$/,
    )
  })

  it('omits unknown values', () => {
    const { msLeft: _, ...rest } = SAMPLE
    const { share: __, ...counters } = COUNTERS
    expect(lineAt(140, { ...rest, counters })).toBe(
      '1,234,000 rows  39,800 rows/s  98 % of the quota  0 refused  31.0 s',
    )
  })

  it('shows the stall reason below, within the width and without control characters', () => {
    const because = 'GET /api/v1/charges: 503 unavailable: \u001b[2Jaway\r\nfor now'
    const stallReasons = [{ _tag: 'Fault', ms: 3_200, because }] as const
    expect(lineAt(140, { ...SAMPLE, stallReasons }).split('\n')[1]).toBe(
      'retrying in 3.2 s: GET /api/v1/charges: 503 unavailable: [2Jaway for now',
    )
    expect(lineAt(30, { ...SAMPLE, stallReasons }).split('\n')[1]).toBe(
      'retrying in 3.2 s: GET /api/…',
    )
  })

  it('has colours only where they are allowed', () => {
    const stallReasons = [{ _tag: 'Refused', requests: 2 }] as const
    const coloured = progressLines({ columns: 140, colours: true }, { ...SAMPLE, stallReasons })
    expect(coloured).toContain('\u001b[33m')
    expect(stripVTControlCharacters(coloured)).toBe(lineAt(140, { ...SAMPLE, stallReasons }))
  })

  it('is no wider than the terminal, whatever its width', () => {
    const stallReasons = [{ _tag: 'Lowered', tier: 'endpoint', allowed: 11, limit: 20 }] as const
    for (let columns = 1; columns < 160; columns++) {
      for (const line of lineAt(columns, { ...SAMPLE, stallReasons }).split('\n')) {
        expect(line.length).toBeLessThanOrEqual(columns)
      }
    }
  })
})

it.each<readonly [StallReason, string]>([
  [
    { _tag: 'Limit', tier: 'endpoint', requests: 1, limit: 20 },
    '1 request queued by the endpoint limit of 20/s',
  ],
  [
    { _tag: 'Fault', ms: 3_200, because: '503 \u001b[2Jaway\r\nfor now' },
    'retrying in 3.2 s: 503 [2Jaway for now',
  ],
])('is one line with commas in a log: %j', (reason, said) => {
  expect(progressLogLine({ ...SAMPLE, stallReasons: [reason] })).toBe(
    `47 %, 1,234,000 rows, 39,800 rows/s, 98 % of the quota, 0 refused, 31.0 s, about 40 s left, ${said}`,
  )
})

describe('retries', () => {
  const busy = { _tag: 'ServerFault', endpoint: 'GET /x', code: 'busy', attempts: 1 } as const
  const retry = { _tag: 'Retrying', call: 1, endpoint: 'GET /x', attempt: 1 } as const

  /** The notes of retries, one a second, by the second. */
  const notes = (seconds: number, statusAt: (second: number) => number) => {
    let second = 0
    const note = waitNotes({ now: () => second * 1_000 })
    const said: Array<string> = []
    for (; second < seconds; second++) {
      const status = statusAt(second)
      const failure = { ...busy, status, message: `GET /x: ${status} busy` }
      const line = note({ ...retry, failure, pause: 1_200 })
      if (line !== undefined) said.push(`${second}: ${line}`)
    }
    return said
  }

  it('for one reason are one line at once, and then one each half minute, with their number', () => {
    expect(notes(100, () => 503)).toEqual([
      '0: retrying in 1.2 s: GET /x: 503 busy',
      ...[30, 60, 90].map((s) => `${s}: retrying in 1.2 s: GET /x: 503 busy (and 29 more like it)`),
    ])
  })

  it('for another reason have their own line at once', () => {
    expect(notes(20, (second) => (second < 5 ? 503 : 500))).toEqual([
      '0: retrying in 1.2 s: GET /x: 503 busy',
      '5: retrying in 1.2 s: GET /x: 500 busy',
    ])
  })
})
