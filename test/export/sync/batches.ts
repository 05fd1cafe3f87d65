/** Batches of an account and their items, which a test changes; and a client that reads them. */
import { createClient, unlimited } from '../../../src/index.js'
import { idleTime } from '../../support/idleClock.js'

interface Item {
  readonly id: string
  readonly status: string
}

interface Batch {
  readonly id: string
  readonly status: string
  readonly updated: number
  /** As the batch says; by default as many as it has. */
  readonly total?: number
  readonly items: ReadonlyArray<Item>
}

const iso = (day: number): string =>
  new Date(Date.UTC(2026, 0, 1) + day * 86_400_000).toISOString().replace('.000Z', '+0000')

/** Rows per page: so few that lists have several. */
const PAGE = { batches: 50, items: 3 }

const shown = ({ id, status, updated, items, total = items.length }: Batch) => ({
  ...{ id, request_id: `r-${id}`, short_reference_id: `s-${id}`, status },
  ...{ total_item_count: total, valid_item_count: total, updated_at: iso(updated) },
})

export const batchesOf = () => {
  const { timer, run, pass } = idleTime()
  const batches = new Map<string, Batch>()
  const hidden = new Set<string>()
  const asked: Array<string> = []

  const page = (all: ReadonlyArray<object>, bookmark: string | null, size: number) => {
    const from = Number(bookmark ?? 0)
    const next = from + size
    return {
      items: all.slice(from, next),
      page_after: next < all.length ? String(next) : null,
      page_before: null,
    }
  }
  const answer = (url: URL): { readonly status: number; readonly body: object } => {
    const [, id, items] = /batch_transfers(?:\/([^/]+))?(\/items)?$/.exec(url.pathname) ?? []
    const bookmark = url.searchParams.get('page')
    if (id === undefined) {
      const listed = [...batches.values()].filter((batch) => !hidden.has(batch.id)).map(shown)
      return { status: 200, body: page(listed, bookmark, PAGE.batches) }
    }
    const batch = batches.get(id)
    if (batch === undefined) return { status: 404, body: { code: 'not_found', message: 'none' } }
    if (items === undefined) return { status: 200, body: shown(batch) }
    const rows = batch.items.map((item) => ({
      ...{ id: item.id, request_id: `r-${item.id}`, status: item.status },
      updated_at: iso(batch.updated),
    }))
    return { status: 200, body: page(rows, bookmark, PAGE.items) }
  }
  const payments = createClient({
    baseUrl: 'https://platform.test',
    credentials: { clientId: 'a', apiKey: 'b' },
    limits: unlimited,
    retry: { faults: 0, throttled: 0 },
    fetch: async (input) => {
      const url = new URL(String(input))
      if (url.pathname.endsWith('login')) {
        return Response.json(
          { token: 't', expires_at: '2099-01-01T00:00:00+0000' },
          { status: 201 },
        )
      }
      asked.push(url.pathname.replace('/api/v1/batch_transfers', '') || '/')
      const { status, body } = answer(url)
      return Response.json(body, { status })
    },
    timer,
  })
  /** Puts a batch in place, with items of these names. */
  const put = (
    id: string,
    status: string,
    updated: number,
    items: ReadonlyArray<string>,
    total?: number,
  ): void => {
    const rows = items.map((item) => ({
      id: `${id}-${item}`,
      status: status === 'BOOKED' ? 'BOOKED' : 'VALIDATED',
    }))
    batches.set(id, { id, status, updated, items: rows, ...(total === undefined ? {} : { total }) })
  }
  return { payments, timer, run, pass, batches, hidden, asked, put }
}
