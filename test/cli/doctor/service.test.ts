import { describe, expect, it } from 'vitest'
import type { Finding } from '../../../src/cli/doctor/Finding.js'
import { checkService } from '../../../src/cli/doctor/service.js'
import { withoutUndefined } from '../../../src/fp.js'
import {
  CHARGE,
  type Departure,
  LOGIN,
  lab,
  ME,
  problem,
  RESET,
  type Reply,
  timeText,
} from '../../support/lab.js'
import { everything, expectNoSecret, secrets } from '../../support/secrets.js'

type Play = (departure: Departure, nth: number) => Reply

const at = (s: number) => ({ ...CHARGE, created_at: timeText(1_700_000_000_000 + s * 1_000) })

const items = (...rows: ReadonlyArray<unknown>): Reply => ({
  ms: 40,
  body: { items: rows, has_more: true },
})

/** The `Date` of an answer that takes 40 ms, from a clock that is ahead by so much. */
const dated = (reply: Reply, departed: number, ahead: number): Reply => ({
  ...reply,
  headers: { date: new Date(departed + 20 + ahead).toUTCString() },
})

const examined = (
  play: Play,
  { login, apiKey = ME.apiKey, share = 1 }: { login?: Play; apiKey?: string; share?: number } = {},
) => {
  const { run, sent, transport, timer } = lab({ play, ...withoutUndefined({ login }) })
  const service = {
    ...{ baseUrl: 'https://platform.test', share, transport, timer },
    environment: 'production',
    credentials: { clientId: ME.clientId, apiKey },
  } as const
  const findings = run(checkService(service)).map(({ value }) => value)
  const of = (check: string): Finding | undefined => findings.find((one) => one.check === check)
  return { findings, of, sent }
}

describe('a service that is well', () => {
  const { findings, sent, of } = examined(({ at: now }) => dated(items(at(1), at(2)), now, 0))

  it('passes every check', () => {
    expect(findings.map(({ check, verdict, found }) => `${check}: ${verdict}: ${found}`)).toEqual([
      'login: ok: accepted; the token is valid for 30 min 00 s',
      'list: ok: 2 charges received and decoded',
      'order: ok: charges are listed oldest first',
      'round trip: ok: min 40 ms, median 40 ms, max 40 ms (5 requests)',
      expect.stringMatching(/^clock: ok: within 0\.\d s of the service's clock$/),
      'limits: ok: 20 requests per second per endpoint, 100 per second in total, 50 concurrent, 100 logins per minute (production)',
      "API version: ok: none requested, so the account's default applies",
    ])
  })

  it('receives few requests, and none that changes anything', () => {
    expect(sent.map(({ route }) => route)).toEqual([LOGIN, ...Array(6).fill('GET /api/v1/charges')])
    expect(sent.slice(1).every(({ query }) => query.get('page_size') === '10')).toBe(true)
  })

  it('is given up sooner than an export gives up', () => {
    const longest = Math.max(...sent.map(({ request }) => request.timeout.headers))
    expect(longest).toBeLessThan(60_000)
  })

  it('has facts for machines', () => {
    const times = { minMs: 40, medianMs: 40, maxMs: 40 }
    expect(of('round trip')?.facts).toEqual({ ...times, requests: 5, failed: 0 })
    expect(of('login')?.facts).toEqual({ tokenMsLeft: 1_799_990 })
    expect(of('order')?.facts).toEqual({ order: 'ascending' })
    expect(of('limits')?.facts).toMatchObject({ endpoint: 20, global: 100 })
  })
})

const SILENT: Reply = { outage: { _tag: 'TimedOut', phase: 'headers', limit: 15_000 } }

const UNEXPLAINED: Reply = {
  outage: {
    ...{ _tag: 'Unreachable', code: 'FETCH_FAILED', reason: 'the connection failed' },
    mayHaveArrived: true,
  },
}

describe('findings', () => {
  it.each([
    [5_000, /^[45]\.\d s behind the service's clock, give or take 0\.\d s$/],
    [-60_000, /^59\.\d s ahead of the service's clock, give or take 0\.\d s$/],
    [2_600, /^2\.\d s behind the service's clock, give or take 0\.\d s$/],
  ])('a clock that is off by %d ms', (ahead, found) => {
    const { of } = examined(({ at: now }) => dated(items(at(1)), now, ahead))
    expect(of('clock')).toMatchObject({
      verdict: 'warning',
      found: expect.stringMatching(found),
      advice: expect.stringContaining('the age of webhook deliveries'),
    })
    const { offsetMs, withinMs } = of('clock')?.facts ?? {}
    expect(Math.abs(Number(offsetMs) - ahead)).toBeLessThanOrEqual(Number(withinMs))
  })

  it('a small clock offset is no warning', () => {
    const { of } = examined(({ at: now }) => dated(items(at(1)), now, 1_200))
    const { verdict, found } = of('clock') ?? {}
    expect(found).toMatch(/^1\.\d s behind the service's clock, give or take 0\.\d s$/)
    expect(verdict).toBe('ok')
  })

  it('a clock that was set during the checks is a warning', () => {
    const { of } = examined(({ at: now }, nth) => dated(items(at(1)), now, nth < 4 ? 0 : 3_600_000))
    expect(of('clock')?.verdict).toBe('warning')
    expect(of('clock')?.found).toContain('contradict each other')
  })

  it('without a Date header the clock is skipped', () => {
    expect(examined(() => items(at(1))).of('clock')).toMatchObject({ verdict: 'skipped' })
  })

  it.each([
    ['newest first', [at(3), at(2), at(2)], 'ok', 'descending'],
    ['too few charges', [at(3)], 'skipped', null],
    ['not sorted by time', [at(1), at(3), at(2)], 'warning', 'none'],
    ['no valid created_at', [at(1), { ...CHARGE, created_at: 'x' }], 'warning', 'unreadable'],
  ])('that charges come %s', (found, rows, verdict, order) => {
    expect(examined(() => items(...rows)).of('order')).toMatchObject({
      verdict,
      found: expect.stringContaining(found),
      facts: { order },
    })
  })

  it('an account without charges is fine', () => {
    const { of } = examined(() => ({ body: { items: [], has_more: false } }))
    expect(of('list')).toMatchObject({ verdict: 'ok', found: 'no charges found' })
    expect(of('order')).toMatchObject({ verdict: 'skipped' })
  })

  it('the round trip leaves out the request that connected', () => {
    const times = [500, 9, 100, 40, 30, 20]
    const { of } = examined((_, nth) => ({ ...items(at(1)), ms: times[nth - 1] ?? 0 }))
    expect(of('round trip')?.found).toBe('min 9 ms, median 30 ms, max 100 ms (5 requests)')
  })

  it('rows that do not decode fail the list', () => {
    const { of } = examined(() => items(at(1), { ...CHARGE, amount: '9.99' }))
    expect(of('list')).toMatchObject({
      verdict: 'failed',
      found: expect.stringMatching(
        /^1 of 2 charges could not be decoded: .*amount should be a finite number/,
      ),
      facts: { rows: 2, undecodable: 1 },
    })
  })

  it('pages without has_more fail the list', () => {
    const { of } = examined(() => ({ ms: 40, body: { items: [at(1)] } }))
    expect(of('list')).toMatchObject({
      verdict: 'failed',
      found: expect.stringContaining('has_more should be true or false, but is missing'),
      advice: expect.stringContaining('report this to the operator of the service'),
    })
  })

  it('unknown fields are listed, and do no harm', () => {
    const { of } = examined(() => items({ ...at(1), shade: 'blue' }))
    expect(of('list')).toMatchObject({
      verdict: 'ok',
      found: expect.stringContaining('unknown field shade (text of 4 characters)'),
      facts: { drift: ['unknown field shade (text of 4 characters)'] },
    })
  })

  it('refused keys fail the login, and the other checks go on', () => {
    const login: Play = ({ at: now }) => dated(problem(401, 'credentials_invalid'), now, 0)
    const { findings, of } = examined(() => items(), { login })
    expect(findings.map(({ check, verdict }) => `${check}: ${verdict}`)).toEqual([
      ...['login: failed', 'list: skipped', 'order: skipped', 'round trip: skipped', 'clock: ok'],
      ...['limits: ok', 'API version: ok'],
    ])
    expect(of('login')?.advice).toContain('PAYMENTS_API_KEY')
  })

  it('a login that is not there is put down to the base URL', () => {
    const login: Play = ({ at: now }) => dated(problem(404, 'not_found'), now, 0)
    const { of } = examined(() => items(), { login })
    expect(of('login')).toMatchObject({
      verdict: 'failed',
      facts: { failure: 'Refused' },
      advice: expect.stringContaining('its path: it should not include /api/v1'),
    })
  })

  it.each<[string, Reply, string, string]>([
    ['an error', problem(503, 'away'), 'ServerFault', 'report it to the operator of the service'],
    ['a broken connection', { outage: RESET }, 'Unreachable', 'try again'],
    [
      'a connection that is refused without a reason',
      UNEXPLAINED,
      'Unreachable',
      'proxy between this machine and the service may require a login',
    ],
    ['that no answer comes', SILENT, 'TimedOut', 'try again'],
    ['a web page', { body: '<html>' }, 'Undecodable', "the platform's responses look different"],
    ['a path that is not there', problem(404, 'not_found'), 'Refused', 'check the base URL'],
    ['a limit that is used up', problem(429, 'too_many_requests'), 'Throttled', 'another process'],
  ])('%s, and does not try again', (_, reply, failure, advice) => {
    const { of, sent } = examined(() => reply)
    expect(of('login')).toMatchObject({ verdict: 'ok' })
    expect(of('list')).toMatchObject({
      verdict: 'failed',
      facts: { failure },
      advice: expect.stringContaining(advice),
    })
    expect(sent).toHaveLength(2)
  })

  it('the round trip fails when no page follows the first', () => {
    const { of } = examined((_, nth) => (nth === 1 ? items(at(1)) : problem(503, 'away')))
    expect(of('round trip')).toMatchObject({
      verdict: 'failed',
      found: expect.stringMatching(/^no page was received after the first: GET .*503 away/),
      advice: expect.stringContaining('report it to the operator of the service'),
    })
  })

  it('a failed page is a warning, and is not timed', () => {
    const { of } = examined((_, nth) =>
      nth === 3 ? { ...problem(503, 'away'), ms: 5_000 } : items(at(1)),
    )
    expect(of('round trip')).toMatchObject({
      verdict: 'warning',
      found: expect.stringMatching(/ max 40 ms \(4 requests\); 1 failed: GET .*503 away/),
      facts: { requests: 4, failed: 1 },
    })
  })

  it('lowered limits are a warning', () => {
    const { of } = examined(() => items(at(1)), { share: 0.01 })
    expect(of('limits')?.found).toBe(
      '1 request per second per endpoint, 1 per second in total, 1 concurrent, 1 login per minute (production, 1 % of them)',
    )
  })

  it('a refusal is a warning that the account is shared', () => {
    const refusal = problem(429, 'too_many_requests')
    const { of } = examined((_, nth) => (nth === 4 ? refusal : items(at(1), at(2))))
    expect(of('limits')?.verdict).toBe('warning')
    expect(of('limits')?.advice).toContain('--share')
  })

  it.each([
    [119_000, 'warning'],
    [122_000, 'ok'],
  ])('a token that expires soon is a warning: %d ms', (life, verdict) => {
    const token = 't'.repeat(20)
    const login: Play = ({ at }) => ({ body: { token, expires_at: timeText(at + life) } })
    expect(examined(() => items(at(1)), { login }).of('login')).toMatchObject({ verdict })
  })
})

it('shows no secret that the service echoes', () => {
  const echo: Play = ({ request }) => {
    const all = Object.values(request.headers).join(' ; ')
    return { status: 400, body: { code: all, message: all, source: all } }
  }
  for (const login of [echo, () => ({ body: { token: secrets.token } })]) {
    const { findings } = examined(echo, { apiKey: secrets.apiKey, login })
    expect(findings.length).toBe(7)
    everything(findings).forEach(expectNoSecret)
  }
})
