/** Tables that are kept current by polls, of an account that changes meanwhile: in virtual time. */
import { DatabaseSync } from 'node:sqlite'
import { Subject, type Subscription } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { type FollowOptions, follow, type SyncEvent, sync } from '../../../src/export/index.js'
import { E } from '../../../src/fp.js'
import { InvalidOption } from '../../../src/options/index.js'
import { Account, clientOf, clock, iso, START } from '../../changes/play.js'
import { DAY } from '../../changes/rows.js'
import { folder } from '../../cli/support.js'

const file = await folder()

/** An account of a year, and a table that follows it. */
const world = (name: string, rows = 1_000) => {
  const time = clock()
  const account = new Account()
  for (let i = 0; i < rows; i++) {
    const created = START - 300 * DAY + Math.floor((i * 299 * DAY) / rows)
    account.add(created, i % 100 === 7 ? 'PENDING' : i % 20 === 3 ? 'FAILED' : 'SETTLED', created)
  }
  let failure: number | undefined
  const { client, asked } = clientOf({
    clock: time,
    account,
    takes: () => 0.01,
    before: () => failure,
  })
  const to = file(name)
  const begin = (options: Partial<FollowOptions> = {}) => {
    const events: Array<SyncEvent> = []
    const stop = new Subject<void>()
    let isOver = false
    const following: Subscription = follow(client.charges, {
      to,
      stop,
      timer: time.timer,
      ...options,
    }).subscribe({
      next: (event) => events.push(event),
      error: (error: unknown) => {
        isOver = true
        throw error
      },
      complete: () => {
        isOver = true
      },
    })
    const end = async () => {
      stop.next()
      await time.until(() => isOver)
      return events.at(-1)
    }
    const proofs = () =>
      events.flatMap((event) => (E.isRight(event) && event.right.proof ? [event.right.proof] : []))
    return { events, following, end, proofs, isOver: () => isOver }
  }
  const table = () => {
    const db = new DatabaseSync(to, { readOnly: true })
    const found = db.prepare('SELECT id, status, _gone_at FROM charges').all()
    db.close()
    return new Map(found.map(({ id, status, _gone_at }) => [String(id), { status, _gone_at }]))
  }
  const isSame = (): boolean => {
    const there = [...table()].filter(([, { _gone_at }]) => _gone_at === null)
    return (
      there.length === account.entries.size &&
      there.every(([id, { status }]) => account.entries.get(id)?.status === status)
    )
  }
  const idAt = (i: number): string => account.order[i] ?? ''
  const fail = (status: number | undefined): void => {
    failure = status
  }
  return { ...time, account, client, asked, begin, table, isSame, idAt, fail, to }
}

describe('a table that follows', () => {
  it('gets new charges and changed ones within a poll', async () => {
    const { begin, pass, account, seconds, table, isSame, idAt } = world('polls.sqlite')
    const { end } = begin()
    await pass(30)
    expect(isSame()).toBe(true)
    const fresh = account.add(seconds(), 'NEW', seconds())
    account.set(idAt(107), { status: 'SETTLED' }, seconds())
    await pass(15)
    expect(table().get(fresh)?.status).toBe('NEW')
    expect(isSame()).toBe(true)
    account.set(fresh, { status: 'FAILED' }, seconds())
    await pass(15)
    expect(isSame()).toBe(true)
    expect(await end()).toMatchObject(E.right({ stopped: true }))
  })

  it('says up to when it has read, and starts again an hour before', async () => {
    const { begin, pass, account, seconds, asked } = world('position.sqlite')
    const slow = { every: 600_000, lease: 600_000 }
    const { events, end } = begin(slow)
    await pass(7_200)
    const created = seconds()
    account.add(created, 'NEW', created)
    await pass(1_300)
    const shown = events.findLast((event) => E.isRight(event) && event.right.upTo !== undefined)
    expect(shown).toMatchObject(E.right({ upTo: new Date(created * 1_000).toISOString() }))
    await end()
    asked.length = 0
    const again = begin(slow)
    await pass(5)
    const [first] = asked
    expect(first?.searchParams.get('from_created_at')).toBe(iso(created - 3_600))
    expect(again.events[0]).toMatchObject(
      E.right({ started: { from: new Date((created - 3_600) * 1_000).toISOString() } }),
    )
    await again.end()
  })

  it('sends a few requests in a quiet poll, and writes nothing', async () => {
    const { begin, pass, asked, to } = world('quiet.sqlite')
    const { end } = begin()
    await pass(60)
    const texts = (): unknown => {
      const db = new DatabaseSync(to, { readOnly: true })
      const [found] = db.prepare('SELECT total_changes() AS n, count(*) AS rows FROM charges').all()
      db.close()
      return found?.rows
    }
    asked.length = 0
    const rows = texts()
    await pass(100)
    expect(asked.length).toBeLessThanOrEqual(10 * 5)
    expect(texts()).toBe(rows)
    await end()
  })

  it('is proven at the time of day that was asked for, and gets what polls cannot see', async () => {
    const { begin, pass, account, isSame, idAt } = world('proven.sqlite')
    const { end, proofs } = begin({ every: 600_000, prove: '02:00', lease: 600_000 })
    await pass(900)
    expect(proofs()).toMatchObject([{ differences: [] }])
    const old = START - 100 * DAY
    account.add(old, 'SETTLED', old)
    account.delete(idAt(500))
    account.set(idAt(503), { status: 'FAILED' }, old)
    await pass(3_600)
    expect(proofs()).toHaveLength(1)
    await pass(3_600)
    expect(proofs()).toHaveLength(2)
    expect(proofs()[1]).toMatchObject({ differences: [], gone: 1 })
    expect(isSame()).toBe(true)
    await end()
  })

  it('goes on with the state of a sync, and a sync with its own', async () => {
    const { begin, pass, account, seconds, isSame, client, to, run, timer, asked } =
      world('both.sqlite')
    const synced = () =>
      run(
        new Promise<SyncEvent | undefined>((resolve) => {
          let last: SyncEvent | undefined
          sync(client.charges, { to, timer }).subscribe({
            next: (event) => {
              last = event
            },
            complete: () => resolve(last),
          })
        }),
      )
    await synced()
    account.add(seconds(), 'SETTLED', seconds())
    const { end } = begin()
    await pass(60)
    expect(isSame()).toBe(true)
    await end()
    asked.length = 0
    account.add(seconds(), 'NEW', seconds())
    expect(await synced()).toMatchObject(E.right({ ended: true, proof: { differences: [] } }))
    expect(isSame()).toBe(true)
  })

  it('tells an outage, and goes on', async () => {
    const { begin, pass, account, seconds, fail, isSame } = world('outage.sqlite')
    const { events, end } = begin()
    await pass(30)
    account.add(seconds(), 'NEW', seconds())
    fail(503)
    await pass(30)
    const outages = events.filter(E.isLeft)
    expect(outages.length).toBeGreaterThan(0)
    expect(outages[0]).toMatchObject(E.left({ _tag: 'ServerFault' }))
    fail(undefined)
    await pass(30)
    expect(isSame()).toBe(true)
    await end()
  })

  it('tells a row that cannot be written once, and writes it once it can be', async () => {
    const { begin, pass, account, seconds, isSame, to } = world('rejects.sqlite', 100)
    const told: Array<string> = []
    const { end } = begin({
      onReject: async (rows) => {
        told.push(...rows.map(({ reason }) => reason))
      },
    })
    await pass(30)
    const bad = account.add(seconds(), 'NEW', seconds())
    account.set(bad, { amount: Number.NaN }, seconds())
    await pass(60)
    expect(told).toEqual([expect.stringContaining('amount')])
    expect(isSame()).toBe(false)
    account.set(bad, { amount: 12 }, seconds())
    await pass(15)
    expect(isSame()).toBe(true)
    const db = new DatabaseSync(to, { readOnly: true })
    const { text } = db.prepare('SELECT text FROM payments_rx_state').get() ?? {}
    db.close()
    expect(String(text)).not.toContain(bad)
    await end()
  })

  it('ends when another one has taken over its table', async () => {
    const { begin, pass, to, until } = world('fenced.sqlite')
    const { events, isOver } = begin()
    await pass(30)
    const db = new DatabaseSync(to)
    db.exec('DELETE FROM payments_rx_state')
    db.close()
    await until(isOver)
    expect(events.at(-1)).toMatchObject(E.left({ _tag: 'Fenced' }))
  })

  it('refuses folders and buckets, and times that are none', () => {
    const { begin } = world('refused.sqlite', 1)
    expect(() => begin({ to: 'folder/' })).toThrow(InvalidOption)
    expect(() => begin({ to: 's3://bucket/charges/' })).toThrow(/a database/)
    expect(() => begin({ prove: '24:00' })).toThrow(/a time of day such as 02:00/)
  })
})
