import { expect, it } from 'vitest'
import { createSandbox, type SandboxOptions } from '../../src/sandbox/index.js'

it.each<SandboxOptions>([
  { charges: -1 },
  { charges: 1.5 },
  { charges: 2 ** 31 + 1 },
  { since: new Date('1969-12-31T23:59:59Z') },
  { every: -1 },
  { every: 1e12 },
  { batches: -1 },
  { batches: 0.5 },
  { batches: 1_000_001 },
])('%j makes no sandbox', (options) => {
  expect(() => createSandbox(options)).toThrow(RangeError)
})

/** What is thrown for options, of which some may be of the wrong type. */
const thrown = (options: Readonly<Record<string, unknown>>) => () => createSandbox(options)

it.each<readonly [Readonly<Record<string, unknown>>, string]>([
  [{ latency: -1 }, 'latency is -1, and must be milliseconds of at least 0'],
  [{ jitter: Number.NaN }, 'jitter is NaN, and must be milliseconds of at least 0'],
  [{ tokenLife: '30m' }, 'tokenLife must be milliseconds of at least 0'],
  [{ environment: 'test' }, "environment must be one of 'production', 'sandbox'"],
  [{ order: 'up' }, "order must be one of 'ascending', 'descending'"],
  [{ apiVersion: 'latest' }, 'apiVersion must be a date as YYYY-MM-DD'],
  [{ since: '2024-01-01' }, 'since must be a Date'],
  [{ since: new Date(Number.NaN) }, 'since must be a Date'],
  [{ seed: Number.NaN }, 'seed is NaN, and must be a number'],
  [{ limits: 20 }, 'limits is 20, and must be an object of limits, or false'],
  [{ limits: { endpoint: 0 } }, 'limits.endpoint is 0, and must be a whole number of at least 1'],
  [{ limits: { perEndpoint: 5 } }, 'limits.perEndpoint is none, only global, endpoint'],
  [{ faults: { 500: 2 } }, 'faults.500 is 2, and must be a chance from 0 to 1'],
  [{ faults: { 501: 0.1 } }, 'faults.501 is none, only 429, 500, 429-storm'],
  [{ faults: '500' }, 'faults must be chances by the names of faults, or a function'],
  [{ credentials: 'key-81dc9bdb52d0' }, 'credentials must be a list of credentials'],
  [{ funding: 'late' }, "funding must be one of 'funded', 'failed'"],
])('%j is told: %s', (options, message) => {
  expect(thrown(options)).toThrow(RangeError)
  expect(thrown(options)).toThrow(message)
  expect(thrown(options)).not.toThrow('81dc9bdb52d0')
})

it('takes options that are undefined for those that were left out', () => {
  expect(
    thrown({ latency: undefined, limits: { global: undefined }, faults: undefined }),
  ).not.toThrow()
})

it.each<SandboxOptions>([{ charges: 0 }, { charges: 2 ** 31, every: 1 }, { every: 0 }])(
  '%j makes a sandbox',
  (options) => {
    expect(() => createSandbox(options)).not.toThrow()
  },
)
