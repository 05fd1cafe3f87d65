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
  race,
  type SchedulerLike,
  switchMap,
} from 'rxjs'
import { defined, E } from '../../fp.js'
import { checkOptions, is, type OptionsTable } from '../../options/index.js'
import { left } from '../../stream/index.js'
import { reusable } from '../../stream/reusable.js'
import { type Body, MAX_BYTES, wholeBody } from './body.js'
import { connectionTracker } from './connectionTracker.js'
import type { Fetch, FetchInit, FetchResponse } from './Fetch.js'
import { timeoutAfter } from './TimeoutError.js'
import type { HttpRequest, HttpResponse, Transport } from './Transport.js'
import { transportError } from './transportError.js'

/** What `kyTransport` sends with. */
export interface KyOptions {
  /** What sends in place of ky and the runtime's own `fetch`. */
  readonly fetch?: Fetch
  /** Bytes that the body of a success may have, unpacked. Default 256 MiB. */
  readonly maxBytes?: number
  /** Clock of the time limits. Default: RxJS's `asyncScheduler`. */
  readonly timer?: SchedulerLike
}

const rules: OptionsTable<KyOptions> = {
  fetch: is.fn(),
  maxBytes: is.positiveIntOrInfinity,
  timer: is.rxScheduler(),
}

/**
 * The Transport that sends, and keeps the time limits. It repeats nothing and follows no redirect. Throws an
 * `InvalidOption` for an option that cannot work.
 */
export const kyTransport = (options: KyOptions = {}): Transport => {
  const {
    fetch = viaKy,
    maxBytes = MAX_BYTES,
    timer = asyncScheduler,
  } = checkOptions(options, rules)
  const storage = new AsyncLocalStorage<unknown>()
  const allocate = reusable()

  return (request) =>
    defer(() => {
      const { timeout } = request
      const { connect, headers } = timeout
      const abort = new AbortController()
      const { steps, run, departure } = connectionTracker(storage)
      const response = defer(() => run(async () => fetch(request.url, init(request, abort.signal))))
      const unconnected = steps.pipe(
        switchMap((step) => (step === 'waiting' ? timeoutAfter('connect', connect, timer) : NEVER)),
      )
      const unanswered = timeoutAfter('headers', headers, timer)
      return race(unconnected, unanswered, response).pipe(
        concatMap((response) =>
          wholeBody(response, { allocate, timer, timeout, maxBytes }).pipe(
            map((body) => E.right(answer(response, body))),
          ),
        ),
        catchError((error: unknown) =>
          left(transportError(error, timeout, fetch === viaKy ? departure() : undefined)),
        ),
        finalize(() => abort.abort()),
      )
    })
}

/** ky makes a `Request`, which may forget its signal before the answer is there: so it is given once more. */
const viaKy: Fetch = (url, init) =>
  ky(url, {
    ...init,
    retry: 0,
    throwHttpErrors: false,
    timeout: false,
    fetch: (request, options) => fetch(request, { ...options, signal: init.signal }),
  })

const init = ({ method, headers, body }: HttpRequest, signal: AbortSignal): FetchInit => ({
  method,
  headers,
  ...defined({ body }),
  signal,
  redirect: 'manual', // a redirect would carry the credentials to somebody else
})

const answer = ({ status, headers }: FetchResponse, body: Body): HttpResponse => ({
  status,
  header: (name) => headers.get(name) ?? undefined,
  ...body,
})
