/** A run of payments: what it emits, what it refuses, and what it asks before money moves. */
import { delay, of } from 'rxjs'
import { describe, expect, it } from 'vitest'
import type { NewBatchItem } from '../../../src/index.js'
import { item } from '../../support/batch.js'
import { account, ofTag, RUN } from './account.js'

const items = (count: number): ReadonlyArray<NewBatchItem> =>
  Array.from({ length: count }, (_, n) => item(n))

const ids = (some: ReadonlyArray<NewBatchItem>) => some.map(({ request_id }) => request_id).sort()

describe('payAll', () => {
  it('checks, fills, quotes, asks, submits and waits, and reports each item', async () => {
    const { start, inTime, paid } = account()
    const { events } = await inTime(start(items(2_050)))
    const tags = events.map((event) => (event._tag === 'Right' ? event.right._tag : event.left._tag))
    expect([...new Set(tags)]).toEqual([
      'Checked',
      'Filled',
      'Quoted',
      'Submitted',
      'Settled',
      'Reported',
    ])
    expect([...paid.keys()].sort()).toEqual(ids(items(2_050)))
    expect(ofTag(events, 'Reported')).toMatchObject([
      { report: { run: RUN, isPaid: true, items: 2_050, booked: 2_050, failed: 0, leftOut: 0 } },
    ])
    const outcomes = ofTag(events, 'Settled').flatMap(({ outcomes }) => outcomes)
    expect(new Set(outcomes.map(({ state }) => state))).toEqual(new Set(['booked']))
    expect(ids(items(2_050))).toEqual(outcomes.map(({ requestId }) => requestId).sort())
  })
})
