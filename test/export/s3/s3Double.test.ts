/** The double of S3, held to the AWS SDK's own client. */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { expect, it } from 'vitest'
import { type S3DoubleOptions, s3Double } from '../../../bench/services/s3Double.js'

const Bucket = 'bucket'

const withDouble = async (
  options: S3DoubleOptions,
  test: (client: S3Client, double: Awaited<ReturnType<typeof s3Double>>) => Promise<void>,
  override: object = {},
) => {
  const double = await s3Double(options)
  const { url: endpoint, region, credentials } = double
  const client = new S3Client({
    ...{ endpoint, region, credentials, forcePathStyle: true, maxAttempts: 1 },
    ...{ requestChecksumCalculation: 'WHEN_REQUIRED', responseChecksumValidation: 'WHEN_REQUIRED' },
    ...override,
  })
  try {
    await test(client, double)
  } finally {
    client.destroy()
    await double.close()
  }
}

const named = (name: string) => expect.objectContaining({ name })

it('keeps, reads, lists and deletes objects', () =>
  withDouble({}, async (client) => {
    const Key = 'a folder/naïve+file (1).txt'
    const { ETag } = await client.send(new PutObjectCommand({ Bucket, Key, Body: 'hello' }))
    expect(ETag).toBe('"5d41402abc4b2a76b9719d911017c592"')
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }))
    expect(await Body?.transformToString()).toBe('hello')
    const part = await client.send(new GetObjectCommand({ Bucket, Key, Range: 'bytes=1-2' }))
    expect(await part.Body?.transformToString()).toBe('el')
    expect((await client.send(new HeadObjectCommand({ Bucket, Key }))).ContentLength).toBe(5)
    const { Contents } = await client.send(
      new ListObjectsV2Command({ Bucket, Prefix: 'a folder/' }),
    )
    expect(Contents?.map(({ Key, Size }) => [Key, Size])).toEqual([[Key, 5]])
    const CopySource = `${Bucket}/${encodeURIComponent(Key)}`
    await client.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource }))
    const copy = await client.send(new GetObjectCommand({ Bucket, Key: 'copy' }))
    expect(await copy.Body?.transformToString()).toBe('hello')
    await client.send(new DeleteObjectCommand({ Bucket, Key }))
    await expect(client.send(new GetObjectCommand({ Bucket, Key }))).rejects.toEqual(
      named('NoSuchKey'),
    )
  }))

it('lists page by page', () =>
  withDouble({}, async (client) => {
    for (const Key of ['a', 'b', 'c'])
      await client.send(new PutObjectCommand({ Bucket, Key, Body: Key }))
    const first = await client.send(new ListObjectsV2Command({ Bucket, MaxKeys: 2 }))
    const ContinuationToken = first.NextContinuationToken
    const second = await client.send(
      new ListObjectsV2Command({ Bucket, MaxKeys: 2, ContinuationToken }),
    )
    expect([...(first.Contents ?? []), ...(second.Contents ?? [])].map(({ Key }) => Key)).toEqual([
      'a',
      'b',
      'c',
    ])
  }))

it('refuses a conditional write whose condition does not hold', () =>
  withDouble({}, async (client) => {
    const put = (Body: string, condition: object) =>
      client.send(new PutObjectCommand({ Bucket, Key: 'k', Body, ...condition }))
    const { ETag } = await put('1', { IfNoneMatch: '*' })
    await expect(put('2', { IfNoneMatch: '*' })).rejects.toEqual(named('PreconditionFailed'))
    await put('3', { IfMatch: ETag })
    await expect(put('4', { IfMatch: ETag })).rejects.toEqual(named('PreconditionFailed'))
  }))

it('assembles multipart uploads, whose parts but the last have 5 MiB', () =>
  withDouble({}, async (client, double) => {
    const Key = 'large'
    const upload = async (sizes: ReadonlyArray<number>) => {
      const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }))
      const Parts = []
      for (const [i, size] of sizes.entries()) {
        const PartNumber = i + 1
        const Body = Buffer.alloc(size, PartNumber)
        const { ETag } = await client.send(
          new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }),
        )
        Parts.push({ PartNumber, ETag })
      }
      const listed = await client.send(new ListPartsCommand({ Bucket, Key, UploadId }))
      expect(listed.Parts?.map(({ Size }) => Size)).toEqual(sizes)
      return { Bucket, Key, UploadId, MultipartUpload: { Parts } }
    }
    const MiB = 1_024 * 1_024
    const good = await upload([5 * MiB, 10])
    const { ETag } = await client.send(new CompleteMultipartUploadCommand(good))
    expect(ETag).toMatch(/^"[0-9a-f]{32}-2"$/)
    expect(double.objects.get('bucket/large')?.length).toBe(5 * MiB + 10)

    const small = await upload([MiB, 10])
    await expect(client.send(new CompleteMultipartUploadCommand(small))).rejects.toEqual(
      named('EntityTooSmall'),
    )
    const open = await client.send(new ListMultipartUploadsCommand({ Bucket }))
    expect(open.Uploads?.map(({ UploadId }) => UploadId)).toEqual([small.UploadId])
    await client.send(new AbortMultipartUploadCommand(small))
    expect(double.uploads()).toEqual([])
  }))

it('copies objects as parts of another', () =>
  withDouble({}, async (client, double) => {
    const Key = 'whole'
    await client.send(new PutObjectCommand({ Bucket, Key: 'a piece', Body: 'hello' }))
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }))
    const { CopyPartResult } = await client.send(
      new UploadPartCopyCommand({
        ...{ Bucket, Key, UploadId, PartNumber: 1, CopySource: `${Bucket}/a%20piece` },
      }),
    )
    const Parts = [{ PartNumber: 1, ETag: CopyPartResult?.ETag }]
    await client.send(
      new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }),
    )
    expect(double.objects.get('bucket/whole')?.toString()).toBe('hello')
  }))

it.each([
  ['InvalidAccessKeyId', { credentials: { accessKeyId: 'other', secretAccessKey: 'x' } }],
  ['SignatureDoesNotMatch', { credentials: { accessKeyId: 'AKIADOUBLE', secretAccessKey: 'x' } }],
  ['AuthorizationHeaderMalformed', { region: 'us-east-1' }],
])('refuses with %s', (name, override) =>
  withDouble(
    {},
    async (client) => {
      const put = client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: '1' }))
      await expect(put).rejects.toEqual(named(name))
    },
    override,
  ),
)

it('has its effect although the answer is lost', () =>
  withDouble({ faults: () => '500-after' }, async (client, double) => {
    const put = client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: '1' }))
    await expect(put).rejects.toEqual(named('InternalError'))
    expect([...double.objects.keys()]).toEqual(['bucket/k'])
  }))
