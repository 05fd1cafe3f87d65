/** A list that goes on by other means than its row says: followed, and reported once. */
import { describe, expect, it } from 'vitest'
import { CHARGE, type LabOptions, LIST, lab, type Play } from '../../support/lab.js'

const BATCHES = 'GET /api/v1/batch_transfers'

/** Three pages by bookmark. */
const marked: Play = (_, nth) => ({
  body: { items: [{ ...CHARGE, id: `chg_${nth}` }], page_after: nth < 3 ? `mark-${nth}` : null },
})

/** Three pages by number. */
const numbered: Play = ({ query }) => ({
  body: { items: [{ id: 'x' }], has_more: Number(query.get('page_num') ?? 0) < 2 },
})

const told = ({ play, ...options }: LabOptions) => {
  const { client, events, run, calls } = lab({
    ...(play === undefined ? {} : { play }),
    ...options,
  })
  return {
    client,
    run,
    positions: () => calls().map(({ query }) => query.get('page_num') ?? query.get('page')),
    facts: () =>
      events.flatMap((event) =>
        event._tag === 'Drifted' && event.fact.kind === 'other paging' ? [event.fact] : [],
      ),
  }
}

describe('a list with other paging than its row', () => {
  it('continues by bookmarks in place of numbers, and records it once', () => {
    const { client, run, positions, facts } = told({ play: marked, drift: true })
    run(client.charges.list())
    expect(positions()).toEqual(['0', 'mark-1', 'mark-2'])
    expect(facts()).toEqual([
      {
        endpoint: LIST,
        path: 'page_after',
        kind: 'other paging',
        example: 'text of 6 characters',
        count: 1,
      },
    ])
    expect(client.drift().filter(({ kind }) => kind === 'other paging')).toMatchObject([
      { count: 2 },
    ])
    run(client.charges.list().parallel(3))
    expect(facts()).toHaveLength(1)
  })

  it('continues by numbers in place of bookmarks, and records it once', () => {
    const { client, run, positions, facts } = told({ play: numbered, drift: true })
    run(client.batchTransfers.list().pages)
    expect(positions()).toEqual([null, '1', '2'])
    expect(facts()).toMatchObject([{ endpoint: BATCHES, path: 'has_more', example: 'true' }])
  })

  it('continues by numbers even if only the filter is sent', () => {
    const { client, run, positions } = told({ play: numbered })
    run(client.batchTransfers.items({ id: 'bat_1' }).pages)
    expect(positions()).toEqual([null, '1', '2'])
  })

  it('is recorded for each endpoint', () => {
    const { client, run, facts } = told({ play: numbered, drift: true })
    run(client.batchTransfers.list().pages)
    run(client.webhooks.list().pages)
    expect(facts().map(({ endpoint }) => endpoint)).toEqual([BATCHES, 'GET /api/v1/webhooks'])
  })

  it('records a numbered page without has_more', () => {
    const { client, run, facts } = told({
      play: () => ({ body: { items: [CHARGE] } }),
      drift: true,
    })
    run(client.charges.list())
    expect(facts()).toMatchObject([{ path: 'has_more', example: 'undefined' }])
  })

  it('records nothing if the envelope fits, or drift is off', () => {
    const right = told({
      play: (departure, nth) =>
        departure.route === LIST ? numbered(departure, nth) : marked(departure, nth),
      drift: true,
    })
    right.run(right.client.charges.list().pages)
    right.run(right.client.batchTransfers.list().pages)
    expect(right.facts()).toEqual([])
    const off = told({ play: marked })
    off.run(off.client.charges.list())
    expect(off.client.drift()).toEqual([])
    expect(off.facts()).toEqual([])
  })
})
