/** Failures made of responses, and of none. */
import { describe, expect, it } from 'vitest'
import { httpFailure, transportFailure } from '../../../src/http/answer/failureOf.js'
import { scrubber } from '../../../src/http/secrets.js'
import { retryAfterOf } from '../../../src/http/transport/Transport.js'
import { context, responseOf } from '../responseOf.js'

describe('a refusal', () => {
  const fail = (status: number, body: unknown, headers = {}) =>
    httpFailure(context, responseOf(status, body, headers))

  it('keeps what the service said', () => {
    expect(
      fail(400, {
        code: 'invalid_argument',
        message: 'page_size is too small',
        source: 'page_size',
        details: { least: 10 },
        trace_id: 'trace-1',
      }),
    ).toEqual({
      _tag: 'Refused',
      endpoint: 'GET /api/v1/charges/{id}',
      attempts: 2,
      traceId: 'trace-1',
      status: 400,
      code: 'invalid_argument',
      source: 'page_size',
      details: { least: 10 },
      message: 'GET /api/v1/charges/{id}: 400 invalid_argument: page_size is too small',
    })
  })

  it.each([
    '6212345678901234567',
    '6,212,345,678,901,234,567',
    '6212 - 3456 - 7890 - 1234 - 567',
    '62|12|34|56',
    '\uff16\uff12\uff11\uff12',
    'six two one two',
  ])('shows status and known codes, and no text, after a card number: %s', (said) => {
    const card = { ...context, onlyCodes: new Set(['validation_error']) }
    const body = (code: string) => ({
      code,
      message: said,
      source: said,
      details: { [said]: said },
    })
    const headers = { 'x-request-id': said }
    const failure = httpFailure(card, responseOf(400, body('validation_error'), headers))
    expect(failure).toEqual({
      _tag: 'Refused',
      endpoint: context.endpoint,
      attempts: 2,
      status: 400,
      code: 'validation_error',
      message:
        'GET /api/v1/charges/{id}: 400 validation_error: the response is not shown, because the request had a card number',
    })
    for (const answer of [responseOf(400, body(said), headers), responseOf(502, `<p>${said}`)]) {
      const { status } = answer
      expect(httpFailure(card, answer)).toMatchObject({ status, code: `http_${status}` })
      expect(JSON.stringify(httpFailure(card, answer))).not.toContain(said)
    }
    const lost = {
      _tag: 'Unreachable',
      code: 'ECONNRESET',
      reason: said,
      mayHaveArrived: true,
    } as const
    expect(transportFailure(card, lost).message).not.toContain(said)
  })

  it('keeps 500 characters of a text', () => {
    const long = 'x'.repeat(1_000_000)
    const body = {
      code: long,
      message: long,
      source: long,
      trace_id: long,
      details: { [long]: [long] },
    }
    const kept = 'x'.repeat(500)
    expect(fail(400, body)).toMatchObject({
      code: kept,
      source: kept,
      traceId: kept,
      details: { [kept]: [kept] },
      message: `GET /api/v1/charges/{id}: 400 ${kept}: ${kept}`,
    })
  })

  it('reads the 429 that the interface shows', () => {
    const body = {
      code: 'too_many_requests',
      message: 'Too many requests',
      trace_id: 'd41d8cd98f',
      details: {},
    }
    expect(fail(429, body)).toEqual({
      _tag: 'Throttled',
      status: 429,
      code: 'too_many_requests',
      endpoint: 'GET /api/v1/charges/{id}',
      attempts: 2,
      traceId: 'd41d8cd98f',
      message:
        'GET /api/v1/charges/{id}: 429 too_many_requests: Too many requests (gave up after 2 attempts)',
    })
  })

  it.each([
    [401, { code: 'credentials_expired' }, { _tag: 'Unauthorized', code: 'credentials_expired' }],
    [401, { code: 'unauthorized' }, { _tag: 'Unauthorized', code: 'unauthorized' }],
    [401, '', { _tag: 'Unauthorized', code: 'http_401' }],
    [403, {}, { _tag: 'Refused', status: 403, code: 'http_403' }],
    [404, { code: 'not_found' }, { _tag: 'Refused', status: 404, code: 'not_found' }],
    [404, '<html>', { _tag: 'Refused', status: 404, code: 'http_404' }],
    [409, { code: 'already_exists' }, { _tag: 'Refused', status: 409, code: 'already_exists' }],
    [301, '', { _tag: 'ServerFault', status: 301, code: 'http_301' }],
    [304, '', { _tag: 'ServerFault', status: 304 }],
    [408, { code: 'request_timeout' }, { _tag: 'ServerFault', status: 408 }],
    [500, { code: 'internal_error' }, { _tag: 'ServerFault', status: 500, code: 'internal_error' }],
    [502, '<html>Bad Gateway</html>', { _tag: 'ServerFault', status: 502, code: 'http_502' }],
    [400, { code: 'service_unavailable' }, { _tag: 'ServerFault', status: 400 }],
    [400, { code: 'provider_unavailable' }, { _tag: 'ServerFault', status: 400 }],
    [409, { code: 'internal_error' }, { _tag: 'Refused', status: 409, code: 'internal_error' }],
    [400, { code: 1 }, { _tag: 'Refused', code: '1' }],
    [400, '"text"', { _tag: 'Refused', code: 'http_400' }],
    [400, '[]', { _tag: 'Refused', code: 'http_400' }],
    [400, 'null', { _tag: 'Refused', code: 'http_400' }],
  ])('%i %j has a tag', (status, body, failure) => {
    expect(fail(status, body)).toMatchObject(failure)
  })

  it('says that its body broke off', () => {
    const broken = (body: string) =>
      httpFailure(context, { ...responseOf(400, body), incompleteBody: true as const })
    expect(broken('{"code":"invalid').message).toContain('400 http_400')
    expect(broken('{"code":"invalid').message).toContain('(the body is incomplete)')
    expect(broken('{"code":"invalid_argument"}').message).not.toContain('incomplete')
  })

  it('takes the request id of the answer where the body has none', () => {
    expect(fail(500, '', { 'x-request-id': 'id-1' })).toMatchObject({ traceId: 'id-1' })
    expect(fail(500, '', { 'request-id': 'id-2' })).toMatchObject({ traceId: 'id-2' })
    expect(fail(500, { trace_id: 't' }, { 'x-request-id': 'id-1' })).toMatchObject({ traceId: 't' })
    expect(fail(500, '')).not.toHaveProperty('traceId')
  })

  it('is one line without controls, wherever the service put them', () => {
    const said = 'a\r\nb\u001b[31mc\u0007\u0000d\u0085\u2028e\u2029\u202ef\u2066'
    const details = { said }
    const failure = fail(400, { code: said, message: said, trace_id: said, source: said, details })
    const shown = 'a b [31mc d e f'
    expect(failure).toMatchObject({
      code: shown,
      traceId: shown,
      source: shown,
      message: `GET /api/v1/charges/{id}: 400 ${shown}: ${shown}`,
      details,
    })
    const headers = { 'x-request-id': 'id\u001b-1' }
    expect(fail(500, '\u001b]0;title\u0007', headers)).toMatchObject({
      traceId: 'id -1',
      message: 'GET /api/v1/charges/{id}: 500 http_500: ]0;title',
    })
  })

  it('has no secret that one line puts together', () => {
    const scrub = scrubber(['two words here'])
    const failure = httpFailure(
      { ...context, scrub },
      responseOf(400, { message: 'two\u0000words\nhere' }),
    )
    expect(failure.message).toBe('GET /api/v1/charges/{id}: 400 http_400: [secret]')
  })

  it('is one line, and not the whole of a long text', () => {
    const { message } = fail(500, `<html>\n\n  <body>${'x'.repeat(10_000)}`)
    expect(message).toMatch(/^GET .*: 500 http_500: <html> <body>x+$/)
    expect(message.length).toBeLessThan(300)
  })

  it('hides secrets, however they are written', () => {
    const escaped = '{"code":"bad","message":"key very-secret\\/key and \\u0076ery-secret/key",'
    const told = fail(400, `${escaped}"details":{"very-secret/key":["x very-secret/key"]}}`, {
      'x-request-id': 'for very-secret/key',
    })
    expect(told).toMatchObject({
      code: 'bad',
      message: 'GET /api/v1/charges/{id}: 400 bad: [secret]',
      details: { '[secret]': ['[secret]'] },
      traceId: '[secret]',
    })
    const cut = fail(500, `${'x'.repeat(195)}very-secret/key`)
    expect(JSON.stringify(cut)).not.toContain('very')
    const list = fail(500, [`${'x'.repeat(190)}very-secret/key`])
    expect(JSON.stringify(list)).not.toContain('very')
  })

  it('does not hide what is too short to be a secret', () => {
    expect(fail(400, { code: 'abc', message: 'shortly' })).toMatchObject({ code: 'abc' })
  })

  it('is made of any body, without fail', () => {
    const deep = `{"details":${'['.repeat(5_000)}${']'.repeat(5_000)}}`
    expect(fail(400, deep)).toMatchObject({ _tag: 'Refused' })
  })
})

describe('no answer', () => {
  const unreachable = (code: string, reason: string, mayHaveArrived = true) =>
    transportFailure(context, { _tag: 'Unreachable', code, reason, mayHaveArrived })

  it('names the system’s word, or the time limit that was passed', () => {
    expect(unreachable('ECONNRESET', 'read ECONNRESET\nvery-secret/key')).toEqual({
      _tag: 'Unreachable',
      endpoint: 'GET /api/v1/charges/{id}',
      attempts: 2,
      code: 'ECONNRESET',
      mayHaveArrived: true,
      message: 'GET /api/v1/charges/{id}: ECONNRESET: [secret]',
    })
    expect(unreachable('E_very-secret/key', 'no')).toMatchObject({
      code: '[secret]',
      message: 'GET /api/v1/charges/{id}: [secret]: no',
    })
    const reason = 'ECONNREFUSED: Unable to connect' // as Bun has it
    expect(unreachable('ECONNREFUSED', reason, false)).toMatchObject({
      message:
        'GET /api/v1/charges/{id}: ECONNREFUSED: nothing is listening there: check the host and port, and that the service is running (Unable to connect)',
    })
    expect(
      transportFailure(context, { _tag: 'TimedOut', phase: 'headers', limit: 60_000 }),
    ).toEqual({
      _tag: 'TimedOut',
      endpoint: 'GET /api/v1/charges/{id}',
      attempts: 2,
      phase: 'headers',
      limit: 60_000,
      message: 'GET /api/v1/charges/{id}: no response within 60000 ms',
    })
  })
})

describe('Retry-After', () => {
  const now = Date.parse('Tue, 06 May 2025 10:00:00 GMT')
  const asksFor = (text: string | undefined) =>
    retryAfterOf(responseOf(429, '', text === undefined ? {} : { 'retry-after': text }), now)

  it.each([
    ['3', 3_000],
    ['1.5', 1_500],
    ['Tue, 06 May 2025 10:00:07 GMT', 7_000],
  ])('%s is read', (text, ms) => {
    expect(asksFor(text)).toBe(ms)
  })

  it.each([undefined, '', '0', '-3', 'soon', 'Tue, 06 May 2025 09:59:00 GMT'])(
    '%s says nothing',
    (text) => {
      expect(asksFor(text)).toBe(0)
    },
  )
})
