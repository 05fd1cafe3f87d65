/** The head of a response, as a failure has it. */
import { describe, expect, it } from 'vitest'
import { CHARGE, lab, ME, problem, type Reply } from '../support/lab.js'

const headers = {
  'content-type': 'application/json',
  'retry-after': '3',
  'set-cookie': 'session=1',
  'x-request-id': 'req-1',
  server: `gateway of ${ME.apiKey}`,
}

const failureOf = (reply: Reply) => {
  const { client, run } = lab({
    play: () => ({ headers, ...reply }),
    retry: { faults: 0, throttled: 0 },
  })
  return run(client.charges.retrieve({ id: 'chg_1' }))[0]?.value
}

describe('a failure of a response', () => {
  it.each<readonly [string, number, Reply]>([
    ['Refused', 404, problem(404, 'not_found')],
    ['Unauthorized', 401, problem(401, 'credentials_expired')],
    ['Throttled', 429, problem(429, 'too_many_requests')],
    ['ServerFault', 503, problem(503, 'away')],
    ['Undecodable', 200, { body: { ...CHARGE, amount: {} } }],
  ])('has its status, request id and headers, without secrets: %s', (_tag, status, reply) => {
    const failed = failureOf(reply)
    expect(failed).toMatchObject({
      left: {
        ...{ _tag, status, traceId: 'req-1' },
        headers: {
          'content-type': 'application/json',
          'retry-after': '3',
          'x-request-id': 'req-1',
        },
      },
    })
    expect(JSON.stringify(failed)).not.toContain(ME.apiKey)
    expect(JSON.stringify(failed)).not.toContain('session')
  })

  it('has no headers where none of them helps', () => {
    expect(failureOf({ ...problem(404, 'not_found'), headers: {} })).not.toHaveProperty(
      'left.headers',
    )
  })
})
