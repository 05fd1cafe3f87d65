import { PassThrough } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { openStream, Unsupported } from '../../../src/export/index.js'
import { format, rowOf } from '../rows.js'

vi.mock('node:zlib', async (original) => {
  const { default: zlib } = await original<{ readonly default: object }>()
  return { default: { ...zlib, zstdCompress: undefined, zstdCompressSync: undefined } }
})

it.each(['ndjson', 'parquet'] as const)('says which Node has zstd, for %s', async (name) => {
  const how = format({ format: name, compress: 'zstd' })
  const opened = openStream({ stream: new PassThrough(), format: how })
  await expect(opened).rejects.toThrow('zstd needs Node 22.15 or later: choose gzip')
  await expect(opened).rejects.toBeInstanceOf(Unsupported)
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
