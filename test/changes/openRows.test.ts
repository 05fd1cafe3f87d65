/** Lists of open charges, with the requests that they take. */
import { describe, expect, it } from 'vitest'
import { readOpen } from '../../src/changes/openRows.js'
import { DAY, type Row, Rows, refused, type ServiceOptions, serviceOf, UNTIL } from './rows.js'

/** Charges that stay SUSPENDED: most older than 30 days, the others new. */
const suspended = (old: number, fresh: number): ReadonlyArray<Row> =>
  Array.from({ length: old + fresh }, (_, i) => ({
    id: `chg_${String(i).padStart(8, '0')}`,
    status: 'SUSPENDED',
    created: i < old ? UNTIL - 700 * DAY + i * 1_000 : UNTIL - 20 * DAY + (i - old) * 60,
  }))

/** Reads the open charges of a ledger whose charges were known as they are in `known`. */
const read = async (ledger: Rows, known: ReadonlyArray<Row>, options: ServiceOptions = {}) => {
  const service = serviceOf(ledger, options)
  const rows = new Map<string, string>()
  const gone: Array<string> = []
  const pages = readOpen(service, {
    statuses: ['SUSPENDED'],
    unlisted: new Set(),
    openCharges: () => known,
    seen: new Set(),
    now: UNTIL,
    pageSpan: DAY,
  })
  for await (const page of pages) {
    for (const { id, status } of page.rows) rows.set(id, status)
    gone.push(...page.gone)
  }
  return { rows, gone, requests: service.requests() }
}

describe('charges that are suspended for ever', () => {
  it('are listed whole up to 40,000', async () => {
    const all = suspended(39_000, 1_000)
    const { rows, requests } = await read(new Rows(all), all)
    expect(rows.size).toBe(40_000)
    expect(requests).toBe(20)
  })

  it('are counted above that where they are older than 30 days: a few requests', async () => {
    const all = suspended(43_000, 1_000)
    const { rows, gone, requests } = await read(new Rows(all), all)
    expect([rows.size, gone]).toEqual([1_000, []])
    expect(requests).toBeLessThanOrEqual(2)
  })

  it('are listed whole where one of the old ones has left, or came', async () => {
    const all = suspended(43_000, 1_000)
    const [first, second] = all
    if (first === undefined || second === undefined) throw new Error('none')
    const ledger = new Rows(all)
    ledger.put({ ...first, status: 'SETTLED' })
    ledger.delete(second.id)
    const { rows, gone, requests } = await read(ledger, all)
    expect(rows.get(first.id)).toBe('SETTLED')
    expect(gone).toEqual([second.id])
    expect(rows.size).toBe(43_999)
    expect(requests).toBeLessThanOrEqual(22 + 12)
  })

  it('are listed whole where the service does not page as deep as a count needs', async () => {
    const all = suspended(43_000, 1_000)
    const refuses: ServiceOptions = {
      fail: (query) =>
        typeof query !== 'string' && query.size < 2_000 && query.page > 100
          ? refused(400)
          : undefined,
    }
    const { rows } = await read(new Rows(all), all, refuses)
    expect(rows.size).toBe(44_000)
  })
})
