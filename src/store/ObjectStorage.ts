/** Whole objects in an S3-compatible bucket, by signed requests. */

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

// model

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
  /** Kept with the object that it makes, so that it is recognized: an ETag tells nothing of one that KMS encrypts. */
  readonly mark?: string
}

/** Names the upload that made an object. */
const UPLOAD_MARK = 'x-amz-meta-payments-rx-upload'

const MIB = 1 << 20

/** The most that is read of an answer, in bytes. */
const MOST = {
  /** A text of a store: a manifest of some 100,000 files. */
  text: 64 * MIB,
  /** Bytes of an object, where they are asked for by their range: more than any file of a sync or chunk has. */
  range: 256 * MIB,
  /** All pages of a listing: some 400,000 objects. */
  listing: 128 * MIB,
}

/** Pages of a listing, of 1,000 objects each. */
const MOST_PAGES = 1_000

/**
 * The objects below one prefix of a bucket; keys are relative to it. Faults of the service and the network are tried
 * again; what stays is a `StoreError` that says what to do.
 */
export class ObjectStorage {
  readonly #location: S3Location
  readonly #send: S3Requests
  /** Objects that may not be removed. */
  readonly #unremovable = new Set<string>()
  /** Folders in which a removal was refused: those after it are not tried. */
  readonly #deniedIn = new Set<string>()
  /** Services that compare an ETag of `If-Match` as it stands keep it without quotes, as Ceph does. */
  #hasQuotes = true
  #isQuotingKnown = false

  /** Opens nothing: requests are sent by the methods. */
  constructor(location: S3Location, options: ObjectStorageOptions = {}) {
    this.#location = location
    this.#send = s3Requests(location, options)
  }

  /** Names a key in messages: `s3://bucket/prefix/key`. */
  nameOf(key: string): string {
    const { bucket, prefix } = this.#location
    return `s3://${bucket}/${prefix}${key}`
  }

  // objects

  /** Reads an object, or some bytes of it (`to` is not included); undefined if there are none. */
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

  /** Writes an object in one step. Resolves with its ETag, or with undefined if the condition does not hold. */
  async put(
    key: string,
    bytes: Uint8Array<ArrayBuffer>,
    condition?: Condition,
  ): Promise<string | undefined> {
    const etag = await this.#put(key, bytes, condition)
    if (condition === undefined || condition === 'absent') return etag
    this.#isQuotingKnown ||= etag !== undefined
    if (this.#isQuotingKnown || (await this.#etagOf(key)) !== condition.etag) return etag
    this.#hasQuotes = !this.#hasQuotes // it is of that version, and was refused
    return this.#put(key, bytes, condition)
  }

  /** Copies an object, without a transfer to here. */
  async copy(from: string, to: string): Promise<void> {
    const headers = { ...this.#location.encryption, ...this.#from(from) }
    await this.#answer({ method: 'PUT', key: to, headers })
  }

  /** Removes an object, if it is there. One that the credentials may not remove stays, and is one of `unremoved`. */
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

  /** Names the objects that were to be removed, and that the credentials may not remove. */
  unremoved(): ReadonlyArray<string> {
    return [...this.#unremovable].map((key) => this.nameOf(key))
  }

  /** Lists the objects below a prefix, in the order of their keys. */
  list(below: string): Promise<ReadonlyArray<StoredObject>> {
    return this.#listed(
      { 'list-type': '2', below, row: 'Contents' },
      (xml) => ({ 'continuation-token': textOf(xml, 'NextContinuationToken') ?? '' }),
      (key, row) => ({ key, size: Math.max(0, Math.trunc(Number(textOf(row, 'Size'))) || 0) }),
    )
  }

  // uploads

  async beginUpload(key: string): Promise<Upload> {
    const mark = crypto.randomUUID()
    const headers = { ...this.#location.encryption, [UPLOAD_MARK]: mark }
    const answer = await this.#answer({ method: 'POST', key, query: { uploads: '' }, headers })
    return { key, mark, id: textOf(decoded(answer?.bytes), 'UploadId') ?? '' }
  }

  /** Takes a whole object as a part, numbered from 1, without a transfer to here. All but the last have at least 5 MiB. */
  async copyPart({ key, id }: Upload, number: number, from: string): Promise<UploadedPart> {
    const query = { partNumber: String(number), uploadId: id }
    const answer = await this.#answer({ method: 'PUT', key, query, headers: this.#from(from) })
    return { number, etag: textOf(decoded(answer?.bytes), 'ETag') ?? '' }
  }

  /** Makes the object of the parts, in one step. */
  async completeUpload(
    { key, id, mark }: Upload,
    parts: ReadonlyArray<UploadedPart>,
  ): Promise<void> {
    const rows = parts.map(
      ({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`,
    )
    const body = `<CompleteMultipartUpload>${rows.join('')}</CompleteMultipartUpload>`
    const done = await this.#answer(
      { method: 'POST', key, query: { uploadId: id }, body },
      ({ code }) => code === 'NoSuchUpload',
    )
    if (done !== undefined) return
    // it was completed by an attempt whose answer was lost, or it is gone
    if (mark !== undefined && (await this.#headerOf(key, UPLOAD_MARK)) === mark) return
    throw refused('POST', this.nameOf(key), { code: 'NoSuchUpload', isTransient: false })
  }

  /** Drops an upload and its parts, if it is there; like `remove`, where that is denied. */
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

  /** Sends a request for a key below the prefix. Resolves with undefined for a refusal that is `expected`; throws others. */
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
        throw unconditional(this.nameOf(key), `implements no conditional writes${said}`)
      }
      // 409: another conditional write of the same key was under way; 404: it was removed meanwhile
      return status === 412 || code === 'ConditionalRequestConflict' || code === 'NoSuchKey'
    })
    return answer && (answer.headers.get('etag') ?? '')
  }

  #conditional(condition: Condition | undefined): Readonly<Record<string, string>> {
    if (condition === undefined) return {}
    if (condition === 'absent') return { 'if-none-match': '*' }
    return { 'if-match': this.#hasQuotes ? condition.etag : unquoted(condition.etag) }
  }

  /** Resolves with the version of an object; undefined where there is none. */
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
   * Reads all pages of a listing below a prefix; `row` names its elements, `next` reads from one page how the next is asked
   * for. Keys that no export makes, which would mean others in a URL, are left out.
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
      const answer = await this.#send({ method: 'GET', key: '', query: page })
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
 * Returns the key of a row of a listing: as it stands, or decoded where keys are escaped as in a URL, which some services
 * do without a word; undefined if it does not begin as it should.
 */
const keyOf = (listed: string, prefix: string, isEncoded: boolean): string | undefined => {
  if (!isEncoded && listed.startsWith(prefix)) return listed
  const key = O.toUndefined(O.tryCatch(() => decodeURIComponent(listed.replaceAll('+', ' '))))
  return key?.startsWith(prefix) ? key : undefined
}

/** Returns whether no part of a key is of dots: these would mean another key in a URL, and no export makes them. */
const isPlainKey = (key: string): boolean => key.split('/').every((part) => !/^\.{1,2}$/.test(part))

/** Makes the error for a service that cannot keep two runs apart. */
export const unconditional = (path: string, why: string): StoreError => {
  const advice = 'two runs at once could not be told apart there: use a service that supports it'
  return storeError('UnusableDestination', `${path}: the service ${why}, and ${advice}`, {
    destination: path,
  })
}

/** Returns whether the credentials lack the permission, and not something else about them is wrong. */
const isDenied = ({ status, code }: S3Refusal): boolean =>
  status === 403 && (code === 'AccessDenied' || code === 'HTTP 403')

const unquoted = (etag: string): string => etag.replaceAll('"', '')
