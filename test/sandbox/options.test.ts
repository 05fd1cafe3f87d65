import { expect, it } from 'vitest'
import { virtualTimer } from '../../bench/simulated/virtualTimer.js'
import { InvalidOption } from '../../src/options/index.js'
import { faultNames } from '../../src/sandbox/faults.js'
import { createSandbox, listen, type SandboxOptions } from '../../src/sandbox/index.js'
import { open } from './support.js'

it.each<SandboxOptions>([
  { charges: -1 },
  { charges: 1.5 },
  { charges: 2 ** 31 + 1 },
  { since: new Date('1969-12-31T23:59:59.999Z') },
  { since: new Date('9998-12-31T23:59:59Z'), charges: 1, every: 1_000 },
  { faults: { 429: 0.5, 500: 0.500_001 } },
  { every: -1 },
  { every: 1e12 },
  { batches: -1 },
  { batches: 0.5 },
  { batches: 1_000_001 },
])('%j makes no sandbox', (options) => {
  expect(() => createSandbox(options)).toThrow(InvalidOption)
})

/** Creates a sandbox with options that may be of the wrong type. */
const thrown = (options: Readonly<Record<string, unknown>>) => () => createSandbox(options)

const EMPTY = 'should be a text that is not empty'

it.each<readonly [Readonly<Record<string, unknown>>, string]>([
  [{ latency: -1 }, 'latency should be milliseconds of at least 0, and is below 0'],
  [{ jitter: Number.NaN }, 'jitter should be milliseconds of at least 0, and is NaN'],
  [{ tokenLife: '30m' }, 'tokenLife should be milliseconds of at least 0, and is a text'],
  [{ charges: -1 }, 'charges should be a whole number from 0 to 2^31, and is below 0'],
  [{ environment: 'test' }, "environment should be one of 'production', 'sandbox'"],
  [{ order: 'up' }, "order should be one of 'ascending', 'descending'"],
  [{ apiVersion: 'latest' }, 'apiVersion should be a date as YYYY-MM-DD'],
  [{ apiVersion: '2026-13-01' }, 'apiVersion should be a date as YYYY-MM-DD'],
  [{ since: '2024-01-01' }, 'since should be a Date that is a time, and is a text'],
  [{ since: new Date(Number.NaN) }, 'since should be a Date that is a time'],
  [{ since: new Date(-1) }, 'since should be after 1969, and so that the last of the charges'],
  [{ seed: Number.NaN }, 'seed should be a whole number from 0 to 2^32 - 1, and is NaN'],
  [{ seed: 1.5 }, 'seed should be a whole number from 0 to 2^32 - 1'],
  [{ seed: 2 ** 32 }, 'seed should be a whole number from 0 to 2^32 - 1'],
  [{ limits: 20 }, 'limits should be an object of limits, or false, and is a number'],
  [
    { limits: { endpoint: 0 } },
    'limits.endpoint should be a whole number of at least 1, or Infinity, and is 0',
  ],
  [
    { limits: { perEndpoint: 5 } },
    'limits.perEndpoint should be left out: there is no such option, only global, endpoint',
  ],
  [{ faults: { 500: 2 } }, 'faults.500 should be a chance from 0 to 1'],
  [
    { faults: { 501: 0.1 } },
    'faults.501 should be left out: there is no such option (did you mean 500?)',
  ],
  [{ faults: { 500: 0.7, 429: 0.7 } }, 'faults should be chances that add up to 1 at most'],
  [{ faults: '500' }, 'faults should be chances by the names of faults, or a function'],
  [{ credentials: 'key-81dc9bdb52d0' }, 'credentials should be a list of credentials'],
  [{ credentials: [{ clientId: 'me' }] }, 'credentials[0].apiKey should be a text that is not'],
  [{ partner: { clientId: 'me', secret: '81dc9bdb52d0' } }, 'partner.secret should be left out'],
  [{ credentials: [{ clientId: '', apiKey: 'k' }] }, `credentials[0].clientId ${EMPTY}`],
  [{ credentials: [{ clientId: 'me', apiKey: '' }] }, `credentials[0].apiKey ${EMPTY}`],
  [{ partner: { clientId: '', clientSecret: 's' } }, `partner.clientId ${EMPTY}`],
  [{ partner: { clientId: 'me', clientSecret: '' } }, `partner.clientSecret ${EMPTY}`],
  [{ partner: { clientId: 'me' } }, `partner.clientSecret ${EMPTY}, and is missing`],
  [
    { credentials: [{ clientId: 'me', apiKey: 'k', scopes: 'account' }] },
    'credentials[0].scopes should be a list of events, or groups of them, and is a text',
  ],
  [
    { partner: { clientId: 'me', clientSecret: 's', scopes: ['account', 5] } },
    'partner.scopes[1] should be a text, and is a number',
  ],
  [{ batches: 1_000_001 }, 'batches should be a whole number from 0 to 1,000,000'],
  [{ funding: 'late' }, "funding should be one of 'funded', 'failed'"],
  [{ evry: 1_000 }, 'evry should be left out: there is no such option (did you mean every?)'],
  [
    { quotaTypes: ['X'] },
    "quotaTypes[0] should be one of 'CN_INBOUND', 'ID_OUTBOUND', 'VN_OUTBOUND'",
  ],
  [{ timer: 5 }, 'timer should be a scheduler of RxJS, with now and schedule, and is a'],
  [{ fualts: () => undefined }, 'fualts should be left out'],
])('%j is told: %s', (options, message) => {
  expect(thrown(options)).toThrow(InvalidOption)
  expect(thrown(options)).toThrow(message)
  expect(thrown(options)).not.toThrow('81dc9bdb52d0')
})

it.each([
  ...['every', 'arrivals', 'settleAfter', 'tokenLife', 'latency', 'jitter', 'batchArrivals'],
  ...['fundAfter', 'bookEvery', 'approveAfter', 'quoteLife'],
])('%s is a time from 0 on that ends', (name) => {
  for (const wrong of [-1, Number.POSITIVE_INFINITY, '5']) {
    expect(thrown({ [name]: wrong })).toThrow(`${name} should be milliseconds of at least 0`)
  }
  expect(thrown({ [name]: 0 })).not.toThrow()
})

it.each([
  ['environment', ['production', 'sandbox']],
  ['order', ['ascending', 'descending']],
  ['funding', ['funded', 'failed', 'overdue', 'reversed', 'cancelled']],
  ['approval', ['none', 'approved', 'recalled', 'rejected', 'blocked', 'undecided']],
  ['repeatedItems', ['ignored', 'refused']],
  ['industryTree', ['by version', 'codes', 'categories']],
])('%s is one of %j', (name, words) => {
  const all = words.map((word) => `'${word}'`).join(', ')
  expect(thrown({ [name]: 'other' })).toThrow(`${name} should be one of ${all}`)
  for (const word of words) expect(thrown({ [name]: word })).not.toThrow()
})

it('listens on a port', async () => {
  const wrong: Readonly<Record<string, unknown>> = { prot: 3_000 }
  await expect(listen({}, { port: -1 })).rejects.toThrow(
    'port should be a whole number from 0 to 65535, and is below 0',
  )
  await expect(listen({}, wrong)).rejects.toThrow('prot should be left out')
  await expect(listen(wrong)).rejects.toThrow('prot should be left out')
})

it('takes options that are undefined for those that were left out', () => {
  expect(
    thrown({
      latency: undefined,
      timer: undefined,
      limits: { global: undefined },
      faults: undefined,
    }),
  ).not.toThrow()
})

it.each<SandboxOptions>([
  { charges: 0 },
  { charges: 2 ** 31, every: 1 },
  { every: 0 },
  { since: new Date(0) },
  { since: new Date('9998-12-31T23:59:58.999Z'), charges: 1, every: 1_000 },
  { seed: 2 ** 32 - 1 },
  { batches: 0 },
  { batches: 1_000_000 },
  { faults: () => undefined },
  { faults: { 500: 1 } },
  { faults: Object.fromEntries(faultNames.slice(0, 10).map((name) => [name, 0.1])) },
  // in sum a little more than 1
  { faults: { 429: 0.1, '429-storm': 0.1, 500: 0.4, '500-after': 0.3, 'reset-before': 0.1 } },
  { quotaTypes: [] },
])('%j makes a sandbox', (options) => {
  expect(() => createSandbox(options)).not.toThrow()
})

it('takes a clock that has parts of a millisecond', async () => {
  const { get, post } = await open({ timer: virtualTimer(Date.UTC(2026, 0, 2) + 999.875) })
  expect(await get('/api/v1/charges')).toMatchObject({ status: 200 })
  expect(await post('/api/v1/batch_transfers/create', { request_id: 'b' })).toMatchObject({
    body: { updated_at: '2026-01-02T00:00:00+0000' },
  })
})
