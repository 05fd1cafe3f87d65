import * as fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import type { FileSystem } from '../../../src/export/file/FileSystem.js'
import { objectStorage } from '../../../src/export/s3/ObjectStorage.js'
import { processEnvironment, s3Location } from '../../../src/export/s3/S3Location.js'
import { s3Files } from '../../../src/export/s3/s3Files.js'
import { type S3Double, s3Double } from '../../support/s3Double.js'
import { hasty } from '../../support/timers.js'

let double: S3Double
let made = 0
beforeAll(async () => {
  double = await s3Double()
  return () => double.close()
})

const ROOT = '/bucket/'

const open = async () => {
  const prefix = `${++made}/`
  const location = await s3Location(`s3://bucket/${prefix}`, processEnvironment(double.env))
  return { files: s3Files(objectStorage(location, { timer: hasty() }), ROOT), prefix }
}

const MiB = 1 << 20

/** Bytes by their position, so that each shows where it belongs. */
const bytesOf = (from: number, length: number) =>
  Uint8Array.from({ length }, (_, i) => ((from + i) * 2_654_435_761) >>> 24)

const contentOf = async (files: FileSystem, path: string): Promise<Uint8Array> => {
  const handle = await files.open(path, 'r')
  const { size } = await handle.stat()
  const all = new Uint8Array(size)
  for (let at = 0; at < size; ) {
    const { bytesRead } = await handle.read(all, at, size - at, at)
    if (bytesRead === 0) throw new Error(`ends at ${at}`)
    at += bytesRead
  }
  return all
}

const same = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0

it('grows a file over several chunks, and makes one object of it when it is renamed', async () => {
  const { files, prefix } = await open()
  const all = bytesOf(0, 12 * MiB)
  const handle = await files.open('/bucket/part.tmp', 'wx+')
  for (let at = 0; at < all.length; at += 3 * MiB) {
    await handle.write(all, at, 3 * MiB, at)
    await handle.sync()
  }
  await handle.close()
  expect(await files.readdir('/bucket')).toEqual(['part.tmp'])
  await files.rename('/bucket/part.tmp', '/bucket/part')
  const keys = [...double.objects.keys()].filter((key) => key.startsWith(`bucket/${prefix}`))
  expect(keys).toEqual([`bucket/${prefix}part`])
  expect(same(await contentOf(files, '/bucket/part'), all)).toBe(true)
})

it('has what was synced, whatever happens then', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          fc.record({
            op: fc.constant('append' as const),
            size: fc.integer({ min: 1, max: 6 * MiB }),
          }),
          fc.record({
            op: fc.constant('truncate' as const),
            share: fc.double({ min: 0, max: 1, noNaN: true }),
          }),
          fc.record({ op: fc.constantFrom('sync' as const, 'crash' as const, 'rename' as const) }),
        ),
        { minLength: 3, maxLength: 8 },
      ),
      async (ops) => {
        const { files } = await open()
        let path = '/bucket/0'
        let handle = await files.open(path, 'w+')
        let size = 0
        let synced = 0
        for (const [i, one] of ops.entries()) {
          switch (one.op) {
            case 'append':
              await handle.write(bytesOf(size, one.size), 0, one.size, size)
              size += one.size
              break
            case 'truncate':
              await handle.sync()
              size = Math.floor(size * one.share)
              synced = size
              await handle.truncate(size)
              break
            case 'sync':
              await handle.sync()
              synced = size
              break
            case 'rename':
              await files.rename(path, `/bucket/${i}`)
              path = `/bucket/${i}`
              synced = size
              break
            case 'crash': {
              handle = await files.open(path, 'r+')
              size = (await handle.stat()).size
              expect(size).toBeGreaterThanOrEqual(synced)
            }
          }
        }
        const found = await contentOf(files, path)
        expect(same(found.subarray(0, synced), bytesOf(0, synced))).toBe(true)
      },
    ),
    { numRuns: 8 },
  ))

it('fails like a file system', async () => {
  const { files } = await open()
  await expect(files.open('/bucket/none', 'r')).rejects.toMatchObject({ code: 'ENOENT' })
  await expect(files.open('/bucket/none', 'r+')).rejects.toMatchObject({ code: 'ENOENT' })
  await expect(files.stat('/bucket/none')).rejects.toMatchObject({ code: 'ENOENT' })
  await (await files.open('/bucket/one', 'wx+')).close()
  await expect(files.open('/bucket/one', 'wx+')).rejects.toMatchObject({ code: 'EEXIST' })
  await files.rm('/bucket/one', { force: true })
  await files.rm('/bucket/one', { force: true })
  expect(await files.readdir('/bucket')).toEqual([])
})
