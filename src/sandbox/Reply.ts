import type { SchedulerLike } from 'rxjs'
import { stringifyExact } from '../decode/index.js'
import { withoutUndefined } from '../fp.js'

/**
 * - `whole`: complete.
 * - `reset`: the connection closes without a response.
 * - `silent`: no response comes, and the connection stays open.
 * - `cut-off`: the connection closes in the middle of the body.
 * - `stall`: the body stops in the middle, and the connection stays open.
 * - `slow`: the body arrives in pieces.
 */
export type ReplyDelivery = 'whole' | 'reset' | 'silent' | 'cut-off' | 'stall' | 'slow'

export interface Reply {
  readonly status: number
  readonly body: BodyBytes
  readonly delivery: ReplyDelivery
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

/** Sends a reply. Calls `finished` when its last byte has left. */
export type SendReply = (
  reply: Reply,
  finished: () => void,
  timer: SchedulerLike,
) => Response | Promise<Response>

/** Number of pieces of a slow body. */
const PIECES = 10

/** Time between two pieces of a slow body, in ms. */
export const PAUSE = 100

export const jsonReply = (status: number, body: BodyBytes): Reply => ({
  status,
  body,
  delivery: 'whole',
  headers: { 'content-type': 'application/json' },
})

/** Creates a text reply. An empty body has no content type. */
export const textReply = (status: number, text: string): Reply => ({
  status,
  body: Buffer.from(text),
  delivery: 'whole',
  headers: text === '' ? {} : { 'content-type': 'text/plain; charset=utf-8' },
})

export const errorReply = ({ status, code, message, source }: ApiError): Reply =>
  jsonReply(status, Buffer.from(JSON.stringify({ code, message, source })))

/** Creates a 429 reply with the documented body. */
export const tooManyRequests = (message: string, trace_id: string): Reply => {
  const body = { code: 'too_many_requests', message, trace_id, details: {} }
  return jsonReply(429, Buffer.from(JSON.stringify(body)))
}

/** Adds a `Date` header, as servers do. `now`: the sandbox's time in ms since 1970. */
export const dated = (reply: Reply, now: number): Reply => ({
  ...reply,
  headers: { ...reply.headers, date: new Date(now).toUTCString() },
})

// parts of a body

export const firstHalf = ({ body }: Reply): BodyBytes => body.subarray(0, body.length >>> 1)

export const pieces = ({ body }: Reply): ReadonlyArray<BodyBytes> => {
  const size = Math.max(1, Math.ceil(body.length / PIECES))
  return Array.from({ length: Math.ceil(body.length / size) }, (_, n) =>
    body.subarray(n * size, (n + 1) * size),
  )
}

// results of handlers

/** The type of bytes that `Response` accepts. */
export type BodyBytes = Uint8Array<ArrayBuffer>

/** A value that is encoded with the codec of the endpoint. */
export interface Success<A> {
  readonly _tag: 'Success'
  readonly value: A
}

/** JSON that has already been encoded. */
export interface Json {
  readonly _tag: 'Json'
  readonly body: BodyBytes
}

/** Body of a call whose response is not documented; it may be empty. */
export interface TextReply {
  readonly _tag: 'Text'
  readonly text: string
}

export interface ApiError {
  readonly _tag: 'ApiError'
  readonly status: number
  readonly code: string
  readonly message: string
  /** The invalid parameter. */
  readonly source?: string
}

export type HandlerResult<A> = Success<A> | Json | TextReply | ApiError

export const success = <A>(value: A): Success<A> => ({ _tag: 'Success', value })

export const json = (value: unknown): Json => jsonText(stringifyExact(value))

export const jsonText = (text: string): Json => ({ _tag: 'Json', body: Buffer.from(text) })

export const text = (text: string): TextReply => ({ _tag: 'Text', text })

export const apiError = (
  status: number,
  code: string,
  message: string,
  source?: string,
): ApiError => ({ _tag: 'ApiError', status, code, message, ...withoutUndefined({ source }) })

export const invalid = (message: string, source?: string): ApiError =>
  apiError(400, 'invalid_argument', message, source)

export const required = (source: string): ApiError =>
  apiError(400, 'field_required', `${source} is required.`, source)

export const notFound = apiError(404, 'not_found', 'Not found.')
