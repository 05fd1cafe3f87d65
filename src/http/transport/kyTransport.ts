/** The only file that uses ky. */
import ky, { type AfterResponseHook, type BeforeRequestHook, isForceRetryError } from 'ky'
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
import {
  InvalidOption,
  is,
  type OptionsOf,
  resolveOptions,
  withDefault,
} from '../../options/index.js'
import { reusable } from '../../stream/bytes.js'
import { left } from '../../stream/either/ObservableEither.js'
import { MAX_BYTES, readBody } from './body.js'
import { connectionTracker } from './connectionTracker.js'
import type { Fetch, FetchInit, FetchResponse, Transport } from './Transport.js'
import { timeoutAfter, transportError } from './transportError.js'

/** Hooks of ky, in order, around each request, including logins, pages and retries. They see secrets. */
export interface RequestHooks {
  /**
   * May add headers. If it returns a `Response`, nothing is sent. A hook that throws, or changes the method, URL, body or an
   * existing header, is a bug and ends the call with an error.
   */
  readonly beforeRequest?: ReadonlyArray<BeforeRequestHook>
  /** May replace the response. If it throws, the call ends with an error, even if the service has executed the request. */
  readonly afterResponse?: ReadonlyArray<AfterResponseHook>
}

const hookList = is.arrayOf(is.fn(), 'a list of functions')

export const hooksRule = is.group<RequestHooks>({
  beforeRequest: hookList,
  afterResponse: hookList,
})

const table = {
  /** Replaces the runtime's own `fetch` and, without `hooks`, also ky. */
  fetch: is.fn<Fetch>(),
  /** Hooks of ky around each request. */
  hooks: hooksRule,
  /** Maximum body size of a 2xx in bytes, decompressed. Default 32 MiB. */
  maxBytes: withDefault(is.positiveIntOrInfinity, MAX_BYTES),
  /** Clock for the time limits. Default: RxJS's `asyncScheduler`. */
  timer: withDefault(is.rxScheduler<SchedulerLike>(), asyncScheduler),
}

/** Options of `kyTransport`. */
export interface KyOptions extends OptionsOf<typeof table> {}

/**
 * Creates the default transport, which enforces the time limits. It does not retry or follow redirects. Throws an `InvalidOption`
 * for an invalid option.
 */
export const kyTransport = (options: KyOptions = {}): Transport => {
  const { fetch: given, hooks, maxBytes, timer } = resolveOptions(options, table)
  const send: Fetch = given ?? ((url, init) => fetch(url, init))
  const isDirect = given !== undefined && hooks === undefined
  const allocate = reusable()

  return ({ url, method, headers, body, timeout }) =>
    defer(() => {
      const abort = new AbortController()
      const { steps, run, departure } = connectionTracker()
      const exchange = new Exchange(send, hooks)
      const response = defer(() =>
        run(async () =>
          checkedResponse(
            await (isDirect ? send : exchange.viaKy)(url, {
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
                ...(isDirect || exchange.isSent ? {} : { unsent: true as const }),
                ...body,
              }),
            ),
          ),
        ),
        catchError((error: unknown) => {
          if (exchange.bug !== undefined) throw exchange.bug.error
          return left(transportError(error, timeout, departure(), given === undefined))
        }),
        finalize(() => abort.abort()),
      )
    })
}

/** Returns a response of `fetch`. Throws for an incomplete one, such as a mock, and names the missing part. */
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

// hooks

const BEFORE = 'hooks.beforeRequest'
const AFTER = 'hooks.afterResponse'

/** One request that ky sends, with hooks around it. */
class Exchange {
  isSent = false
  /** The error of a hook, as opposed to a failure of the request. */
  bug: { readonly error: unknown } | undefined
  readonly #send: Fetch
  readonly #hooks: RequestHooks

  constructor(send: Fetch, hooks: RequestHooks = {}) {
    this.#send = send
    this.#hooks = hooks
  }

  /** Takes only the headers from ky's `Request`, because that may lose its signal before the response arrives. */
  readonly viaKy: Fetch = (url, init) => {
    const { beforeRequest = [], afterResponse = [] } = this.#hooks
    return ky(url, {
      ...init,
      retry: 0,
      throwHttpErrors: false,
      timeout: false,
      hooks: {
        beforeRequest: beforeRequest.map((hook) => this.#noting(checked(hook, url, init))),
        afterResponse: afterResponse.map((hook) => this.#noting(hook)),
      },
      fetch: async (request) => {
        this.isSent = true
        const { headers } = request as Request // ky has created one from the URL
        const response = await this.#send(url, { ...init, headers: Object.fromEntries(headers) })
        if (afterResponse.length > 0 && !isTagged<Response>('Response', response)) {
          this.#fail(
            new InvalidOption(AFTER, 'omitted, because your fetch does not return a Response'),
          )
        }
        return response as Response // ky passes any other on unchanged
      },
    }).catch((error: unknown) => {
      const expected = 'functions that do not return ky.retry(), because the client itself retries'
      if (isForceRetryError(error)) this.#fail(new InvalidOption(AFTER, expected))
      throw error
    })
  }

  #noting<State, A>(hook: (state: State) => A | Promise<A>): (state: State) => Promise<A> {
    return async (state) => {
      try {
        return await hook(state)
      } catch (error) {
        return this.#fail(error)
      }
    }
  }

  #fail(error: unknown): never {
    this.bug = { error }
    throw error
  }
}

/** Wraps a hook. The wrapper throws an `InvalidOption` if the hook changes a request other than by adding headers. */
const checked =
  (hook: BeforeRequestHook, url: string, init: FetchInit): BeforeRequestHook =>
  async (state) => {
    const returned = await hook(state)
    if (isTagged<Response>('Response', returned)) return returned
    const isReplaced = isTagged<Request>('Request', returned)
    const changed = isReplaced
      ? (changedPart(returned, url, init) ?? (await changedBody(returned, init)))
      : changedPart(state.request, url, init)
    if (changed === undefined) return returned
    throw new InvalidOption(BEFORE, `functions that only add headers, but one changed ${changed}`)
  }

const changedPart = (request: Request, url: string, init: FetchInit): string | undefined => {
  if (request.method !== init.method) return 'the method'
  if (request.url !== new URL(url).href) return 'the URL'
  const given = new Headers({ authorization: '', ...init.headers })
  const changed = [...given].find(([name, value]) => (request.headers.get(name) ?? '') !== value)
  return changed && `the header ${changed[0]}`
}

const changedBody = async (request: Request, { body = '' }: FetchInit) =>
  request.bodyUsed || (await request.clone().text()) !== body ? 'the body' : undefined

/** Recognizes a `Request` or `Response` of any realm or package, in the same way as ky. */
const isTagged = <A>(tag: string, u: unknown): u is A =>
  Object.prototype.toString.call(u) === `[object ${tag}]`
