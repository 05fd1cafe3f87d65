/** Whole objects in an S3-compatible bucket, by signed requests. */
import { createHash } from 'node:crypto'
import { AwsClient } from 'aws4fetch'
import { asyncScheduler, defer, firstValueFrom, from, type SchedulerLike } from 'rxjs'
import { defined, E, type IO, O } from '../fp.js'
import { exponential, type Millis, retry } from '../stream/index.js'
import type { S3Credentials, S3Location } from './S3Location.js'
import { type StoreError, storeError } from './StoreError.js'

// model

export interface ObjectStorageOptions {
  /** Default: that of the platform. */
  readonly fetch?: typeof fetch
  readonly timer?: SchedulerLike
  /** A number from 0 up to, but not including, 1. Default `Math.random`. */
  readonly random?: IO<number>
  /** Bounds one request, its body included, in ms. Default 60,000: a part of 64 MiB at 10 Mbit/s. */
  readonly timeout?: Millis
}

/** An object in a listing. */
export interface StoredObject {
  readonly key: string
  /** In bytes. */
  readonly size: number
}

/** The content of an object, and its version. */
export interface ObjectContent {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly etag: string
}

/** Makes a write conditional. `absent`: there is no such object yet. */
export type Condition = { readonly etag: string } | 'absent'

/** A part of a multipart upload, as its completion names it. */
export interface UploadedPart {
  readonly number: number
  readonly etag: string
}

/** An unfinished multipart upload. */
export interface Upload {
  readonly key: string
  readonly id: string
}

/**
 * The objects below one prefix of a bucket; keys are relative to it. Faults of the service and the network are tried
 * again; what stays is a `StoreError` that says what to do.
 */
export interface ObjectStorage {
  /** Reads an object, or some bytes of it (`to` is not included); undefined if there are none. */
  readonly get: (
    key: string,
    range?: { readonly from: number; readonly to: number },
  ) => Promise<ObjectContent | undefined>
  /** Writes an object in one step. Resolves with its ETag, or with undefined if the condition does not hold. */
  readonly put: (
    key: string,
    bytes: Uint8Array<ArrayBuffer>,
    condition?: Condition,
  ) => Promise<string | undefined>
  /** Copies an object, without a transfer to here. */
  readonly copy: (from: string, to: string) => Promise<void>
  /** Removes an object, if it is there. */
  readonly remove: (key: string) => Promise<void>
  /** Lists the objects below a prefix, in the order of their keys. */
  readonly list: (prefix: string) => Promise<ReadonlyArray<StoredObject>>
  readonly beginUpload: (key: string) => Promise<Upload>
  /** Writes a part, numbered from 1; all but the last have at least 5 MiB. */
  readonly uploadPart: (
    upload: Upload,
    number: number,
    bytes: Uint8Array<ArrayBuffer>,
  ) => Promise<UploadedPart>
  /** Takes a whole object as a part, without a transfer to here. */
  readonly copyPart: (upload: Upload, number: number, key: string) => Promise<UploadedPart>
  /** Makes the object of the parts, in one step. */
  readonly completeUpload: (upload: Upload, parts: ReadonlyArray<UploadedPart>) => Promise<void>
  /** Drops an upload and its parts, if it is there. */
  readonly abortUpload: (upload: Upload) => Promise<void>
  /** Lists the unfinished uploads below a prefix. */
  readonly uploads: (prefix: string) => Promise<ReadonlyArray<Upload>>
  /** Name of a key in messages: `s3://bucket/prefix/key`. */
  readonly nameOf: (key: string) => string
}

/** Attempts of a request after its first, with pauses from half a second up to 16 s: half a minute. */
const RETRIES = { first: 500, cap: 16_000, repeats: 6 }

interface Call {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  readonly key: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer> | string
}

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Why a request did not succeed. */
interface Refusal {
  /** The code of the service, such as `NoSuchBucket`, or of the system, such as `ECONNREFUSED`. */
  readonly code: string
  readonly status?: number
  readonly isTransient: boolean
}

// constructors

/** Opens nothing: requests are sent by the methods. */
export const objectStorage = (
  location: S3Location,
  options: ObjectStorageOptions = {},
): ObjectStorage => {
  const { bucket, prefix, region } = location
  const { timer = asyncScheduler, random = Math.random, timeout = 60_000 } = options
  const fetched = options.fetch ?? fetch
  const backoff = exponential({ ...RETRIES, random })
  const base = baseOf(location)
  const nameOf = (key: string): string => `s3://${bucket}/${prefix}${key}`
  let credentials: Promise<S3Credentials> | undefined

  const signed = async ({
    method,
    key,
    query = {},
    headers = {},
    body,
  }: Call): Promise<Request> => {
    credentials ??= location.credentials()
    const client = new AwsClient({ ...(await credentials), region, service: 's3', retries: 0 })
    const url = new URL(`${base}${encodeKey(key)}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    return client.sign(url.href, { method, headers, ...defined({ body }) })
  }

  const attempt = async (call: Call): Promise<E.Either<Refusal, Answer>> => {
    const request = await signed(call)
    const late = new AbortController()
    const waiting = timer.schedule(() => late.abort(), timeout)
    try {
      const response = await fetched(request, { signal: late.signal })
      const bytes = new Uint8Array(await response.arrayBuffer())
      const { status, headers, ok } = response
      // the answer to a completion begins with 200, before it is known how that ends
      const isLateError =
        ok && call.method === 'POST' && textOf(decoded(bytes), 'Error') !== undefined
      if (ok && !isLateError)
        return checkedLength({ status, headers, bytes }, call.method === 'HEAD')
      const refusal = refusalOf(ok ? 500 : status, decoded(bytes))
      // those of a role end after an hour or less; the next attempt asks for new ones
      if (EXPIRED.includes(refusal.code)) credentials = undefined
      return E.left(refusal)
    } catch (error) {
      return E.left({ code: systemCode(error), isTransient: true })
    } finally {
      waiting.unsubscribe()
    }
  }

  const send = (call: Call): Promise<E.Either<Refusal, Answer>> => {
    let renewed = false
    return firstValueFrom(
      defer(() => from(attempt(call))).pipe(
        retry<Refusal>((refusal, number) => {
          if (EXPIRED.includes(refusal.code) && !renewed) {
            renewed = true
            return O.some(0)
          }
          return refusal.isTransient ? backoff(number) : O.none
        }, timer),
      ),
    )
  }

  const orThrow = (call: Call, expected: (refusal: Refusal) => boolean = () => false) =>
    send(call).then((answer) => {
      if (E.isRight(answer)) return answer.right
      if (expected(answer.left)) return undefined
      throw refused(call, nameOf(call.key.slice(prefix.length)), answer.left)
    })

  /** Reads all pages of a listing: `next` reads from one page how the next is asked for. */
  const pages = async (
    query: Readonly<Record<string, string>>,
    next: (xml: string) => Readonly<Record<string, string>>,
  ): Promise<ReadonlyArray<string>> => {
    const all: Array<string> = []
    for (let more: Readonly<Record<string, string>> | undefined = {}; more !== undefined; ) {
      const answer: Answer | undefined = await orThrow({
        method: 'GET',
        key: '',
        query: { ...query, ...more },
      })
      const xml = decoded(answer?.bytes)
      all.push(xml)
      more = textOf(xml, 'IsTruncated') === 'true' ? next(xml) : undefined
    }
    return all
  }

  return {
    nameOf,
    get: async (key, range) => {
      const call: Call = {
        method: 'GET',
        key: prefix + key,
        ...(range === undefined
          ? {}
          : { headers: { range: `bytes=${range.from}-${range.to - 1}` } }),
      }
      const answer = await orThrow(
        call,
        ({ code, status }) => code === 'NoSuchKey' || status === 416,
      )
      return answer && { bytes: answer.bytes, etag: answer.headers.get('etag') ?? '' }
    },
    put: async (key, body, condition) => {
      const headers =
        condition === undefined
          ? {}
          : condition === 'absent'
            ? { 'if-none-match': '*' }
            : { 'if-match': condition.etag }
      const answer = await orThrow(
        { method: 'PUT', key: prefix + key, headers, body },
        // 409: another conditional write of the same key was under way; 404: it was removed meanwhile
        ({ status, code }) =>
          status === 412 ||
          code === 'ConditionalRequestConflict' ||
          (code === 'NoSuchKey' && condition !== undefined),
      )
      return answer && (answer.headers.get('etag') ?? '')
    },
    copy: async (source, key) => {
      const headers = { 'x-amz-copy-source': `/${bucket}/${encodeKey(prefix + source)}` }
      await orThrow({ method: 'PUT', key: prefix + key, headers })
    },
    remove: async (key) => {
      await orThrow({ method: 'DELETE', key: prefix + key }, ({ code }) => code === 'NoSuchKey')
    },
    list: async (below) => {
      const all = await pages({ 'list-type': '2', prefix: prefix + below }, (xml) => ({
        'continuation-token': textOf(xml, 'NextContinuationToken') ?? '',
      }))
      return all.flatMap((xml) =>
        elements(xml, 'Contents').map((row) => ({
          key: (textOf(row, 'Key') ?? '').slice(prefix.length),
          size: Number(textOf(row, 'Size')),
        })),
      )
    },
    beginUpload: async (key) => {
      const answer = await orThrow({ method: 'POST', key: prefix + key, query: { uploads: '' } })
      const id = textOf(decoded(answer?.bytes), 'UploadId') ?? ''
      return { key, id }
    },
    uploadPart: async ({ key, id }, number, body) => {
      const query = { partNumber: String(number), uploadId: id }
      const answer = await orThrow({ method: 'PUT', key: prefix + key, query, body })
      return { number, etag: answer?.headers.get('etag') ?? '' }
    },
    copyPart: async ({ key, id }, number, source) => {
      const query = { partNumber: String(number), uploadId: id }
      const headers = { 'x-amz-copy-source': `/${bucket}/${encodeKey(prefix + source)}` }
      const answer = await orThrow({ method: 'PUT', key: prefix + key, query, headers })
      return { number, etag: textOf(decoded(answer?.bytes), 'ETag') ?? '' }
    },
    completeUpload: async ({ key, id }, parts) => {
      const rows = parts.map(
        ({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`,
      )
      const body = `<CompleteMultipartUpload>${rows.join('')}</CompleteMultipartUpload>`
      const call: Call = { method: 'POST', key: prefix + key, query: { uploadId: id }, body }
      const done = await orThrow(call, ({ code }) => code === 'NoSuchUpload')
      if (done !== undefined) return
      // it was completed by an attempt whose answer was lost, or it is gone
      const found = await send({ method: 'HEAD', key: prefix + key })
      if (E.isRight(found) && found.right.headers.get('etag') === joinedEtag(parts)) return
      throw refused(call, nameOf(key), { code: 'NoSuchUpload', isTransient: false })
    },
    abortUpload: async ({ key, id }) => {
      await orThrow(
        { method: 'DELETE', key: prefix + key, query: { uploadId: id } },
        ({ code }) => code === 'NoSuchUpload',
      )
    },
    uploads: async (below) => {
      const all = await pages({ uploads: '', prefix: prefix + below }, (xml) => ({
        'key-marker': textOf(xml, 'NextKeyMarker') ?? '',
        'upload-id-marker': textOf(xml, 'NextUploadIdMarker') ?? '',
      }))
      return all.flatMap((xml) =>
        elements(xml, 'Upload').map((row) => ({
          key: (textOf(row, 'Key') ?? '').slice(prefix.length),
          id: textOf(row, 'UploadId') ?? '',
        })),
      )
    },
  }
}

/** URL of the bucket, with a slash at its end. Own endpoints and names with dots need the bucket in the path. */
const baseOf = ({ endpoint, bucket, region }: S3Location): string =>
  endpoint === undefined && !bucket.includes('.')
    ? `https://${bucket}.s3.${region}.amazonaws.com/`
    : `${(endpoint ?? `https://s3.${region}.amazonaws.com`).replace(/\/+$/, '')}/${bucket}/`

/** Every byte that is not unreserved is escaped, as signatures have it; slashes stay. */
const encodeKey = (key: string): string =>
  encodeURIComponent(key)
    .replaceAll('%2F', '/')
    .replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

/** ETag of an object that was made of parts: the MD5 of their MD5s. */
const joinedEtag = (parts: ReadonlyArray<UploadedPart>): string => {
  const md5s = parts.map(({ etag }) => etag.replaceAll('"', '')).join('')
  return `"${createHash('md5').update(md5s, 'hex').digest('hex')}-${parts.length}"`
}

// answers

const decoded = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes)

const EXPIRED: ReadonlyArray<string> = ['ExpiredToken', 'ExpiredTokenException', 'RequestExpired']

/** A body that ends early without an error of the connection. */
const checkedLength = (answer: Answer, isHead: boolean): E.Either<Refusal, Answer> => {
  const length = answer.headers.get('content-length')
  return length === null || isHead || Number(length) === answer.bytes.length
    ? E.right(answer)
    : E.left({ code: 'IncompleteBody', isTransient: true })
}

const refusalOf = (status: number, xml: string): Refusal => {
  const code = textOf(xml, 'Code') ?? `HTTP ${status}`
  const isTransient = status >= 500 || status === 429 || status === 408 || code === 'RequestTimeout'
  return { code, status, isTransient }
}

const systemCode = (error: unknown): string => {
  const { code, cause, name } = Object(error)
  const inner = Object(cause).code
  return [code, inner, name].find((text): text is string => typeof text === 'string') ?? 'unknown'
}

/** Advice for a refusal, by its code. */
const ADVICE: Readonly<Record<string, string>> = {
  NoSuchBucket: 'create the bucket, or correct its name',
  AccessDenied:
    'the credentials need s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket there',
  InvalidAccessKeyId: 'check AWS_ACCESS_KEY_ID',
  SignatureDoesNotMatch: 'check AWS_SECRET_ACCESS_KEY',
  AuthorizationHeaderMalformed: 'check AWS_REGION: the bucket is in another region',
  PermanentRedirect: 'check AWS_REGION: the bucket is in another region',
  ExpiredToken: 'renew the credentials, and run the same command again',
  SlowDown: 'the storage is overloaded: run the same command again later',
  ENOTFOUND: 'check the endpoint',
  ECONNREFUSED: 'check the endpoint',
  NoSuchUpload: 'another run or a lifecycle rule removed the upload: run the same command again',
}

const refused = ({ method }: Call, path: string, { code }: Refusal): StoreError => {
  const [tag, verb] =
    method === 'GET' ? (['ReadFailed', 'read'] as const) : (['WriteFailed', 'write'] as const)
  const advice = Object.hasOwn(ADVICE, code) ? `: ${ADVICE[code]}` : ''
  return storeError(tag, `cannot ${verb} ${path}: ${code}${advice}`, { path, code })
}

// XML, of the few answers that have any

const elements = (xml: string, name: string): ReadonlyArray<string> =>
  Array.from(xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs')), ([, inner = '']) => inner)

const textOf = (xml: string, name: string): string | undefined => {
  const [text] = elements(xml, name)
  return text === undefined ? undefined : unescaped(text)
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  amp: '&',
}

const unescaped = (text: string): string =>
  text.replace(/&(#x?[0-9a-f]+|\w+);/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name] ?? whole
    const hex = name[1] === 'x' || name[1] === 'X'
    return String.fromCodePoint(hex ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1)))
  })
