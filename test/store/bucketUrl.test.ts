/** Hosts of buckets, beside those that the AWS SDK asks. */
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { bucketUrl } from '../../src/store/bucketUrl.js'

const REGIONS = [
  ...['us-east-1', 'eu-west-1', 'us-gov-west-1', 'cn-north-1', 'cn-northwest-1', 'eusc-de-east-1'],
  ...['us-iso-east-1', 'us-isob-east-1', 'eu-isoe-west-1', 'us-isof-south-1', 'xx-later-1'],
  ...['fips-us-gov-west-1', 'us-east-2-fips'],
]

/** Resolves with the URL that the SDK asks for a key, up to that key; undefined where it refuses. */
const ofSdk = async (
  bucket: string,
  region: string,
  isFips: boolean,
  isDualStack: boolean,
): Promise<string | undefined> => {
  let url: string | undefined
  const client = new S3Client({
    ...{ region, useFipsEndpoint: isFips, useDualstackEndpoint: isDualStack },
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    requestHandler: {
      handle: async ({ hostname, path }: { hostname: string; path: string }) => {
        url = `https://${hostname}${path.replace(/key$/, '')}`
        throw new Error('noted')
      },
    },
    maxAttempts: 1,
  })
  await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'key' })).catch(() => {})
  return url
}

describe('the URL of a bucket', () => {
  it.each(REGIONS)('in %s is that of the SDK, with FIPS and dual-stack', async (region) => {
    for (const isFips of [false, true]) {
      for (const isDualStack of [false, true]) {
        for (const bucket of ['lake', 'lake.example.com']) {
          const found = bucketUrl({ bucket, region, isFips, isDualStack })
          const url = 'url' in found ? found.url : undefined
          expect(url).toBe(await ofSdk(bucket, region, isFips, isDualStack))
        }
      }
    }
  })

  it.each([
    ['https://minio.example:9000', false, 'https://minio.example:9000/lake/'],
    ['https://minio.example:9000/', true, 'https://lake.minio.example:9000/'],
    ['https://gateway.example/s3', false, 'https://gateway.example/s3/lake/'],
  ])('at %s, virtual-hosted: %s', (endpoint, isVirtual, url) => {
    const region = 'us-east-1'
    expect(bucketUrl({ bucket: 'lake', region, endpoint, isVirtual })).toEqual({ url })
  })

  it.each([
    [{ endpoint: 'http://127.0.0.1:9000', isVirtual: true }, 'AWS_VIRTUAL_HOSTED_STYLE_REQUEST'],
    [{ endpoint: 'https://minio.example', isFips: true }, 'AWS_USE_FIPS_ENDPOINT'],
    [{ endpoint: 'https://minio.example', isDualStack: true }, 'AWS_USE_DUALSTACK_ENDPOINT'],
    [{ region: 'cn-north-1', isFips: true }, 'AWS_USE_FIPS_ENDPOINT'],
    [{ region: 'evil.example/#' }, 'AWS_REGION'],
  ])('is refused for %o, with the variable to change', (address, variable) => {
    expect(bucketUrl({ bucket: 'lake', region: 'us-east-1', ...address })).toEqual({
      why: expect.stringContaining(variable),
    })
  })
})
