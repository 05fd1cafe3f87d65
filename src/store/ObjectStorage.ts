/** Whole objects in an S3-compatible bucket, by signed requests. */

import { createHash } from 'node:crypto'
import { AwsClient } from 'aws4fetch'
import { asyncScheduler, defer, firstValueFrom, from, type SchedulerLike } from 'rxjs'
import { defined, E, type IO, O } from '../fp.js'
import { exponential, type Millis, retry } from '../stream/index.js'
import type { S3Credentials, S3Location } from './S3Location.js'
import { type StoreError, storeError } from './StoreError.js'
import { elements, textOf } from './xml.js'

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

const MIB = 1 << 20

/** The most that is read of an answer, in bytes. */
const MOST = {
  /** A text of a store: a manifest of some 100,000 files. */
  text: 64 * MIB,
  /** Bytes of an object, where they are asked for by their range: more than any file of a sync or chunk has. */
  range: 256 * MIB,
  /** A page of a listing, of 1,000 keys with 1,024 characters, each escaped; other answers are shorter. */
  xml: 16 * MIB,
  /** All pages of a listing: some 400,000 objects. */
  listing: 128 * MIB,
  /** An error, whose code comes early; the rest is left. */
  error: 64 << 10,
}

/** Pages of a listing, of 1,000 objects each. */
const MOST_PAGES = 1_000

interface Call {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  readonly key: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer> | string
  /** The most that its answer may have, in bytes. Default `MOST.xml`. */
  readonly most?: number
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
      // not followed: neither rows nor credentials go to a host that was not asked for
      const response = await fetched(request, { signal: late.signal, redirect: 'manual' })
      const { status, headers, ok } = response
      const { most = MOST.xml } = call
      const bytes = await bytesOf(response, ok ? most : MOST.error)
      if (ok && bytes.length > most) return E.left({ code: 'TooLarge', isTransient: false })
      // the answer to a completion begins with 200, before it is known how that ends
      const isLateError =
        ok && call.method === 'POST' && textOf(decoded(bytes), 'Error') !== undefined
      if (ok && !isLateError)
        return checkedLength({ status, headers, bytes }, call.method === 'HEAD')
      const refusal = refusalOf(ok ? 500 : status, decoded(bytes), await secrets())
      // those of a role end after an hour or less; the next attempt asks for new ones
      if (EXPIRED.includes(refusal.code)) credentials = undefined
      return E.left(refusal)
    } catch (error) {
      return E.left({ code: systemCode(error), isTransient: true })
    } finally {
      waiting.unsubscribe()
    }
  }

  /** Values that a service may echo, and that are shown nowhere. */
  const secrets = async (): Promise<ReadonlyArray<string>> => {
    const { secretAccessKey, sessionToken } = (await credentials) ?? {}
    return [secretAccessKey, sessionToken].filter((value) => value !== undefined)
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

  /**
   * Reads all pages of a listing below a prefix; `row` names its elements, `next` reads from one page how the next is asked
   * for. Keys that no export makes, which would mean others in a URL, are left out.
   */
  const listed = async <A>(
    { below, row, ...query }: Readonly<Record<'below' | 'row', string> & Record<string, string>>,
    next: (xml: string) => Readonly<Record<string, string>>,
    read: (key: string, row: string) => A,
  ): Promise<ReadonlyArray<A>> => {
    const call: Call = { method: 'GET', key: '' }
    const unusable = (code: string): StoreError =>
      refused(call, nameOf(below), { code, isTransient: false })
    const all: Array<A> = []
    const asked = new Set<string>()
    let size = 0
    for (let more: Readonly<Record<string, string>> | undefined = {}; more !== undefined; ) {
      asked.add(JSON.stringify(more))
      const answer: Answer | undefined = await orThrow({
        ...call,
        query: { ...query, prefix: prefix + below, ...more },
      })
      size += answer?.bytes.length ?? 0
      if (size > MOST.listing || asked.size > MOST_PAGES) throw unusable('TooLarge')
      const xml = decoded(answer?.bytes)
      for (const found of elements(xml, row)) {
        const key = textOf(found, 'Key') ?? ''
        if (!key.startsWith(prefix + below)) throw unusable('ForeignKey')
        const own = key.slice(prefix.length)
        if (isPlainKey(own)) all.push(read(own, found))
      }
      more = textOf(xml, 'IsTruncated') === 'true' ? next(xml) : undefined
      if (more !== undefined && asked.has(JSON.stringify(more))) throw unusable('EndlessListing')
    }
    return all
  }

  /** Services that compare an ETag of `If-Match` as it stands keep it without quotes, as Ceph does. */
  let hasQuotes = true
  const matching = (etag: string): string => (hasQuotes ? etag : unquoted(etag))

  return {
    nameOf,
    get: async (key, range) => {
      const call: Call = {
        method: 'GET',
        key: prefix + key,
        ...(range === undefined
          ? { most: MOST.text }
          : {
              headers: { range: `bytes=${range.from}-${range.to - 1}` },
              most: Math.min(range.to - range.from, MOST.range),
            }),
      }
      const answer = await orThrow(
        call,
        ({ code, status }) => code === 'NoSuchKey' || status === 416,
      )
      return answer && { bytes: answer.bytes, etag: answer.headers.get('etag') ?? '' }
    },
    put: async (key, body, condition) => {
      const attempted = async (): Promise<string | undefined> => {
        const headers =
          condition === undefined
            ? {}
            : condition === 'absent'
              ? { 'if-none-match': '*' }
              : { 'if-match': matching(condition.etag) }
        const answer = await orThrow(
          { method: 'PUT', key: prefix + key, headers, body },
          // 409: another conditional write of the same key was under way; 404: it was removed meanwhile
          ({ status, code }) =>
            status === 412 ||
            code === 'ConditionalRequestConflict' ||
            (code === 'NoSuchKey' && condition !== undefined),
        )
        return answer && (answer.headers.get('etag') ?? '')
      }
      const etag = await attempted()
      if (etag !== undefined || condition === undefined || condition === 'absent') return etag
      const found = await send({ method: 'HEAD', key: prefix + key })
      if (E.isLeft(found) || found.right.headers.get('etag') !== condition.etag) return undefined
      hasQuotes = !hasQuotes // it is of that version, and was refused
      return attempted()
    },
    copy: async (source, key) => {
      const headers = { 'x-amz-copy-source': `/${bucket}/${encodeKey(prefix + source)}` }
      await orThrow({ method: 'PUT', key: prefix + key, headers })
    },
    remove: async (key) => {
      await orThrow({ method: 'DELETE', key: prefix + key }, ({ code }) => code === 'NoSuchKey')
    },
    list: (below) =>
      listed(
        { 'list-type': '2', below, row: 'Contents' },
        (xml) => ({ 'continuation-token': textOf(xml, 'NextContinuationToken') ?? '' }),
        (key, row) => ({ key, size: Math.max(0, Math.trunc(Number(textOf(row, 'Size'))) || 0) }),
      ),
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
      if (E.isRight(found) && unquoted(found.right.headers.get('etag') ?? '') === joinedEtag(parts))
        return
      throw refused(call, nameOf(key), { code: 'NoSuchUpload', isTransient: false })
    },
    abortUpload: async ({ key, id }) => {
      await orThrow(
        { method: 'DELETE', key: prefix + key, query: { uploadId: id } },
        ({ code }) => code === 'NoSuchUpload',
      )
    },
    uploads: (below) =>
      listed(
        { uploads: '', below, row: 'Upload' },
        (xml) => ({
          'key-marker': textOf(xml, 'NextKeyMarker') ?? '',
          'upload-id-marker': textOf(xml, 'NextUploadIdMarker') ?? '',
        }),
        (key, row) => ({ key, id: textOf(row, 'UploadId') ?? '' }),
      ),
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

/** Returns whether each part of a key is a name. Others would mean another key in a URL, and no export makes them. */
const isPlainKey = (key: string): boolean =>
  key
    .split('/')
    .every((part, at, all) => !/^\.{0,2}$/.test(part) || (part === '' && at === all.length - 1))

const unquoted = (etag: string): string => etag.replaceAll('"', '')

/** ETag of an object that was made of parts, without quotes: the MD5 of their MD5s. */
const joinedEtag = (parts: ReadonlyArray<UploadedPart>): string => {
  const md5s = parts.map(({ etag }) => unquoted(etag)).join('')
  return `${createHash('md5').update(md5s, 'hex').digest('hex')}-${parts.length}`
}

// answers

const decoded = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes)

/** Reads a body to its end, or a chunk further than it may have: decompressed, where the service sent it so. */
const bytesOf = async ({ body }: Response, most: number): Promise<Uint8Array<ArrayBuffer>> => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    size += chunk.length
    if (size > most) break // which cancels the rest
  }
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

const EXPIRED: ReadonlyArray<string> = ['ExpiredToken', 'ExpiredTokenException', 'RequestExpired']

/** A body that ends early without an error of the connection. */
const checkedLength = (answer: Answer, isHead: boolean): E.Either<Refusal, Answer> => {
  const length = answer.headers.get('content-length')
  const isDecompressed = answer.headers.has('content-encoding')
  return length === null || isHead || isDecompressed || Number(length) === answer.bytes.length
    ? E.right(answer)
    : E.left({ code: 'IncompleteBody', isTransient: true })
}

/** The code of an error, such as `NoSuchKey`; whatever else a service sends in its place is not shown. */
const CODE = /^[A-Z][A-Za-z0-9]{1,63}$/

/** So many characters of a secret in a row are no chance. */
const PIECE = 8

const repeats = (text: string, secret: string): boolean => {
  if (text.includes(secret)) return true
  for (let i = 0; i + PIECE <= text.length; i++) {
    if (secret.includes(text.slice(i, i + PIECE))) return true
  }
  return false
}

const refusalOf = (status: number, xml: string, secrets: ReadonlyArray<string>): Refusal => {
  const told = textOf(xml, 'Code') ?? ''
  const isShown = CODE.test(told) && !secrets.some((secret) => repeats(told, secret))
  const code = isShown ? told : `HTTP ${status}`
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
  TemporaryRedirect: 'check AWS_REGION: the bucket is in another region, or is new',
  ...Object.fromEntries(
    [301, 302, 303, 307, 308].map((status) => [
      `HTTP ${status}`,
      'it redirects to another address, where nothing is sent: check the endpoint',
    ]),
  ),
  TooLarge: 'the answer is longer than any that this package asks for: check the endpoint',
  ForeignKey: 'the listing has keys that were not asked for: check the endpoint',
  EndlessListing: 'the listing begins again and again: check the endpoint',
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
