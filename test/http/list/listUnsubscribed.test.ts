/** Unsubscribing from a list aborts its requests, and frees its permits for others. */
import { type Observable, of } from 'rxjs'
import { describe, expect, it } from 'vitest'
import type { Failure, List } from '../../../src/index.js'
import { CHARGE, LIST, lab, type Play } from '../../support/lab.js'

type Charges = List<Failure, { readonly id: string }>

/** The second page never comes. */
const stuck: Play = ({ route, query }) =>
  route === LIST
    ? {
        ms: Number(query.get('page_num')) > 0 ? 1_000_000 : 10,
        body: { has_more: true, items: [CHARGE] },
      }
    : { body: CHARGE }

const streams: ReadonlyArray<readonly [string, (list: Charges) => Observable<unknown>]> = [
  ['items', (list) => list],
  ['pages', (list) => list.pages],
  ['drain', (list) => list.drain(() => of('done'))],
  ['items in parallel', (list) => list.parallel(5)],
  ['pages as they come', (list) => list.parallel(5, { ordered: false }).pages],
]

describe('a list that is unsubscribed', () => {
  it.each(streams)('as %s aborts requests under way, and returns its permits', (_, view) => {
    const { client, calls, aborted, run, runUntil } = lab({
      play: stuck,
      limits: { concurrency: 5, global: 100, endpoint: 100 },
    })
    const reading = view(client.charges.list({ page_size: 10 })).subscribe()
    runUntil(5_000)
    const asked = calls().length
    expect(asked).toBeGreaterThan(1)
    reading.unsubscribe()
    expect(aborted()).toBe(asked - 1)
    const others = Array.from({ length: 5 }, (_, n) => `chg_${n}`)
    for (const id of others) client.charges.retrieve({ id }).subscribe()
    runUntil(6_500) // the platform is thought to be at work for a second after a start
    expect(calls().slice(asked)).toHaveLength(others.length)
    expect(run(client.charges.retrieve({ id: 'last' }))).toHaveLength(1)
    expect(calls().filter(({ route }) => route === LIST)).toHaveLength(asked)
  })

  it('by a loop aborts requests under way', async () => {
    const { client, calls, aborted, runUntil } = lab({ play: stuck })
    const items = client.charges.list()[Symbol.asyncIterator]()
    const first = items.next()
    await new Promise(setImmediate)
    runUntil(5_000)
    expect(await first).toMatchObject({ done: false })
    expect(calls()).toHaveLength(2)
    await items.return?.()
    expect(aborted()).toBe(1)
    runUntil(50_000)
    expect(calls()).toHaveLength(2)
  })
})
