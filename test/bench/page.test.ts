import { expect, it } from 'vitest'
import type { BenchResult } from '../../src/bench/index.js'
import { benchPage } from '../../src/bench/page.js'
import { benchText } from '../../src/bench/text.js'

const RESULT: BenchResult = {
  ...{ workload: 'read', target: 'embedded <sandbox>', environment: 'production' },
  ...{ began: '2026-01-31T12:00:00.123Z', seconds: 27, rows: 1_058_400, requests: 540 },
  ...{ rowsPerSecond: 39_200, requestsPerSecond: 19.6, share: 0.98, boundBy: 'quota' },
  ...{ ceiling: { name: 'endpoint', perSecond: 20 }, verdict: '98 % of the quota: `all`' },
  ...{ refused: 2, retries: 2, failed: 0, width: 5 },
  answer: { p50: 151, p95: 180, p99: 1_210 },
  wait: { p50: 12, p95: 600, p99: null },
  bestWidth: { width: 5, by: 'run', share: 0.98 },
  ...{ cpuSecondsPerMillionRows: 3.214, peakMemory: 203_300_000, subRuns: [] },
  timeline: [18, 20, 20, 7].map((requests) => ({ rows: requests * 2_000, requests, refused: 0 })),
  answers: [
    { from: 120, count: 40 },
    { from: 150, count: 7 },
  ],
  total: { requests: 600, logins: 1, rows: 1_200_000, seconds: 30.1 },
  arrivals: { requests: 600, refused: 2, rows: 1_200_000, mostOfEndpoint: 20, mostOfAll: 21 },
  contenders: [
    {
      ...{
        name: './loop.mjs',
        seconds: 18,
        rowsPerSecond: 9_800,
        requestsPerSecond: 5,
        share: 0.25,
      },
      arrivals: { requests: 90, refused: 3, rows: 176_400, mostOfEndpoint: 6, mostOfAll: 6 },
    },
    {
      ...{ name: 'p-queue', seconds: 0, rowsPerSecond: 0, requestsPerSecond: 0, share: 0 },
      arrivals: { requests: 0, refused: 0, rows: 0, mostOfEndpoint: 0, mostOfAll: 0 },
      leftOut: 'not installed here',
    },
  ],
  machine: { cpu: 'A CPU', cores: 4, node: 'v24.0.0' },
}

const change = {
  ...({ name: 'rowsPerSecond', before: 30_000, after: 39_200, change: 0.307 } as const),
  ...({ noise: 0.05, verdict: 'better' } as const),
}

const page = benchPage(RESULT, [change], '1.2.3')

const shown = page
  .replace(/<style>[\s\S]*?<\/style>/, '')
  .replace(/<[^>]*>/g, ' ')
  .replace(/\s+/g, ' ')

it.each([
  '98 % of the quota: all',
  'embedded &lt;sandbox&gt;, limits of production; 2026-01-31 12:00:00 UTC; A CPU, 4 cores, Node v24.0.0',
  'Rows a second 39,200 Requests a second 19.6 Share of 20 requests a second 98 %',
  'Best width: its share 5: 98 %',
  'CPU a million rows 3.21 s Peak memory 203.3 MB',
  'limit, 20 a second',
  '47 answers by the time they took',
  'Wait in the queue 12 ms 600 ms',
  './loop.mjs 9,800 rows/s, 3 refused',
  'p-queue not installed here',
  'Rows a second 30,000 39,200 +31 % 5 % better',
  'Made by payments-rx 1.2.3',
])('the page of a run shows: %s', (text) => {
  expect(shown).toContain(text)
})

it('loads nothing and runs nothing', () => {
  expect(page).not.toMatch(/<script|<link|<img|url\(|@import|\bon\w+=|NaN|Infinity|undefined/)
  expect(page).toMatch(
    /http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;sha256-/,
  )
  expect(page.match(/https?:\/\//g)).toBeNull()
})

it('leaves the last part of a second out of the rate', () => {
  expect(shown).toContain('19.3 a second on average, 20 at most')
})

it('the text of a run has what bound it first, and aligned figures', () => {
  const lines = benchText(RESULT, [change])
  expect(lines[0]).toBe('98 % of the quota: `all`')
  expect(lines).toContain('Wait in the queue    12 ms   600 ms')
  expect(lines).toContain(
    'Of 600 requests in all, 600 arrived, at most 20 of an endpoint and 21 of all in any second.',
  )
  expect(lines.filter((line) => /^(payments-rx|\.\/loop\.mjs|p-queue)/.test(line))).toEqual([
    'payments-rx   39,200         19.6           98 %         2                 20',
    './loop.mjs     9,800          5.0           25 %         3                  6',
    'p-queue: not installed here',
  ])
  expect(lines.at(-1)).toMatch(/^Rows a second +30,000 +39,200 +\+31 % +5 % +better$/)
})

it('works for a run in which nothing was measured', () => {
  const nothing = { p50: null, p95: null, p99: null }
  const empty = {
    ...RESULT,
    answer: nothing,
    wait: nothing,
    answers: [],
    timeline: [],
    contenders: [],
  }
  const { arrivals: _, ...alone } = { ...empty, cpuSecondsPerMillionRows: null }
  expect(benchPage(alone, [], '1.2.3')).not.toMatch(/NaN|Infinity|undefined/)
  expect(benchText(alone, []).join('\n')).not.toMatch(/NaN|Infinity|undefined|null/)
})
