import { Hono } from 'hono'
import {
  asapScheduler,
  asyncScheduler,
  defer,
  firstValueFrom,
  queueScheduler,
  type SchedulerLike,
} from 'rxjs'
import { method, type Route, template } from '../api/Endpoint.js'
import { until } from '../stream/either/ObservableEither.js'
import { services } from './handlers/index.js'
import { type SandboxOptions, settingsOf } from './options.js'
import type { SendReply } from './Reply.js'
import { replyInProcess } from './replyInProcess.js'
import { type IncomingRequest, requestLifecycle, type SandboxStats } from './requestLifecycle.js'
import { turn } from './virtualTime.js'

/** A simulated account behind the API: its charges, batches and webhooks. */
export interface Sandbox {
  /** Responds in process, with the signature of the global `fetch`; pass it as the client's `fetch` option. */
  readonly fetch: typeof fetch
  /** Returns counts of requests, refusals, faults and deliveries so far. */
  readonly stats: () => SandboxStats
  /**
   * Cancels pending deliveries to webhooks. Only needed if a webhook was subscribed and charges arrive or settle in real time:
   * their timers keep the process alive.
   */
  readonly close: () => void
}

/** A sandbox that a server can expose on a socket. */
export interface ServableSandbox extends Sandbox {
  /** Handles a request. Rejects when `end` is aborted before the reply is sent. */
  readonly handle: (request: Request, sendReply: SendReply, end?: AbortSignal) => Promise<Response>
}

/** Returns a sandbox that needs no socket. Throws an `InvalidOption` for an invalid option. */
export const createSandbox = (options: SandboxOptions = {}): Sandbox => servableSandbox(options)

export const servableSandbox = (options: SandboxOptions = {}): ServableSandbox => {
  const settings = settingsOf(options)
  const lifecycle = requestLifecycle(settings)
  const isRealTime = realTimers.has(settings.timer)
  const app = new Hono<{ Bindings: Pick<IncomingRequest, 'sendReply' | 'end'> }>()
  for (const service of services) {
    const { route } = service.row
    app.on(method(route), pattern(route), (c) =>
      lifecycle.answer({ ...c.env, request: c.req.raw, service, path: c.req.param() }),
    )
  }
  app.notFound((c) =>
    lifecycle.answer({ ...c.env, request: c.req.raw, service: undefined, path: {} }),
  )
  app.onError((error) => {
    throw error // a broken connection causes a rejection
  })

  const handle: ServableSandbox['handle'] = async (
    request,
    sendReply,
    end = new AbortController().signal,
  ) => app.fetch(request, { sendReply, end })

  return {
    fetch: async (input, init) => {
      const request = new Request(input, init)
      const answer = () => handle(request, replyInProcess(request))
      // with promises alone, a loop of calls would starve timers and sockets
      const work = isRealTime ? () => turn().then(answer) : answer
      return firstValueFrom(defer(work).pipe(until(request.signal)))
    },
    stats: lifecycle.stats,
    close: lifecycle.close,
    handle,
  }
}

/** RxJS schedulers that run in real time. Others may use virtual time, with event loop turns of its own. */
const realTimers: ReadonlySet<SchedulerLike> = new Set([
  asyncScheduler,
  asapScheduler,
  queueScheduler,
])

/** Returns the path in Hono's syntax: `/api/v1/charges/:id`. */
const pattern = (route: Route): string => template(route).replace(/\{([^}]+)\}/g, ':$1')
