/** The boundary between a request and the network. A `Transport` sends requests, by default with a `Fetch`. */
import type { ObservableEither } from '../../stream/either/ObservableEither.js'
import type { Millis } from '../../stream/index.js'

/** A request, ready to be sent. */
export interface HttpRequest {
  /** The HTTP method. */
  readonly method: 'GET' | 'POST'
  /** Absolute URL, with the query. */
  readonly url: string
  /** Headers, with lower-case names. They contain secrets: never print them. */
  readonly headers: Readonly<Record<string, string>>
  /** The body as JSON; absent for a GET. */
  readonly body?: string
  /** Time limits. */
  readonly timeout: Timeout
}

/** Time limits in ms. Node's `fetch` also has its own: 10,000 to connect, 300,000 to the headers and between two chunks. */
export interface Timeout {
  /** Limit until there is a connection, including TLS. */
  readonly connect: Millis
  /** Limit from sending the request, including connecting, to the headers of the response. */
  readonly headers: Millis
  /** Limit between two chunks of the body. */
  readonly body: Millis
  /** Limit from the headers of the response to the end of its body. */
  readonly whole: Millis
}

/** Defaults in ms (our assumption: not in the API description). */
export const TIMEOUT: Timeout = { connect: 10_000, headers: 60_000, body: 30_000, whole: 600_000 }

/** A response of any status. */
export interface HttpResponse {
  /** The HTTP status. */
  readonly status: number
  /** Returns the value of a header. The name is in lower case. */
  readonly header: (name: string) => string | undefined
  /** The body. For a status other than 2xx, its beginning is enough. */
  readonly body: string
  /** The reason why a body cannot be used: it is too long, or not UTF-8. */
  readonly invalidBody?: { readonly expected: string; readonly actual: string }
  /** Present if the connection broke within the body of a status other than 2xx, and `body` is its beginning. */
  readonly incompleteBody?: true
  /** Present if a hook returned the response, so nothing was sent. */
  readonly unsent?: true
  /** The body, as a stream of byte chunks. */
  readonly parts?: ReadonlyArray<Uint8Array>
}

/** The reason why there is no response. */
export type TransportError =
  | {
      readonly _tag: 'Unreachable'
      readonly code: string
      readonly reason: string
      /** True if the request may have reached the service. */
      readonly mayHaveArrived: boolean
    }
  | { readonly _tag: 'TimedOut'; readonly phase: keyof Timeout; readonly limit: Millis }

/**
 * Sends a request. Cold: each subscription sends it, and unsubscribing aborts it. Emits one value: a response of any status, or a
 * `Left` if there is none. An error is a bug.
 */
export type Transport = (request: HttpRequest) => ObservableEither<TransportError, HttpResponse>

/**
 * Sends one request without retries: the runtime's `fetch`, undici's, or a wrapper. Resolves with a response of any status.
 * Rejects if there is none, with an error whose `code`, or whose cause's `code`, is the reason.
 */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>

/** The request passed to a `Fetch`: plain data, not a `Request` of this runtime. */
export interface FetchInit {
  /** The HTTP method. */
  readonly method: 'GET' | 'POST'
  /** Headers, with lower-case names. They contain secrets: never print them. */
  readonly headers: Readonly<Record<string, string>>
  /** The body as JSON. */
  readonly body?: string
  /** Aborted on unsubscribing, when a time limit has passed, and after the response was read. */
  readonly signal: AbortSignal
  /** Redirects are not followed, because they would carry the credentials to another host. */
  readonly redirect: 'manual'
}

/** The parts of a response that are used. A `Response` has them. */
export interface FetchResponse {
  /** The HTTP status. */
  readonly status: number
  /** Headers, with names in any letter case. */
  readonly headers: { readonly get: (name: string) => string | null }
  /** The decompressed body, as a stream of byte chunks; text is encoded as UTF-8. */
  readonly body: AsyncIterable<Uint8Array | string> | ReadableStream<Uint8Array> | null
}

export const isSuccess = ({ status }: Pick<HttpResponse, 'status'>): boolean =>
  status >= 200 && status < 300

/**
 * Returns the wait requested by `Retry-After`, in ms; 0 without one. A date is relative to the `Date` of the same response,
 * because our clock may be wrong.
 */
export const retryAfterOf = ({ header }: Pick<HttpResponse, 'header'>, now: Millis): Millis => {
  const text = header('retry-after')?.trim() ?? ''
  const wait = /^\d+(\.\d+)?$/.test(text)
    ? Number(text) * 1_000
    : Date.parse(text) - servedAt({ header }, now)
  return Number.isNaN(wait) ? 0 : Math.max(0, wait)
}

/** Returns the time of a response by the service's clock, or by ours if the response has no time. */
export const servedAt = ({ header }: Pick<HttpResponse, 'header'>, now: Millis): Millis => {
  const date = Date.parse(header('date') ?? '')
  return Number.isNaN(date) ? now : date
}
