import * as fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { type S3Double, s3Double } from '../../../bench/services/s3Double.js'
import { s3Files } from '../../../src/export/storage/s3Files.js'
import type { FileSystem } from '../../../src/store/FileSystem.js'
import { type ObjectStorage, objectStorage } from '../../../src/store/ObjectStorage.js'
import { processEnvironment, s3Location } from '../../../src/store/S3Location.js'
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
const bytesOf = (from: number, length: number) => {
  const bytes = new Uint8Array(length)
  for (let i = 0; i < length; i++) bytes[i] = Math.imul(from + i, 2_654_435_761) >>> 24
  return bytes
}

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

/** Objects in memory; after so many requests, the process that sends them is dead. */
const mortal = (objects: Map<string, Uint8Array<ArrayBuffer>>) => {
  let left = Number.POSITIVE_INFINITY
  const uploads = new Map<string, { readonly key: string; readonly parts: Map<number, string> }>()
  const alive = async (): Promise<void> => {
    if (left-- <= 0) throw new Error('dead')
  }
  const storage: ObjectStorage = {
    nameOf: (key) => key,
    unremoved: () => [],
    get: async (key, range) => {
      await alive()
      const bytes = objects.get(key)
      return bytes && { bytes: range ? bytes.slice(range.from, range.to) : bytes, etag: '' }
    },
    put: async (key, bytes) => {
      await alive()
      objects.set(key, bytes.slice())
      return ''
    },
    copy: async (from, to) => {
      await alive()
      objects.set(to, objects.get(from) ?? new Uint8Array())
    },
    remove: async (key) => {
      await alive()
      objects.delete(key)
    },
    list: async (prefix) => {
      await alive()
      return [...objects]
        .filter(([key]) => key.startsWith(prefix))
        .map(([key, { length }]) => ({ key, size: length }))
        .sort((a, b) => (a.key < b.key ? -1 : 1))
    },
    beginUpload: async (key) => {
      await alive()
      const id = String(uploads.size)
      uploads.set(id, { key, parts: new Map() })
      return { key, id }
    },
    uploadPart: () => Promise.reject(new Error('not used')),
    copyPart: async ({ id }, number, key) => {
      await alive()
      if (!objects.has(key)) throw new Error(`${key} is gone`)
      uploads.get(id)?.parts.set(number, key)
      return { number, etag: '' }
    },
    completeUpload: async ({ key, id }) => {
      await alive()
      const parts = [...(uploads.get(id)?.parts.values() ?? [])].map((part) => objects.get(part))
      objects.set(key, Uint8Array.from(Buffer.concat(parts.map((part) => part ?? Buffer.alloc(0)))))
      uploads.delete(id)
    },
    abortUpload: async ({ id }) => {
      await alive()
      uploads.delete(id)
    },
    uploads: async (prefix) => {
      await alive()
      return [...uploads].flatMap(([id, { key }]) => (key.startsWith(prefix) ? [{ key, id }] : []))
    },
  }
  return {
    files: () => s3Files(storage, ROOT),
    dieAfter: (requests: number) => {
      left = requests
    },
    revive: () => {
      left = Number.POSITIVE_INFINITY
    },
    isDead: () => left < 0,
    uploads,
  }
}

const absent = (error: unknown): undefined => {
  if (Object(error).code !== 'ENOENT') throw error
}

it('is renamed whole, at whichever request the process dies, and leaves no upload', async () => {
  const all = bytesOf(0, 12 * MiB)
  for (let requests = 0; ; requests++) {
    const objects = new Map<string, Uint8Array<ArrayBuffer>>()
    const { files, dieAfter, revive, isDead, uploads } = mortal(objects)
    const first = files()
    const handle = await first.open('/bucket/part.tmp', 'wx+')
    await handle.write(all, 0, all.length, 0)
    await handle.sync()
    await handle.close()
    dieAfter(requests)
    await first.rename('/bucket/part.tmp', '/bucket/part').catch(() => {})
    const died = isDead()
    revive()
    await files().rename('/bucket/part.tmp', '/bucket/part').catch(absent)
    expect(same(await contentOf(files(), '/bucket/part'), all)).toBe(true)
    await files().rm('/bucket/part.tmp', { force: true })
    expect([...objects.keys()]).toEqual(['part'])
    expect(uploads.size).toBe(0)
    if (!died) break
  }
})

it('is cut back and grows on, at whichever request the process dies', async () => {
  for (const size of [3 * MiB, 7 * MiB]) {
    for (let requests = 0; ; requests++) {
      const { files, dieAfter, revive, isDead } = mortal(new Map())
      const handle = await files().open('/bucket/part.tmp', 'wx+')
      await handle.write(bytesOf(0, 17 * MiB), 0, 17 * MiB, 0)
      await handle.sync()
      dieAfter(requests)
      await handle.truncate(size).catch(() => {})
      const died = isDead()
      revive()
      const next = files()
      const resumed = await next.open('/bucket/part.tmp', 'r+')
      await resumed.truncate(size)
      await resumed.write(bytesOf(size, 9 * MiB), 0, 9 * MiB, size)
      await resumed.sync()
      await resumed.close()
      await next.rename('/bucket/part.tmp', '/bucket/part')
      expect(same(await contentOf(files(), '/bucket/part'), bytesOf(0, size + 9 * MiB))).toBe(true)
      if (!died) break
    }
  }
})

it('grows on from one large object, and takes the place of one', async () => {
  const { files } = mortal(new Map())
  const write = async (path: string, from: number, length: number) => {
    const handle = await files().open(path, 'w+')
    await handle.write(bytesOf(from, length), 0, length, 0)
    await handle.sync()
    await handle.close()
  }
  await write('/bucket/a.tmp', 0, 6 * MiB)
  await files().rename('/bucket/a.tmp', '/bucket/a')
  const handle = await files().open('/bucket/a', 'r+')
  await handle.write(bytesOf(6 * MiB, MiB), 0, MiB, 6 * MiB)
  await handle.sync()
  await handle.close()
  expect(same(await contentOf(files(), '/bucket/a'), bytesOf(0, 7 * MiB))).toBe(true)
  await write('/bucket/b.tmp', 5, MiB)
  await files().rename('/bucket/b.tmp', '/bucket/a')
  expect(same(await contentOf(files(), '/bucket/a'), bytesOf(5, MiB))).toBe(true)
})

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
