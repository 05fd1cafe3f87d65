/**
 * A strict, small double of S3 in path style: objects, listings and multipart uploads in memory, checked signatures (AWS
 * Signature Version 4), conditional writes, MD5 ETags, the 5 MiB rule for parts, and faults on demand.
 */
import { createHash, createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

// model

export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/**
 * - `500-after`, `reset-after`: the request has its effect, and the answer is an error, or the connection closes.
 * - `500-before`: no effect.
 * - `200-error`: no effect, and an `<Error>` in an answer that began as a success.
 * - `200-empty`, `200-empty-after`: a success without a body, before and after the effect.
 * - `slow-down`: 503 SlowDown, no effect.
 * - `cut-off`: the body of the answer stops halfway.
 * - `expired`: 400 ExpiredToken.
 */
export type S3Fault =
  | '500-after'
  | 'reset-after'
  | '500-before'
  | '200-error'
  | '200-empty'
  | '200-empty-after'
  | 'slow-down'
  | 'cut-off'
  | 'expired'

/** A request that a rule of the bucket may refuse. */
export interface S3Asked extends S3Call {
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
}

/** The response of a rule of the bucket: status, code, and message. */
export type S3Refused = readonly [status: number, code: string, message?: string]

export interface S3Call {
  /** Such as `PutObject`, `UploadPart`. */
  readonly operation: string
  readonly key: string
  /** Number of calls of this operation, including this one. */
  readonly nth: number
}

export interface S3DoubleOptions {
  readonly buckets?: ReadonlyArray<string>
  readonly region?: string
  readonly credentials?: S3Credentials
  readonly faults?: (call: S3Call) => S3Fault | undefined
  /** Time from request to response, in ms. */
  readonly latency?: number
  /** Rules of the bucket, such as a policy. */
  readonly refuse?: (asked: S3Asked) => S3Refused | undefined
  /** Conditions that it ignores. */
  readonly ignores?: ReadonlyArray<'if-match' | 'if-none-match'>
  /**
   * Its clock, in ms since 1970. Like AWS, it refuses requests whose time differs by a quarter of an hour. Default: any time is
   * accepted.
   */
  readonly clock?: () => number
  /** Escaping of keys in listings, and its announcement in the response. */
  readonly encodes?: 'said' | 'unsaid'
  /** How `If-Match` is compared: as in AWS, or as in Ceph, which knows only ETags without quotes. */
  readonly etags?: 'quoted' | 'unquoted'
  /** True if the ETag of a joined object is not a hash of its parts, as with SSE-KMS. Default `false`. */
  readonly isKms?: boolean
}

export interface S3Double {
  readonly url: string
  readonly credentials: S3Credentials
  readonly region: string
  /** The variables with which the AWS tools find it. */
  readonly env: Readonly<Record<string, string>>
  /** Objects by `bucket/key`. */
  readonly objects: ReadonlyMap<string, Buffer>
  /** Puts an object of another program into the first bucket. */
  readonly put: (key: string, body: string) => void
  /** Unfinished multipart uploads, by `bucket/key`. */
  readonly uploads: () => ReadonlyArray<string>
  readonly calls: ReadonlyArray<S3Call>
  readonly close: () => Promise<void>
}

interface StoredObject {
  readonly body: Buffer
  readonly etag: string
  readonly modified: Date
  readonly meta?: Readonly<Record<string, string>>
}

interface Upload {
  readonly name: string
  readonly parts: Map<number, StoredObject>
  readonly meta: Readonly<Record<string, string>>
}

const MIN_PART = 5 * 1_024 * 1_024

const TEST_CREDENTIALS: S3Credentials = {
  accessKeyId: 'AKIADOUBLE',
  secretAccessKey: 'double-secret-key',
}

class S3Error extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string, message = code) {
    super(message)
    this.status = status
    this.code = code
  }
}

// constructors

/** Listens on a free port of this machine. */
export const s3Double = async (options: S3DoubleOptions = {}): Promise<S3Double> => {
  const { buckets = ['bucket'], region = 'eu-west-1', credentials = TEST_CREDENTIALS } = options
  const store = new Map<string, StoredObject>()
  const uploads = new Map<string, Upload>()
  const calls: Array<S3Call> = []
  const counts = new Map<string, number>()
  let made = 0

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(request)
    const url = new URL(request.url ?? '/', 'http://s3')
    const [bucket = '', ...rest] = url.pathname.slice(1).split('/').map(decodeURIComponent)
    const key = rest.join('/')
    const name = `${bucket}/${key}`
    const query = url.searchParams
    const operation = operationOf(request, key, query)
    const nth = (counts.get(operation) ?? 0) + 1
    counts.set(operation, nth)
    const call = { operation, key, nth }
    calls.push(call)
    const fault = options.faults?.(call)
    if (options.latency !== undefined)
      await new Promise((done) => setTimeout(done, options.latency))
    if (fault === '500-before') throw new S3Error(500, 'InternalError')
    if (fault === '200-error') throw new S3Error(200, 'InternalError')
    if (fault === '200-empty') return void response.writeHead(200).end()
    if (fault === 'slow-down')
      throw new S3Error(503, 'SlowDown', 'Please reduce your request rate.')
    if (fault === 'expired') {
      throw new S3Error(400, 'ExpiredToken', 'The provided token has expired.')
    }
    if (options.clock !== undefined) {
      response.setHeader('date', new Date(options.clock()).toUTCString())
      checkTime(request, options.clock())
    }
    checkSignature(request, url, body, credentials, region)
    for (const name of options.ignores ?? []) delete request.headers[name]
    const refused = options.refuse?.({ ...call, headers: request.headers })
    if (refused !== undefined) throw new S3Error(...refused)
    const md5Sent = request.headers['content-md5']
    if (md5Sent !== undefined && md5Sent !== md5(body).toString('base64')) {
      throw new S3Error(400, 'BadDigest')
    }
    if (!buckets.includes(bucket)) throw new S3Error(404, 'NoSuchBucket')

    const answer = (
      status: number,
      headers: Record<string, string> = {},
      content: Buffer | string = '',
    ) => {
      if (fault === '500-after') throw new S3Error(500, 'InternalError')
      if (fault === 'reset-after') {
        request.socket.destroy()
        return
      }
      const bytes = Buffer.from(fault === '200-empty-after' ? '' : content)
      response.writeHead(status, {
        'content-length': String(headers['content-length'] ?? bytes.length),
        ...headers,
      })
      if (fault === 'cut-off') {
        response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () =>
          request.socket.destroy(),
        )
        return
      }
      response.end(request.method === 'HEAD' ? undefined : bytes)
    }

    switch (operation) {
      case 'CopyObject': {
        const found = store.get(sourceOf(request))
        if (found === undefined) throw new S3Error(404, 'NoSuchKey')
        store.set(name, { ...found, modified: new Date() })
        return answer(
          200,
          XML,
          `<CopyObjectResult><ETag>${escaped(found.etag)}</ETag></CopyObjectResult>`,
        )
      }
      case 'PutObject': {
        checkConditions(request, store.get(name), options.etags)
        const stored = storedOf(body)
        store.set(name, stored)
        return answer(200, { etag: stored.etag })
      }
      case 'GetObject':
      case 'HeadObject': {
        const found = store.get(name)
        if (found === undefined) throw new S3Error(404, 'NoSuchKey')
        const common = {
          ...found.meta,
          ...{ etag: found.etag, 'last-modified': found.modified.toUTCString() },
        }
        const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '')
        if (operation === 'HeadObject') {
          return answer(200, { ...common, 'content-length': String(found.body.length) })
        }
        if (range === null) return answer(200, common, found.body)
        const from = Number(range[1])
        if (from >= found.body.length) throw new S3Error(416, 'InvalidRange')
        const to = range[2]
          ? Math.min(Number(range[2]), found.body.length - 1)
          : found.body.length - 1
        const all = { ...common, 'content-range': `bytes ${from}-${to}/${found.body.length}` }
        return answer(206, all, found.body.subarray(from, to + 1))
      }
      case 'DeleteObject':
        if (request.headers['if-match'] !== undefined) checkConditions(request, store.get(name))
        store.delete(name)
        return answer(204)
      case 'ListObjectsV2':
        return answer(200, XML, listing(bucket, query, store, options.encodes))
      case 'CreateMultipartUpload': {
        const id = `upload-${++made}`
        uploads.set(id, { name, parts: new Map(), meta: metaOf(request) })
        return answer(
          200,
          XML,
          `<InitiateMultipartUploadResult><Bucket>${bucket}</Bucket><Key>${escaped(key)}</Key><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
        )
      }
      case 'UploadPartCopy': {
        const upload = uploadOf(uploads, name, query)
        const source = store.get(sourceOf(request))
        if (source === undefined) throw new S3Error(404, 'NoSuchKey')
        upload.parts.set(Number(query.get('partNumber')), source)
        return answer(
          200,
          XML,
          `<CopyPartResult><ETag>${escaped(source.etag)}</ETag></CopyPartResult>`,
        )
      }
      case 'UploadPart': {
        const upload = uploadOf(uploads, name, query)
        const part = storedOf(body)
        upload.parts.set(Number(query.get('partNumber')), part)
        return answer(200, { etag: part.etag })
      }
      case 'CompleteMultipartUpload': {
        const id = query.get('uploadId') ?? ''
        const upload = uploadOf(uploads, name, query)
        checkConditions(request, store.get(name))
        const whole = assembled(upload, body.toString())
        const etag = options.isKms === true ? `"${randomUUID()}"` : whole.etag
        const joined = { ...whole, etag, meta: upload.meta }
        store.set(name, joined)
        uploads.delete(id)
        return answer(
          200,
          XML,
          `<CompleteMultipartUploadResult><ETag>${escaped(joined.etag)}</ETag></CompleteMultipartUploadResult>`,
        )
      }
      case 'AbortMultipartUpload':
        uploadOf(uploads, name, query)
        uploads.delete(query.get('uploadId') ?? '')
        return answer(204)
      case 'ListParts': {
        const { parts } = uploadOf(uploads, name, query)
        const rows = [...parts].sort(([a], [b]) => a - b)
        return answer(
          200,
          XML,
          `<ListPartsResult><IsTruncated>false</IsTruncated>${rows.map(([number, part]) => `<Part><PartNumber>${number}</PartNumber><ETag>${escaped(part.etag)}</ETag><Size>${part.body.length}</Size></Part>`).join('')}</ListPartsResult>`,
        )
      }
      case 'ListMultipartUploads': {
        const prefix = `${bucket}/${query.get('prefix') ?? ''}`
        const open = [...uploads].filter(([, upload]) => upload.name.startsWith(prefix))
        return answer(
          200,
          XML,
          `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${open.map(([id, upload]) => `<Upload><Key>${escaped(upload.name.slice(bucket.length + 1))}</Key><UploadId>${id}</UploadId></Upload>`).join('')}</ListMultipartUploadsResult>`,
        )
      }
      default:
        throw new S3Error(405, 'MethodNotAllowed')
    }
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (response.headersSent || request.socket.destroyed) return
      const known =
        error instanceof S3Error ? error : new S3Error(500, 'InternalError', String(error))
      response.writeHead(known.status, XML)
      response.end(
        request.method === 'HEAD'
          ? undefined
          : `<?xml version="1.0"?><Error><Code>${known.code}</Code><Message>${escaped(known.message)}</Message></Error>`,
      )
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo // it listens on a port
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    credentials,
    region,
    env: {
      AWS_ENDPOINT_URL_S3: url,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    },
    get objects() {
      return new Map([...store].map(([name, { body }]) => [name, body]))
    },
    put: (key, body) => store.set(`${buckets[0]}/${key}`, storedOf(Buffer.from(body))),
    uploads: () => [...uploads.values()].map(({ name }) => name),
    calls,
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}

/** Metadata that is kept with an object. */
const metaOf = ({ headers }: IncomingMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith('x-amz-meta-') && typeof value === 'string' ? [[name, value]] : [],
    ),
  )

const XML = { 'content-type': 'application/xml' }

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const operationOf = (
  { method = 'GET', headers }: IncomingMessage,
  key: string,
  query: URLSearchParams,
): string => {
  if (key === '')
    return query.has('uploads')
      ? 'ListMultipartUploads'
      : `${method === 'GET' ? 'ListObjectsV2' : method}`
  switch (method) {
    case 'PUT':
      if (headers['x-amz-copy-source'] !== undefined) {
        return query.has('partNumber') ? 'UploadPartCopy' : 'CopyObject'
      }
      return query.has('partNumber') ? 'UploadPart' : 'PutObject'
    case 'GET':
      return query.has('uploadId') ? 'ListParts' : 'GetObject'
    case 'HEAD':
      return 'HeadObject'
    case 'DELETE':
      return query.has('uploadId') ? 'AbortMultipartUpload' : 'DeleteObject'
    case 'POST':
      return query.has('uploads') ? 'CreateMultipartUpload' : 'CompleteMultipartUpload'
    default:
      return method
  }
}

/** Name of the object that a request copies. */
const sourceOf = ({ headers }: IncomingMessage): string =>
  decodeURIComponent(String(headers['x-amz-copy-source'])).replace(/^\//, '')

// objects

const md5 = (bytes: Buffer): Buffer => createHash('md5').update(bytes).digest()

const storedOf = (body: Buffer): StoredObject => ({
  body,
  etag: `"${md5(body).toString('hex')}"`,
  modified: new Date(),
})

const checkConditions = (
  { headers }: IncomingMessage,
  found: StoredObject | undefined,
  etags: S3DoubleOptions['etags'] = 'quoted',
): void => {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers
  if (ifNoneMatch === '*' && found !== undefined) throw new S3Error(412, 'PreconditionFailed')
  if (ifMatch === undefined) return
  if (found === undefined) throw new S3Error(404, 'NoSuchKey')
  const etag = etags === 'quoted' ? found.etag : found.etag.replaceAll('"', '')
  if (ifMatch !== etag) throw new S3Error(412, 'PreconditionFailed')
}

const uploadOf = (
  uploads: ReadonlyMap<string, Upload>,
  name: string,
  query: URLSearchParams,
): Upload => {
  const upload = uploads.get(query.get('uploadId') ?? '')
  if (upload === undefined || upload.name !== name) throw new S3Error(404, 'NoSuchUpload')
  return upload
}

const assembled = ({ parts }: Upload, order: string): StoredObject => {
  const named = [...order.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => ({
    number: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
    etag: /<ETag>(.*?)</.exec(part)?.[1]?.replaceAll('&quot;', '"').replaceAll('"', ''),
  }))
  if (named.length === 0) throw new S3Error(400, 'MalformedXML')
  const chosen = named.map(({ number, etag }, i) => {
    const part = parts.get(number)
    if (part === undefined || part.etag !== `"${etag}"`) throw new S3Error(400, 'InvalidPart')
    if (i > 0 && number <= (named[i - 1]?.number ?? 0)) throw new S3Error(400, 'InvalidPartOrder')
    if (i < named.length - 1 && part.body.length < MIN_PART)
      throw new S3Error(400, 'EntityTooSmall')
    return part
  })
  const digest = md5(Buffer.concat(chosen.map(({ body }) => md5(body)))).toString('hex')
  return {
    body: Buffer.concat(chosen.map(({ body }) => body)),
    etag: `"${digest}-${chosen.length}"`,
    modified: new Date(),
  }
}

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

const listing = (
  bucket: string,
  query: URLSearchParams,
  store: ReadonlyMap<string, StoredObject>,
  encodes: S3DoubleOptions['encodes'],
): string => {
  const shown = (key: string): string =>
    encodes === undefined
      ? escaped(key)
      : encodeURIComponent(key).replaceAll('%2F', '/').replaceAll('%20', '+')
  const prefix = query.get('prefix') ?? ''
  const after = query.get('continuation-token') ?? ''
  const most = Number(query.get('max-keys') ?? 1_000)
  const keys = [...store.keys()]
    .filter((name) => name.startsWith(`${bucket}/${prefix}`))
    .map((name) => name.slice(bucket.length + 1))
    .filter((key) => key > after)
    .sort()
  const page = keys.slice(0, most)
  const more = keys.length > page.length
  const rows = page.map((key) => {
    const found = store.get(`${bucket}/${key}`)
    return `<Contents><Key>${shown(key)}</Key><Size>${found?.body.length}</Size><ETag>${escaped(found?.etag ?? '')}</ETag><LastModified>${found?.modified.toISOString()}</LastModified></Contents>`
  })
  const token = more
    ? `<NextContinuationToken>${escaped(page.at(-1) ?? '')}</NextContinuationToken>`
    : ''
  return `<?xml version="1.0"?><ListBucketResult>${encodes === 'said' ? '<EncodingType>url</EncodingType>' : ''}<IsTruncated>${more}</IsTruncated>${token}<KeyCount>${page.length}</KeyCount>${rows.join('')}</ListBucketResult>`
}

// signatures

/** Checks that a request was signed within a quarter of an hour. */
const checkTime = ({ headers }: IncomingMessage, now: number): void => {
  const [, date = '', time = ''] = /^(\d{8})T(\d{6})Z$/.exec(String(headers['x-amz-date'])) ?? []
  const sent = Date.UTC(
    ...([Number(date.slice(0, 4)), Number(date.slice(4, 6)) - 1, Number(date.slice(6))] as const),
    ...([Number(time.slice(0, 2)), Number(time.slice(2, 4)), Number(time.slice(4))] as const),
  )
  if (Math.abs(now - sent) <= 900_000) return
  const why = 'The difference between the request time and the current time is too large.'
  throw new S3Error(403, 'RequestTimeTooSkewed', why)
}

/** Checks the signature of a request by computing it again (AWS Signature Version 4). */
const checkSignature = (
  { method = 'GET', headers }: IncomingMessage,
  url: URL,
  body: Buffer,
  credentials: S3Credentials,
  region: string,
): void => {
  const given =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    )
  if (given === null) throw new S3Error(403, 'AccessDenied')
  const [, keyId, date = '', scope, signedHeaders = '', signature] = given
  if (keyId !== credentials.accessKeyId) throw new S3Error(403, 'InvalidAccessKeyId')
  if (scope !== region) {
    throw new S3Error(
      400,
      'AuthorizationHeaderMalformed',
      `the region '${scope}' is wrong; expecting '${region}'`,
    )
  }
  if (
    credentials.sessionToken !== undefined &&
    headers['x-amz-security-token'] !== credentials.sessionToken
  ) {
    throw new S3Error(403, 'InvalidToken')
  }
  const payload = String(headers['x-amz-content-sha256'])
  const actual = createHash('sha256').update(body).digest('hex')
  if (payload !== 'UNSIGNED-PAYLOAD' && payload !== actual) {
    throw new S3Error(400, 'XAmzContentSHA256Mismatch')
  }
  const query = [...url.searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&')
  const canonical = [
    method,
    url.pathname
      .split('/')
      .map((part) => encode(decodeURIComponent(part)))
      .join('/'),
    query,
    ...signedHeaders.split(';').map(
      (name) =>
        `${name}:${String(headers[name] ?? '')
          .trim()
          .replace(/ +/g, ' ')}`,
    ),
    '',
    signedHeaders,
    payload,
  ].join('\n')
  const time = String(headers['x-amz-date'])
  const text = [
    'AWS4-HMAC-SHA256',
    time,
    `${date}/${region}/s3/aws4_request`,
    createHash('sha256').update(canonical).digest('hex'),
  ].join('\n')
  const hmac = (key: Buffer | string, value: string) =>
    createHmac('sha256', key).update(value).digest()
  const signing = [region, 's3', 'aws4_request'].reduce(
    hmac,
    hmac(`AWS4${credentials.secretAccessKey}`, date),
  )
  if (hmac(signing, text).toString('hex') !== signature)
    throw new S3Error(403, 'SignatureDoesNotMatch')
}

const encode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
