import { describe, expect, it } from 'vitest'
import { type Case, verdictOf } from '../../src/bench/verdict.js'
import { widthFor } from '../../src/client/measuredWidth.js'

const ceiling = { name: 'endpoint', perSecond: 20 } as const

const verdict = (
  { width = 8, concurrency = 50, refused = 0, failed = 0, lowered }: Partial<Case>,
  measured: Partial<Case['measured']>,
) =>
  verdictOf({
    ...{ ceiling, width, concurrency, refused, failed, unit: 'page', lowered },
    measured: {
      unitsPerSecond: 10,
      requests: 300,
      cpuShare: 0.1,
      meanAnswer: 100,
      underWay: 1,
      waiting: 0,
      ...measured,
    },
  })

it('says quota when the limit is used up', () => {
  expect(verdict({}, { unitsPerSecond: 19 })).toEqual({
    boundBy: 'quota',
    share: 0.95,
    verdict: '95 % of the quota: 20 requests a second are the limit of one endpoint',
  })
})

it('says quota, too, when requests wait for room that is kept for the spread of answers', () => {
  expect(verdict({}, { unitsPerSecond: 17, waiting: 4 })).toMatchObject({
    boundBy: 'quota',
    verdict: expect.stringContaining('85 % of the quota: 20 requests a second are the limit'),
  })
})

it('says width, and the one that would fill the quota', () => {
  expect(verdict({}, { unitsPerSecond: 9.6, meanAnswer: 490, underWay: 7.8 })).toMatchObject({
    boundBy: 'width',
    verdict:
      '48 % of the quota: 8 concurrent requests at 490 ms a page; `--parallel 14` would fill it',
  })
})

it('says width, and how much the widest that the service allows would use', () => {
  const slow = { unitsPerSecond: 2, meanAnswer: 1_000, underWay: 3.9 }
  expect(verdict({ width: 4, concurrency: 10 }, slow).verdict).toBe(
    '10 % of the quota: 4 concurrent requests at 1,000 ms a page; `--parallel 10` would use 50 %, and the service allows no more',
  )
})

it('says concurrency when the service allows no more', () => {
  const slow = { unitsPerSecond: 10, meanAnswer: 1_000, underWay: 9.9 }
  expect(verdict({ width: 10, concurrency: 10 }, slow)).toMatchObject({
    boundBy: 'concurrency',
    verdict:
      '50 % of the quota: 10 concurrent requests at 1,000 ms a page, and the service allows no more',
  })
})

it('says machine when this process has no more of a core', () => {
  expect(verdict({}, { cpuShare: 0.97 })).toMatchObject({
    boundBy: 'machine',
    verdict: '50 % of the quota: this process has a core busy 97 % of the time',
  })
})

it('says service when requests are refused or fail', () => {
  expect(verdict({ refused: 20, failed: 3 }, {})).toMatchObject({
    boundBy: 'service',
    verdict: '50 % of the quota: the service held requests up: 20 refused (429), 3 failed',
  })
})

it.each([
  [20, 490, 50, 14], // 9.8 are under way, and a quarter more for the spread
  [20, 1_000, 50, 26],
  [10, 2_000, 10, 10],
  [20, 0, 50, 1],
])('%d a second at %d ms, at most %d at a time, take %d at a time', (rate, ms, most, width) => {
  expect(widthFor(rate, ms, most)).toBe(width)
})

describe('a real limit below the configured one', () => {
  const lowered = {
    ...{ tier: 'endpoint', limit: 20, allowed: 10 },
    message: "10 of 20 a second are admitted: is environment: 'sandbox' meant?",
  }
  const busy = { unitsPerSecond: 9.4, underWay: 7.9, meanAnswer: 800 }

  it('is named, with the environment that explains it', () => {
    expect(verdict({ refused: 30, lowered }, busy)).toEqual({
      boundBy: 'quota',
      share: expect.closeTo(0.47),
      verdict:
        "94 % of a real limit of 10 a second; 20 are configured: is environment: 'sandbox' meant?",
    })
  })

  it('is named with the option to set, where no environment explains it', () => {
    const message = '14 of 20 a second are admitted: does another process use this account?'
    const other = { ...lowered, allowed: 14, message }
    expect(
      verdict({ refused: 30, lowered: other }, { ...busy, unitsPerSecond: 13.3 }).verdict,
    ).toBe(
      '95 % of a real limit of 14 a second; 20 are configured: set `limits: { endpoint: 14 }`, or take a part of the limits with `--share` if other programs use this account',
    )
  })

  it('is not below what was admitted, though the last requests were held back further', () => {
    const last = { ...lowered, allowed: 3, message: '3 of 20 a second are admitted' }
    const { verdict: words } = verdict(
      { refused: 7, lowered: last },
      { ...busy, unitsPerSecond: 17.2 },
    )
    expect(words).toContain('of a real limit of 17 a second; 20 are configured')
    expect(words).toContain('limits: { endpoint: 17 }')
  })

  it('is not of other requests than those of the limit that would bind', () => {
    const other = { ...lowered, tier: 'global', limit: 100, allowed: 50 }
    expect(verdict({ refused: 30, lowered: other }, busy).verdict).not.toContain('real limit')
  })

  it('explains refusals, though it is not used up', () => {
    const idle = { unitsPerSecond: 4, underWay: 2, requests: 100 }
    expect(verdict({ refused: 30, lowered }, idle).verdict).toContain('40 % of a real limit of 10')
  })

  it('is not what holds a run back that is too narrow for it', () => {
    const narrow = { unitsPerSecond: 2, underWay: 7.9, meanAnswer: 4_000 }
    expect(verdict({ refused: 30, lowered }, narrow).boundBy).toBe('width')
  })
})
