import { concatMap, mergeMap, range } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E } from '../../../src/fp.js'
import {
  CHARGE,
  type Lab,
  type LabOptions,
  lab,
  NEW_CHARGE,
  type Play,
  RESET,
} from '../../support/lab.js'

/** No connection holds for so long, then all is well. */
const goneFor =
  (ms: number): Play =>
  ({ at }) =>
    at < ms ? { outage: RESET } : { body: CHARGE }

const retrieve = ({ client }: Lab) => client.charges.retrieve({ id: 'chg_1' })

/** Sends so many calls at once: how many requests that made, and what came of the calls. */
const storm = (calls: number, options: Parameters<typeof lab>[0]) => {
  const setUp = lab(options)
  const out = setUp.run(range(calls).pipe(mergeMap(() => retrieve(setUp))))
  return {
    requests: setUp.calls().length,
    values: out.map(({ value }) => value),
    end: Math.max(...out.map(({ at }) => at)),
    sent: setUp.calls().map(({ at }) => at),
  }
}

describe('an outage of a minute', () => {
  it('is not multiplied by five hundred calls', () => {
    const { requests, values, end } = storm(500, { play: goneFor(60_000) })
    // 500, a fifth of that, as many as may be under way, and two a second
    expect(requests).toBeLessThanOrEqual(500 + 100 + 50 + end / 500)
    expect(requests).toBeLessThan(750)
    expect(values).toHaveLength(500)
    expect(end).toBeLessThan(40_000)
    const told = values.filter((ea) => E.isLeft(ea) && ea.left.message.includes('retry.budget'))
    expect(told.length).toBeGreaterThan(200)
  })

  it('is not multiplied by looking up what became of creates, either', () => {
    const setUp = lab({ play: goneFor(60_000) })
    const out = setUp.run(range(500).pipe(mergeMap(() => setUp.client.charges.create(NEW_CHARGE))))
    expect(out.every(({ value }) => E.isLeft(value) && value.left._tag === 'Ambiguous')).toBe(true)
    const routes = setUp.calls().map(({ route }) => route)
    const end = Math.max(...out.map(({ at }) => at))
    // each is looked up once, and retries are as many as of 1,000 calls
    expect(routes.length).toBeLessThanOrEqual(500 + 500 + 200 + 50 + end / 500)
  })

  it('is multiplied without it', () => {
    const options = { play: goneFor(60_000), retry: { budget: Number.POSITIVE_INFINITY } }
    expect(storm(500, options).requests).toBe(1_500)
  })

  it('is survived by hundreds of calls with many retries, in turns', () => {
    const { requests, values, sent } = storm(500, {
      play: goneFor(60_000),
      retry: { faults: 22 },
    })
    expect(values.filter(E.isRight)).toHaveLength(500)
    const during = sent.filter((at) => at < 60_000)
    expect(during.length).toBeLessThanOrEqual(500 + 100 + 50 + 120)
    expect(requests).toBeLessThanOrEqual(during.length + 500)
  })

  it.each([1, 20, 50])('is survived by %i calls under way, soon after its end', (calls) => {
    const { values, end } = storm(calls, { play: goneFor(60_000), retry: { faults: 22 } })
    expect(values.filter(E.isRight)).toHaveLength(calls)
    expect(end).toBeLessThan(60_000 + 16_000 + calls * 500)
  })

  it('is survived by a list that is read twenty pages at a time, as an export does', () => {
    const total = 3_000
    const page: Play = ({ at, query }) => {
      if (at > 2_000 && at < 62_000) return { outage: RESET }
      const first = Number(query.get('page_num')) * 10
      const items = Array.from({ length: Math.max(0, Math.min(10, total - first)) }, (_, i) => ({
        ...CHARGE,
        id: `chg_${first + i}`,
      }))
      return { ms: 200, body: { has_more: first + 10 < total, items } }
    }
    const { client, calls, run } = lab({ play: page, retry: { faults: 22 } })
    const bulk = client.with({ priority: 'bulk' }).charges.list({ page_size: 10 })
    const rows = run(bulk.parallel(20)).map(({ value }) => value)
    expect(rows.filter(E.isRight)).toHaveLength(total)
    expect(rows).toHaveLength(total)
    const during = calls().filter(({ at }) => at > 2_000 && at < 62_000)
    expect(during.length).toBeLessThan(20 + 7 * 20)
    expect(calls().at(-1)?.at).toBeLessThan(62_000 + 30_000)
  })
})

describe('a call alone', () => {
  it('is retried as often as configured, with its own pauses', () => {
    const { sent } = storm(1, { play: () => ({ outage: RESET }), retry: { faults: 6 } })
    const pauses = sent.map((at, i) => at - (sent[i - 1] ?? at) - 10)
    expect(pauses.slice(1)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 16_000])
  })

  it('does so again and again in sequence', () => {
    const setUp = lab({ play: () => ({ outage: RESET }) })
    setUp.run(range(200).pipe(concatMap(() => retrieve(setUp))))
    expect(setUp.calls()).toHaveLength(600)
  })
})

describe('all that is under way', () => {
  it('may fail once', () => {
    const { values, requests } = storm(50, { play: goneFor(3_000), retry: { faults: 3 } })
    expect(values.every(E.isRight)).toBe(true)
    expect(requests).toBeLessThan(150)
  })

  it('is retried with its own pauses if one in ten fails', () => {
    let n = 0
    const play: Play = () => (++n % 10 === 0 ? { outage: RESET } : { body: CHARGE })
    const { values, sent } = storm(1_000, { play, retry: { faults: 5 } })
    expect(values.every(E.isRight)).toBe(true)
    expect(sent.at(-1)).toBeLessThan(65_000) // 1,111 at 20 per second, and the last pauses
  })
})

describe('a retry that is cancelled', () => {
  const endless = { global: Number.POSITIVE_INFINITY, endpoint: Number.POSITIVE_INFINITY }

  /** Fifty calls that use the budget up are cancelled; so many of another fifty go again at their own pace. */
  const atTheirPace = (cancelledAt: number, options: LabOptions) => {
    const setUp = lab({ play: goneFor(60_000), ...options })
    const fifty = range(50).pipe(mergeMap(() => retrieve(setUp)))
    const wanted = fifty.subscribe()
    setUp.runUntil(cancelledAt)
    wanted.unsubscribe()
    const before = setUp.events.length
    setUp.run(fifty)
    const first = setUp.events
      .slice(before)
      .flatMap((event) => (event._tag === 'Retrying' ? [event.pause] : []))
      .slice(0, 50)
    return first.filter((ms) => ms === 1_000).length
  }

  it('in its pause returns its permit', () => {
    expect(atTheirPace(900, { limits: endless })).toBe(50)
  })

  it('in the queue returns its permit', () => {
    expect(atTheirPace(1_050, { limits: { ...endless, endpoint: 50 }, guard: 500 })).toBe(50)
  })

  it('after it was sent does not', () => {
    expect(atTheirPace(1_050, { limits: endless })).toBeLessThan(20)
  })
})

describe('a failure that is not tried again', () => {
  it('says so, also if its outcome is unknown', () => {
    const setUp = lab({
      play: () => ({ outage: RESET }),
      retry: { budget: 0 },
      limits: { concurrency: 1 },
    })
    const create = range(20).pipe(mergeMap(() => setUp.client.charges.create(NEW_CHARGE)))
    const failures = setUp
      .run(create)
      .flatMap(({ value }) => (E.isLeft(value) ? [value.left] : []))
      .filter(({ message }) => message.includes('(not retried, '))
    expect(failures.length).toBeGreaterThan(0)
    for (const { _tag } of failures) expect(_tag).toBe('Ambiguous')
  })
})
