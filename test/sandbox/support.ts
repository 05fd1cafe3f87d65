import { virtualTimer } from '../../bench/simulated/virtualTimer.js'
import { parseWithDigits } from '../../src/decode/digits.js'
import {
  createSandbox,
  type SandboxOptions,
  sandboxCredentials,
  sandboxPartner,
} from '../../src/sandbox/index.js'

/** 2026-01-02T03:04:05Z, in ms since 1970. */
const NOON = Date.UTC(2026, 0, 2, 3, 4, 5)

export const loginHeaders = {
  'x-client-id': sandboxCredentials.clientId,
  'x-api-key': sandboxCredentials.apiKey,
}

export const partnerHeaders = {
  authorization: `Basic ${btoa(`${sandboxPartner.clientId}:${sandboxPartner.clientSecret}`)}`,
}

/** A charge to make. */
export const newCharge = {
  amount: '12.50',
  currency: 'EUR',
  reason: 'goods_purchased',
  reference: 'Order 17',
  request_id: 'order-17',
  source: 'acct_1',
}

/** An order item to upload. */
export const order = {
  category: 'goods_trade_online',
  currency: 'USD',
  item_name: 'Lamp',
  item_quantity: 3,
  item_unit_price: 12.5,
  item_url: 'https://shop.test/lamp',
  line_total: 37.5,
  order_datetime: '2026-01-01T10:00:00+0000',
  order_id: 'o-1',
  shipment_provider: 'Post',
  shipment_tracking_number: '12345',
}

/** A clock that stands still until it is moved, with the work that waits for it. */
export const stillClock = (start = NOON) => {
  const timer = virtualTimer(start)
  return {
    timer,
    now: timer.now,
    /** How much waits for the time to come. */
    waiting: timer.pending,
    /** Moves on by `ms` and does what is due. */
    pass: (ms: number) => timer.flush(timer.now() + ms),
  }
}

/** Lets everything happen that waits for nothing. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export interface Answered {
  readonly status: number
  readonly body: unknown
}

/** JSON if it is JSON, else the text. */
const read = (text: string): unknown => {
  try {
    return parseWithDigits(text)
  } catch {
    return text
  }
}

const BASE = 'http://sandbox.test'

/** A sandbox on a still clock, with a logged-in caller. */
export const open = async (options: SandboxOptions = {}) => {
  const clock = stillClock()
  const sandbox = createSandbox({ charges: 100, limits: false, timer: clock.timer, ...options })
  const send = async (path: string, init: RequestInit = {}): Promise<Answered> => {
    const response = await sandbox.fetch(`${BASE}${path}`, init)
    return { status: response.status, body: read(await response.text()) }
  }
  const login = (headers: Record<string, string> = loginHeaders) =>
    send('/api/v1/authentication/login', { method: 'POST', headers })
  let opened = await login()
  for (let n = 0; n < 10 && opened.status !== 201; n++) opened = await login() // among faults
  const { body } = opened
  const authorization = `Bearer ${Object(body).token}`
  const get = (path: string, headers: Record<string, string> = {}) =>
    send(path, { headers: { authorization, ...headers } })
  const post = (path: string, value: unknown, headers: Record<string, string> = {}) =>
    send(path, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', ...headers },
      body: typeof value === 'string' ? value : JSON.stringify(value),
    })
  /** As the partner. */
  const partner = {
    get: (path: string) => send(path, { headers: partnerHeaders }),
    post: (path: string, value: unknown = {}) => post(path, value, partnerHeaders),
  }
  return { clock, sandbox, send, login, get, post, partner, authorization }
}

/** The rows of a list's page. */
export const items = ({ body }: Answered): ReadonlyArray<Record<string, unknown>> => {
  const list: unknown = Object(body).items
  return Array.isArray(list) ? list : []
}

/** Every page of a list by bookmarks, from the first on, in either direction. */
export const everyBookmarked = async (
  get: (path: string) => Promise<Answered>,
  path: string,
  towards: 'page_after' | 'page_before' = 'page_after',
  from?: string,
): Promise<ReadonlyArray<Answered>> => {
  const pages: Array<Answered> = []
  for (let bookmark: unknown = from; bookmark !== null; ) {
    const query = bookmark === undefined ? '' : `page=${encodeURIComponent(String(bookmark))}`
    const page = await get(`${path}${path.includes('?') ? '&' : '?'}${query}`)
    if (page.status !== 200) throw new Error(JSON.stringify(page))
    pages.push(page)
    bookmark = Object(page.body)[towards]
  }
  return pages
}

/** Every row of a list, page by page. */
export const everyItem = async (
  get: (path: string) => Promise<Answered>,
  query: string,
  size = 10,
): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const all: Array<Record<string, unknown>> = []
  for (let n = 0; ; n++) {
    const page = await get(`/api/v1/charges?${query}&page_size=${size}&page_num=${n}`)
    all.push(...items(page))
    if (Object(page.body).has_more !== true) return all
  }
}
