/** The seam between a request and the network: a `Transport`, which by default sends with a `Fetch`. */
import type { Millis, ObservableEither } from '../../stream/index.js'

// model

/** A request, ready to be sent. */
export interface HttpRequest {
  /** The HTTP method. */
  readonly method: 'GET' | 'POST'
  /** Absolute URL, with the query. */
  readonly url: string
  /** Names in lower case. They hold secrets: never print them. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON; absent for a GET. */
  readonly body?: string
  /** Time limits. */
  readonly timeout: Timeout
}

/** Limits in ms. Node's `fetch` has its own as well: 10,000 to connect, 300,000 to the headers and between two parts. */
export interface Timeout {
  /** Until there is a connection, TLS included. */
  readonly connect: Millis
  /** From the departure of the request, connecting included, to the headers of the response. */
  readonly headers: Millis
  /** Between two parts of the body. */
  readonly body: Millis
  /** From the headers of the response to the end of its body. */
  readonly whole: Millis
}

/** Defaults in ms, not specified by the interface document. */
export const TIMEOUT: Timeout = { connect: 10_000, headers: 60_000, body: 30_000, whole: 600_000 }

/** A response of any status. */
export interface HttpResponse {
  /** The HTTP status. */
  readonly status: number
  /** Returns the value of a header, by its name in lower case. */
  readonly header: (name: string) => string | undefined
  /** The body; of a status other than 2xx, its beginning suffices. */
  readonly body: string
  /** The reason why a body cannot be used: it is too long, or no UTF-8. */
  readonly invalidBody?: { readonly expected: string; readonly actual: string }
  /** The connection broke within the body of a status other than 2xx: `body` is its beginning. */
  readonly incompleteBody?: true
  /** The bytes of the body, in the parts they came in. */
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
 * Sends a request. Cold: each subscription sends, and unsubscribing aborts. Emits one value: a response of any
 * status, or a `Left` if there is none. An error is a bug.
 */
export type Transport = (request: HttpRequest) => ObservableEither<TransportError, HttpResponse>

/**
 * Sends one request without retries: the runtime's `fetch`, undici's, or a wrapper. Resolves with a response of any
 * status; rejects if there is none, with an error whose `code`, or that of its `cause`, is the reason.
 */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>

/** The request of a `Fetch`: plain data, without a `Request` of this runtime. */
export interface FetchInit {
  /** The HTTP method. */
  readonly method: 'GET' | 'POST'
  /** Names in lower case. They hold secrets: never print them. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly body?: string
  /** Aborts when the call is unsubscribed or a time limit has passed, and after the response was read. */
  readonly signal: AbortSignal
  /** A redirect would carry the credentials to another host. */
  readonly redirect: 'manual'
}

/** The parts of a response that are read; a `Response` has them. */
export interface FetchResponse {
  /** The HTTP status. */
  readonly status: number
  /** Names in any letter case. */
  readonly headers: { readonly get: (name: string) => string | null }
  /** Its bytes, decompressed, in the parts they come in. */
  readonly body: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array> | null
}

// combinators

export const isSuccess = ({ status }: Pick<HttpResponse, 'status'>): boolean =>
  status >= 200 && status < 300

/**
 * Returns the wait that `Retry-After` asks for, in ms; 0 without one. A date is relative to the `Date` of the same
 * response: our clock may be wrong.
 */
export const retryAfterOf = ({ header }: Pick<HttpResponse, 'header'>, now: Millis): Millis => {
  const text = header('retry-after')?.trim() ?? ''
  const wait = /^\d+(\.\d+)?$/.test(text)
    ? Number(text) * 1_000
    : Date.parse(text) - servedAt({ header }, now)
  return Number.isNaN(wait) ? 0 : Math.max(0, wait)
}

/** Returns the time of a response by the clock of the service; ours if it shows none. */
export const servedAt = ({ header }: Pick<HttpResponse, 'header'>, now: Millis): Millis => {
  const date = Date.parse(header('date') ?? '')
  return Number.isNaN(date) ? now : date
}
