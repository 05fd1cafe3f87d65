import { describe, expect, it } from 'vitest'
import { type Case, verdictOf, type WiderRun } from '../../src/bench/verdict.js'
import { widthFor } from '../../src/client/measuredWidth.js'

const ceiling = { name: 'endpoint', perSecond: 20 } as const

const verdict = (
  { width = 8, tried, enough, refused = 0, retries = 0, failed = 0, lowered }: Partial<Case>,
  measured: Partial<Case['measured']>,
) =>
  verdictOf({
    ...{ ceiling, width, tried, enough, refused, retries, failed, unit: 'page', lowered },
    measured: {
      unitsPerSecond: 10,
      requests: 300,
      cpuShare: 0.1,
      late: 1,
      meanAnswer: 100,
      underWay: 1,
      waiting: 0,
      ...measured,
    },
  })

it('says quota when calls wait for a limit that is used up', () => {
  expect(verdict({}, { unitsPerSecond: 18, waiting: 2 })).toEqual({
    boundBy: 'quota',
    share: 0.9,
    verdict: '90 % of the rate limit used: one endpoint allows 20 requests per second',
  })
})

it.each<[string, Partial<Case['measured']>]>([
  ['less than nine tenths are used', { unitsPerSecond: 17, waiting: 4 }],
  ['nothing waits for it', { unitsPerSecond: 19.5, waiting: 0 }],
])('does not say quota when %s', (_, measured) => {
  expect(verdict({}, measured).boundBy).toBe('unclear')
})

const narrow = { unitsPerSecond: 9.6, meanAnswer: 490, underWay: 7.8 }
const tries = (width: number, unitsPerSecond: number): { readonly tried: WiderRun } => ({
  tried: { width, unitsPerSecond },
})

it('says concurrency where more concurrent requests were faster, and by how much', () => {
  expect(verdict(tries(14, 17.4), narrow)).toMatchObject({
    boundBy: 'concurrency',
    verdict:
      '48 % of the rate limit used: 8 concurrent requests at 490 ms per page; `--parallel 14` reached 87 %',
  })
})

it('says concurrency where the quota ends before the requests do', () => {
  const nearly = { unitsPerSecond: 16, meanAnswer: 490, underWay: 7.8 }
  expect(verdict(tries(14, 19.6), nearly).boundBy).toBe('concurrency')
})

it('says concurrency where fewer than the service allows were slower', () => {
  const slow = { unitsPerSecond: 10, meanAnswer: 1_000, underWay: 9.9 }
  expect(verdict({ width: 10, ...tries(6, 6) }, slow).verdict).toBe(
    '50 % of the rate limit used: 10 concurrent requests at 1,000 ms per page, and the service allows no more',
  )
})

it.each([
  [14, 10.1, '14 are no faster than 8'],
  [5, 9.5, '8 are no faster than 5'],
])('says service where %d concurrent requests did %d a second', (width, perSecond, words) => {
  expect(verdict(tries(width, perSecond), narrow)).toMatchObject({
    boundBy: 'service',
    verdict: `48 % of the rate limit used: 8 concurrent requests at 490 ms per page, and ${words}`,
  })
})

it('says service where the client found that more are no faster', () => {
  expect(verdict({ enough: 8 }, narrow)).toMatchObject({
    boundBy: 'service',
    verdict:
      '48 % of the rate limit used: 490 ms per page, and more than 8 concurrent requests are no faster',
  })
})

it('names no number of concurrent requests that was not tried', () => {
  expect(verdict({}, narrow)).toMatchObject({
    boundBy: 'unclear',
    verdict:
      '48 % of the rate limit used: 8 of 8 concurrent requests in flight at 490 ms per page, and more were not tried (`--parallel`)',
  })
})

it('says machine when timers are late', () => {
  expect(verdict({ ...tries(14, 9.7) }, { ...narrow, late: 38 })).toMatchObject({
    boundBy: 'machine',
    verdict:
      '48 % of the rate limit used: timers fire 38 ms late because this process or others use all of the CPU',
  })
})

it('says machine when this process has no more of a core', () => {
  expect(verdict({}, { cpuShare: 0.97 })).toMatchObject({
    boundBy: 'machine',
    verdict: '50 % of the rate limit used: this process keeps a CPU core 97 % busy',
  })
})

it('says service when requests are refused or fail', () => {
  expect(verdict({ refused: 20, retries: 27, failed: 3 }, {})).toMatchObject({
    boundBy: 'service',
    verdict:
      '50 % of the rate limit used: the service delayed requests: 20 refused (429), 27 retried, 3 failed',
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
    message: "10 of 20 requests per second are admitted: did you mean environment: 'test'?",
  }
  const busy = { unitsPerSecond: 9.4, underWay: 7.9, meanAnswer: 800, waiting: 1 }

  it('is named, with the environment that explains it', () => {
    expect(verdict({ refused: 30, lowered }, busy)).toEqual({
      boundBy: 'quota',
      share: expect.closeTo(0.47),
      verdict:
        "94 % of the real limit of 10 requests per second used, but 20 are configured: did you mean environment: 'test'?",
    })
  })

  it('is named with the option to set, where no environment explains it', () => {
    const message =
      '14 of 20 requests per second are admitted: is another process using this account?'
    const other = { ...lowered, allowed: 14, message }
    expect(
      verdict({ refused: 30, lowered: other }, { ...busy, unitsPerSecond: 13.3 }).verdict,
    ).toBe(
      '95 % of the real limit of 14 requests per second used, but 20 are configured: set `limits: { endpoint: 14 }`, or use a share of the limits with `--share` if other programs use this account',
    )
  })

  it('is not below what was admitted, though the last requests were held back further', () => {
    const last = { ...lowered, allowed: 3, message: '3 of 20 requests per second are admitted' }
    const { verdict: words } = verdict(
      { refused: 7, lowered: last },
      { ...busy, unitsPerSecond: 17.2 },
    )
    expect(words).toContain(
      'of the real limit of 17 requests per second used, but 20 are configured',
    )
    expect(words).toContain('limits: { endpoint: 17 }')
  })

  it('is not of other requests than those of the limit that would bind', () => {
    const other = { ...lowered, tier: 'global', limit: 100, allowed: 50 }
    expect(verdict({ refused: 30, lowered: other }, busy).verdict).not.toContain('real limit')
  })

  it('is not given as advice where it is not used up: refusals may have another reason', () => {
    const idle = { unitsPerSecond: 4, underWay: 2, requests: 100 }
    expect(verdict({ refused: 30, lowered }, idle)).toMatchObject({
      boundBy: 'service',
      verdict: '20 % of the rate limit used: the service delayed requests: 30 refused (429)',
    })
  })

  it('is not what holds a run back where more requests were faster', () => {
    const narrow = { unitsPerSecond: 2, underWay: 7.9, meanAnswer: 4_000 }
    expect(verdict({ refused: 1, lowered, ...tries(16, 3.9) }, narrow).boundBy).toBe('concurrency')
  })
})
