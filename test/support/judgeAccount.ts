/** What the independent server holds and answers, from the interface alone. */
import type { JudgeOptions, Seen } from './judge.js'

// model

export interface Page {
  readonly has_more: boolean
  readonly items: ReadonlyArray<Readonly<Record<string, unknown>>>
}

export interface Reply {
  readonly status: number
  readonly body: unknown
}

// constructors

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

export const LOGIN = 'POST /api/v1/authentication/login'
const CREATE = 'POST /api/v1/charges/create'

export const account = ({ charges = 0, tokenLife = 1_800, page }: JudgeOptions) => {
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
