/**
 * A service that keeps records, in virtual time. It does each write once per `request_id`, its lists lag, and a fault may
 * replace a response, before or after the write is done. Several clients may use it at the same time.
 */
import { Observable, of, VirtualTimeScheduler } from 'rxjs'
import { E, type IO, withoutUndefined } from '../../src/fp.js'
import {
  type Client,
  type ClientOptions,
  createClient,
  type NewBatchItem,
  type Transport,
} from '../../src/index.js'
import { BATCH } from './batch.js'
import { CHARGE, problem, REFUSED_CONNECTION, RESET, type Reply } from './lab.js'

// faults

/** Faults that replace a response, before or after the write is done. */
export const faults: Readonly<Record<string, Reply>> = {
  'a reset': { outage: RESET },
  'no headers': { outage: { _tag: 'TimedOut', phase: 'headers', limit: 60_000 } },
  'no body': { outage: { _tag: 'TimedOut', phase: 'body', limit: 30_000 } },
  'a 500': problem(500, 'internal_error'),
  'a 502 of a gateway': { status: 502, body: '<html>' },
  'a 503': problem(503, 'service_unavailable'),
  'a 504': { status: 504, body: '' },
  'a 400 that is a fault': problem(400, 'service_unavailable'),
  'a 400 of a gateway': { status: 400, body: '<html>' },
  'a 403 of a gateway': { status: 403, body: '<html>' },
  'a 404 of a gateway': { status: 404, body: '{"error":"no route"}' },
  'a 405 of a gateway': { status: 405, body: '<html>' },
  'a 403 of a gateway with a number for a code': { status: 403, body: { code: 1020 } },
  'a 404 whose body breaks off': { status: 404, body: '{"code":"not_fo', incompleteBody: true },
  'a 204': { status: 204, body: '' },
  'a page that asks to sign in': { status: 200, body: '<html>Sign in</html>' },
  'a 408': { status: 408, body: '' },
  'a 425': problem(425, 'too_early'),
  'a 499': { status: 499, body: '' },
  'a redirect': { status: 302, body: '' },
  'a 429 of the service': problem(429, 'too_many_requests'),
  'a 429 of a gateway': { status: 429, body: '<html>' },
  'a 401 of the service': problem(401, 'credentials_expired'),
  'a 401 of a gateway': { status: 401, body: '<html>' },
  'a 409 in progress': problem(409, 'request_pending'),
  'half a body': { status: 201, body: '{"id":' },
}

/** Faults that prove that the request has not arrived. */
export const unsent: Readonly<Record<string, Reply>> = {
  'a refused connection': { outage: REFUSED_CONNECTION },
  'no connection': { outage: { _tag: 'TimedOut', phase: 'connect', limit: 10_000 } },
}

export interface Fault {
  readonly name: string
  readonly when: 'before' | 'after'
}

const replyOf = ({ name }: Fault): Reply => faults[name] ?? unsent[name] ?? {}

// the service

export interface LedgerOptions {
  /**
   * Time until a created row appears in a list, in ms; for items, until the last one appears. May be a function of each write.
   */
  readonly lag: number | IO<number>
  readonly repeatedItems?: 'ignored' | 'refused'
  /** Faults of consecutive writes. The writes after them have none. */
  readonly faults?: ReadonlyArray<Fault>
}

interface Kept {
  readonly row: Readonly<Record<string, unknown>>
  readonly shownAt: number
}

export interface Ledger {
  readonly timer: VirtualTimeScheduler
  readonly client: (options?: Partial<ClientOptions>) => Client
  /** The charges that were created, by request_id, like batches and items. */
  readonly charges: ReadonlyMap<string, Kept>
  readonly batches: ReadonlyMap<string, Kept>
  readonly items: ReadonlyMap<string, Kept>
  /** Subscribes, and returns everything that is emitted once all work is done. */
  readonly run: <A>(source: Observable<A>) => ReadonlyArray<A>
  /** Lets time pass. */
  readonly pass: (ms: number) => void
}

/** Time that a request takes one way, in ms. */
const WAY = 5

export const ledger = ({ lag, repeatedItems = 'ignored', faults = [] }: LedgerOptions): Ledger => {
  const timer = new VirtualTimeScheduler()
  const charges = new Map<string, Kept>()
  const batches = new Map<string, Kept>()
  const items = new Map<string, Kept>()
  const plan = [...faults]
  const delay = typeof lag === 'number' ? () => lag : lag

  const create = (
    kept: Map<string, Kept>,
    { request_id, ...asked }: Readonly<Record<string, unknown>>,
    row: (n: number) => object,
  ): Reply => {
    const id = String(request_id)
    if (kept.has(id)) return problem(400, 'request_id_duplicate')
    const made = { ...row(kept.size + 1), ...asked, request_id: id }
    kept.set(id, { row: made, shownAt: timer.now() + delay() })
    return { status: 201, body: made }
  }

  const batch = () => ({ ...BATCH, total_item_count: items.size, valid_item_count: items.size })

  const write = (path: string, body: Readonly<Record<string, unknown>>): Reply => {
    if (path.endsWith('/charges/create')) {
      const amount = Number(body.amount)
      return create(charges, { ...body, amount }, (n) => ({ ...CHARGE, id: `chg_${n}` }))
    }
    if (path.endsWith('/batch_transfers/create')) {
      const { funding_source: _, ...asked } = body
      return create(batches, asked, (n) => ({ ...BATCH, id: `bat_${n}` }))
    }
    const sent = (body.items ?? []) as ReadonlyArray<NewBatchItem>
    const isRepeated = sent.some(({ request_id }) => items.has(request_id))
    if (isRepeated && repeatedItems === 'refused') {
      return problem(400, 'request_id_in_batch_duplicate')
    }
    const last = delay()
    for (const [i, item] of sent.entries()) {
      if (items.has(item.request_id)) continue
      const shownAt = timer.now() + (last * (i + 1)) / sent.length
      items.set(item.request_id, { row: itemRow(item), shownAt })
    }
    return { body: batch() }
  }

  const shown = (kept: ReadonlyMap<string, Kept>, requestId: string | null) =>
    [...kept.values()]
      .filter(({ row, shownAt }) => {
        return shownAt <= timer.now() && (requestId === null || row.request_id === requestId)
      })
      .map(({ row }) => row)

  const read = (path: string, query: URLSearchParams): Reply => {
    const requestId = query.get('request_id')
    if (path.endsWith('/items')) return { body: { items: shown(items, null), page_after: null } }
    if (path.endsWith('/charges')) {
      return { body: { has_more: false, items: shown(charges, requestId) } }
    }
    if (path.endsWith('/batch_transfers')) {
      return { body: { items: shown(batches, requestId), page_after: null } }
    }
    return { body: batch() }
  }

  const answer = ({ method, url, body = '{}' }: Parameters<Transport>[0]): Reply => {
    const { pathname, searchParams } = new URL(url)
    if (method === 'GET') return read(pathname, searchParams)
    const fault = plan.shift()
    if (fault === undefined) return write(pathname, JSON.parse(body))
    if (fault.when === 'after') write(pathname, JSON.parse(body))
    return replyOf(fault)
  }

  const transport: Transport = (request) =>
    new Observable((subscriber) => {
      // once sent, it arrives, whether or not anyone waits for the response
      timer.schedule(() => {
        const { status = 200, body: told = '', outage } = answer(request)
        const text = typeof told === 'string' ? told : JSON.stringify(told)
        subscriber.add(
          timer.schedule(() => {
            const response = { status, header: () => undefined, body: text }
            subscriber.next(outage === undefined ? E.right(response) : E.left(outage))
            subscriber.complete()
          }, WAY),
        )
      }, WAY)
    })

  let ids = 0
  const client = (options: Partial<ClientOptions> = {}): Client =>
    createClient({
      baseUrl: 'https://platform.test',
      credentials: { token: () => of({ token: 'token' }) },
      transport,
      timer,
      random: () => 0,
      uuid: () => `uuid-${++ids}`,
      log: false,
      ...withoutUndefined(options),
    })

  const pass = (ms: number): void => {
    const end = timer.now() + ms
    timer.maxFrames = end
    timer.flush()
    if (Number.isFinite(end)) timer.frame = Math.max(timer.frame, end)
  }

  return {
    ...{ timer, client, charges, batches, items, pass },
    run: (source) => {
      const out: Array<never> = []
      source.subscribe({
        next: (value) => out.push(value as never),
        error: (error: unknown) => {
          throw error
        },
      })
      pass(Number.POSITIVE_INFINITY)
      return out
    },
  }
}

const itemRow = ({ request_id, transfer_amount }: NewBatchItem) => ({
  id: `itm_${request_id}`,
  request_id,
  status: 'VALIDATED',
  updated_at: '2024-05-06T07:08:09+0000',
  transfer_draft: { transfer_amount },
})
