import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createClient, InvalidOption } from '../../src/index.js'
import { CREATE, lab, NEW_CHARGE, problem, RESET } from '../support/lab.js'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

/** A charge that is refused once, then comes. */
const refusedOnce = (route: string, nth: number) =>
  route.endsWith('/chg_1') && nth === 1
    ? { ...problem(429, 'too_many_requests'), headers: { 'retry-after': '2' } }
    : undefined

describe('log', () => {
  it('gives a function one line for each event', () => {
    const lines: Array<string> = []
    const { client, run } = lab({
      log: (line) => lines.push(line),
      play: ({ route }, nth) => refusedOnce(route, nth) ?? { body: '{}' },
    })
    run(client.charges.retrieve({ id: 'chg_1' }))
    expect(lines).toEqual([
      'payments-rx:http #1 GET /api/v1/charges/{id}: started',
      'payments-rx:login #2 POST /api/v1/authentication/login: started',
      'payments-rx:login #2 POST /api/v1/authentication/login: attempt 1 sent',
      'payments-rx:login #2 POST /api/v1/authentication/login: attempt 1 answered 201 after 10 ms',
      'payments-rx:login #2 POST /api/v1/authentication/login: succeeded after 10 ms, 1 attempt',
      'payments-rx:login logged in for 1800 s',
      'payments-rx:http #1 GET /api/v1/charges/{id}: attempt 1 sent',
      'payments-rx:http #1 GET /api/v1/charges/{id}: attempt 1 answered 429 after 10 ms',
      'payments-rx:scheduler #1 GET /api/v1/charges/{id}: attempt 1 refused (429), queues again after 2000 ms',
      'payments-rx:http #1 GET /api/v1/charges/{id}: attempt 2 sent',
      'payments-rx:http #1 GET /api/v1/charges/{id}: attempt 2 answered 200 after 10 ms',
      'payments-rx:http #1 GET /api/v1/charges/{id}: id should be string, and is missing: failed after 2030 ms, 2 attempts',
    ])
  })

  it('tells time in the queue, faults, retries and what became of a write', () => {
    const lines: Array<string> = []
    const { client, run } = lab({
      log: (line) => lines.push(line),
      retry: { faults: 1 },
      play: ({ route }) => (route === CREATE ? { outage: RESET } : problem(503, 'away')),
    })
    run(client.charges.create(NEW_CHARGE))
    expect(lines.filter((line) => line.includes('#1 '))).toEqual([
      `payments-rx:http #1 ${CREATE}: started`,
      `payments-rx:http #1 ${CREATE}: has the new request_id uuid-1`,
      `payments-rx:http #1 ${CREATE}: attempt 1 sent`,
      `payments-rx:http #1 ${CREATE}: ECONNRESET (attempt 1, after 10 ms)`,
      `payments-rx:http #1 ${CREATE}: ECONNRESET: retried after 1000 ms`,
      `payments-rx:http #1 ${CREATE}: attempt 2 sent`,
      `payments-rx:http #1 ${CREATE}: ECONNRESET (attempt 2, after 10 ms)`,
      `payments-rx:http #1 ${CREATE}: may or may not have been done: ${CREATE}: ECONNRESET: failed after 17050 ms, 2 attempts`,
    ])
  })

  it('gives pino the fields of an event, its namespace and a level', () => {
    const lines: Array<string> = []
    const log = pino({ level: 'debug' }, { write: (line) => lines.push(line) })
    const { client, run } = lab({ log, play: () => problem(404, 'not_found') })
    run(client.charges.retrieve({ id: 'chg_1' }))
    const records = lines.map((line) => JSON.parse(line))
    const endpoint = 'GET /api/v1/charges/{id}'
    expect(records).toContainEqual(
      expect.objectContaining({
        ...{
          level: 20,
          namespace: 'payments-rx:http',
          _tag: 'Sent',
          call: 1,
          endpoint,
          attempt: 1,
        },
        msg: `#1 ${endpoint}: attempt 1 sent`,
      }),
    )
    expect(records.at(-1)).toMatchObject({
      ...{ level: 40, namespace: 'payments-rx:http', _tag: 'Ended', outcome: 'failed' },
      msg: `#1 ${endpoint}: 404 not_found: failed after 20 ms, 1 attempt`,
    })
    expect(records.find(({ _tag }) => _tag === 'LoggedIn')).toMatchObject({
      ...{ level: 30, namespace: 'payments-rx:login' },
    })
  })

  it('keeps what the level of pino lets through', () => {
    const lines: Array<string> = []
    const log = pino({ level: 'warn' }, { write: (line) => lines.push(line) })
    const { client, run } = lab({ log })
    run(client.charges.retrieve({ id: 'chg_1' }))
    expect(lines).toEqual([])
  })

  it.each([true, 'debug', {}, { debug: () => {} }])('%j is an InvalidOption', (log) => {
    const options: object = { baseUrl: 'https://platform.test', log }
    expect(() => createClient(Object(options))).toThrow(InvalidOption)
  })
})

describe('DEBUG', () => {
  let lines: Array<string> = []
  beforeEach(() => {
    lines = []
    vi.spyOn(console, 'error').mockImplementation((line) => lines.push(line))
  })

  const namespaces = (patterns: string, options: Parameters<typeof lab>[0] = {}) => {
    vi.stubEnv('DEBUG', patterns)
    const { client, run } = lab({
      play: ({ route }, nth) => refusedOnce(route, nth) ?? { body: '{}' },
      ...options,
    })
    run(client.charges.retrieve({ id: 'chg_1' }))
    return new Set(lines.map((line) => line.split(' ')[1]))
  }
  const [http, scheduler, login] = [
    'payments-rx:http',
    'payments-rx:scheduler',
    'payments-rx:login',
  ]

  it.each<readonly [string, ReadonlyArray<string>]>([
    ['payments-rx*', [http, scheduler, login]],
    ['payments-rx:*', [http, scheduler, login]],
    ['*', [http, scheduler, login]],
    ['express, payments-rx:login', [login]],
    ['payments-rx:* -payments-rx:http', [scheduler, login]],
    ['*,-payments-rx*', []],
    ['payments-rx', []],
    ['paymentsXrx:http', []],
    ['', []],
  ])('%j', (patterns, shown) => {
    expect(namespaces(patterns)).toEqual(new Set(shown))
  })

  it('writes lines with the time to stderr', () => {
    namespaces('payments-rx:scheduler')
    expect(lines).toEqual([
      '1970-01-01T00:00:00.020Z payments-rx:scheduler #1 GET /api/v1/charges/{id}: attempt 1 refused (429), queues again after 2000 ms',
    ])
  })

  it('is not read where there is an option log', () => {
    const own: Array<string> = []
    namespaces('*', { log: (line) => own.push(line) })
    expect(own).not.toEqual([])
    expect(lines).toEqual([])
    namespaces('*', { log: false })
    expect(lines).toEqual([])
  })
})
