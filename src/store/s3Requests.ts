/** Signed requests to a bucket. Faults of the service and the network are retried. */
import { createHash } from 'node:crypto'
import { AwsClient } from 'aws4fetch'
import { asyncScheduler, defer, firstValueFrom, from, type SchedulerLike } from 'rxjs'
import { E, type IO, O, withoutUndefined } from '../fp.js'
import { exponential, type Millis, retry } from '../stream/index.js'
import type { S3Credentials, S3Location } from './S3Location.js'
import { EXPIRED, refusalOf, type S3Refusal, SKEWED, systemCode, wordsOf } from './s3Refusal.js'
import type { Waits } from './Waits.js'
import { rootOf, textOf } from './xml.js'

export interface ObjectStorageOptions {
  /** The fetch function. Default: the runtime's. */
  readonly fetch?: typeof fetch
  readonly timer?: SchedulerLike
  /** Returns a number from 0 up to, but not including, 1. Default `Math.random`. */
  readonly random?: IO<number>
  /** Returns the time of this machine in ms since 1970, for signatures. Default `Date.now`. */
  readonly now?: IO<Millis>
  readonly waits?: Waits
  /** Time limit of one request, in ms, on top of the time that its body takes at 10 Mbit/s. Default 60,000. */
  readonly timeout?: Millis
}

export interface S3Call {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Key in the bucket, including the prefix; empty for the bucket itself. */
  readonly key: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer> | string
  /** Maximum size of the response, in bytes. Default `MOST_XML`. */
  readonly most?: number
  /** An element required in the body of a success, because some responses start with 200 before the outcome is known. */
  readonly result?: 'any' | 'ETag' | 'UploadId'
  /** Returns true if the created object exists. Checked after each success, because a response does not prove it. */
  readonly isMade?: () => Promise<boolean>
}

export interface S3Answer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Sends a request, and retries temporary failures. Rejects only if there are no credentials. */
export type S3Requests = (call: S3Call) => Promise<E.Either<S3Refusal, S3Answer>>

/** Retries of a request, with pauses from half a second up to 16 s, which take half a minute in total. */
const RETRIES = { first: 500, cap: 16_000, repeats: 6 }

/** The slowest expected connection, in bytes per millisecond: 10 Mbit/s. */
const SLOWEST = 1_250

const MIB = 1 << 20

/** Maximum size of an XML response in bytes, enough for a page of a listing with 1,000 keys of 1,024 escaped characters. */
const MOST_XML = 16 * MIB

/** Maximum number of bytes read from an error. Its code comes early; the rest is ignored. */
const MOST_ERROR = 64 << 10

export const s3Requests = (
  location: S3Location,
  options: ObjectStorageOptions = {},
): S3Requests => {
  const { timer = asyncScheduler, random = Math.random, timeout = 60_000 } = options
  const { now = Date.now, fetch: fetched = fetch, waits } = options
  const backoff = exponential({ ...RETRIES, random })
  let credentials: Promise<S3Credentials> | undefined
  /** Difference between the service's clock and this machine's clock. */
  let ahead: Millis = 0

  const signed = async (
    keys: S3Credentials,
    { method, key, query = {}, headers = {}, body }: S3Call,
  ): Promise<Request> => {
    const { region } = location
    const client = new AwsClient({ ...keys, region, service: 's3', retries: 0 })
    const url = new URL(`${location.url}${encodeKey(key)}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const datetime = new Date(now() + ahead).toISOString().replace(/[:-]|\.\d{3}/g, '')
    const all = { ...headers, ...(method === 'PUT' && body !== undefined ? checksum(body) : {}) }
    return client.sign(url.href, {
      method,
      headers: all,
      ...withoutUndefined({ body }),
      aws: { datetime },
    })
  }

  const attempt = async (call: S3Call): Promise<E.Either<S3Refusal, S3Answer>> => {
    credentials ??= location.credentials()
    // an error about a key or a header contains it
    const request = await signed(await credentials, call).catch(() => undefined)
    if (request === undefined) return E.left(UNSIGNABLE)
    const late = new AbortController()
    const sending = (call.body?.length ?? 0) / SLOWEST
    const waiting = timer.schedule(() => late.abort(), timeout + sending)
    try {
      // not followed, because neither rows nor credentials may be sent to a host that was not configured
      const response = await fetched(request, { signal: late.signal, redirect: 'manual' })
      const { status, headers, ok } = response
      const { most = MOST_XML } = call
      const bytes = await bytesOf(response, ok ? most : MOST_ERROR)
      if (ok && bytes.length > most) return E.left({ code: 'TooLarge', isTransient: false })
      const { result, isMade } = call
      const xml = ok && result !== undefined ? decoded(bytes) : ''
      const root = rootOf(xml)
      if (ok && root !== 'Error') {
        const isEmpty = result === 'any' ? root === undefined : !hasElement(xml, result)
        if (isMade === undefined ? isEmpty : !(await isMade())) return E.left(NO_RESULT)
        return checkedLength({ status, headers, bytes }, call.method === 'HEAD')
      }
      const refusal = refusalOf({
        ...{ status: ok ? 500 : status, headers, xml: decoded(bytes), secrets: await secrets() },
      })
      // credentials of a role expire after an hour or less; the next attempt requests new ones
      if (EXPIRED.includes(refusal.code)) credentials = undefined
      const date = Date.parse(headers.get('date') ?? '')
      if (refusal.code === SKEWED && !Number.isNaN(date)) ahead = date - now()
      return E.left(refusal)
    } catch (error) {
      const words = new URL(request.url).host // without a response, only the host is known
      return E.left({ code: systemCode(error), words, isTransient: true })
    } finally {
      waiting.unsubscribe()
    }
  }

  /** Returns values that a service may repeat and that must never be shown. */
  const secrets = async (): Promise<ReadonlyArray<string>> => {
    const { secretAccessKey, sessionToken } = (await credentials) ?? {}
    return [secretAccessKey, sessionToken].filter((value) => value !== undefined)
  }

  return (call) => {
    let renewed = false
    const answer = () =>
      firstValueFrom(
        defer(() => from(attempt(call))).pipe(
          retry<S3Refusal>((refusal, number) => {
            // signed again, with new credentials or a new time
            if ((EXPIRED.includes(refusal.code) || refusal.code === SKEWED) && !renewed) {
              renewed = true
              return O.some(0)
            }
            if (refusal.isTransient) waits?.refused(wordsOf(refusal))
            return refusal.isTransient ? backoff(number) : O.none
          }, timer),
        ),
      )
    return waits === undefined ? answer() : waits.during(answer)
  }
}

/** Escapes every byte that is not unreserved, as signatures require, except slashes. */
export const encodeKey = (key: string): string =>
  encodeURIComponent(key)
    .replaceAll('%2F', '/')
    .replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

/** Returns a checksum header, which is required for buckets with Object Lock. All services support MD5. */
const checksum = (body: Uint8Array<ArrayBuffer> | string): Readonly<Record<string, string>> => ({
  'content-md5': createHash('md5').update(body).digest('base64'),
})

// answers

export const decoded = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes)

/** Reads a body to its end, or to at most one block beyond the limit. Decompresses it if the service compressed it. */
const bytesOf = async ({ body }: Response, most: number): Promise<Uint8Array<ArrayBuffer>> => {
  const blocks: Array<Uint8Array> = []
  let size = 0
  for await (const block of body ?? []) {
    blocks.push(block)
    size += block.length
    if (size > most) break // this cancels the rest
  }
  const bytes = new Uint8Array(size)
  let at = 0
  for (const block of blocks) {
    bytes.set(block, at)
    at += block.length
  }
  return bytes
}

/** The refusal if a key, token or region from a credential provider has a character that is invalid in a header. */
const UNSIGNABLE: S3Refusal = {
  code: 'InvalidCredentials',
  words:
    'The request cannot be signed: a key, a session token or the region has a control character',
  isTransient: false,
}

/** The refusal for a success whose body lacks the result, or whose object does not exist. */
const NO_RESULT: S3Refusal = {
  code: 'NoResult',
  words: 'The service reported success, but without the result',
  isTransient: true,
}

const hasElement = (xml: string, name: string | undefined): boolean =>
  name === undefined || textOf(xml, name) !== undefined

/** Detects a body that ended early without a connection error. */
const checkedLength = (answer: S3Answer, isHead: boolean): E.Either<S3Refusal, S3Answer> => {
  const length = answer.headers.get('content-length')
  const isDecompressed = answer.headers.has('content-encoding')
  return length === null || isHead || isDecompressed || Number(length) === answer.bytes.length
    ? E.right(answer)
    : E.left({ code: 'IncompleteBody', isTransient: true })
}
