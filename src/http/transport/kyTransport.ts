/** The only file that knows ky. */
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
import { fieldsOf } from '../../decode/unknown.js'
import { E, withoutUndefined } from '../../fp.js'
import { is, type OptionsOf, resolveOptions, withDefault } from '../../options/index.js'
import { reusable } from '../../stream/bytes.js'
import { left } from '../../stream/index.js'
import { MAX_BYTES, readBody } from './body.js'
import { connectionTracker } from './connectionTracker.js'
import type { Fetch, FetchResponse, Transport } from './Transport.js'
import { timeoutAfter, transportError } from './transportError.js'

const table = {
  /** Sends in place of ky and the runtime's own `fetch`. */
  fetch: is.fn<Fetch>(),
  /** Bytes that the body of a 2xx may have, decompressed. Default 256 MiB. */
  maxBytes: withDefault(is.positiveIntOrInfinity, MAX_BYTES),
  /** Clock of the time limits. Default: RxJS's `asyncScheduler`. */
  timer: withDefault(is.rxScheduler<SchedulerLike>(), asyncScheduler),
}

/** Options of `kyTransport`. */
export interface KyOptions extends OptionsOf<typeof table> {}

/**
 * Makes the default transport, which keeps the time limits. It does not retry, and follows no redirect. Throws an
 * `InvalidOption` for an invalid option.
 */
export const kyTransport = (options: KyOptions = {}): Transport => {
  const { fetch = viaKy, maxBytes, timer } = resolveOptions(options, table)
  const allocate = reusable()

  return ({ url, method, headers, body, timeout }) =>
    defer(() => {
      const abort = new AbortController()
      const { steps, run, departure } = connectionTracker()
      const response = defer(() =>
        run(async () =>
          checkedResponse(
            await fetch(url, {
              method,
              headers,
              ...withoutUndefined({ body }),
              signal: abort.signal,
              redirect: 'manual',
            }),
          ),
        ),
      )
      const unconnected = steps.pipe(
        switchMap((step) =>
          step === 'waiting' ? timeoutAfter('connect', timeout.connect, timer) : NEVER,
        ),
      )
      const unanswered = timeoutAfter('headers', timeout.headers, timer)
      return race(unconnected, unanswered, response).pipe(
        concatMap((response) =>
          readBody(response, { allocate, timer, timeout, maxBytes }).pipe(
            map((body) =>
              E.right({
                status: response.status,
                header: (name: string) => response.headers.get(name) ?? undefined,
                ...body,
              }),
            ),
          ),
        ),
        catchError((error: unknown) =>
          left(transportError(error, timeout, fetch === viaKy ? departure() : undefined)),
        ),
        finalize(() => abort.abort()),
      )
    })
}

/** Throws for the response of a half-made `fetch`, such as a mock, and says what it lacks. */
const checkedResponse = (response: FetchResponse): FetchResponse => {
  const { status, headers, body } = fieldsOf(response)
  const missing = [
    ...(typeof status === 'number' ? [] : ['status']),
    ...(typeof fieldsOf(headers).get === 'function' ? [] : ['headers.get']),
    ...(body === undefined ? ['body (a stream, or null)'] : []),
  ]
  if (missing.length > 0)
    throw new TypeError(`the response of fetch has no ${missing.join(', no ')}`)
  return response
}

/** ky makes a `Request`, which may lose its signal before the response is there: `fetch` gets the signal as well. */
const viaKy: Fetch = (url, init) =>
  ky(url, {
    ...init,
    retry: 0,
    throwHttpErrors: false,
    timeout: false,
    fetch: (request, options) => fetch(request, { ...options, signal: init.signal }),
  })
