import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { type S3Double, s3Double } from '../../../bench/services/s3Double.js'
import { locationOf } from '../../../src/export/location/Location.js'
import { bucketFiles, type Objects } from '../../../src/export/storage/bucketFiles.js'
import { type Files, reading } from '../../../src/export/storage/Files.js'
import { openFiles } from '../../../src/export/storage/openFiles.js'
import { runs, sample } from '../../support/runs.js'

let double: S3Double
let made = 0
beforeAll(async () => {
  double = await s3Double()
  return () => double.close()
})

const open = async () => {
  const prefix = `${++made}/`
  const files = await openFiles(locationOf('out', `s3://bucket/${prefix}`, ['bucket']), {
    env: double.env,
  })
  return { files, prefix }
}

const MiB = 1 << 20

/** More bytes than any file has: each shows where it belongs. */
const all = new Uint8Array(64 * MiB)
for (let i = 0; i < all.length; i++) all[i] = Math.imul(i, 2_654_435_761) >>> 24

const bytesOf = (from: number, length: number) => all.subarray(from, from + length)

const contentOf = (files: Files, name: string) =>
  reading(files, name, ({ read, size }) => read(0, size))

const markOf = (size: number) => ({
  bytes: size,
  sha256: createHash('sha256').update(bytesOf(0, size)).digest('hex'),
})

const same = (a: Uint8Array | undefined, b: Uint8Array) =>
  a !== undefined && Buffer.compare(a, b) === 0

it('grows a file over several chunks, and makes one object of it when it gets another name', async () => {
  const { files, prefix } = await open()
  const all = bytesOf(0, 12 * MiB)
  const file = await files.create('part.tmp')
  for (let at = 0; at < all.length; at += 3 * MiB) {
    await file.append(all.subarray(at, at + 3 * MiB))
    await file.sync()
  }
  await file.close()
  expect(await files.list(() => true)).toEqual([{ name: 'part.tmp', size: all.length }])
  await files.move('part.tmp', 'part', all.length)
  const keys = [...double.objects.keys()].filter((key) => key.startsWith(`bucket/${prefix}`))
  expect(keys).toEqual([`bucket/${prefix}part`])
  expect(same(await contentOf(files, 'part'), all)).toBe(true)
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
            op: fc.constant('resume' as const),
            share: fc.double({ min: 0, max: 1, noNaN: true }),
          }),
          fc.record({ op: fc.constantFrom('sync' as const, 'crash' as const, 'copy' as const) }),
        ),
        { minLength: 3, maxLength: 8 },
      ),
      async (ops) => {
        const { files } = await open()
        let name = '0'
        let file = await files.create(name)
        let synced = 0
        const resume = async (size: number) => {
          file = await files.open(name, markOf(size))
          await file.cut()
          synced = size
        }
        for (const [i, one] of ops.entries()) {
          switch (one.op) {
            case 'append':
              await file.append(bytesOf(file.size(), one.size))
              break
            case 'resume':
              await resume(Math.floor(synced * one.share))
              break
            case 'sync':
              await file.sync()
              synced = file.size()
              expect(file.digest()).toBe(markOf(synced).sha256)
              break
            case 'copy':
              await files.copy(name, String(i + 1))
              name = String(i + 1)
              await resume(synced)
              break
            case 'crash':
              await file.close()
              await resume(synced)
          }
        }
        const found = await contentOf(files, name)
        expect(same(found?.subarray(0, synced), bytesOf(0, synced))).toBe(true)
        expect(same(await file.read(0, file.size()), bytesOf(0, file.size()))).toBe(true)
      },
    ),
    { numRuns: runs(8) },
  ))

/** Objects in memory; after so many requests, the process that sends them is dead. */
const mortal = (objects: Map<string, Uint8Array<ArrayBuffer>>) => {
  let left = Number.POSITIVE_INFINITY
  const uploads = new Map<string, { readonly key: string; readonly parts: Map<number, string> }>()
  const alive = async (): Promise<void> => {
    if (left-- <= 0) throw new Error('dead')
  }
  const storage: Objects = {
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
    sizeOf: async (key) => {
      await alive()
      return objects.get(key)?.length
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
    files: () => bucketFiles(storage),
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

/** Writes a file of so many bytes. */
const written = async (files: Files, name: string, size: number, from = 0) => {
  const file = await files.create(name)
  await file.append(bytesOf(from, size))
  await file.sync()
  await file.close()
}

it('is moved whole, at whichever request the process dies, and leaves no upload', async () => {
  const all = bytesOf(0, 12 * MiB)
  for (let requests = 0; ; requests++) {
    const objects = new Map<string, Uint8Array<ArrayBuffer>>()
    const { files, dieAfter, revive, isDead, uploads } = mortal(objects)
    const first = files()
    await written(first, 'part.tmp', all.length)
    dieAfter(requests)
    await first.move('part.tmp', 'part', all.length).catch(() => {})
    const died = isDead()
    revive()
    const next = files()
    if ((await next.size('part.tmp')) !== undefined) await next.move('part.tmp', 'part', all.length)
    expect(same(await contentOf(next, 'part'), all)).toBe(true)
    await next.remove('part.tmp')
    expect([...objects.keys()]).toEqual(['part'])
    expect(uploads.size).toBe(0)
    if (!died) break
  }
})

it('is cut back and grows on, at whichever request the process dies', async () => {
  for (const size of sample(1, [3 * MiB, 7 * MiB, 10 * MiB])) {
    for (let requests = 0; ; requests++) {
      const { files, dieAfter, revive, isDead } = mortal(new Map())
      await written(files(), 'part.tmp', 17 * MiB)
      const cut = await files().open('part.tmp', markOf(size))
      dieAfter(requests)
      await cut.cut().catch(() => {})
      const died = isDead()
      revive()
      const next = files()
      const resumed = await next.open('part.tmp', markOf(size))
      await resumed.cut()
      await resumed.append(bytesOf(size, 9 * MiB))
      await resumed.sync()
      await resumed.close()
      await next.move('part.tmp', 'part', size + 9 * MiB)
      expect(same(await contentOf(files(), 'part'), bytesOf(0, size + 9 * MiB))).toBe(true)
      if (!died) break
    }
  }
})

it('grows on in a copy of one large object, and takes the place of one', async () => {
  for (const size of [5 * MiB, 6 * MiB]) {
    const opened = mortal(new Map()).files()
    await written(opened, 'a.tmp', size)
    await opened.move('a.tmp', 'a', size)
    await opened.copy('a', 'copy')
    const copy = await opened.open('copy', markOf(size))
    await copy.cut()
    await copy.append(bytesOf(size, MiB))
    await copy.sync()
    expect(same(await contentOf(opened, 'copy'), bytesOf(0, size + MiB))).toBe(true)
    await written(opened, 'b.tmp', MiB, 5)
    await opened.move('b.tmp', 'a', MiB)
    expect(same(await contentOf(opened, 'a'), bytesOf(5, MiB))).toBe(true)
  }
})

it('says what is not as it was', async () => {
  const { files } = await open()
  expect(await files.read('none')).toBeUndefined()
  expect(await files.size('none')).toBeUndefined()
  await expect(files.open('none', markOf(1))).rejects.toMatchObject({ _tag: 'ChecksumMismatch' })
  await expect(files.copy('none', 'x')).rejects.toMatchObject({ _tag: 'ChecksumMismatch' })
  await expect(files.move('none', 'x', 1)).rejects.toMatchObject({ _tag: 'FileConflict' })
  await written(files, 'one', 3)
  await expect(files.open('one', markOf(4))).rejects.toMatchObject({ _tag: 'ChecksumMismatch' })
  await expect(files.move('one', 'x', 4)).rejects.toMatchObject({ _tag: 'FileConflict' })
  await files.remove('one')
  await files.remove('one')
  expect(await files.list(() => true)).toEqual([])
})
