/** Whole objects in an S3-compatible bucket, by signed requests. */

import { createHash } from 'node:crypto'
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
  /** Removes an object, if it is there. One that the credentials may not remove stays, and is one of `unremoved`. */
  readonly remove: (key: string) => Promise<void>
  /** Names the objects that were to be removed, and that the credentials may not remove. */
  readonly unremoved: () => ReadonlyArray<string>
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
  /** Drops an upload and its parts, if it is there; like `remove`, where that is denied. */
  readonly abortUpload: (upload: Upload) => Promise<void>
  /** Lists the unfinished uploads below a prefix. */
  readonly uploads: (prefix: string) => Promise<ReadonlyArray<Upload>>
  /** Name of a key in messages: `s3://bucket/prefix/key`. */
  readonly nameOf: (key: string) => string
}

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

// constructors

/** Opens nothing: requests are sent by the methods. */
export const objectStorage = (
  location: S3Location,
  options: ObjectStorageOptions = {},
): ObjectStorage => {
  const { bucket, prefix, encryption } = location
  const send = s3Requests(location, options)
  const nameOf = (key: string): string => `s3://${bucket}/${prefix}${key}`

  const orThrow = (call: S3Call, expected: (refusal: S3Refusal) => boolean = () => false) =>
    send(call).then((answer) => {
      if (E.isRight(answer)) return answer.right
      if (expected(answer.left)) return undefined
      throw refused(call.method, nameOf(call.key.slice(prefix.length)), answer.left)
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
    const call: S3Call = { method: 'GET', key: '' }
    const unusable = (code: string): StoreError =>
      refused(call.method, nameOf(below), { code, isTransient: false })
    const all: Array<A> = []
    const asked = new Set<string>()
    let size = 0
    for (let more: Readonly<Record<string, string>> | undefined = {}; more !== undefined; ) {
      asked.add(JSON.stringify(more))
      const answer: S3Answer | undefined = await orThrow({
        ...call,
        query: { ...query, prefix: prefix + below, ...more },
      })
      size += answer?.bytes.length ?? 0
      if (size > MOST.listing || asked.size > MOST_PAGES) throw unusable('TooLarge')
      const xml = decoded(answer?.bytes)
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

  const sourceOf = (key: string): string => `/${bucket}/${encodeKey(prefix + key)}`

  /** Objects that may not be removed. */
  const kept = new Set<string>()
  /** Folders in which a removal was refused: those after it are not tried. */
  const deniedIn = new Set<string>()

  /** Services that compare an ETag of `If-Match` as it stands keep it without quotes, as Ceph does. */
  let hasQuotes = true
  let isQuotingKnown = false
  const matching = (etag: string): string => (hasQuotes ? etag : unquoted(etag))

  return {
    nameOf,
    get: async (key, range) => {
      const call: S3Call = {
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
      const needsConditions = ({ status, words }: S3Refusal): StoreError | undefined => {
        if (status !== 501 || condition === undefined) return undefined
        const said = words === undefined ? '' : ` (${words.replace(/\.$/, '')})`
        return unconditional(nameOf(key), `implements no conditional writes${said}`)
      }
      const attempted = async (): Promise<string | undefined> => {
        const headers =
          condition === undefined
            ? {}
            : condition === 'absent'
              ? { 'if-none-match': '*' }
              : { 'if-match': matching(condition.etag) }
        const answer = await orThrow(
          { method: 'PUT', key: prefix + key, headers: { ...encryption, ...headers }, body },
          (refusal) => {
            const why = needsConditions(refusal)
            if (why !== undefined) throw why
            const { status, code } = refusal
            // 409: another conditional write of the same key was under way; 404: it was removed meanwhile
            return (
              status === 412 ||
              code === 'ConditionalRequestConflict' ||
              (code === 'NoSuchKey' && condition !== undefined)
            )
          },
        )
        return answer && (answer.headers.get('etag') ?? '')
      }
      const etag = await attempted()
      if (condition === undefined || condition === 'absent') return etag
      isQuotingKnown ||= etag !== undefined
      if (isQuotingKnown) return etag
      const found = await send({ method: 'HEAD', key: prefix + key })
      if (E.isLeft(found) || found.right.headers.get('etag') !== condition.etag) return undefined
      hasQuotes = !hasQuotes // it is of that version, and was refused
      return attempted()
    },
    copy: async (source, key) => {
      const headers = { ...encryption, 'x-amz-copy-source': sourceOf(source) }
      await orThrow({ method: 'PUT', key: prefix + key, headers })
    },
    remove: async (key) => {
      const folder = key.slice(0, key.lastIndexOf('/') + 1)
      if (deniedIn.has(folder)) {
        kept.add(key)
        return
      }
      await orThrow({ method: 'DELETE', key: prefix + key }, (refusal) => {
        if (refusal.code === 'NoSuchKey') return true
        if (!isDenied(refusal)) return false
        deniedIn.add(folder)
        kept.add(key)
        return true
      })
    },
    unremoved: () => [...kept].map(nameOf),
    list: (below) =>
      listed(
        { 'list-type': '2', below, row: 'Contents' },
        (xml) => ({ 'continuation-token': textOf(xml, 'NextContinuationToken') ?? '' }),
        (key, row) => ({ key, size: Math.max(0, Math.trunc(Number(textOf(row, 'Size'))) || 0) }),
      ),
    beginUpload: async (key) => {
      const query = { uploads: '' }
      const call: S3Call = { method: 'POST', key: prefix + key, query, headers: encryption }
      const answer = await orThrow(call)
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
      const headers = { 'x-amz-copy-source': sourceOf(source) }
      const answer = await orThrow({ method: 'PUT', key: prefix + key, query, headers })
      return { number, etag: textOf(decoded(answer?.bytes), 'ETag') ?? '' }
    },
    completeUpload: async ({ key, id }, parts) => {
      const rows = parts.map(
        ({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`,
      )
      const body = `<CompleteMultipartUpload>${rows.join('')}</CompleteMultipartUpload>`
      const call: S3Call = { method: 'POST', key: prefix + key, query: { uploadId: id }, body }
      const done = await orThrow(call, ({ code }) => code === 'NoSuchUpload')
      if (done !== undefined) return
      // it was completed by an attempt whose answer was lost, or it is gone
      const found = await send({ method: 'HEAD', key: prefix + key })
      if (E.isRight(found) && unquoted(found.right.headers.get('etag') ?? '') === joinedEtag(parts))
        return
      throw refused(call.method, nameOf(key), { code: 'NoSuchUpload', isTransient: false })
    },
    abortUpload: async ({ key, id }) => {
      const call: S3Call = { method: 'DELETE', key: prefix + key, query: { uploadId: id } }
      await orThrow(call, (refusal) => {
        if (refusal.code === 'NoSuchUpload') return true
        if (isDenied(refusal)) kept.add(key)
        return isDenied(refusal)
      })
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

/**
 * Returns the key of a row of a listing: as it stands, or decoded where keys are escaped as in a URL, which some services
 * do without a word; undefined if it does not begin as it should.
 */
const keyOf = (told: string, prefix: string, isEncoded: boolean): string | undefined => {
  if (!isEncoded && told.startsWith(prefix)) return told
  const key = O.toUndefined(O.tryCatch(() => decodeURIComponent(told.replaceAll('+', ' '))))
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

/** ETag of an object that was made of parts, without quotes: the MD5 of their MD5s. */
const joinedEtag = (parts: ReadonlyArray<UploadedPart>): string => {
  const md5s = parts.map(({ etag }) => unquoted(etag)).join('')
  return `${createHash('md5').update(md5s, 'hex').digest('hex')}-${parts.length}`
}
