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
import { O } from '../fp.js'
import { until } from '../stream/ObservableEither.js'
import { services } from './handlers/index.js'
import type { Play } from './Reply.js'
import { inProcess } from './replyInProcess.js'
import { type IncomingRequest, requestLifecycle } from './requestLifecycle.js'
import type { SandboxOptions } from './SandboxOptions.js'
import { settings } from './settings.js'
import type { SandboxStats } from './stats.js'
import { turn } from './turn.js'

// model

/** The interface, simulated: an account with its charges, batches and webhooks. */
export interface Sandbox {
  /** Answers in process, in the manner of the global `fetch`: give it to a client as its `fetch`. */
  readonly fetch: typeof fetch
  /** What has arrived so far. */
  readonly stats: () => SandboxStats
  /**
   * Answers a request and leaves it to `play` to send what comes out; for servers. Rejects when `end` is aborted
   * while the request, or its answer, is on its way.
   */
  readonly handle: (request: Request, play: Play, end?: AbortSignal) => Promise<Response>
}

/** Timers of the system, as RxJS has them. Those of a caller may have virtual time, which has turns of its own. */
const ofSystem: ReadonlySet<SchedulerLike> = new Set([
  asyncScheduler,
  asapScheduler,
  queueScheduler,
])

// constructors

/** As hono writes it: `/api/v1/charges/:id`. */
const pattern = (route: Route): string => template(route).replace(/\{([^}]+)\}/g, ':$1')

/** Rows and handlers behind a `fetch` that needs no socket. Throws an `InvalidOption` for what makes none. */
export const createSandbox = (options: SandboxOptions = {}): Sandbox => {
  const all = settings(options)
  const life = requestLifecycle(all)
  const isReal = ofSystem.has(all.timer)
  const app = new Hono<{ Bindings: Pick<IncomingRequest, 'play' | 'end'> }>()
  for (const service of services) {
    const { route } = service.row
    app.on(method(route), pattern(route), (c) =>
      life.answer({
        ...c.env,
        request: c.req.raw,
        service: O.some(service),
        path: c.req.param(),
      }),
    )
  }
  app.notFound((c) => life.answer({ ...c.env, request: c.req.raw, service: O.none, path: {} }))
  app.onError((error) => {
    throw error // a connection that breaks is a rejection
  })

  const handle: Sandbox['handle'] = async (request, play, end = new AbortController().signal) =>
    app.fetch(request, { play, end })

  return {
    fetch: async (input, init) => {
      const request = new Request(input, init)
      const answer = () => handle(request, inProcess(request))
      // made of promises alone, it would leave no turn to others
      const work = isReal ? () => turn().then(answer) : answer
      return firstValueFrom(defer(work).pipe(until(request.signal)))
    },
    stats: life.stats,
    handle,
  }
}
