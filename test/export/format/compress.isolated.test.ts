import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { openFile, openStream, targetOf, toFolder, Unsupported } from '../../../src/export/index.js'
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

it.each(['ndjson', 'parquet'] as const)('leaves what was there alone, for %s', async (name) => {
  const folder = await mkdtemp(join(tmpdir(), 'export-'))
  const how = format({ format: name, compress: 'zstd' })
  const path = join(folder, 'rows')
  const part = join(folder, `part-00001-001.${how.extension}`)
  for (const file of [path, part]) await writeFile(file, 'of last week')
  await expect(openFile({ path, format: how })).rejects.toBeInstanceOf(Unsupported)
  await expect(toFolder({ path: folder, format: how })).rejects.toBeInstanceOf(Unsupported)
  expect(() => targetOf({ out: path, format: how })).toThrow(Unsupported)
  for (const file of [path, part]) expect(await readFile(file, 'utf8')).toBe('of last week')
  await rm(folder, { recursive: true })
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
