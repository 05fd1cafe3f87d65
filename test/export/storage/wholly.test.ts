import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BLOCK, blocksOf } from '../../../src/export/storage/Files.js'
import { readFully, writeFully } from '../../../src/store/FileSystem.js'
import { watched } from '../file/disk.js'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wholly-'))
})
afterAll(() => rm(folder, { recursive: true }))

const bytes = Uint8Array.from({ length: 2 * BLOCK + 7 }, (_, i) => (i * i) >> 3)

describe.each([40_000, BLOCK, Number.POSITIVE_INFINITY])('%d bytes at a time', (atOnce) => {
  const there = async () => {
    const path = join(folder, String(atOnce))
    const handle = await watched({ atOnce }).files.open(path, 'w+')
    await writeFully(handle, bytes.subarray(0, 10), 0)
    await writeFully(handle, bytes.subarray(10), 10)
    return { path, handle }
  }

  it('are all written, and all read', async () => {
    const { path, handle } = await there()
    const written = await readFile(path)
    expect(written.equals(bytes)).toBe(true)
    expect(written.equals(await readFully(path, handle, 0, bytes.length))).toBe(true)
    const read = (at: number, length: number) => readFully(path, handle, at, length)
    const blocks: Array<Uint8Array> = []
    for await (const block of blocksOf({ read, size: bytes.length })) blocks.push(block)
    expect(written.equals(Buffer.concat(blocks))).toBe(true)
    await handle.close()
  })

  it('are missed where the file ends', async () => {
    const { path, handle } = await there()
    await expect(readFully(path, handle, 8, bytes.length)).rejects.toMatchObject({
      _tag: 'ChecksumMismatch',
      path,
    })
    await handle.close()
  })
})
