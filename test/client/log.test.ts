import { Writable } from 'node:stream'
import log4js from 'log4js'
import { pino } from 'pino'
import { Logger } from 'tslog'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import winston from 'winston'
import { type ClientOptions, createClient, InvalidOption } from '../../src/index.js'
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
      'payments-rx:login #2 POST /api/v1/authentication/login: attempt 1 got status 201 after 10 ms',
      'payments-rx:login #2 POST /api/v1/authentication/login: succeeded after 10 ms, 1 attempt',
      'payments-rx:login logged in; the token is valid for 1800 s',
      'payments-rx:http #1 GET /api/v1/charges/{id}: attempt 1 sent',
      'payments-rx:http #1 GET /api/v1/charges/{id}: attempt 1 got status 429 after 10 ms',
      'payments-rx:scheduler #1 GET /api/v1/charges/{id}: attempt 1 refused (429), queued again after 2000 ms',
      'payments-rx:http #1 GET /api/v1/charges/{id}: attempt 2 sent',
      'payments-rx:http #1 GET /api/v1/charges/{id}: attempt 2 got status 200 after 10 ms',
      'payments-rx:http #1 GET /api/v1/charges/{id}: id should be string, but is missing: retrying in 1000 ms',
      'payments-rx:http #1 GET /api/v1/charges/{id}: attempt 3 sent',
      'payments-rx:http #1 GET /api/v1/charges/{id}: attempt 3 got status 200 after 10 ms',
      'payments-rx:http #1 GET /api/v1/charges/{id}: id should be string, but is missing: retrying in 2000 ms',
      'payments-rx:http #1 GET /api/v1/charges/{id}: attempt 4 sent',
      'payments-rx:http #1 GET /api/v1/charges/{id}: attempt 4 got status 200 after 10 ms',
      'payments-rx:http #1 GET /api/v1/charges/{id}: id should be string, but is missing: failed after 5050 ms, 4 attempts',
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
      `payments-rx:http #1 ${CREATE}: generated request_id uuid-1`,
      `payments-rx:http #1 ${CREATE}: attempt 1 sent`,
      `payments-rx:http #1 ${CREATE}: ECONNRESET (attempt 1, after 10 ms)`,
      `payments-rx:http #1 ${CREATE}: ECONNRESET: retrying in 1000 ms`,
      `payments-rx:http #1 ${CREATE}: attempt 2 sent`,
      `payments-rx:http #1 ${CREATE}: ECONNRESET (attempt 2, after 10 ms)`,
      `payments-rx:http #1 ${CREATE}: may or may not have succeeded: ${CREATE}: ECONNRESET: failed after 17050 ms, 2 attempts`,
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

  it('gives a function the fields of an event, its namespace and a level', () => {
    const events: Array<unknown> = []
    const { client, run } = lab({
      log: (line, fields) => events.push([line, fields]),
      play: () => problem(404, 'not_found'),
    })
    run(client.charges.retrieve({ id: 'chg_1' }))
    const endpoint = 'GET /api/v1/charges/{id}'
    const called = { call: 1, endpoint, namespace: 'payments-rx:http' }
    expect(events).toContainEqual([
      `payments-rx:http #1 ${endpoint}: attempt 1 sent`,
      expect.objectContaining({ ...called, _tag: 'Sent', attempt: 1, level: 'debug' }),
    ])
    expect(events.at(-1)).toEqual([
      `payments-rx:http #1 ${endpoint}: 404 not_found: failed after 20 ms, 1 attempt`,
      expect.objectContaining({ ...called, _tag: 'Ended', level: 'warn' }),
    ])
  })

  it('keeps what the level of pino lets through', () => {
    const lines: Array<string> = []
    const log = pino({ level: 'warn' }, { write: (line) => lines.push(line) })
    const { client, run } = lab({ log })
    run(client.charges.retrieve({ id: 'chg_1' }))
    expect(lines).toEqual([])
  })

  it.each<object | string | boolean>([
    ...[true, 'debug', {}, { debug: () => {} }],
    // of LogTape, whose messages are templates
    { ...console, getChild: () => {}, emit: () => {} },
  ])('%j is an InvalidOption', (log) => {
    const options: object = { baseUrl: 'https://platform.test', log }
    expect(() => createClient(Object(options))).toThrow(InvalidOption)
  })
})

describe('a logger that takes the message first', () => {
  const winstonOf = (lines: Array<string>) => {
    const stream = new Writable({
      write: (chunk, _, done) => {
        lines.push(String(chunk).trim())
        done()
      },
    })
    const format = winston.format.printf(
      ({ level, message, namespace }) => `${level} ${message} ${namespace}`,
    )
    const transports = [new winston.transports.Stream({ stream })]
    return winston.createLogger({ format, transports })
  }
  const loggers: Readonly<Record<string, (lines: Array<string>) => ClientOptions['log']>> = {
    winston: winstonOf,
    'a child of winston': (lines) => winstonOf(lines).child({ job: 'reconcile' }),
    log4js: (lines) => {
      const write = ({ level, data: [line, { namespace }] }: log4js.LoggingEvent) =>
        lines.push(`${level.levelStr.toLowerCase()} ${line} ${namespace}`)
      const memory = { type: { configure: () => write } }
      const categories = { default: { appenders: ['memory'], level: 'info' } }
      return log4js.configure({ appenders: { memory }, categories }).getLogger()
    },
    tslog: (lines) => {
      const logger = new Logger({ type: 'hidden', minLevel: 'INFO' })
      logger.attachTransport(({ 0: line, 1: fields, _logMeta }) => {
        const level = _logMeta?.logLevelName.toLowerCase()
        lines.push(`${level} ${line} ${Object(fields).namespace}`)
      })
      return logger
    },
    'Powertools for AWS Lambda, by its methods': (lines) => {
      const method =
        (level: string) =>
        (line: unknown, fields: unknown = {}) =>
          lines.push(`${level} ${line} ${Object(fields).namespace}`)
      const logger = {
        debug: () => {},
        info: method('info'),
        warn: method('warn'),
        error: method('error'),
        appendKeys: () => {},
      }
      return logger
    },
  }

  it.each(Object.entries(loggers))('gets the line as its message, once: %s', (_, loggerOf) => {
    const lines: Array<string> = []
    const { client, run } = lab({
      log: loggerOf(lines),
      play: () => ({
        ...problem(404, 'not_found'),
        headers: { date: 'Thu, 01 Jan 1970 01:00:00 GMT' },
      }),
    })
    run(client.charges.retrieve({ id: 'chg_1' }))
    expect(lines).toEqual([
      'info logged in; the token is valid for 1800 s payments-rx:login',
      "warn the clock of this machine is 3600 s behind the service's clock, which snapshots use payments-rx:http",
      'warn #1 GET /api/v1/charges/{id}: 404 not_found: failed after 20 ms, 1 attempt payments-rx:http',
    ])
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
      '1970-01-01T00:00:00.020Z payments-rx:scheduler #1 GET /api/v1/charges/{id}: attempt 1 refused (429), queued again after 2000 ms',
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
