/**
 * ```ts
 * type Transport = (request: HttpRequest) => ObservableEither<Outage, Answer>
 * ```
 *
 * The seam between what is asked and how it is sent.
 */
import type { Millis, ObservableEither } from '../../stream/index.js'

// model

/** A request, ready to be sent. */
export interface HttpRequest {
  /** The HTTP method. */
  readonly method: 'GET' | 'POST'
  /** The whole of it, with the query. */
  readonly url: string
  /** Names in lower case. They hold secrets: never print them. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON; none for a GET. */
  readonly body?: string
  /** When it is given up. */
  readonly timeout: Timeout
}

/** Limits in ms. Node's `fetch` has its own as well: 10,000 to connect, 300,000 to the headers and between two parts. */
export interface Timeout {
  /** Until there is a connection, TLS included. */
  readonly connect: Millis
  /** From the departure of the request, connecting included, to the headers of its answer. */
  readonly headers: Millis
  /** Between two parts of the body. */
  readonly body: Millis
  /** From the headers of the answer to the end of its body. */
  readonly whole: Millis
}

/** An answer, whatever its status. */
export interface HttpResponse {
  /** The HTTP status. */
  readonly status: number
  /** The value of a header, by its name in lower case. */
  readonly header: (name: string) => string | undefined
  /** The whole body; of what is no success, the beginning may do. */
  readonly body: string
  /** What keeps the body from being what was sent, if it is not: too long, or no text. */
  readonly flaw?: { readonly expected: string; readonly actual: string }
  /** It is no success, and its body broke or stalled: the beginning is there. */
  readonly brokenOff?: true
  /** Its bytes, in the parts they came in: rows can be written as they came without making them anew. */
  readonly parts?: ReadonlyArray<Uint8Array>
}

/** No answer. */
export type TransportError =
  | {
      readonly _tag: 'Unreachable'
      readonly code: string
      readonly reason: string
      readonly mayHaveArrived: boolean
    }
  | { readonly _tag: 'TimedOut'; readonly phase: keyof Timeout; readonly limit: Millis }

/**
 * Sends a request. Cold: each subscription sends, and unsubscribing aborts. Emits one value: an answer of
 * any status, or a `Left` where there is none; what it throws is a bug.
 */
export type Transport = (request: HttpRequest) => ObservableEither<TransportError, HttpResponse>

// constructors

/** In ms (defaults, not specified by the interface document). */
export const TIMEOUT: Timeout = { connect: 10_000, headers: 60_000, body: 30_000, whole: 600_000 }

// combinators

export const isSuccess = ({ status }: Pick<HttpResponse, 'status'>): boolean =>
  status >= 200 && status < 300
