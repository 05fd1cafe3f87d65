/** Whole objects in an S3-compatible bucket, accessed with signed requests. */

import { E, O } from '../fp.js'
import type { S3Location } from './S3Location.js'
import { type StoreError, storeError } from './StoreError.js'
import { refused, type S3Refusal } from './s3Refusal.js'
import {
  decoded,
  encodeKey,
  type ObjectStorageOptions,
  type S3Answer,
  type S3Call,
  type S3Requests,
  s3Requests,
} from './s3Requests.js'
import { elements, textOf } from './xml.js'

export interface StoredObject {
  readonly key: string
  /** Size in bytes. */
  readonly size: number
}

export interface ObjectContent {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly etag: string
}

/** The condition of a write. `absent`: the object must not exist yet. */
export type Condition = { readonly etag: string } | 'absent'

/** A part of a multipart upload, as named in its completion. */
export interface UploadedPart {
  readonly number: number
  readonly etag: string
}

/** An unfinished multipart upload. */
export interface Upload {
  readonly key: string
  readonly id: string
  /** Stored with the created object to recognize it, because the ETag of a KMS-encrypted object cannot be used for that. */
  readonly mark?: string
}

/** Header that identifies the upload of an object. */
const UPLOAD_MARK = 'x-amz-meta-payments-rx-upload'

const MIB = 1 << 20

/** Maximum size of a response, in bytes. */
const MOST = {
  /** Maximum size of a text in a store, enough for a manifest of about 100,000 files. */
  text: 64 * MIB,
  /** Maximum byte range of an object, larger than any file of a sync and any chunk. */
  range: 256 * MIB,
  /** Maximum size of all pages of a listing, enough for about 400,000 objects. */
  listing: 128 * MIB,
}

/** Maximum number of pages in a listing. Each page has 1,000 objects. */
const MOST_PAGES = 1_000

/**
 * The objects below one prefix of a bucket. Keys are relative to the prefix. Faults of the service and the network are retried;
 * a lasting fault becomes a `StoreError` that says what to do.
 */
export class ObjectStorage {
  readonly #location: S3Location
  readonly #send: S3Requests
  /** Objects that could not be removed for lack of permission. */
  readonly #unremovable = new Set<string>()
  /** Folders in which a removal was refused. Later removals in them are skipped. */
  readonly #deniedIn = new Set<string>()
  /** False for services, such as Ceph, that compare `If-Match` literally with an ETag stored without quotes. */
  #hasQuotes = true
  #isQuotingKnown = false

  /** Opens no connection. Only the methods send requests. */
  constructor(location: S3Location, options: ObjectStorageOptions = {}) {
    this.#location = location
    this.#send = s3Requests(location, options)
  }

  /** Returns the name of a key in messages: `s3://bucket/prefix/key`. */
  nameOf(key: string): string {
    const { bucket, prefix } = this.#location
    return `s3://${bucket}/${prefix}${key}`
  }

  // objects

  /** Reads an object, or a range of it (`to` exclusive); `undefined` if it does not exist. */
  async get(
    key: string,
    range?: { readonly from: number; readonly to: number },
  ): Promise<ObjectContent | undefined> {
    const bounds =
      range === undefined
        ? { most: MOST.text }
        : {
            headers: { range: `bytes=${range.from}-${range.to - 1}` },
            most: Math.min(range.to - range.from, MOST.range),
          }
    const answer = await this.#answer(
      { method: 'GET', key, ...bounds },
      ({ code, status }) => code === 'NoSuchKey' || status === 416,
    )
    return answer && { bytes: answer.bytes, etag: answer.headers.get('etag') ?? '' }
  }

  /** Writes an object atomically. Resolves with its ETag, or with `undefined` if the condition does not hold. */
  async put(
    key: string,
    bytes: Uint8Array<ArrayBuffer>,
    condition?: Condition,
  ): Promise<string | undefined> {
    const etag = await this.#put(key, bytes, condition)
    if (condition === undefined || condition === 'absent') return etag
    this.#isQuotingKnown ||= etag !== undefined
    if (this.#isQuotingKnown || (await this.#etagOf(key)) !== condition.etag) return etag
    this.#hasQuotes = !this.#hasQuotes // the object has that version, so the write was refused
    return this.#put(key, bytes, condition)
  }

  /** Copies an object of `size` bytes on the server. Resolves once the copy is visible. */
  async copy(from: string, to: string, size: number): Promise<void> {
    const headers = { ...this.#location.encryption, ...this.#from(from) }
    const isMade = async () => (await this.sizeOf(to)) === size
    await this.#answer({ method: 'PUT', key: to, headers, result: 'any', isMade })
  }

  /** Returns the size of an object in bytes; undefined if the object does not exist. */
  async sizeOf(key: string): Promise<number | undefined> {
    const answer = await this.#answer({ method: 'HEAD', key }, ({ status }) => status === 404)
    return answer && Number(answer.headers.get('content-length') ?? Number.NaN)
  }

  /** Removes an object if it exists. An object that the credentials may not remove is kept, and listed by `unremoved`. */
  async remove(key: string): Promise<void> {
    const folder = key.slice(0, key.lastIndexOf('/') + 1)
    if (this.#deniedIn.has(folder)) {
      this.#unremovable.add(key)
      return
    }
    await this.#answer({ method: 'DELETE', key }, (refusal) => {
      if (refusal.code === 'NoSuchKey') return true
      if (!isDenied(refusal)) return false
      this.#deniedIn.add(folder)
      this.#unremovable.add(key)
      return true
    })
  }

  /** Lists objects that could not be removed for lack of permission. */
  unremoved(): ReadonlyArray<string> {
    return [...this.#unremovable].map((key) => this.nameOf(key))
  }

  /** Lists the objects below a prefix. Sorts them by key, because S3 Express, Storj and some gateways use another order. */
  async list(below: string): Promise<ReadonlyArray<StoredObject>> {
    const all = await this.#listed(
      { 'list-type': '2', below, row: 'Contents' },
      (xml) => ({ 'continuation-token': textOf(xml, 'NextContinuationToken') ?? '' }),
      (key, row) => ({ key, size: Math.max(0, Math.trunc(Number(textOf(row, 'Size'))) || 0) }),
    )
    return all.toSorted((a, b) => (a.key < b.key ? -1 : 1))
  }

  // uploads

  async beginUpload(key: string): Promise<Upload> {
    const mark = crypto.randomUUID()
    const headers = { ...this.#location.encryption, [UPLOAD_MARK]: mark }
    const query = { uploads: '' }
    const answer = await this.#answer({ method: 'POST', key, query, headers, result: 'UploadId' })
    return { key, mark, id: textOf(decoded(answer?.bytes), 'UploadId') ?? '' }
  }

  /** Adds a whole object as a part, on the server. Parts are numbered from 1, and all but the last must have at least 5 MiB. */
  async copyPart({ key, id }: Upload, number: number, from: string): Promise<UploadedPart> {
    const query = { partNumber: String(number), uploadId: id }
    const headers = this.#from(from)
    const answer = await this.#answer({ method: 'PUT', key, query, headers, result: 'ETag' })
    return { number, etag: textOf(decoded(answer?.bytes), 'ETag') ?? '' }
  }

  /** Assembles the parts, `size` bytes in total, into the object atomically. Resolves once the object is visible. */
  async completeUpload(
    { key, id, mark }: Upload,
    parts: ReadonlyArray<UploadedPart>,
    size: number,
  ): Promise<void> {
    const rows = parts.map(
      ({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`,
    )
    const body = `<CompleteMultipartUpload>${rows.join('')}</CompleteMultipartUpload>`
    const isMade = async () => (await this.sizeOf(key)) === size
    const query = { uploadId: id }
    const done = await this.#answer(
      { method: 'POST', key, query, body, result: 'any', isMade },
      ({ code }) => code === 'NoSuchUpload',
    )
    if (done !== undefined) return
    // completed by an attempt whose response was lost, or gone
    if (mark !== undefined && (await this.#headerOf(key, UPLOAD_MARK)) === mark) return
    throw refused('POST', this.nameOf(key), { code: 'NoSuchUpload', isTransient: false })
  }

  /** Aborts an upload if it exists, and removes its parts. If this is denied, behaves like `remove`. */
  async abortUpload({ key, id }: Upload): Promise<void> {
    await this.#answer({ method: 'DELETE', key, query: { uploadId: id } }, (refusal) => {
      if (refusal.code === 'NoSuchUpload') return true
      if (isDenied(refusal)) this.#unremovable.add(key)
      return isDenied(refusal)
    })
  }

  /** Lists the unfinished uploads below a prefix. */
  uploads(below: string): Promise<ReadonlyArray<Upload>> {
    return this.#listed(
      { uploads: '', below, row: 'Upload' },
      (xml) => ({
        'key-marker': textOf(xml, 'NextKeyMarker') ?? '',
        'upload-id-marker': textOf(xml, 'NextUploadIdMarker') ?? '',
      }),
      (key, row) => ({ key, id: textOf(row, 'UploadId') ?? '' }),
    )
  }

  // requests

  /** Sends a request for a key below the prefix. Resolves with `undefined` for an `expected` refusal, and throws any other. */
  async #answer(
    call: S3Call,
    expected: (refusal: S3Refusal) => boolean = () => false,
  ): Promise<S3Answer | undefined> {
    const answer = await this.#send({ ...call, key: this.#location.prefix + call.key })
    if (E.isRight(answer)) return answer.right
    if (expected(answer.left)) return undefined
    throw refused(call.method, this.nameOf(call.key), answer.left)
  }

  async #put(
    key: string,
    body: Uint8Array<ArrayBuffer>,
    condition: Condition | undefined,
  ): Promise<string | undefined> {
    const headers = { ...this.#location.encryption, ...this.#conditional(condition) }
    const answer = await this.#answer({ method: 'PUT', key, headers, body }, (refusal) => {
      const { status, code, words } = refusal
      if (condition === undefined) return false
      if (status === 501) {
        const said = words === undefined ? '' : ` (${words.replace(/\.$/, '')})`
        throw unconditional(this.nameOf(key), `does not implement conditional writes${said}`)
      }
      // 409: another conditional write of this key was in progress; 404: the object was removed in the meantime
      return status === 412 || code === 'ConditionalRequestConflict' || code === 'NoSuchKey'
    })
    return answer && (answer.headers.get('etag') ?? '')
  }

  #conditional(condition: Condition | undefined): Readonly<Record<string, string>> {
    if (condition === undefined) return {}
    if (condition === 'absent') return { 'if-none-match': '*' }
    return { 'if-match': this.#hasQuotes ? condition.etag : unquoted(condition.etag) }
  }

  /** Resolves with the version of an object; `undefined` if it does not exist. */
  #etagOf(key: string): Promise<string | undefined> {
    return this.#headerOf(key, 'etag')
  }

  async #headerOf(key: string, name: string): Promise<string | undefined> {
    const found = await this.#send({ method: 'HEAD', key: this.#location.prefix + key })
    return E.isLeft(found) ? undefined : (found.right.headers.get(name) ?? undefined)
  }

  #from(key: string): Readonly<Record<string, string>> {
    const { bucket, prefix } = this.#location
    return { 'x-amz-copy-source': `/${bucket}/${encodeKey(prefix + key)}` }
  }

  /**
   * Reads all pages of a listing below a prefix. `row`: name of the listed elements. `next`: returns the parameters for the
   * next page. Skips keys that no export creates and that would address other keys in a URL.
   */
  async #listed<A>(
    { below, row, ...query }: Readonly<Record<'below' | 'row', string> & Record<string, string>>,
    next: (xml: string) => Readonly<Record<string, string>>,
    read: (key: string, row: string) => A,
  ): Promise<ReadonlyArray<A>> {
    const { prefix } = this.#location
    const unusable = (code: string): StoreError =>
      refused('GET', this.nameOf(below), { code, isTransient: false })
    const all: Array<A> = []
    const asked = new Set<string>()
    let size = 0
    for (let more: Readonly<Record<string, string>> | undefined = {}; more !== undefined; ) {
      asked.add(JSON.stringify(more))
      const page = { ...query, prefix: prefix + below, ...more }
      const answer = await this.#send({ method: 'GET', key: '', query: page, result: 'any' })
      if (E.isLeft(answer)) throw refused('GET', this.nameOf(''), answer.left)
      const { bytes } = answer.right
      size += bytes.length
      if (size > MOST.listing || asked.size > MOST_PAGES) throw unusable('TooLarge')
      const xml = decoded(bytes)
      const isEncoded = textOf(xml, 'EncodingType') === 'url'
      for (const found of elements(xml, row)) {
        const key = keyOf(textOf(found, 'Key') ?? '', prefix + below, isEncoded)
        if (key === undefined) throw unusable('ForeignKey')
        const own = key.slice(prefix.length)
        if (isPlainKey(own)) all.push(read(own, found))
      }
      more = textOf(xml, 'IsTruncated') === 'true' ? next(xml) : undefined
      if (more !== undefined && asked.has(JSON.stringify(more))) throw unusable('EndlessListing')
    }
    return all
  }
}

/**
 * Returns the key of a row of a listing. The key is decoded if it is URL-encoded, which some services do without saying so.
 * `undefined` if the key lacks the prefix.
 */
const keyOf = (listed: string, prefix: string, isEncoded: boolean): string | undefined => {
  if (!isEncoded && listed.startsWith(prefix)) return listed
  const key = O.toUndefined(O.tryCatch(() => decodeURIComponent(listed.replaceAll('+', ' '))))
  return key?.startsWith(prefix) ? key : undefined
}

/** Returns true if no part of a key is made of dots. Such keys address other keys in a URL, and no export creates them. */
const isPlainKey = (key: string): boolean => key.split('/').every((part) => !/^\.{1,2}$/.test(part))

/** Creates the error for a service whose conditional writes do not work. Two runs cannot be kept apart there. */
export const unconditional = (path: string, why: string): StoreError => {
  const advice =
    'so two simultaneous runs could overwrite each other: use a service that supports them'
  return storeError('UnusableDestination', `${path}: the service ${why}, ${advice}`, {
    destination: path,
  })
}

/** Returns true if the credentials lack permission, as opposed to being invalid. */
const isDenied = ({ status, code }: S3Refusal): boolean =>
  status === 403 && (code === 'AccessDenied' || code === 'HTTP 403')

const unquoted = (etag: string): string => etag.replaceAll('"', '')
