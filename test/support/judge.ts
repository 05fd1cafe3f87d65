/**
 * A server of the platform that shares nothing with `src`. It is written from the API description alone, over node:http, so
 * that a misreading in the client is not hidden by the same misreading in its sandbox. It enforces the rolling windows on
 * arrival, and fails in every way that a test asks for.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { idleClock } from './idleClock.js'
import { account, LOGIN, type Page, type Reply } from './judgeAccount.js'
import type { ListSizes } from './judgeLists.js'
import { type Limits, windows } from './windows.js'

export { CLIENT, charge, PARTNER } from './judgeAccount.js'

// model

/** A request as it arrived. */
export interface Seen {
  readonly route: string
  /** Number of requests to this route, including this one. */
  readonly nth: number
  readonly method: string
  readonly url: URL
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/**
 * - `reset`: the connection breaks before anything is done; `reset-after`: after it was done.
 * - `cut-length`, `cut-chunked`, `cut-close`: half a body, where its length was told, where the last
 *   chunk is missing, and where only the end of the connection ends it.
 * - `stall`: half a body, then silence; `silent`: nothing at all.
 */
export type Fault =
  | 'reset'
  | 'reset-after'
  | 'cut-length'
  | 'cut-chunked'
  | 'cut-close'
  | 'stall'
  | 'silent'
  | {
      readonly status: number
      readonly body?: unknown
      readonly headers?: Readonly<Record<string, string>>
      /** True if the handler does its work before its response is replaced by the fault. */
      readonly after?: boolean
    }

export interface JudgeOptions extends ListSizes {
  /** Number of charges at the start. */
  readonly charges?: number
  /** True for pages that are short or empty although more rows follow. */
  readonly oddPages?: boolean
  readonly limits?: Limits
  /** Time in seconds. */
  readonly tokenLife?: number
  /** Its clock. Default: the idle clock. For clients in separate processes: `Date.now`. */
  readonly now?: () => number
  readonly fault?: (seen: Seen) => Fault | undefined
  /** Replaces a page of the list. */
  readonly page?: (page: Page, pageNum: number) => unknown
}

export interface Judge {
  readonly url: string
  readonly seen: ReadonlyArray<Seen>
  /** The tiers whose limit was exceeded, one entry for each 429. */
  readonly exceeded: ReadonlyArray<string>
  /** Number of requests whose connection the client closed before it had the response. */
  readonly abandoned: () => number
  /** Resolves once `what` holds, which is checked after each event. */
  readonly until: (what: () => boolean) => Promise<void>
  readonly revoke: () => void
  readonly close: () => Promise<void>
}

// the line

const JSON_TYPE = { 'content-type': 'application/json' }

const play = (fault: Fault | undefined, handled: () => Reply, to: ServerResponse): void => {
  if (fault === 'silent') return
  if (fault === 'reset') return void to.socket?.resetAndDestroy()
  if (typeof fault === 'object') {
    if (fault.after === true) handled()
    const { status, body = '', headers = {} } = fault
    to.writeHead(status, { ...JSON_TYPE, ...headers })
    return void to.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
  const { status, body } = handled()
  const text = JSON.stringify(body)
  const half = text.slice(0, text.length / 2)
  switch (fault) {
    case undefined:
      to.writeHead(status, JSON_TYPE).end(text)
      return
    case 'reset-after':
      to.socket?.resetAndDestroy()
      return
    case 'cut-length':
    case 'stall':
      to.writeHead(status, { ...JSON_TYPE, 'content-length': Buffer.byteLength(text) })
      to.write(half, () => fault === 'stall' || to.socket?.destroy())
      return
    case 'cut-chunked':
      to.writeHead(status, JSON_TYPE)
      to.write(half, () => to.socket?.destroy())
      return
    case 'cut-close':
      to.socket?.end(`HTTP/1.1 ${status} OK\r\nConnection: close\r\n\r\n${half}`)
      return
  }
}

const routeOf = (method: string, path: string): string => {
  if (method === 'GET' && /^\/api\/v1\/charges\/[^/]+$/.test(path))
    return 'GET /api/v1/charges/{id}'
  const items = path.replace(/^(\/api\/v1\/batch_transfers)\/[^/]+\/items$/, '$1/{id}/items')
  return `${method} ${items}`
}

const read = async (request: IncomingMessage): Promise<string> => {
  const parts: Array<Buffer> = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts).toString()
}

// the server

export const judge = async (options: JudgeOptions = {}): Promise<Judge> => {
  const { now = () => idleClock.now() } = options
  const own = account(options, now)
  const gate = options.limits === undefined ? undefined : windows(options.limits)
  const seen: Array<Seen> = []
  const exceeded: Array<string> = []
  const waiting: Array<() => void> = []
  let abandoned = 0
  const happened = (): void => {
    for (const look of [...waiting]) look()
  }

  const server = createServer(async (request, response) => {
    response.setHeader('date', new Date(now()).toUTCString())
    const { method = '', headers } = request
    const url = new URL(request.url ?? '', 'http://judge')
    const route = routeOf(method, url.pathname)
    const tier = gate?.enter(route === LOGIN ? undefined : route, now())
    response.once('close', () => {
      if (tier === undefined) gate?.leave()
      if (!response.writableEnded) abandoned++
      happened()
    })
    const body = await read(request)
    const nth = seen.filter((other) => other.route === route).length + 1
    const one: Seen = { route, nth, method, url, headers, body }
    seen.push(one)
    happened()
    if (tier === undefined) return play(options.fault?.(one), () => own.handle(one), response)
    exceeded.push(tier)
    const trace_id = `trace-${seen.length}`
    const problem = { code: 'too_many_requests', message: tier, trace_id, details: {} }
    response.writeHead(429, JSON_TYPE).end(JSON.stringify(problem))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()

  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    seen,
    exceeded,
    abandoned: () => abandoned,
    until: (what) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!what()) return
          waiting.splice(waiting.indexOf(look), 1)
          resolve()
        }
        waiting.push(look)
        look()
      }),
    revoke: own.revoke,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
