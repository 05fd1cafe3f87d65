import type { SchedulerLike } from 'rxjs'
import type { ApiError } from './ApiError.js'
import { type Bytes, encoded } from './account/ascii.js'

// model

/**
 * - `whole`: as it should be.
 * - `reset`: the connection closes without an answer.
 * - `silent`: no answer comes, and the connection stays open.
 * - `cut-off`: the connection closes in the middle of the body.
 * - `stall`: the body stops in the middle, and the connection stays open.
 * - `slow`: the body comes in pieces.
 */
export type Manner = 'whole' | 'reset' | 'silent' | 'cut-off' | 'stall' | 'slow'

/** What leaves the sandbox, and in what manner: played as a `Response`, or on a socket. */
export interface Reply {
  /** The HTTP status. */
  readonly status: number
  /** JSON, or text where the interface shows no body. */
  readonly body: Bytes
  /** What becomes of it on its way. */
  readonly manner: Manner
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

/** Sends a reply; `finished` is called when the last of it has left, `timer` is the sandbox's. */
export type Play = (
  reply: Reply,
  finished: () => void,
  timer: SchedulerLike,
) => Response | Promise<Response>

/** A slow body comes in this many pieces. */
const PIECES = 10

/** Time between two pieces of a slow body, in ms. */
export const PAUSE = 100

// constructors

const json = { 'content-type': 'application/json' } as const

const plain = { 'content-type': 'text/plain; charset=utf-8' } as const

export const whole = (status: number, body: Bytes): Reply => ({
  status,
  body,
  manner: 'whole',
  headers: json,
})

/** No body has no type. */
export const textual = (status: number, text: string): Reply => ({
  status,
  body: encoded(text),
  manner: 'whole',
  headers: text === '' ? {} : plain,
})

export const refused = ({ status, code, message, source }: ApiError): Reply =>
  whole(status, encoded(JSON.stringify({ code, message, source })))

/** As the interface shows it (interface, Errors). */
export const tooMany = (message: string, traceId: string): Reply =>
  whole(
    429,
    encoded(JSON.stringify({ code: 'too_many_requests', message, trace_id: traceId, details: {} })),
  )

// combinators

/** What comes of a body that is cut off or stalls. */
export const half = ({ body }: Reply): Bytes => body.subarray(0, body.length >>> 1)

export const pieces = ({ body }: Reply): ReadonlyArray<Bytes> => {
  const size = Math.max(1, Math.ceil(body.length / PIECES))
  return Array.from({ length: Math.ceil(body.length / size) }, (_, n) =>
    body.subarray(n * size, (n + 1) * size),
  )
}
