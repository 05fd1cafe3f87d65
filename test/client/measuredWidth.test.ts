/** Snapshots that are read with as many concurrent requests as use the limits up, in virtual time. */
import { firstValueFrom, lastValueFrom, mergeMap, take, tap, timer as timerOf, toArray } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E, O } from '../../src/fp.js'
import type { Client, ClientEvent, ClientOptions } from '../../src/index.js'
import { createSandbox, type SandboxOptions } from '../../src/sandbox/index.js'
import { virtualTime } from '../support/idleClock.js'
import { sample } from '../support/runs.js'
import { sandboxClient } from '../support/sandboxClient.js'

const NONE = Number.POSITIVE_INFINITY
const UNLIMITED = { global: NONE, endpoint: NONE, concurrency: NONE, logins: NONE }

type Charges = ReturnType<Client['charges']['snapshot']>

/**
 * A client of a sandbox whose answers take `latency`, and what it sends. With `work`, the service answers one request
 * after the other, each in so many ms.
 */
const open = (
  options: SandboxOptions,
  client: Partial<ClientOptions> = {},
  work = 0,
  onEvent: (event: ClientEvent) => void = () => {},
) => {
  const time = virtualTime()
  const { timer } = time
  const began = timer.now()
  const sandbox = createSandbox({ charges: 3_000, every: 30_000, timer, ...options })
  const sent: Array<number> = []
  let underWay = 0
  let most = 0
  let idleAt = 0
  const { charges, events } = sandboxClient(
    async (input, init) => {
      sent.push(timer.now() - began)
      most = Math.max(most, ++underWay)
      idleAt = Math.max(idleAt, timer.now()) + work
      await firstValueFrom(timerOf(idleAt - timer.now(), timer))
      return sandbox.fetch(input, init).finally(() => underWay--)
    },
    { timer, ...client },
  )
  events.subscribe(onEvent)
  const ids = async (snapshot: Charges): Promise<ReadonlyArray<string>> => {
    const pages = await time.run(lastValueFrom(snapshot.pages.pipe(toArray())))
    return pages.flatMap((page) => {
      if (E.isLeft(page)) throw new Error(page.left.message)
      return page.right.items.map((row) => (E.isRight(row) ? row.right.id : row.left.message))
    })
  }
  return {
    charges,
    snapshot: charges.snapshot({ page_size: 10 }),
    time,
    ids,
    most: () => most,
    /** Requests sent in each second. */
    perSecond: () =>
      Array.from(
        { length: Math.ceil((sent.at(-1) ?? 0) / 1_000) },
        (_, second) => sent.filter((at) => Math.floor(at / 1_000) === second).length,
      ),
  }
}

describe('a snapshot in parallel without a number', () => {
  it.each(
    sample(2, [
      [150, 'ascending'],
      [500, 'ascending'],
      [1_000, 'ascending'],
      [150, 'descending'],
      [500, 'descending'],
      [1_000, 'descending'],
    ] as const),
  )('uses the limits up from the third second on with %d ms a page, %s', async (latency, order) => {
    const { snapshot, ids, perSecond } = open({ latency, order })
    expect(new Set(await ids(snapshot.parallel())).size).toBe(3_000)
    const [, , ...seconds] = perSecond()
    const full = seconds.slice(0, 13)
    expect(full).toHaveLength(13)
    for (const requests of full) expect(requests).toBeGreaterThanOrEqual(0.95 * 20)
  })

  it('costs hardly more requests than pages, though its filter reaches years past the last row', async () => {
    const { snapshot, ids, perSecond } = open({ latency: 1_000 })
    const alone = open({ latency: 1_000 })
    await ids(snapshot.parallel())
    await alone.ids(alone.snapshot)
    const requests = (all: ReadonlyArray<number>) => all.reduce((sum, n) => sum + n, 0)
    expect(requests(perSecond())).toBeLessThan(requests(alone.perSecond()) * 1.1)
  })

  it('keeps its width beside short look-ups on the same route', async () => {
    /** Requests for pages in the third to twelfth second, when a page takes 800 ms and a look-up 15. */
    const pagesBeside = async (lookUps: boolean): Promise<number> => {
      const time = virtualTime()
      const { timer } = time
      const began = timer.now()
      const sandbox = createSandbox({ charges: 3_000, every: 30_000, timer })
      let pages = 0
      const { charges } = sandboxClient(
        async (input, init) => {
          const isLookUp = `${input}`.includes('request_id')
          await firstValueFrom(timerOf(isLookUp ? 15 : 800, timer))
          const at = timer.now() - began
          if (!isLookUp && at >= 3_000 && at < 13_000) pages++
          return sandbox.fetch(input, init)
        },
        { timer },
      )
      const reading = charges.snapshot({ page_size: 10 }).parallel().pages.subscribe()
      if (lookUps) {
        reading.add(
          timerOf(0, 250, timer)
            .pipe(mergeMap(() => charges.list({ request_id: 'none' })))
            .subscribe(),
        )
      }
      await time.pass(13_000)
      reading.unsubscribe()
      return pages
    }
    expect(await pagesBeside(false)).toBeGreaterThanOrEqual(0.95 * 200)
    expect(await pagesBeside(true)).toBeGreaterThanOrEqual(110)
  })

  it('has no more under way than the limits allow', async () => {
    const { snapshot, ids, most } = open(
      { latency: 1_000, limits: { concurrency: 6 } },
      { limits: { concurrency: 6 } },
    )
    expect(await ids(snapshot.parallel())).toHaveLength(3_000)
    expect(most()).toBe(6)
  })

  it('keeps its share of them', async () => {
    const { snapshot, ids, perSecond } = open({ latency: 1_000 }, { share: 0.5 })
    expect(await ids(snapshot.parallel())).toHaveLength(3_000)
    const seconds = perSecond().slice(2, 15)
    expect(Math.max(...seconds)).toBeLessThanOrEqual(10)
    expect(seconds.reduce((sum, n) => sum + n, 0)).toBeGreaterThanOrEqual(0.95 * 10 * 13)
  })

  it('does not send more and more where answers take the longer the more there are', async () => {
    const { snapshot, ids, most } = open({}, {}, 100)
    expect(await ids(snapshot.parallel())).toHaveLength(3_000)
    expect(most()).toBeLessThan(15)
  })

  it('is resumed with another number of requests, without a row lost or doubled', async () => {
    const { snapshot, ids, time } = open({ latency: 500 })
    const stopped = async (list: Charges, pages: number) => {
      const read: Array<string> = []
      let rest: Charges = list
      await time.run(
        lastValueFrom(
          list.pages.pipe(
            take(pages),
            tap((page) => {
              if (E.isLeft(page)) throw new Error(page.left.message)
              for (const row of page.right.items) if (E.isRight(row)) read.push(row.right.id)
              const position = O.toUndefined(page.right.next)
              if (position !== undefined) rest = snapshot.from(JSON.parse(JSON.stringify(position)))
            }),
          ),
        ),
      )
      return { read, rest }
    }
    const first = await stopped(snapshot.parallel(), 70)
    const second = await stopped(first.rest.parallel(3), 50)
    const third = await stopped(second.rest.parallel(40), 90)
    const last = await ids(third.rest.parallel())
    const all = [...first.read, ...second.read, ...third.read, ...last]
    expect(all).toHaveLength(3_000)
    expect(new Set(all).size).toBe(3_000)
  })
})

describe('a list in parallel without a number', () => {
  it('uses the limits up, and has no more under way than help', async () => {
    const list = (work: number) => {
      const opened = open({ charges: 1_500, latency: work === 0 ? 500 : 0 }, {}, work)
      const pages = opened.charges.list({ page_size: 10 }).parallel().pages
      return { ...opened, read: opened.time.run(lastValueFrom(pages.pipe(toArray()))) }
    }
    const [parallel, inTurn] = [list(0), list(230)]
    expect(await parallel.read).toHaveLength(150)
    expect(await inTurn.read).toHaveLength(150)
    for (const requests of parallel.perSecond().slice(3, -1)) expect(requests).toBeGreaterThan(18)
    expect(inTurn.most()).toBeLessThan(12)
  })

  it('tells that more are no faster', async () => {
    const told: Array<ClientEvent> = []
    const { charges, time } = open({ charges: 600 }, { log: false }, 230, (event) => {
      if (event._tag === 'ConcurrencyFound') told.push(event)
    })
    await time.run(lastValueFrom(charges.list({ page_size: 10 }).parallel().pages))
    expect(told[0]).toMatchObject({
      endpoint: 'GET /api/v1/charges',
      isEnough: true,
      message: expect.stringMatching(
        /^GET \/api\/v1\/charges: more than \d concurrent requests? (is|are) no faster$/,
      ),
    })
  })
})

it('a number is kept to', async () => {
  const { snapshot, ids, most } = open({ latency: 1_000 })
  expect(await ids(snapshot.parallel(3))).toHaveLength(3_000)
  expect(most()).toBe(3)
})

it('without a bound, requests do not multiply where the filter reaches years past the last row', async () => {
  const { snapshot, ids, perSecond } = open(
    { latency: 1_000, limits: false },
    { limits: UNLIMITED },
  )
  expect(await ids(snapshot.parallel(Number.POSITIVE_INFINITY))).toHaveLength(3_000)
  expect(perSecond().reduce((sum, n) => sum + n, 0)).toBeLessThan(1_000)
})
