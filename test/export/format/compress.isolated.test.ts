import { PassThrough } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { openStream } from '../../../src/export/index.js'
import { format, rowOf } from '../rows.js'

vi.mock('node:zlib', async (original) => {
  const { default: zlib } = await original<{ readonly default: object }>()
  return { default: { ...zlib, zstdCompress: undefined, zstdCompressSync: undefined } }
})

it.each(['ndjson', 'parquet'] as const)('says which Node has zstd, for %s', (name) => {
  const message = "compress should be 'gzip' or 'none': zstd needs Node 22.15 or later"
  expect(() => format({ format: name, compress: 'zstd' })).toThrow(message)
})

it('chooses gzip for Parquet where there is no zstd', async () => {
  const how = format({ format: 'parquet' })
  expect(how.compress).toBe('gzip')
  const stream = new PassThrough()
  const { write, finish } = await openStream({ stream, format: how })
  await write([rowOf({})])
  await finish()
  expect((await stream.toArray()).length).toBeGreaterThan(0)
})
