/**
 * A server of the platform that shares nothing with `src`: written from the interface alone, over
 * node:http, so that a misreading in the client is not hidden by the same misreading in its sandbox.
 * It keeps the interface's rolling windows at arrival, and fails in every way that it is told to.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Limits, windows } from './windows.js'

// model

/** A request as it arrived. */
export interface Seen {
  readonly route: string
  /** How many requests this route has had, this one included. */
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
      /** Whether the handler does its work before this is answered in place of its answer. */
      readonly after?: boolean
    }

export interface JudgeOptions {
  /** How many charges there are from the start. */
  readonly charges?: number
  readonly limits?: Limits
  /** In seconds. */
  readonly tokenLife?: number
  readonly fault?: (seen: Seen) => Fault | undefined
  /** What is sent in place of a page of the list. */
  readonly page?: (page: Page, pageNum: number) => unknown
}

interface Page {
  readonly has_more: boolean
  readonly items: ReadonlyArray<Readonly<Record<string, unknown>>>
}

export interface Judge {
  readonly url: string
  readonly seen: ReadonlyArray<Seen>
  /** The tiers whose limit was passed, one for every 429 that they caused. */
  readonly exceeded: ReadonlyArray<string>
  /** Requests whose connection the client closed before it had its answer. */
  readonly abandoned: () => number
  /** Resolves when `what` holds; looked at after each event. */
  readonly until: (what: () => boolean) => Promise<void>
  readonly revoke: () => void
  readonly close: () => Promise<void>
}

interface Reply {
  readonly status: number
  readonly body: unknown
}

// the account

export const CLIENT = { clientId: 'judge-client', apiKey: 'judge-key-5d41402abc4b' } as const

/** All 12 fields, as the interface shows them. */
export const charge = (index: number): Readonly<Record<string, unknown>> => ({
  id: `chg_${index}`,
  amount: 10 + index / 100,
  currency: index % 2 === 0 ? 'USD' : 'EUR',
  reason: 'goods_purchased',
  reference: `Order ${index}`,
  request_id: `request-${index}`,
  source: `acct_${index % 7}`,
  fee: 0.25,
  short_reference_id: `CH${index}`,
  status: ['NEW', 'PENDING', 'SETTLED', 'SUSPENDED', 'FAILED'][index % 5],
  created_at: `2024-02-0${1 + (index % 9)}T10:15:30+0000`,
  updated_at: '2024-03-01T00:00:00+0000',
})

const refusal = (status: number, code: string, message: string): Reply => ({
  status,
  body: { code, message },
})

const LOGIN = 'POST /api/v1/authentication/login'
const CREATE = 'POST /api/v1/charges/create'

const account = ({ charges = 0, tokenLife = 1_800, page }: JudgeOptions) => {
  const all = Array.from({ length: charges }, (_, index) => charge(index))
  const tokens = new Map<string, number>()

  const login = ({ headers }: Seen): Reply => {
    if (headers['x-client-id'] !== CLIENT.clientId || headers['x-api-key'] !== CLIENT.apiKey) {
      return refusal(401, 'credentials_invalid', 'unknown client')
    }
    const token = `judge-token-${tokens.size + 1}-${'x'.repeat(24)}`
    const end = Date.now() + tokenLife * 1_000
    tokens.set(token, end)
    const expires_at = new Date(end).toISOString().replace(/\.\d+Z$/, '+0000')
    return { status: 201, body: { token, expires_at } }
  }

  const create = ({ body }: Seen): Reply => {
    const asked = JSON.parse(body)
    const missing = ['amount', 'currency', 'reason', 'reference', 'request_id', 'source'].find(
      (name) => typeof asked[name] !== 'string',
    )
    if (missing !== undefined) return refusal(400, 'field_required', `${missing} as a text`)
    if (all.some(({ request_id }) => request_id === asked.request_id)) {
      return refusal(400, 'request_id_duplicate', 'this request_id was used before')
    }
    const made = { ...charge(all.length), ...asked, amount: Number(asked.amount), status: 'NEW' }
    all.push(made)
    return { status: 201, body: made }
  }

  const list = ({ url }: Seen): Reply => {
    const query = url.searchParams
    const num = Number(query.get('page_num') ?? '0')
    const size = Number(query.get('page_size') ?? '100')
    if (!(size >= 10 && size <= 2_000)) return refusal(400, 'invalid_argument', 'page_size')
    const found = all.filter((row) =>
      ['currency', 'request_id', 'source', 'status'].every(
        (name) => !query.has(name) || query.get(name) === row[name],
      ),
    )
    const items = found.slice(num * size, (num + 1) * size)
    const answer = { has_more: (num + 1) * size < found.length, items }
    return { status: 200, body: page === undefined ? answer : page(answer, num) }
  }

  const retrieve = ({ url }: Seen): Reply => {
    const id = decodeURIComponent(url.pathname.split('/').at(-1) ?? '')
    const found = all.find((row) => row.id === id)
    return found === undefined ? refusal(404, 'not_found', 'no such charge') : ok(found)
  }

  const ok = (body: unknown): Reply => ({ status: 200, body })

  const handlers: Readonly<Record<string, (seen: Seen) => Reply>> = {
    [LOGIN]: login,
    [CREATE]: create,
    'GET /api/v1/charges': list,
    'GET /api/v1/charges/{id}': retrieve,
  }

  return {
    revoke: () => tokens.clear(),
    handle: (seen: Seen): Reply => {
      const handler = handlers[seen.route]
      if (handler === undefined) return refusal(404, 'not_found', 'no such path')
      if (handler !== login) {
        const end = tokens.get(seen.headers.authorization?.replace(/^Bearer /, '') ?? '')
        if (end === undefined) return refusal(401, 'credentials_invalid', 'unknown token')
        if (end <= Date.now()) return refusal(401, 'credentials_expired', 'the token has expired')
      }
      return handler(seen)
    },
  }
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

const routeOf = (method: string, path: string): string =>
  /^\/api\/v1\/charges\/[^/]+$/.test(path) && method === 'GET'
    ? 'GET /api/v1/charges/{id}'
    : `${method} ${path}`

const read = async (request: IncomingMessage): Promise<string> => {
  const parts: Array<Buffer> = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts).toString()
}

// the server

export const judge = async (options: JudgeOptions = {}): Promise<Judge> => {
  const own = account(options)
  const gate = options.limits === undefined ? undefined : windows(options.limits)
  const seen: Array<Seen> = []
  const exceeded: Array<string> = []
  const waiting: Array<() => void> = []
  let abandoned = 0
  const happened = (): void => {
    for (const look of [...waiting]) look()
  }

  const server = createServer(async (request, response) => {
    const { method = '', headers } = request
    const url = new URL(request.url ?? '', 'http://judge')
    const route = routeOf(method, url.pathname)
    const tier = gate?.enter(route === LOGIN ? undefined : route, performance.now())
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
