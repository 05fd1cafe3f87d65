/**
 * ```ts
 * type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>
 * ```
 *
 * What sends, as far as a client knows it: the runtime's `fetch`, undici's, or one around them.
 */

// model

/** The request, all of it: what sends needs no `Request` of this runtime to read. */
export interface FetchInit {
  /** The HTTP method. */
  readonly method: 'GET' | 'POST'
  /** Names in lower case. They hold secrets: never print them. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly body?: string
  /** Aborts when the call is unsubscribed or a time limit has passed, and after the answer was read. */
  readonly signal: AbortSignal
  /** A redirect would carry the credentials to somebody else. */
  readonly redirect: 'manual'
}

/** What is read of an answer; a `Response` has it. */
export interface FetchResponse {
  /** The HTTP status. */
  readonly status: number
  /** Names in any letter case. */
  readonly headers: { readonly get: (name: string) => string | null }
  /** Its bytes, unpacked, in the parts they come in. */
  readonly body: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array> | null
}

/**
 * Sends one request, and repeats nothing. An answer of any status is a value; rejects when there is none, with
 * an error whose `code`, or that of its `cause`, says why.
 */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>
