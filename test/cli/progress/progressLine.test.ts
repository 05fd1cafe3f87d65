import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { NOTHING_READ } from '../../../src/cli/progress/ProgressEstimate.js'
import { progressLines, progressLogLine } from '../../../src/cli/progress/progressLine.js'
import { COUNTERS, SAMPLE } from './support.js'

const at = (columns: number, sample = SAMPLE): string =>
  progressLines({ columns, colours: false }, sample)

describe('a line on a terminal', () => {
  it('has all that there is to say where it is wide', () => {
    expect(at(140)).toBe(
      '█████████░░░░░░░░░░░  47 %  1,234,000 rows  39,800 rows/s  98 % of the quota  0 refused  31.0 s  about 40 s left',
    )
  })

  it.each([
    [
      100,
      '47 %  1,234,000 rows  39,800 rows/s  98 % of the quota  0 refused  31.0 s  about 40 s left',
    ],
    [60, '47 %  1,234,000 rows  39,800 rows/s  about 40 s left'],
    [40, '47 %  1,234,000 rows  about 40 s left'],
    [30, '47 %  1,234,000 rows'],
    [12, '1,234,000 …'],
  ])('says the most telling where it is %d columns wide', (columns, text) => {
    expect(at(columns)).toBe(text)
  })

  it('keeps what went wrong before what went well', () => {
    const counters = { ...COUNTERS, rejects: 3, refused: 2 }
    expect(at(50, { ...SAMPLE, counters })).toBe(
      '47 %  1,234,000 rows  3 rejected  about 40 s left',
    )
    expect(at(86, { ...SAMPLE, counters: { ...counters, failed: 1 } })).toBe(
      '47 %  1,234,000 rows  39,800 rows/s  2 refused  1 failed  3 rejected  about 40 s left',
    )
  })

  it('leaves out what is not known', () => {
    const { msLeft: _, ...rest } = SAMPLE
    const counters = { ...COUNTERS, estimate: NOTHING_READ }
    expect(at(140, { ...rest, counters })).toBe(
      '1,234,000 rows  39,800 rows/s  98 % of the quota  0 refused  31.0 s',
    )
  })

  it('says below what it waits for, within the width, and nothing that a terminal acts on', () => {
    const because = 'GET /api/v1/charges: 503 unavailable: \u001b[2Jaway\r\nfor now'
    const stallReasons = [{ _tag: 'Fault', ms: 3_200, because }] as const
    expect(at(140, { ...SAMPLE, stallReasons }).split('\n')[1]).toBe(
      'again in 3.2 s: GET /api/v1/charges: 503 unavailable: [2Jaway for now',
    )
    expect(at(30, { ...SAMPLE, stallReasons }).split('\n')[1]).toBe('again in 3.2 s: GET /api/v1/…')
  })

  it('has colours only where they are wanted', () => {
    const stallReasons = [{ _tag: 'Refused', requests: 2 }] as const
    const coloured = progressLines({ columns: 140, colours: true }, { ...SAMPLE, stallReasons })
    expect(coloured).toContain('\u001b[33m')
    expect(stripVTControlCharacters(coloured)).toBe(at(140, { ...SAMPLE, stallReasons }))
  })

  it('is no wider than the terminal, whatever its width', () => {
    const stallReasons = [{ _tag: 'Lowered', tier: 'endpoint', allowed: 11, limit: 20 }] as const
    for (let columns = 1; columns < 160; columns++) {
      for (const line of at(columns, { ...SAMPLE, stallReasons }).split('\n')) {
        expect(line.length).toBeLessThanOrEqual(columns)
      }
    }
  })
})

it('is one line with commas in a log', () => {
  const stallReasons = [{ _tag: 'Limit', tier: 'endpoint', requests: 1, limit: 20 }] as const
  expect(progressLogLine({ ...SAMPLE, stallReasons })).toBe(
    '47 %, 1,234,000 rows, 39,800 rows/s, 98 % of the quota, 0 refused, 31.0 s, about 40 s left, 1 request behind the endpoint limit of 20',
  )
})

it('is one line in a log, whatever it waits for', () => {
  const stallReasons = [
    { _tag: 'Fault', ms: 3_200, because: '503 \u001b[2Jaway\r\nfor now' },
  ] as const
  expect(progressLogLine({ ...SAMPLE, stallReasons })).toMatch(
    /, again in 3\.2 s: 503 \[2Jaway for now$/,
  )
})
