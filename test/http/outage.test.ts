import { expect, it } from 'vitest'
import { outage } from '../../src/http/outage.js'

const late = (code: string) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('late'), { code }) })

it.each([
  ['connect', 10_000, 'UND_ERR_CONNECT_TIMEOUT'],
  ['headers', 300_000, 'UND_ERR_HEADERS_TIMEOUT'],
  ['body', 300_000, 'UND_ERR_BODY_TIMEOUT'],
] as const)('Node’s own limit ends a wait in time, and no later: %s', (phase, limit, code) => {
  const forever = Number.POSITIVE_INFINITY
  const timeout = { connect: forever, headers: forever, body: forever, whole: forever }
  const timedOut = { _tag: 'TimedOut', phase, limit }
  expect(outage(late(code), timeout, 'written')).toEqual(timedOut)
  expect(outage(late(code), { ...timeout, [phase]: 5_000 }, 'written')).toMatchObject({
    ...timedOut,
    limit: 5_000,
  })
})

it('whoever never connected has sent nothing, whatever fetch it was', () => {
  const timeout = { connect: 1, headers: 1, body: 1, whole: 1 }
  expect(outage(late('UND_ERR_CONNECT_TIMEOUT'), timeout, undefined)).toMatchObject({
    _tag: 'Unreachable',
    mayHaveArrived: false,
  })
  expect(outage(late('UND_ERR_HEADERS_TIMEOUT'), timeout, undefined)).toMatchObject({
    _tag: 'Unreachable',
    mayHaveArrived: true,
  })
})
