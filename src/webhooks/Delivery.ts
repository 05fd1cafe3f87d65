import { redact } from '../decode/redact.js'
import { E } from '../fp.js'
import { concat, utf8 } from './bytes.js'
import { type NotRaw, notRaw, type Unsigned, unsigned } from './WebhookFailure.js'

/** A `Headers`, the `headers` of a `node:http` request, or a plain record. */
export type HeadersLike =
  | Iterable<readonly [name: string, value: string]>
  | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** A request to a webhook URL, before verification. */
export interface Delivery {
  /** The headers. The case of their names does not matter. */
  readonly headers: HeadersLike
  /** The raw body. A body that was parsed and serialized again no longer matches its signature. */
  readonly body: string | ArrayBuffer | ArrayBufferView
}

type Pairs = Iterable<readonly [name: string, value: string | ReadonlyArray<string> | undefined]>

const isPairs = (headers: object): headers is Iterable<readonly [string, string]> =>
  Symbol.iterator in headers

/** Returns the headers as pairs. In spite of their types, servers sometimes pass `null`. */
const pairsOf = (headers: HeadersLike | null | undefined): Pairs => {
  if (typeof headers !== 'object' || headers === null) return []
  return isPairs(headers) ? headers : Object.entries(headers)
}

/** Returns a header's values, unsplit: commas join values but also occur within one value, such as an HTTP date. */
const valuesOf = (headers: HeadersLike, name: string): ReadonlyArray<string> =>
  Array.from(pairsOf(headers))
    .filter(([key]) => String(key).toLowerCase() === name.toLowerCase())
    .flatMap(([, value]) => value ?? [])

/** Returns the value of a header that must be present exactly once. */
export const headerOf = (headers: HeadersLike, name: string): E.Either<Unsigned, string> => {
  const [value, ...others] = valuesOf(headers, name)
  if (value === undefined) return E.left(unsigned(name, 'there', 'missing'))
  if (others.length > 0) {
    return E.left(unsigned(name, 'present once', `present ${others.length + 1} times`))
  }
  return typeof value !== 'string' || value === ''
    ? E.left(unsigned(name, 'a string', redact(value)))
    : E.right(value)
}

/** Recognizes buffers of other realms as well, because Jest, jsdom and `node:vm` have their own. */
const isBuffer = (u: unknown): u is ArrayBuffer =>
  /^\[object (Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(u))

/** Returns a copy of the body, so that the bytes that are verified are those that are read afterwards. */
export const bytesOf = (body: Delivery['body']): E.Either<NotRaw, Uint8Array<ArrayBuffer>> => {
  if (typeof body === 'string') return E.right(utf8(body))
  if (ArrayBuffer.isView(body)) {
    return E.right(concat([new Uint8Array(body.buffer, body.byteOffset, body.byteLength)]))
  }
  if (isBuffer(body)) return E.right(concat([new Uint8Array(body)]))
  return E.left(notRaw(redact(body)))
}
