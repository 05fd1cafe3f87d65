import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { UNREAD } from '../../../src/cli/progress/Coverage.js'
import { lines, logLine } from '../../../src/cli/progress/line.js'
import { METER, READING } from './support.js'

const at = (columns: number, reading = READING): string =>
  lines({ columns, colours: false }, reading)

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
    const meter = { ...METER, rejects: 3, refused: 2 }
    expect(at(50, { ...READING, meter })).toBe('47 %  1,234,000 rows  3 rejected  about 40 s left')
    expect(at(86, { ...READING, meter: { ...meter, failed: 1 } })).toBe(
      '47 %  1,234,000 rows  39,800 rows/s  2 refused  1 failed  3 rejected  about 40 s left',
    )
  })

  it('leaves out what is not known', () => {
    const { msLeft: _, ...rest } = READING
    const meter = { ...METER, coverage: UNREAD }
    expect(at(140, { ...rest, meter })).toBe(
      '1,234,000 rows  39,800 rows/s  98 % of the quota  0 refused  31.0 s',
    )
  })

  it('says below what it waits for, within the width, and nothing that a terminal acts on', () => {
    const because = 'GET /api/v1/charges: 503 unavailable: \u001b[2Jaway\r\nfor now'
    const waits = [{ _tag: 'Fault', ms: 3_200, because }] as const
    expect(at(140, { ...READING, waits }).split('\n')[1]).toBe(
      'again in 3.2 s: GET /api/v1/charges: 503 unavailable: [2Jaway for now',
    )
    expect(at(30, { ...READING, waits }).split('\n')[1]).toBe('again in 3.2 s: GET /api/v1/…')
  })

  it('has colours only where they are wanted', () => {
    const waits = [{ _tag: 'Refused', requests: 2 }] as const
    const coloured = lines({ columns: 140, colours: true }, { ...READING, waits })
    expect(coloured).toContain('\u001b[33m')
    expect(stripVTControlCharacters(coloured)).toBe(at(140, { ...READING, waits }))
  })

  it('is no wider than the terminal, whatever its width', () => {
    const waits = [{ _tag: 'Lowered', tier: 'endpoint', allowed: 11, limit: 20 }] as const
    for (let columns = 1; columns < 160; columns++) {
      for (const line of at(columns, { ...READING, waits }).split('\n')) {
        expect(line.length).toBeLessThanOrEqual(columns)
      }
    }
  })
})

it('is one line with commas in a log', () => {
  const waits = [{ _tag: 'Limit', tier: 'endpoint', requests: 1, limit: 20 }] as const
  expect(logLine({ ...READING, waits })).toBe(
    '47 %, 1,234,000 rows, 39,800 rows/s, 98 % of the quota, 0 refused, 31.0 s, about 40 s left, 1 request behind the endpoint limit of 20',
  )
})

it('is one line in a log, whatever it waits for', () => {
  const waits = [{ _tag: 'Fault', ms: 3_200, because: '503 \u001b[2Jaway\r\nfor now' }] as const
  expect(logLine({ ...READING, waits })).toMatch(/, again in 3\.2 s: 503 \[2Jaway for now$/)
})
