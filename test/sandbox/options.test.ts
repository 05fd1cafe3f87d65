import { expect, it } from 'vitest'
import { virtualTimer } from '../../bench/simulated/virtualTimer.js'
import { InvalidOption } from '../../src/options/index.js'
import { faultNames } from '../../src/sandbox/faults.js'
import { createSandbox, type SandboxOptions } from '../../src/sandbox/index.js'
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

const EMPTY = 'should be a non-empty string'
const COUNT = 'a whole number of at least 1, or Infinity'

it.each<readonly [Readonly<Record<string, unknown>>, string]>([
  [{ charges: -1 }, 'charges should be a whole number from 0 to 2^31, but is below 0'],
  [{ apiVersion: 'latest' }, 'apiVersion should be a date in the form YYYY-MM-DD'],
  [{ apiVersion: '2026-13-01' }, 'apiVersion should be a date in the form YYYY-MM-DD'],
  [{ since: new Date(Number.NaN) }, 'since should be a valid Date'],
  [{ since: new Date(-1) }, 'since should be after 1969, and early enough that the last charge'],
  [{ seed: Number.NaN }, 'seed should be a whole number from 0 to 2^32 - 1, but is NaN'],
  [{ seed: 2 ** 32 }, 'seed should be a whole number from 0 to 2^32 - 1'],
  [{ limits: { endpoint: 0 } }, `limits.endpoint should be ${COUNT}, but is 0`],
  [
    { limits: { perEndpoint: 5 } },
    'limits.perEndpoint should be omitted: unknown option; the options are global, endpoint',
  ],
  [{ faults: { 500: 2 } }, 'faults.500 should be a probability from 0 to 1'],
  [{ faults: { 501: 0.1 } }, 'faults.501 should be omitted: unknown option (did you mean 500?)'],
  [{ faults: { 500: 0.7, 429: 0.7 } }, 'faults should be probabilities that add up to at most 1'],
  [{ faults: '500' }, 'faults should be probabilities by fault name, or a function'],
  [{ credentials: 'key-81dc9bdb52d0' }, 'credentials should be a list of credentials'],
  [{ credentials: [{ clientId: 'me' }] }, 'credentials[0].apiKey should be a non-empty string'],
  [{ partner: { clientId: 'me', secret: '81dc9bdb52d0' } }, 'partner.secret should be omitted'],
  [{ credentials: [{ clientId: '', apiKey: 'k' }] }, `credentials[0].clientId ${EMPTY}`],
  [{ credentials: [{ clientId: 'me', apiKey: '' }] }, `credentials[0].apiKey ${EMPTY}`],
  [{ partner: { clientId: '', clientSecret: 's' } }, `partner.clientId ${EMPTY}`],
  [{ partner: { clientId: 'me', clientSecret: '' } }, `partner.clientSecret ${EMPTY}`],
  [{ partner: { clientId: 'me' } }, `partner.clientSecret ${EMPTY}, but is missing`],
  [
    { credentials: [{ clientId: 'me', apiKey: 'k', scopes: 'account' }] },
    'credentials[0].scopes should be a list of events or event groups, but is a string',
  ],
  [
    { partner: { clientId: 'me', clientSecret: 's', scopes: ['account', 5] } },
    'partner.scopes[1] should be a string, but is a number',
  ],
  [{ batches: 1_000_001 }, 'batches should be a whole number from 0 to 1,000,000'],
  [{ evry: 1_000 }, 'evry should be omitted: unknown option (did you mean every?)'],
  [
    { quotaTypes: ['X'] },
    "quotaTypes[0] should be one of 'CN_INBOUND', 'ID_OUTBOUND', 'VN_OUTBOUND'",
  ],
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
    expect(thrown({ [name]: wrong })).toThrow(`${name} should be at least 0 milliseconds`)
  }
  expect(thrown({ [name]: 0 })).not.toThrow()
})

it.each([
  ['environment', ['production', 'test']],
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
