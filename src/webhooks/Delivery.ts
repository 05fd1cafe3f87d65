import { redact } from '../decode/redact.js'
import { E } from '../fp.js'
import { concat, utf8 } from './bytes.js'
import { type NotRaw, notRaw, type Unsigned, unsigned } from './WebhookFailure.js'

// model

/** A `Headers`, the `headers` of a request of `node:http`, or a plain record. */
export type HeadersLike =
  | Iterable<readonly [name: string, value: string]>
  | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** A request to the URL of a webhook, before it is verified. */
export interface Delivery {
  /** Names are compared without letter case. */
  readonly headers: HeadersLike
  /** The body as it came: one that was parsed, and written again, is no longer what was signed. */
  readonly body: string | ArrayBuffer | ArrayBufferView
}

// combinators

type Pairs = Iterable<readonly [name: string, value: string | ReadonlyArray<string> | undefined]>

const isPairs = (headers: object): headers is Iterable<readonly [string, string]> =>
  Symbol.iterator in headers

/** Servers hand over `null` at times, in spite of their types. */
const pairsOf = (headers: HeadersLike | null | undefined): Pairs => {
  if (typeof headers !== 'object' || headers === null) return []
  return isPairs(headers) ? headers : Object.entries(headers)
}

/** Not split at commas: a runtime joins values by them, but one value may have some itself, as an HTTP date has. */
const valuesOf = (headers: HeadersLike, name: string): ReadonlyArray<string> =>
  Array.from(pairsOf(headers))
    .filter(([key]) => String(key).toLowerCase() === name.toLowerCase())
    .flatMap(([, value]) => value ?? [])

/** The value of a header that must be there, once. */
export const headerOf = (headers: HeadersLike, name: string): E.Either<Unsigned, string> => {
  const [value, ...others] = valuesOf(headers, name)
  if (value === undefined) return E.left(unsigned(name, 'there', 'missing'))
  if (others.length > 0) {
    return E.left(unsigned(name, 'there once', `there ${others.length + 1} times`))
  }
  return typeof value !== 'string' || value === ''
    ? E.left(unsigned(name, 'a text', redact(value)))
    : E.right(value)
}

/** Recognizes the buffers of other realms, too: Jest, jsdom and `node:vm` have their own. */
const isBuffer = (u: unknown): u is ArrayBuffer =>
  /^\[object (Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(u))

/** A copy: what is verified is what is read afterwards. */
export const bytesOf = (body: Delivery['body']): E.Either<NotRaw, Uint8Array<ArrayBuffer>> => {
  if (typeof body === 'string') return E.right(utf8(body))
  if (ArrayBuffer.isView(body)) {
    return E.right(concat([new Uint8Array(body.buffer, body.byteOffset, body.byteLength)]))
  }
  if (isBuffer(body)) return E.right(concat([new Uint8Array(body)]))
  return E.left(notRaw(redact(body)))
}
