import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { type ObjectStorage, objectStorage } from '../../src/store/ObjectStorage.js'
import { processEnvironment, s3Location } from '../../src/store/S3Location.js'
import { s3Store } from '../../src/store/s3Store.js'
import { type S3Double, type S3DoubleOptions, type S3Fault, s3Double } from '../support/s3Double.js'
import { hasty } from '../support/timers.js'

const bytes = (text: string) => new TextEncoder().encode(text)
const textOf = (content: { readonly bytes: Uint8Array } | undefined) =>
  content && new TextDecoder().decode(content.bytes)

const withStorage = async (
  options: S3DoubleOptions,
  test: (storage: ObjectStorage, double: S3Double) => Promise<void>,
  override: Readonly<Record<string, string | undefined>> = {},
  url = 's3://bucket/exports/',
) => {
  const double = await s3Double(options)
  try {
    const env = { ...double.env, HOME: '/nowhere', ...override }
    const location = await s3Location(url, processEnvironment(env))
    await test(objectStorage(location, { timer: hasty(), random: () => 0 }), double)
  } finally {
    await double.close()
  }
}

/** The first call of an operation has a fault. */
const once =
  (operation: string, fault: S3Fault): Required<S3DoubleOptions>['faults'] =>
  (call) =>
    call.operation === operation && call.nth === 1 ? fault : undefined

describe('objects', () => {
  it('are written, read from a position on, listed and removed', () =>
    withStorage({}, async (storage, double) => {
      const key = "a b/é+(1)'.ndjson"
      await storage.put(key, bytes('hello'))
      expect([...double.objects.keys()]).toEqual([`bucket/exports/${key}`])
      expect(textOf(await storage.get(key))).toBe('hello')
      expect(textOf(await storage.get(key, { from: 3, to: 9 }))).toBe('lo')
      expect(textOf(await storage.get(key, { from: 1, to: 3 }))).toBe('el')
      await storage.copy(key, 'copy')
      expect(textOf(await storage.get('copy'))).toBe('hello')
      expect(await storage.list('a b/')).toEqual([{ key, size: 5 }])
      expect(storage.nameOf(key)).toBe(`s3://bucket/exports/${key}`)
      await storage.remove(key)
      await storage.remove(key)
      expect(await storage.get(key)).toBeUndefined()
    }))

  it('are listed beyond a page', () =>
    withStorage({}, async (storage) => {
      for (let i = 0; i < 1_003; i++) await storage.put(`p/${i}`, bytes('x'))
      expect((await storage.list('p/')).length).toBe(1_003)
    }))

  it('are made of parts, in one step; unfinished uploads are found and dropped', () =>
    withStorage({}, async (storage, double) => {
      const upload = await storage.beginUpload('large')
      const first = await storage.uploadPart(upload, 1, new Uint8Array(5 * 1_024 * 1_024))
      const last = await storage.uploadPart(upload, 2, bytes('end'))
      expect(double.objects.size).toBe(0)
      await storage.completeUpload(upload, [first, last])
      expect(double.objects.get('bucket/exports/large')?.length).toBe(5 * 1_024 * 1_024 + 3)

      await storage.put('a piece', bytes('copied'))
      const copies = await storage.beginUpload('copies')
      await storage.completeUpload(copies, [await storage.copyPart(copies, 1, 'a piece')])
      expect(double.objects.get('bucket/exports/copies')?.toString()).toBe('copied')

      await storage.beginUpload('other')
      const open = await storage.uploads('')
      expect(open.map(({ key }) => key)).toEqual(['other'])
      for (const one of open) await storage.abortUpload(one)
      expect(double.uploads()).toEqual([])
    }))
})

describe('faults', () => {
  it.each(['500-before', '500-after', 'reset-after', 'slow-down'] as const)(
    'of a write are waited for: %s',
    (fault) =>
      withStorage({ faults: once('PutObject', fault) }, async (storage, double) => {
        await storage.put('k', bytes('hello'))
        expect(double.objects.get('bucket/exports/k')?.toString()).toBe('hello')
      }),
  )

  it('of a read are waited for, also a body that ends early', () =>
    withStorage({ faults: once('GetObject', 'cut-off') }, async (storage) => {
      await storage.put('k', bytes('hello'))
      expect(textOf(await storage.get('k'))).toBe('hello')
    }))

  it('that stay are an error that says what to do', () =>
    withStorage({ faults: () => 'slow-down' }, async (storage) => {
      await expect(storage.put('k', bytes('1'))).rejects.toMatchObject({
        _tag: 'WriteFailed',
        code: 'SlowDown',
        message:
          'cannot write s3://bucket/exports/k: SlowDown: the storage is overloaded: run the same command again later',
      })
    }))

  it('of a completion are waited for, also where it had its effect', () =>
    withStorage(
      { faults: once('CompleteMultipartUpload', '500-after') },
      async (storage, double) => {
        const upload = await storage.beginUpload('large')
        const part = await storage.uploadPart(upload, 1, bytes('all'))
        await storage.completeUpload(upload, [part])
        expect(double.objects.get('bucket/exports/large')?.toString()).toBe('all')
      },
    ))

  it('of an upload that somebody aborted are told', () =>
    withStorage({}, async (storage) => {
      const upload = await storage.beginUpload('large')
      const part = await storage.uploadPart(upload, 1, bytes('all'))
      await storage.abortUpload(upload)
      await expect(storage.completeUpload(upload, [part])).rejects.toMatchObject({
        _tag: 'WriteFailed',
        code: 'NoSuchUpload',
      })
    }))

  it('of expired credentials are tried once with new ones', () =>
    withStorage({ faults: once('PutObject', 'expired') }, async (storage, double) => {
      await storage.put('k', bytes('1'))
      expect(double.calls.length).toBe(2)
    }))

  it.each([
    ['NoSuchBucket', {}, 's3://other/', 'create the bucket, or correct its name'],
    ['InvalidAccessKeyId', { AWS_ACCESS_KEY_ID: 'other' }, undefined, 'check AWS_ACCESS_KEY_ID'],
    [
      'SignatureDoesNotMatch',
      { AWS_SECRET_ACCESS_KEY: 'top-secret' },
      undefined,
      'check AWS_SECRET_ACCESS_KEY',
    ],
    [
      'AuthorizationHeaderMalformed',
      { AWS_REGION: 'us-east-1' },
      undefined,
      'check AWS_REGION: the bucket is in another region',
    ],
  ])('%s is told at once, without a secret', (code, override, url, advice) =>
    withStorage(
      {},
      async (storage, double) => {
        const error = await storage.put('k', bytes('1')).catch((error: unknown) => error)
        expect(error).toMatchObject({ _tag: 'WriteFailed', code })
        expect(String(error)).toContain(advice)
        expect(String(error)).not.toMatch(/top-secret|double-secret/)
        expect(double.calls.length).toBe(1)
      },
      override,
      url,
    ),
  )
})

describe('the store', () => {
  it('replaces a text only from the version that was read', () =>
    withStorage({}, async (storage) => {
      const store = s3Store(storage)
      expect(await store.read('state')).toBeUndefined()
      const first = await store.replace('state', 'one', undefined)
      expect(await store.read('state')).toEqual({ text: 'one', version: first })
      expect(await store.replace('state', 'two', undefined)).toBeUndefined()
      const second = await store.replace('state', 'two', first)
      expect(await store.replace('state', 'three', first)).toBeUndefined()
      expect(await store.remove('state', first ?? '')).toBe(false)
      expect(await store.remove('state', second ?? '')).toBe(true)
      expect(await store.read('state')).toBeUndefined()
      expect(await store.replace('state', 'four', undefined)).toBeDefined()
    }))

  it('knows its own write again when the answer was lost', () =>
    withStorage({ faults: once('PutObject', '500-after') }, async (storage) => {
      const version = await s3Store(storage).replace('state', 'one', undefined)
      expect(version).toBeDefined()
      expect(await s3Store(storage).read('state')).toEqual({ text: 'one', version })
    }))
})

describe('a location', () => {
  const location = (
    url: string,
    env: Readonly<Record<string, string>>,
    files: Readonly<Record<string, string>> = {},
  ) => s3Location(url, { env: { HOME: '/home/me', ...env }, readText: async (path) => files[path] })

  it('takes region, endpoint and keys from the profile', async () => {
    const files = {
      '/home/me/.aws/config':
        '[default]\nregion = eu-west-1\n[profile prod]\nregion=eu-central-1\ns3 =\n  addressing_style = path\nendpoint_url = https://minio.example\n',
      '/home/me/.aws/credentials':
        '[default]\naws_access_key_id = A\naws_secret_access_key = a\n[prod]\naws_access_key_id = P\naws_secret_access_key = p\naws_session_token = t\n',
    }
    const found = await location('s3://bucket/a/b/', { AWS_PROFILE: 'prod' }, files)
    expect(found).toMatchObject({
      bucket: 'bucket',
      prefix: 'a/b/',
      region: 'eu-central-1',
      endpoint: 'https://minio.example',
    })
    expect(await found.credentials()).toEqual({
      accessKeyId: 'P',
      secretAccessKey: 'p',
      sessionToken: 't',
    })
    const plain = await location('s3://bucket', { AWS_REGION: 'us-east-2' }, files)
    expect(plain).toMatchObject({ prefix: '', region: 'us-east-2' })
    expect(await plain.credentials()).toEqual({ accessKeyId: 'A', secretAccessKey: 'a' })
  })

  it.each([
    ['s3://', 'should be s3://BUCKET/ or s3://BUCKET/PREFIX/'],
    ['s3://Bucket/', 'should be s3://BUCKET/ or s3://BUCKET/PREFIX/'],
    ['s3://bucket/file.csv', 'should be s3://BUCKET/ or s3://BUCKET/PREFIX/'],
    ['s3://bucket/../other/', 'should be s3://BUCKET/ or s3://BUCKET/PREFIX/'],
    ['s3://bucket/', 'needs a region: set AWS_REGION'],
  ])('%s is refused', async (url, why) => {
    await expect(location(url, {})).rejects.toMatchObject({
      _tag: 'UnusablePath',
      message: `${url} ${why}`,
    })
  })
  it.each([
    ['s3://AKIA:a/secret+key@bucket/p/', {}, 's3://***@bucket/p/ should be'],
    ['s3://bucket/p/?X-Amz-Signature=secret&a=/', {}, 's3://bucket/p/?... should be'],
    [
      's3://bucket/',
      { AWS_ENDPOINT_URL_S3: 'https://me:secret@host' },
      'without user and password',
    ],
    ['s3://bucket/', { AWS_ENDPOINT_URL: 'http://secret@host' }, 'without user and password'],
    ['s3://bucket/', { AWS_ENDPOINT_URL: 'secret' }, 'needs an endpoint that is a URL'],
  ])('with a secret is refused, and the secret is not repeated: %s %o', async (url, env, why) => {
    const error = await location(url, { AWS_REGION: 'eu-west-1', ...env }).catch((e) => e)
    expect(error).toMatchObject({ _tag: 'UnusablePath', message: expect.stringContaining(why) })
    expect(inspect(error, { depth: 9 })).not.toContain('secret')
  })
})
