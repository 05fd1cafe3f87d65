/** The only file that knows ky. */
import { AsyncLocalStorage } from 'node:async_hooks'
import ky from 'ky'
import {
  asyncScheduler,
  catchError,
  concatMap,
  defer,
  finalize,
  map,
  NEVER,
  type Observable,
  race,
  type SchedulerLike,
  switchMap,
} from 'rxjs'
import { E } from '../fp.js'
import { left } from '../stream/index.js'
import { later } from '../stream/later.js'
import { reusable } from '../stream/reusable.js'
import { type Body, MAX_BYTES, wholeBody } from './body.js'
import { type Line, line } from './line.js'
import { Late, outage } from './outage.js'
import type { Answer, HttpRequest, Transport } from './Transport.js'

/** What `kyTransport` sends with. */
export interface KyOptions {
  /** What sends; the runtime's own `fetch` unless given. */
  readonly fetch?: typeof fetch
  /** Bytes that the body of a success may have, unpacked; 256 MiB unless given. */
  readonly maxBytes?: number
  /** For the time limits. */
  readonly scheduler?: SchedulerLike
}

/** The Transport that sends, and keeps the time limits. It repeats nothing and follows no redirect. */
export const kyTransport = ({
  fetch,
  maxBytes = MAX_BYTES,
  scheduler = asyncScheduler,
}: KyOptions = {}): Transport => {
  const storage = new AsyncLocalStorage<unknown>()
  const place = reusable()

  const send = (request: HttpRequest, signal: AbortSignal): Promise<Response> =>
    ky(request.url, {
      method: request.method,
      headers: request.headers,
      ...(request.body === undefined ? {} : { body: request.body }),
      ...(fetch === undefined ? {} : { fetch }),
      signal,
      redirect: 'manual', // a redirect would carry the credentials to somebody else
      retry: 0,
      throwHttpErrors: false,
      timeout: false,
    })

  /** Fails when `run` waits longer for a connection than it may; emits nothing. */
  const unconnected = (steps: Line['steps'], limit: number): Observable<never> =>
    steps.pipe(
      switchMap((step) => (step === 'waiting' ? later(limit, scheduler) : NEVER)),
      map(() => {
        throw new Late('connect', limit)
      }),
    )

  return (request) =>
    defer(() => {
      const { timeout } = request
      const { connect, headers } = timeout
      const abort = new AbortController()
      const { steps, run, neverLeft } = line(storage)
      const response = defer(() => run(() => send(request, abort.signal)))
      const unanswered = later(headers, scheduler).pipe(
        map((): never => {
          throw new Late('headers', headers)
        }),
      )
      return race(unconnected(steps, connect), unanswered, response).pipe(
        concatMap((response) =>
          wholeBody(response, place, { timeout, maxBytes }, scheduler).pipe(
            map((body) => E.right(answer(response, body))),
          ),
        ),
        catchError((error: unknown) =>
          // a `fetch` of the caller's own may have sent it in another way than the one that is watched
          left(outage(error, timeout, fetch === undefined && neverLeft())),
        ),
        finalize(() => abort.abort()),
      )
    })
}

const answer = ({ status, headers }: Response, body: Body): Answer => ({
  status,
  header: (name) => headers.get(name) ?? undefined,
  ...body,
})
