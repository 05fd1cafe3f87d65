/** The other lists of the independent server, and how it divides lists into pages, written from the API description alone. */

// model

export type Row = Readonly<Record<string, unknown>>

export interface ListSizes {
  readonly batches?: number
  /** Items by batch. */
  readonly items?: number
  readonly webhooks?: number
  readonly partnerWebhooks?: number
}

// data

const TIMES = { created_at: '2024-02-03T10:15:30+0000', updated_at: '2024-03-01T00:00:00+0000' }

export const batch = (index: number): Row => ({
  id: `bat_${index}`,
  request_id: `batch-request-${index}`,
  short_reference_id: `BT${index}`,
  name: `Payroll ${index}`,
  remarks: '',
  metadata: { run: `${index}` },
  transfer_date: '2024-02-05',
  status: ['DRAFTING', 'SCHEDULED', 'BOOKING', 'BOOKED'][index % 4],
  total_item_count: index % 9,
  valid_item_count: index % 5,
  funding: { status: 'FUNDED', deposit_type: 'DIRECT_DEBIT', funding_source_id: null },
  quote_summary: null,
  updated_at: TIMES.updated_at,
})

export const item = (index: number): Row => ({
  id: `itm_${index}`,
  request_id: `item-request-${index}`,
  status: ['VALIDATED', 'BOOKED', 'BOOKING_FAILED'][index % 3],
  transfer_id: null,
  updated_at: TIMES.updated_at,
})

export const webhook =
  (prefix: string) =>
  (index: number): Row => ({
    id: `${prefix}_${index}`,
    url: `https://example.com/${prefix}/${index}`,
    events: ['charge.settled'],
    version: '2024-02-22',
    request_id: `${prefix}-request-${index}`,
    ...TIMES,
  })

// pages

/** Filled share of consecutive pages: full, half, empty, a tenth, empty. */
const ODD = [1, 0.5, 0, 0.1, 0]

/** Returns the rows on page `num`, and whether more rows follow. */
const cut = (rows: ReadonlyArray<Row>, num: number, size: number, odd: boolean) => {
  const length = (n: number): number => (odd ? Math.ceil(size * (ODD[n % ODD.length] ?? 0)) : size)
  let start = 0
  for (let n = 0; n < num; n++) start += length(n)
  const end = start + length(num)
  return { items: rows.slice(start, end), goesOn: end < rows.length }
}

/** By `page_num` and `has_more`. */
export const numbered = (
  rows: ReadonlyArray<Row>,
  query: URLSearchParams,
  size: number,
  odd = false,
) => {
  const { items, goesOn } = cut(rows, Number(query.get('page_num') ?? '0'), size, odd)
  return { has_more: goesOn, items }
}

const mark = (num: number): string => `mark:${Buffer.from(`after ${num}`).toString('base64')}==+/`

const numOf = (bookmark: string | null): number => {
  if (bookmark === null) return 0
  const [, num] = /^after (\d+)$/.exec(Buffer.from(bookmark.slice(5), 'base64').toString()) ?? []
  return num === undefined ? Number.NaN : Number(num) + 1
}

/** By `page`, with `page_after` and `page_before`; undefined for a bookmark that this server did not issue. */
export const bookmarked = (
  rows: ReadonlyArray<Row>,
  query: URLSearchParams,
  size: number,
  odd = false,
) => {
  const num = numOf(query.get('page'))
  if (Number.isNaN(num)) return undefined
  const { items, goesOn } = cut(rows, num, size, odd)
  const page_before = num === 0 ? null : num === 1 ? '' : mark(num - 2)
  return { items, page_before, page_after: goesOn ? mark(num) : null }
}
