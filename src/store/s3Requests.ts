/** Signed requests to a bucket; faults of the service and the network are tried again. */
import { createHash } from 'node:crypto'
import { AwsClient } from 'aws4fetch'
import { asyncScheduler, defer, firstValueFrom, from, type SchedulerLike } from 'rxjs'
import { E, type IO, O, withoutUndefined } from '../fp.js'
import { exponential, type Millis, retry } from '../stream/index.js'
import type { S3Credentials, S3Location } from './S3Location.js'
import { EXPIRED, refusalOf, type S3Refusal, SKEWED, systemCode, wordsOf } from './s3Refusal.js'
import type { Waits } from './Waits.js'
import { textOf } from './xml.js'

// model

export interface ObjectStorageOptions {
  /** Default: that of the platform. */
  readonly fetch?: typeof fetch
  readonly timer?: SchedulerLike
  /** A number from 0 up to, but not including, 1. Default `Math.random`. */
  readonly random?: IO<number>
  /** The time of this machine, in ms since 1970, which signatures have. Default `Date.now`. */
  readonly now?: IO<Millis>
  /** Reports waits. */
  readonly waits?: Waits
  /** Bounds one request, in ms, besides the time that its body takes at 10 Mbit/s. Default 60,000. */
  readonly timeout?: Millis
}

export interface S3Call {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Key in the bucket, its prefix included; empty: the bucket. */
  readonly key: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer> | string
  /** The most that its answer may have, in bytes. Default `MOST_XML`. */
  readonly most?: number
}

export interface S3Answer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Sends a request, and tries again what may pass. Rejects only where there are no credentials. */
export type S3Requests = (call: S3Call) => Promise<E.Either<S3Refusal, S3Answer>>

/** Attempts of a request after its first, with pauses from half a second up to 16 s: half a minute. */
const RETRIES = { first: 500, cap: 16_000, repeats: 6 }

/** The slowest connection to reckon with, in bytes a millisecond: 10 Mbit/s. */
const SLOWEST = 1_250

const MIB = 1 << 20

/** The most that is read of an answer in XML, in bytes: a page of a listing, of 1,000 keys with 1,024 characters, each escaped. */
const MOST_XML = 16 * MIB

/** The most that is read of an error, whose code comes early, in bytes; the rest is left. */
const MOST_ERROR = 64 << 10

// constructors

export const s3Requests = (
  location: S3Location,
  options: ObjectStorageOptions = {},
): S3Requests => {
  const { timer = asyncScheduler, random = Math.random, timeout = 60_000 } = options
  const { now = Date.now, fetch: fetched = fetch, waits } = options
  const backoff = exponential({ ...RETRIES, random })
  let credentials: Promise<S3Credentials> | undefined
  /** How far the clock of the service is ahead of that of this machine. */
  let ahead: Millis = 0

  const signed = async ({ method, key, query = {}, headers = {}, body }: S3Call) => {
    credentials ??= location.credentials()
    const { region } = location
    const client = new AwsClient({ ...(await credentials), region, service: 's3', retries: 0 })
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
    const request = await signed(call)
    const late = new AbortController()
    const sending = (call.body?.length ?? 0) / SLOWEST
    const waiting = timer.schedule(() => late.abort(), timeout + sending)
    try {
      // not followed: neither rows nor credentials go to a host that was not asked for
      const response = await fetched(request, { signal: late.signal, redirect: 'manual' })
      const { status, headers, ok } = response
      const { most = MOST_XML } = call
      const bytes = await bytesOf(response, ok ? most : MOST_ERROR)
      if (ok && bytes.length > most) return E.left({ code: 'TooLarge', isTransient: false })
      // the answer to a completion begins with 200, before it is known how that ends
      const isLateError =
        ok && call.method === 'POST' && textOf(decoded(bytes), 'Error') !== undefined
      if (ok && !isLateError)
        return checkedLength({ status, headers, bytes }, call.method === 'HEAD')
      const refusal = refusalOf({
        ...{ status: ok ? 500 : status, headers, xml: decoded(bytes), secrets: await secrets() },
      })
      // those of a role end after an hour or less; the next attempt asks for new ones
      if (EXPIRED.includes(refusal.code)) credentials = undefined
      const date = Date.parse(headers.get('date') ?? '')
      if (refusal.code === SKEWED && !Number.isNaN(date)) ahead = date - now()
      return E.left(refusal)
    } catch (error) {
      const words = new URL(request.url).host // no service has said more
      return E.left({ code: systemCode(error), words, isTransient: true })
    } finally {
      waiting.unsubscribe()
    }
  }

  /** Values that a service may echo, and that are shown nowhere. */
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
            // signed anew, with other credentials or another time
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

/** Every byte that is not unreserved is escaped, as signatures have it; slashes stay. */
export const encodeKey = (key: string): string =>
  encodeURIComponent(key)
    .replaceAll('%2F', '/')
    .replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

/** A bucket with Object Lock takes no object without a checksum, and the MD5 is the one that all services know. */
const checksum = (body: Uint8Array<ArrayBuffer> | string): Readonly<Record<string, string>> => ({
  'content-md5': createHash('md5').update(body).digest('base64'),
})

// answers

export const decoded = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes)

/** Reads a body to its end, or a block further than it may have: decompressed, where the service sent it so. */
const bytesOf = async ({ body }: Response, most: number): Promise<Uint8Array<ArrayBuffer>> => {
  const blocks: Array<Uint8Array> = []
  let size = 0
  for await (const block of body ?? []) {
    blocks.push(block)
    size += block.length
    if (size > most) break // which cancels the rest
  }
  const bytes = new Uint8Array(size)
  let at = 0
  for (const block of blocks) {
    bytes.set(block, at)
    at += block.length
  }
  return bytes
}

/** A body that ends early without an error of the connection. */
const checkedLength = (answer: S3Answer, isHead: boolean): E.Either<S3Refusal, S3Answer> => {
  const length = answer.headers.get('content-length')
  const isDecompressed = answer.headers.has('content-encoding')
  return length === null || isHead || isDecompressed || Number(length) === answer.bytes.length
    ? E.right(answer)
    : E.left({ code: 'IncompleteBody', isTransient: true })
}
