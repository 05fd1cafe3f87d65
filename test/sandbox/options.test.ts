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

it.each<SandboxOptions>([{ charges: 0 }, { charges: 2 ** 31, every: 1 }, { every: 0 }])(
  '%j makes a sandbox',
  (options) => {
    expect(() => createSandbox(options)).not.toThrow()
  },
)
