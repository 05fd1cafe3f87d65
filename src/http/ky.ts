/** The Transport that sends; the only file that knows ky. Every retry is the scheduler's: ky's is off. */
import ky from 'ky'
import {
  asyncScheduler,
  catchError,
  concatMap,
  defer,
  finalize,
  map,
  type SchedulerLike,
  throwError,
  timeout,
} from 'rxjs'
import { Agent } from 'undici'
import { E } from '../fp.js'
import { left } from '../stream/index.js'
import { bodyText } from './body.js'
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

  return (request) =>
    defer(() => {
      const abort = new AbortController()
      return defer(() => send(request, abort.signal)).pipe(
        timeout({
          first: request.timeout.headers,
          with: () => throwError(() => new Late('headers', request.timeout.headers)),
          scheduler,
        }),
        concatMap((response) =>
          bodyText(response, request.timeout.body, scheduler).pipe(
            map((body) => E.right(answer(response, body))),
          ),
        ),
        catchError((error: unknown) => left(outage(error, request.timeout))),
        finalize(() => abort.abort()),
      )
    })
}

const answer = ({ status, headers }: Response, body: string): Answer => ({
  status,
  header: (name) => headers.get(name) ?? undefined,
  body,
})
