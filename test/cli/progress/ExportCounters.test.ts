import { describe, expect, it } from 'vitest'
import {
  countEvent,
  countProgress,
  NO_COUNTERS,
  summary,
} from '../../../src/cli/progress/ExportCounters.js'
import type { ClientEvent } from '../../../src/index.js'

const answered = (status: number): ClientEvent => ({
  ...{ _tag: 'Answered', endpoint: 'GET /api/v1/charges', call: 1, attempt: 1, took: 5 },
  status,
})

it('counts refusals for the limits, and faults of the service', () => {
  const counters = [200, 400, 429, 499, 500, 502].map(answered).reduce(countEvent, NO_COUNTERS)
  expect(counters).toMatchObject({ requests: 6, refused: 1, failed: 2 })
})

describe('the summary', () => {
  const read = (rows: number, rejects: number, ended = true) =>
    countProgress({ rows, rejects, pages: 1, ended })(NO_COUNTERS)

  it.each([
    [read(4, 0), 'complete: 4 rows in x, 2.0 s (2 rows/s), 0 requests, 0 refused, 0 rows rejected'],
    [
      read(4, 1),
      'incomplete: 4 rows in x, 2.0 s (2 rows/s), 0 requests, 0 refused, 1 row rejected',
    ],
    [
      read(2, 0, false),
      'incomplete: 2 rows in x, 2.0 s (1 rows/s), 0 requests, 0 refused, 0 rows rejected',
    ],
  ])('is that of a list that was read to its end, and written whole, or not', (counters, words) => {
    expect(summary(counters, 2_000, 'x')).toBe(words)
  })

  it('has no speed for a run of no time', () => {
    expect(summary(read(5, 0), 0, 'x')).toContain('(0 rows/s)')
  })
})
