/** A Node that has no zstd, such as 22.14. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import { cli, folder } from './support.js'

vi.mock('node:zlib', async (original) => {
  const { default: zlib } = await original<{ readonly default: object }>()
  return { default: { ...zlib, zstdCompress: undefined, zstdCompressSync: undefined } }
})

const file = await folder()
beforeEach(() => mkdir(dirname(file('x')), { recursive: true }).then(() => {}))

it.each([
  ['c.ndjson.zst', []],
  ['c.txt', ['--format', 'ndjson', '--compress', 'zstd']],
  ['c.parquet', ['--compress', 'zstd']],
])('says so before anything is opened: %s', async (name, more) => {
  await writeFile(file(name), 'earlier\n')
  const { status, stderr } = await cli([
    ...['export', 'charges', '--sandbox', '--rows', '5', '--out', file(name), ...more],
  ])
  expect(stderr).toBe(
    "payments-rx: --compress should be 'gzip' or 'none': zstd needs Node 22.15 or later\n",
  )
  expect(status).toBe(2)
  expect(await readFile(file(name), 'utf8')).toBe('earlier\n')
})
