/** Data and responses of the independent server, written from the API description alone. */
import type { JudgeOptions, Seen } from './judge.js'
import { batch, bookmarked, item, numbered, type Row, webhook } from './judgeLists.js'

// model

export interface Page {
  readonly has_more: boolean
  readonly items: ReadonlyArray<Row>
}

export interface Reply {
  readonly status: number
  readonly body: unknown
}

// constructors

export const CLIENT = { clientId: 'judge-client', apiKey: 'judge-key-5d41402abc4b' } as const

/** The OAuth application. */
export const PARTNER = { clientId: 'judge-partner', clientSecret: 'judge-secret-7d793037' } as const

/** Time of the first charge, and the interval to the next one: half a minute. */
const FIRST = Date.UTC(2024, 1, 1, 10, 15, 30)
const STEP = 30_000

/** Formats a time as the API does. */
const timeText = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, '+0000')

/** All 12 fields that the API description shows. */
export const charge = (index: number): Row => ({
  id: `chg_${index}`,
  amount: (1_000 + index) / 100,
  currency: index % 2 === 0 ? 'USD' : 'EUR',
  reason: 'goods_purchased',
  reference: `Order ${index}`,
  request_id: `request-${index}`,
  source: `acct_${index % 7}`,
  fee: 0.25,
  short_reference_id: `CH${index}`,
  status: ['NEW', 'PENDING', 'SETTLED', 'SUSPENDED', 'FAILED'][index % 5],
  created_at: timeText(FIRST + index * STEP),
  updated_at: '2024-03-01T00:00:00+0000',
})

/** Both bounds of a filter are inclusive, in whole seconds. */
const secondOf = (time: unknown): number =>
  typeof time === 'string' ? Math.floor(Date.parse(time) / 1_000) : Number.NaN

const refusal = (status: number, code: string, message: string): Reply => ({
  status,
  body: { code, message },
})

const BASIC = `Basic ${Buffer.from(`${PARTNER.clientId}:${PARTNER.clientSecret}`).toString('base64')}`

export const LOGIN = 'POST /api/v1/authentication/login'
const CREATE = 'POST /api/v1/charges/create'

const made = (count: number, row: (index: number) => Row): Array<Row> =>
  Array.from({ length: count }, (_, index) => row(index))

export const account = (
  {
    charges = 0,
    batches = 0,
    items = 0,
    webhooks = 0,
    partnerWebhooks = 0,
    oddPages,
    tokenLife = 1_800,
    page,
  }: JudgeOptions,
  now: () => number,
) => {
  const all = made(charges, charge)
  const tokens = new Map<string, number>()

  const login = ({ headers }: Seen): Reply => {
    if (headers['x-client-id'] !== CLIENT.clientId || headers['x-api-key'] !== CLIENT.apiKey) {
      return refusal(401, 'credentials_invalid', 'unknown client')
    }
    const token = `judge-token-${tokens.size + 1}-${'x'.repeat(24)}`
    const end = now() + tokenLife * 1_000
    tokens.set(token, end)
    return { status: 201, body: { token, expires_at: timeText(end) } }
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
    const created = { ...charge(all.length), ...asked, amount: Number(asked.amount), status: 'NEW' }
    all.push(created)
    return { status: 201, body: created }
  }

  const list = ({ url }: Seen): Reply => {
    const query = url.searchParams
    const size = Number(query.get('page_size') ?? '100')
    if (!(size >= 10 && size <= 2_000)) return refusal(400, 'invalid_argument', 'page_size')
    const [from, to] = [
      secondOf(query.get('from_created_at')),
      secondOf(query.get('to_created_at')),
    ]
    const found = all.filter((row) => {
      const created = secondOf(row.created_at)
      const isIn = !(created < from) && !(created > to) // NaN without a limit
      return (
        isIn &&
        ['currency', 'request_id', 'source', 'status'].every(
          (name) => !query.has(name) || query.get(name) === row[name],
        )
      )
    })
    const answer = numbered(found, query, size, oddPages)
    return {
      status: 200,
      body: page === undefined ? answer : page(answer, Number(query.get('page_num') ?? '0')),
    }
  }

  const retrieve = ({ url }: Seen): Reply => {
    const id = decodeURIComponent(url.pathname.split('/').at(-1) ?? '')
    const found = all.find((row) => row.id === id)
    return found === undefined ? refusal(404, 'not_found', 'no such charge') : ok(found)
  }

  const ok = (body: unknown): Reply => ({ status: 200, body })

  const sizeOf = ({ url }: Seen, usual: number, most = Number.POSITIVE_INFINITY): number => {
    const size = Number(url.searchParams.get('page_size') ?? usual)
    return size >= 1 && size <= most ? size : Number.NaN
  }

  const marked =
    (rows: ReadonlyArray<Row>, usual: number, most?: number) =>
    (seen: Seen): Reply => {
      const size = sizeOf(seen, usual, most)
      if (Number.isNaN(size)) return refusal(400, 'invalid_argument', 'page_size')
      const found = bookmarked(rows, seen.url.searchParams, size, oddPages)
      return found === undefined ? refusal(400, 'invalid_argument', 'page') : ok(found)
    }

  const partner = made(partnerWebhooks, webhook('pwh'))
  const partnerList = (seen: Seen): Reply =>
    seen.headers.authorization === BASIC
      ? ok(numbered(partner, seen.url.searchParams, sizeOf(seen, 20), oddPages))
      : refusal(401, 'unauthorized', 'unknown application')

  const open: Readonly<Record<string, (seen: Seen) => Reply>> = {
    [LOGIN]: login,
    'GET /partner-api/v1/webhooks': partnerList,
  }

  const handlers: Readonly<Record<string, (seen: Seen) => Reply>> = {
    [CREATE]: create,
    'GET /api/v1/charges': list,
    'GET /api/v1/charges/{id}': retrieve,
    'GET /api/v1/batch_transfers': marked(made(batches, batch), 50, 50),
    'GET /api/v1/batch_transfers/{id}/items': marked(made(items, item), 1_000, 1_000),
    'GET /api/v1/webhooks': marked(made(webhooks, webhook('wh')), 20),
  }

  return {
    revoke: () => tokens.clear(),
    handle: (seen: Seen): Reply => {
      const free = open[seen.route]
      if (free !== undefined) return free(seen)
      const handler = handlers[seen.route]
      if (handler === undefined) return refusal(404, 'not_found', 'no such path')
      const end = tokens.get(seen.headers.authorization?.replace(/^Bearer /, '') ?? '')
      if (end === undefined) return refusal(401, 'credentials_invalid', 'unknown token')
      if (end <= now()) return refusal(401, 'credentials_expired', 'the token has expired')
      return handler(seen)
    },
  }
}
