import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import {
  type S3Double,
  type S3DoubleOptions,
  type S3Fault,
  s3Double,
} from '../../bench/services/s3Double.js'
import { type ExportError, isRetryable } from '../../src/export/ExportError.js'
import { ObjectStorage, type Upload, type UploadedPart } from '../../src/store/ObjectStorage.js'
import { processEnvironment, s3Location } from '../../src/store/S3Location.js'
import { s3Store } from '../../src/store/s3Store.js'
import { idleClock } from '../support/idleClock.js'

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
    await test(new ObjectStorage(location, { timer: idleClock, random: () => 0 }), double)
  } finally {
    await double.close()
  }
}

/** The first part of an upload, with `all` in it. */
const partOf = async (storage: ObjectStorage, upload: Upload): Promise<UploadedPart> => {
  await storage.put('chunk', bytes('all'))
  return storage.copyPart(upload, 1, 'chunk')
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
      await storage.copy(key, 'copy', 5)
      expect(textOf(await storage.get('copy'))).toBe('hello')
      expect(await storage.list('a b/')).toEqual([{ key, size: 5 }])
      expect(storage.nameOf(key)).toBe(`s3://bucket/exports/${key}`)
      await storage.remove(key)
      await storage.remove(key)
      expect(await storage.get(key)).toBeUndefined()
    }))

  it('are listed beyond a page', () =>
    withStorage({}, async (storage, double) => {
      for (let i = 0; i < 1_003; i++) double.put(`exports/p/${i}`, 'x')
      expect((await storage.list('p/')).length).toBe(1_003)
    }))

  it('are made of parts, in one step; unfinished uploads are found and dropped', () =>
    withStorage({}, async (storage, double) => {
      const upload = await storage.beginUpload('large')
      await storage.put('chunk', new Uint8Array(5 * 1_024 * 1_024))
      await storage.put('end', bytes('end'))
      const first = await storage.copyPart(upload, 1, 'chunk')
      const last = await storage.copyPart(upload, 2, 'end')
      expect(double.objects.has('bucket/exports/large')).toBe(false)
      await storage.completeUpload(upload, [first, last], 5 * 1_024 * 1_024 + 3)
      expect(double.objects.get('bucket/exports/large')?.length).toBe(5 * 1_024 * 1_024 + 3)

      await storage.beginUpload('other')
      const open = await storage.uploads('')
      expect(open.map(({ key }) => key)).toEqual(['other'])
      for (const one of open) await storage.abortUpload(one)
      expect(double.uploads()).toEqual([])
    }))
})

describe('faults', () => {
  it.each(['500-before', '500-after', 'reset-after', 'slow-down'] as const)(
    'in a write are waited for: %s',
    (fault) =>
      withStorage({ faults: once('PutObject', fault) }, async (storage, double) => {
        await storage.put('k', bytes('hello'))
        expect(double.objects.get('bucket/exports/k')?.toString()).toBe('hello')
      }),
  )

  it('in a read are waited for, also a body that ends early', () =>
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
          'cannot write s3://bucket/exports/k: SlowDown (Please reduce your request rate): the storage is overloaded',
      })
    }))

  it.each([
    ['', {}],
    [', and KMS makes the ETag', { isKms: true }],
  ] as const)('in a completion are waited for, also where it had its effect%s', (_, options) =>
    withStorage(
      { ...options, faults: once('CompleteMultipartUpload', '500-after') },
      async (storage, double) => {
        const upload = await storage.beginUpload('large')
        const part = await partOf(storage, upload)
        await storage.completeUpload(upload, [part], 3)
        expect(double.objects.get('bucket/exports/large')?.toString()).toBe('all')
      },
    ),
  )

  const answers = [
    'CopyObject',
    'CreateMultipartUpload',
    'UploadPartCopy',
    'CompleteMultipartUpload',
    'ListObjectsV2',
    'ListMultipartUploads',
  ]
  it.each(
    answers.flatMap((operation) =>
      (['200-error', '200-empty', '200-empty-after'] as const).map((fault) => ({
        operation,
        fault,
      })),
    ),
  )('in an answer that began as a success are waited for: $operation, $fault', (given) =>
    withStorage({ faults: once(given.operation, given.fault) }, async (storage, double) => {
      const upload = await storage.beginUpload('large')
      await storage.completeUpload(upload, [await partOf(storage, upload)], 3)
      await storage.copy('chunk', 'copy', 3)
      const names = ['chunk', 'copy', 'large']
      expect(await storage.list('')).toEqual(names.map((key) => ({ key, size: 3 })))
      for (const name of names) {
        expect(double.objects.get(`bucket/exports/${name}`)?.toString()).toBe('all')
      }
      for (const open of await storage.uploads('')) await storage.abortUpload(open)
      expect(double.uploads()).toEqual([])
    }),
  )

  it.each(['200-error', '200-empty'] as const)('in a copy that stay fail the copy: %s', (fault) =>
    withStorage(
      { faults: ({ operation }) => (operation === 'CopyObject' ? fault : undefined) },
      async (storage) => {
        await storage.put('k', bytes('1'))
        await expect(storage.copy('k', 'copy', 1)).rejects.toMatchObject({ _tag: 'WriteFailed' })
      },
    ),
  )

  it('in an upload that another process aborted are reported', () =>
    withStorage({}, async (storage) => {
      const upload = await storage.beginUpload('large')
      const part = await partOf(storage, upload)
      await storage.abortUpload(upload)
      await expect(storage.completeUpload(upload, [part], 3)).rejects.toMatchObject({
        _tag: 'WriteFailed',
        code: 'NoSuchUpload',
      })
    }))

  it('from expired credentials are tried once with new ones', () =>
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
      "the region 'us-east-1' is wrong; expecting 'eu-west-1'): check AWS_REGION: the bucket is in another region",
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

describe('rules of a bucket', () => {
  it('a checksum is sent with each object and part, as Object Lock demands', () =>
    withStorage(
      {
        refuse: ({ operation, headers }) =>
          operation === 'PutObject' && headers['content-md5'] === undefined
            ? [400, 'InvalidRequest', 'Content-MD5 OR x-amz-checksum- HTTP header is required']
            : undefined,
      },
      async (storage, double) => {
        await storage.put('k', bytes('hello'))
        const upload = await storage.beginUpload('large')
        await storage.completeUpload(upload, [await partOf(storage, upload)], 3)
        expect(double.objects.size).toBe(3)
      },
    ))

  it.each([
    [{ AWS_SERVER_SIDE_ENCRYPTION: 'AES256' }, { '': 'AES256' }],
    [{ AWS_SSE_KMS_KEY_ID: 'arn:key' }, { '': 'aws:kms', '-aws-kms-key-id': 'arn:key' }],
    [
      {
        AWS_SERVER_SIDE_ENCRYPTION: 'aws:kms:dsse',
        AWS_SSE_KMS_KEY_ID: 'arn:key',
        AWS_SSE_BUCKET_KEY_ENABLED: 'true',
      },
      { '': 'aws:kms:dsse', '-aws-kms-key-id': 'arn:key', '-bucket-key-enabled': 'true' },
    ],
  ])('%o goes with each new object, and with no part', (env, expected) => {
    const seen: Array<readonly [string, unknown]> = []
    const name = 'x-amz-server-side-encryption'
    return withStorage(
      {
        refuse: ({ operation, headers }) => {
          const sent = Object.entries(headers).filter(([header]) => header.startsWith(name))
          const short = sent.map(([header, value]) => [header.slice(name.length), value])
          seen.push([operation, Object.fromEntries(short)])
          return undefined
        },
      },
      async (storage) => {
        await storage.put('k', bytes('hello'))
        await storage.copy('k', 'copy', 5)
        const upload = await storage.beginUpload('large')
        await storage.completeUpload(upload, [await storage.copyPart(upload, 1, 'k')], 5)
        expect(seen.filter(([operation]) => operation !== 'HeadObject')).toEqual([
          ['PutObject', expected],
          ['CopyObject', expected],
          ['CreateMultipartUpload', expected],
          ['UploadPartCopy', {}],
          ['CompleteMultipartUpload', {}],
        ])
      },
      env,
    )
  })

  it('objects that may not be removed stay, are named, and each folder is tried once', () =>
    withStorage(
      {
        refuse: ({ operation }) =>
          ['DeleteObject', 'AbortMultipartUpload'].includes(operation)
            ? [403, 'AccessDenied']
            : undefined,
      },
      async (storage, double) => {
        for (const key of ['a', 'b', 'p/c', 'p/d']) await storage.remove(key)
        await storage.abortUpload(await storage.beginUpload('e'))
        const tried = double.calls.filter(({ operation }) => operation === 'DeleteObject')
        expect(tried.map(({ key }) => key)).toEqual(['exports/a', 'exports/p/c'])
        const names = ['a', 'b', 'p/c', 'p/d', 'e'].map((key) => `s3://bucket/exports/${key}`)
        expect(storage.unremoved()).toEqual(names)
      },
    ))

  it('a removal with wrong credentials is refused', () =>
    withStorage(
      {},
      async (storage) => {
        await expect(storage.remove('a')).rejects.toMatchObject({ code: 'InvalidAccessKeyId' })
        expect(storage.unremoved()).toEqual([])
      },
      { AWS_ACCESS_KEY_ID: 'other' },
    ))

  it('the sentence of the service is told, without secrets', () =>
    withStorage(
      {
        refuse: ({ nth }) => [
          403,
          'AccessDenied',
          nth === 1 ? 'User: arn:aws:iam::1:user/x may\nnot' : 'no double-secret-key here',
        ],
      },
      async (storage) => {
        await expect(storage.put('k', bytes('1'))).rejects.toThrow(
          'AccessDenied (User: arn:aws:iam::1:user/x may not): the credentials need',
        )
        await expect(storage.put('k', bytes('1'))).rejects.toThrow(
          'AccessDenied: the credentials need',
        )
      },
    ))
})

describe('a clock', () => {
  const HOUR = 3_600_000
  it.each([-5 * HOUR, 5 * HOUR])('that is %i ms off is corrected by that of the service', (off) =>
    withStorage({ clock: () => Date.now() + off }, async (storage, double) => {
      await storage.put('k', bytes('hello'))
      await storage.put('l', bytes('hello'))
      expect(double.calls.length).toBe(3)
    }),
  )

  it('that cannot be corrected is told', () =>
    withStorage({ refuse: () => [403, 'RequestTimeTooSkewed'] }, async (storage, double) => {
      await expect(storage.put('k', bytes('1'))).rejects.toThrow(
        'RequestTimeTooSkewed: the clock of this machine differs',
      )
      expect(double.calls.length).toBe(2)
    }))
})

describe('keys', () => {
  it('may have two slashes in a row, and so may the prefix', () =>
    withStorage(
      {},
      async (storage, double) => {
        await storage.put('a//b', bytes('hello'))
        expect([...double.objects.keys()]).toEqual(['bucket//x//y/a//b'])
        expect(textOf(await storage.get('a//b'))).toBe('hello')
        expect(await storage.list('a')).toEqual([{ key: 'a//b', size: 5 }])
      },
      {},
      's3://bucket//x//y/',
    ))

  it.each([undefined, 'said', 'unsaid'] as const)('are read from an escaped list: %s', (encodes) =>
    withStorage(
      { ...(encodes && { encodes }) },
      async (storage) => {
        for (const key of ['a b+c/é%20&.x', 'a b+c/']) await storage.put(key, bytes('hello'))
        expect((await storage.list('a b+c/')).map(({ key }) => key)).toEqual([
          'a b+c/',
          'a b+c/é%20&.x',
        ])
      },
      {},
      's3://bucket/50 %25/',
    ),
  )
})

describe('the store', () => {
  const writes = ({ calls }: S3Double) => calls.map(({ operation }) => operation)

  it('proves both conditions with four writes of its first text, and with three of a later one', () =>
    withStorage({}, async (storage, double) => {
      const store = s3Store(storage)
      const first = await store.replace('state', 'one', undefined)
      expect(writes(double)).toEqual(Array(4).fill('PutObject'))
      await store.replace('state', 'two', first)
      await store.replace('other', 'one', undefined)
      expect(double.calls.length).toBe(6)
      const found = await s3Store(storage).read('state')
      const later = await s3Store(storage).replace('state', 'three', found?.version)
      expect(double.calls.length).toBe(10)
      expect(await store.read('state')).toEqual({ text: 'three', version: later })
    }))

  it.each([
    ['if-none-match', 'ignores If-None-Match', undefined],
    ['if-none-match', 'ignores If-None-Match', 'there'],
    ['if-match', 'ignores If-Match', undefined],
    ['if-match', 'ignores If-Match', 'there'],
  ] as const)('refuses a service that ignores %s: %s', (header, why, before) =>
    withStorage({ ignores: [header] }, async (storage, double) => {
      const store = s3Store(storage)
      if (before !== undefined) double.put('exports/state', before)
      const found = await store.read('state')
      await expect(store.replace('state', 'one', found?.version)).rejects.toMatchObject({
        _tag: 'UnusableDestination',
        message: expect.stringContaining(why),
      })
      expect(double.objects.has('bucket/exports/state')).toBe(before !== undefined)
    }),
  )

  it('refuses a service without conditional writes at once', () =>
    withStorage(
      {
        refuse: ({ headers }) =>
          headers['if-none-match'] === undefined
            ? undefined
            : [501, 'NotImplemented', 'A header you provided implies functionality.'],
      },
      async (storage, double) => {
        await expect(s3Store(storage).replace('state', 'one', undefined)).rejects.toMatchObject({
          _tag: 'UnusableDestination',
          message: expect.stringContaining(
            'does not implement conditional writes (A header you provided implies functionality)',
          ),
        })
        expect(double.calls.length).toBe(1)
      },
    ))

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

  const named = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_REGION']

  it('is reached where each variable has the line end of a mounted secret', async () => {
    const double = await s3Double()
    const env = Object.fromEntries(
      Object.entries(double.env).map(([name, value]) => [name, `${value}\n`]),
    )
    const location = await s3Location('s3://bucket/', processEnvironment(env))
    const storage = new ObjectStorage(location, { timer: idleClock })
    await storage.put('k', bytes('1'))
    expect(double.objects.size).toBe(1)
    await double.close()
  })

  it.each(named)('names a variable with another control character: %s', async (name) => {
    const env = Object.fromEntries(named.map((one) => [one, 'top-secret']))
    for (const character of ['\n\n', '\t', '\0', '\nx']) {
      const variables = { ...env, [name]: `top-secret${character}` }
      const opening = s3Location('s3://bucket/', processEnvironment(variables))
      const error = await opening.catch((error: unknown) => error)
      expect(error).toMatchObject({
        _tag: 'UnusablePath',
        message: `s3://bucket/ cannot be reached: ${name} should be text without control characters`,
      })
    }
  })

  it.each(['accessKeyId', 'secretAccessKey', 'sessionToken', 'region'])(
    'with a control character in its %s, from a provider, is refused without showing it',
    async (name) => {
      const env = Object.fromEntries(named.map((one) => [one, 'top-secret']))
      const location = await s3Location('s3://bucket/', processEnvironment(env))
      const bad = { [name]: 'top-secret\n\u0000' }
      const storage = new ObjectStorage(
        {
          ...location,
          ...(name === 'region' ? { region: 'top-secret\n' } : {}),
          credentials: async () => ({ ...(await location.credentials()), ...bad }),
        },
        { timer: idleClock, fetch: async () => new Response() },
      )
      const error = await storage.put('k', bytes('1')).catch((error: unknown) => error)
      expect(inspect(error)).not.toContain('top-secret')
    },
  )

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
      url: 'https://minio.example/bucket/',
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
    ['s3://bucket/./', 'should be s3://BUCKET/ or s3://BUCKET/PREFIX/'],
    ['s3://bucket/', 'needs a region: set AWS_REGION'],
  ])('%s is refused', async (url, why) => {
    await expect(location(url, {})).rejects.toMatchObject({
      _tag: 'UnusablePath',
      message: `${url} ${why}`,
    })
  })

  it.each([
    [{ AWS_USE_FIPS_ENDPOINT: 'yes' }, 'needs true or false in AWS_USE_FIPS_ENDPOINT'],
    [{ AWS_SERVER_SIDE_ENCRYPTION: 'sse-c' }, 'in AWS_SERVER_SIDE_ENCRYPTION: AES256, aws:kms'],
    [
      { AWS_SERVER_SIDE_ENCRYPTION: 'AES256', AWS_SSE_KMS_KEY_ID: 'arn:key' },
      'the last two with AWS_SSE_KMS_KEY_ID',
    ],
    [
      { AWS_ENDPOINT_URL: 'https://minio.example', AWS_USE_FIPS_ENDPOINT: 'true' },
      'has its own endpoint: unset AWS_USE_FIPS_ENDPOINT',
    ],
  ])('with %o is refused', async (env, why) => {
    await expect(
      location('s3://bucket/', { AWS_REGION: 'eu-west-1', ...env }),
    ).rejects.toMatchObject({ _tag: 'UnusablePath', message: expect.stringContaining(why) })
  })

  it.each([
    ['s3://AKIA:a/secret+key@bucket/p/', {}, 's3://... should be'],
    ['s3://bucket/p/?X-Amz-Signature=secret&a=/', {}, 's3://... should be'],
    ['s3://bucket/', { AWS_ENDPOINT_URL_S3: 'https://a:secret@host' }, 'without user and password'],
    ['s3://bucket/', { AWS_ENDPOINT_URL: 'http://secret@host' }, 'without user and password'],
    ['s3://bucket/', { AWS_ENDPOINT_URL: 'secret' }, 'needs an endpoint URL'],
  ])('with a secret is refused, and the secret is not repeated: %s %o', async (url, env, why) => {
    const error = await location(url, { AWS_REGION: 'eu-west-1', ...env }).catch((e) => e)
    expect(error).toMatchObject({ _tag: 'UnusablePath', message: expect.stringContaining(why) })
    expect(inspect(error, { depth: 9 })).not.toContain('secret')
  })
})

describe('a refusal of the service', () => {
  const operations: ReadonlyArray<readonly [string, (storage: ObjectStorage) => Promise<unknown>]> =
    [
      ['get', (storage) => storage.get('a')],
      ['put', (storage) => storage.put('a', bytes('x'))],
      ['put, if absent', (storage) => storage.put('a', bytes('x'), 'absent')],
      ['copy', (storage) => storage.copy('a', 'b', 1)],
      ['remove', (storage) => storage.remove('a')],
      ['list', (storage) => storage.list('')],
      ['beginUpload', (storage) => storage.beginUpload('a')],
      ['copyPart', (storage) => storage.copyPart({ key: 'a', id: '1' }, 1, 'b')],
      [
        'completeUpload',
        (storage) => storage.completeUpload({ key: 'a', id: '1' }, [{ number: 1, etag: '"x"' }], 1),
      ],
      ['abortUpload', (storage) => storage.abortUpload({ key: 'a', id: '1' })],
      ['uploads', (storage) => storage.uploads('')],
    ]

  it.each(operations)('is never taken for success: %s', (_, operate) =>
    withStorage({ refuse: () => [400, 'InvalidRequest'] }, async (storage) => {
      await expect(operate(storage)).rejects.toThrow('InvalidRequest')
    }),
  )

  it('needs action where its status refuses, whatever its code', () =>
    withStorage({ refuse: () => [400, 'InvalidBucketState'] }, async (storage) => {
      const refused = storage.put('a', bytes('x'))
      await expect(refused).rejects.toMatchObject({ code: 'HTTP 400 InvalidBucketState' })
      await expect(refused).rejects.toSatisfy((error: ExportError) => !isRetryable(error))
    }))
})
