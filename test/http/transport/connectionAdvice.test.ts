/** Connections that are not made: one sentence says what is wrong, and what to check. */
import { firstValueFrom } from 'rxjs'
import { expect, it } from 'vitest'
import { type ClientEvent, createClient } from '../../../src/index.js'

it.each([
  ['ENOTFOUND', /the host name does not exist: check its spelling/],
  ['EAI_AGAIN', /cannot be looked up: check the network/],
  ['ECONNREFUSED', /nothing is listening there: check the host and port/],
  ['EHOSTUNREACH', /cannot be reached: check the network/],
  ['CERT_HAS_EXPIRED', /has expired: check the clock/],
  ['CERT_NOT_YET_VALID', /not valid yet: check the clock/],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', /self-signed: .* NODE_EXTRA_CA_CERTS/],
  ['SELF_SIGNED_CERT_IN_CHAIN', /self-signed: .* NODE_EXTRA_CA_CERTS/],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /signed by an unknown CA: .* NODE_EXTRA_CA_CERTS/],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', /signed by an unknown CA: .* NODE_EXTRA_CA_CERTS/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', /another host name: check the host name/],
  ['BLOCKED_PORT', /fetch blocks this port/],
  ['ERR_SSL_WRONG_VERSION_NUMBER', /does not use TLS on this port: check the port/],
])('%s', async (code, advice) => {
  const cause = Object.assign(new Error('as the runtime says it'), { code })
  const payments = createClient({
    baseUrl: 'https://platform.test',
    credentials: { token: () => Promise.resolve({ token: 'own-token' }) },
    retry: { faults: 0 },
    fetch: () => Promise.reject(new TypeError('fetch failed', { cause })),
  })
  const events: Array<ClientEvent> = []
  payments.events.subscribe((event) => events.push(event))
  const outcome = await firstValueFrom(payments.charges.retrieve({ id: 'chg_1' }))
  const message = outcome._tag === 'Left' ? outcome.left.message : ''
  expect(message).toMatch(advice)
  expect(message.startsWith(`GET /api/v1/charges/{id}: ${code}: `)).toBe(true)
  expect(message.endsWith(' (as the runtime says it)')).toBe(true)
  // events hold no words of the runtime
  const unanswered = events.find((event) => event._tag === 'Unanswered')
  expect(unanswered?.failure.message).toMatch(advice)
  expect(unanswered?.failure.message).not.toContain('as the runtime')
})
