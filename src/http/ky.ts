/** The Transport that sends; the only file that knows ky. Every retry is the scheduler's: ky's is off. */
import ky from 'ky'
import {
  asyncScheduler,
  catchError,
  concatMap,
  defer,
  EMPTY,
  finalize,
  from,
  type MonoTypeOperatorFunction,
  map,
  type Observable,
  type SchedulerLike,
  throwError,
  timeout,
  toArray,
} from 'rxjs'
import { Agent } from 'undici'
import { E } from '../fp.js'
import { left } from '../stream/index.js'
import { Late, outage } from './outage.js'
import type { Answer, HttpRequest, Transport } from './Transport.js'

export interface KyOptions {
  /** What sends; the runtime's own `fetch` unless given. */
  readonly fetch?: typeof fetch
  /** For the time limits. */
  readonly scheduler?: SchedulerLike
}

export const kyTransport = ({ fetch, scheduler = asyncScheduler }: KyOptions = {}): Transport => {
  const agents = new Map<number, Agent>()

  /**
   * The runtime's `fetch` takes its limit for connecting from an agent; a `fetch` that was handed in
   * has its own. Undici 7: the `fetch` of Node 22, 24 and 26 all work with its agents.
   */
  const agent = (connect: number): Agent => {
    const known = agents.get(connect)
    if (known !== undefined) return known
    const made = new Agent({ connect: { timeout: connect }, headersTimeout: 0, bodyTimeout: 0 })
    agents.set(connect, made)
    return made
  }

  const send = (request: HttpRequest, signal: AbortSignal): Promise<Response> =>
    ky(request.url, {
      method: request.method,
      headers: request.headers,
      ...(request.body === undefined ? {} : { body: request.body }),
      ...(fetch === undefined ? { dispatcher: agent(request.timeout.connect) } : { fetch }),
      signal,
      redirect: 'manual', // a redirect would carry the credentials to somebody else
      retry: 0,
      throwHttpErrors: false,
      timeout: false,
    })

  const late = <A>(phase: 'headers' | 'body', limit: number): MonoTypeOperatorFunction<A> =>
    timeout({
      [phase === 'headers' ? 'first' : 'each']: limit,
      with: () => throwError(() => new Late(phase, limit)),
      scheduler,
    })

  return (request) =>
    defer(() => {
      const abort = new AbortController()
      return from(send(request, abort.signal)).pipe(
        late('headers', request.timeout.headers),
        concatMap((response) =>
          chunks(response).pipe(
            late('body', request.timeout.body),
            toArray(),
            map((bytes) => E.right(answer(response, bytes))),
          ),
        ),
        catchError((error: unknown) => left(outage(error, request.timeout))),
        finalize(() => abort.abort()),
      )
    })
}

const chunks = ({ body }: Response): Observable<Uint8Array> => {
  const parts: AsyncIterable<Uint8Array> | null = body
  return parts === null ? EMPTY : from(parts)
}

const answer = (response: Response, bytes: ReadonlyArray<Uint8Array>): Answer => ({
  status: response.status,
  header: (name) => response.headers.get(name) ?? undefined,
  body: new TextDecoder().decode(concat(bytes)),
})

const concat = (chunks: ReadonlyArray<Uint8Array>): Uint8Array => {
  const all = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}
