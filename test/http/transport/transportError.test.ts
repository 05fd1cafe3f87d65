import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { transportError } from '../../../src/http/transport/transportError.js'

const timeout = { connect: 1, headers: 1, body: 1, whole: 1 }

const late = (code: string) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('late'), { code }) })

it.each([
  ['connect', 10_000, 'UND_ERR_CONNECT_TIMEOUT'],
  ['headers', 300_000, 'UND_ERR_HEADERS_TIMEOUT'],
  ['body', 300_000, 'UND_ERR_BODY_TIMEOUT'],
] as const)('Node’s own limit ends a wait in time, and no later: %s', (phase, limit, code) => {
  const forever = Number.POSITIVE_INFINITY
  const timeouts = { connect: forever, headers: forever, body: forever, whole: forever }
  const timedOut = { _tag: 'TimedOut', phase, limit }
  expect(transportError(late(code), timeouts, 'written', true)).toEqual(timedOut)
  expect(
    transportError(late(code), { ...timeouts, [phase]: 5_000 }, 'written', true),
  ).toMatchObject({
    ...timedOut,
    limit: 5_000,
  })
})

it.each([
  ['ECONNRESET', true],
  ['UND_ERR_SOCKET', true],
  ['ECONNREFUSED', false],
])('where the runtime tells nothing of the line, the code decides: %s', (code, may) => {
  expect(transportError(late(code), timeout, 'unknown', true)).toMatchObject({
    code,
    mayHaveArrived: may,
  })
})

it.each([
  [
    'never connected',
    'client error (Connect): tcp connect error: Connection refused (os error 111)',
    false,
  ],
  [
    'broke',
    'client error (SendRequest): connection error: Connection reset by peer (os error 104)',
    true,
  ],
])('where there is no code, as in Deno, the words tell: %s', (_, words, mayHaveArrived) => {
  const error = new TypeError(`error sending request for url (https://example.test/api): ${words}`)
  expect(transportError(error, timeout, 'unknown', true)).toMatchObject({
    code: 'FETCH_FAILED',
    mayHaveArrived,
  })
  expect(transportError(new Error(words), timeout, 'written', true)).toMatchObject({
    mayHaveArrived: true,
  })
})

it('has the code of the first cause that has one', () => {
  const socket = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })
  socket.cause = new Error('why, in words')
  expect(
    transportError(new TypeError('fetch failed', { cause: socket }), timeout, 'written', true),
  ).toMatchObject({ code: 'UND_ERR_SOCKET', reason: 'other side closed' })
})

it('comes to an end where an error is its own cause', () => {
  const error = Object.assign(new Error('round and round'), { code: 'ELOOP' })
  error.cause = new Error('and back', { cause: error })
  expect(transportError(error, timeout, 'written', true)).toMatchObject({ code: 'ELOOP' })
})

describe('sent by a fetch of the caller', () => {
  const failed = (message: string, fields: object) => Object.assign(new Error(message), fields)
  const connecting = (code: string) => failed(`connect ${code}`, { code, syscall: 'connect' })
  const several = (...errors: ReadonlyArray<Error>) =>
    Object.assign(new AggregateError(errors, ''), { code: 'ETIMEDOUT' })

  it.each<readonly [string, Error, boolean]>([
    ['a connection that timed out', connecting('ETIMEDOUT'), false],
    ['an address that is not there', connecting('EADDRNOTAVAIL'), false],
    ['a name that is not known', failed('', { code: 'ENODATA', syscall: 'getaddrinfo' }), false],
    [
      'no way to both addresses',
      several(connecting('ETIMEDOUT'), connecting('ENETUNREACH')),
      false,
    ],
    ['one of two that broke later', several(connecting('ETIMEDOUT'), failed('', {})), true],
    ['a certificate of tomorrow', failed('', { code: 'CERT_NOT_YET_VALID' }), false],
    ['a certificate of another', failed('', { code: 'ERR_TLS_CERT_ALTNAME_INVALID' }), false],
    ['no TLS', failed('', { code: 'ERR_SSL_WRONG_VERSION_NUMBER' }), false],
    [
      'a proxy that refused the tunnel',
      failed('Proxy response (502) !== 200 when HTTP Tunneling', { code: 'UND_ERR_ABORTED' }),
      false,
    ],
    ['a proxy that was not there', failed('', { code: 'UND_ERR_PRX_CONN' }), false],
    ['a connection that broke', failed('', { code: 'ECONNRESET', syscall: 'read' }), true],
    ['an abort', failed('', { code: 'UND_ERR_ABORTED' }), true],
  ])('%s tells whether it left', (_, cause, mayHaveArrived) => {
    const error = new TypeError('fetch failed', { cause })
    expect(transportError(error, timeout, 'unknown', false)).toMatchObject({ mayHaveArrived })
  })

  it('an error of another realm is recognised', () => {
    const error = runInNewContext(
      `new TypeError('fetch failed', { cause: Object.assign(new Error('no way'), { code: 'ECONNREFUSED' }) })`,
    )
    expect(error).not.toBeInstanceOf(Error)
    expect(transportError(error, timeout, 'unknown', false)).toEqual({
      _tag: 'Unreachable',
      code: 'ECONNREFUSED',
      reason: 'no way',
      mayHaveArrived: false,
    })
  })
})
