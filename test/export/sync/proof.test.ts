/** Tables that prove themselves: what is late, gone or changed against the rules is found, at a few requests per night. */
import { DatabaseSync } from 'node:sqlite'
import { lastValueFrom, toArray } from 'rxjs'
import { beforeAll, describe, expect, it } from 'vitest'
import { Charge } from '../../../src/codec/Charge.js'
import { fieldsOf } from '../../../src/decode/unknown.js'
import { readRows, type SyncOptions, sync, verify } from '../../../src/export/index.js'
import { E, withoutUndefined } from '../../../src/fp.js'
import { Account, clientOf, clockOfFiles, isFinal, START } from '../../changes/play.js'
import { DAY } from '../../changes/rows.js'
import { folder } from '../../cli/support.js'
import { inTurn } from '../../support/inTurn.js'

const file = await folder()
let made = 0

/** Where the rows are, and how they are read there. */
interface Kind {
  readonly name: string
  readonly ending: string
  readonly options: Partial<SyncOptions>
  readonly read: (to: string) => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>
}

const table: Kind = {
  ...{ name: 'a table', ending: '.sqlite', options: {} },
  read: async (to) => {
    const db = new DatabaseSync(to, { readOnly: true })
    const found = db.prepare('SELECT id, status, _gone_at FROM charges').all()
    db.close()
    return found
  },
}

const folderOf = (format: 'ndjson' | 'parquet'): Kind => ({
  ...{ name: `a folder of ${format}`, ending: '/', options: { format } },
  read: async (to) => {
    const rows = await lastValueFrom(readRows(to, { codec: Charge }).pipe(toArray()))
    const checks = await lastValueFrom(verify(to).pipe(toArray()))
    for (const check of checks) expect(check).toMatchObject({ right: { differences: [] } })
    return rows.flatMap((row) => (E.isRight(row) ? [fieldsOf(row.right)] : []))
  },
})

const kinds = [table, folderOf('ndjson'), folderOf('parquet')]

/** Requests of a night for rows: pages of all of them, lists by status, and rows by id. */
const lists = (asked: ReadonlyArray<URL>) => {
  const pages = asked.filter(({ searchParams }) => searchParams.get('page_size') === '2000')
  const ofStatus = (status: string | null): number =>
    pages.filter(({ searchParams }) => searchParams.get('status') === status).length
  return {
    all: ofStatus(null),
    NEW: ofStatus('NEW'),
    PENDING: ofStatus('PENDING'),
    SUSPENDED: ofStatus('SUSPENDED'),
    byId: asked.filter(({ pathname }) => pathname.includes('/charges/')).length,
  }
}

/** An account of a year, one charge an hour: a few of them open; and a table of it. */
const world = (
  kind: Kind,
  rows = 3_000,
  openEvery = 100,
  before?: (url: URL) => number | undefined,
) => {
  const time = clockOfFiles()
  const account = new Account()
  for (let i = 0; i < rows; i++) {
    const created = START - 300 * DAY + Math.floor((i * 290 * DAY) / rows)
    account.add(
      created,
      i % openEvery === openEvery - 3 ? 'PENDING' : i % 20 === 3 ? 'FAILED' : 'SETTLED',
      created,
    )
  }
  const { client, asked } = clientOf({
    clock: time,
    account,
    takes: () => 0.01,
    ...withoutUndefined({ before }),
  })
  const to = file(`${++made}${kind.ending}`)
  const night = async (options: Partial<Parameters<typeof sync>[1]> = {}) => {
    await time.pass(DAY)
    asked.length = 0
    const syncing = sync(client.charges, {
      to,
      timer: time.timer,
      sweep: 'off',
      ...kind.options,
      ...options,
    })
    const event = (await time.run(lastValueFrom(syncing.pipe(toArray())))).at(-1)
    if (event === undefined || E.isLeft(event)) throw event?.left
    return event.right
  }
  const there = async () =>
    new Map(
      (await kind.read(to)).map(({ id, status, _gone_at }) => [
        String(id),
        { status, gone: _gone_at ?? null },
      ]),
    )
  const isSame = async (): Promise<boolean> => {
    const found = [...(await there())].filter(([, { gone }]) => gone === null)
    return (
      found.length === account.entries.size &&
      found.every(([id, { status }]) => account.entries.get(id)?.status === status)
    )
  }
  const idAt = (i: number): string => account.order[i] ?? ''
  const old = START - 200 * DAY
  return { ...time, account, asked, night, there, isSame, idAt, old, to }
}

beforeAll(async () => {
  await import('../../../src/export/sql/sqlite.js') // loading is no work of virtual time
})

describe.each(kinds)('$name that proves itself', (kind) => {
  const test = inTurn(kinds, kind)

  test('is proven in the first night, and in a quiet one with at most 30 requests for it', async () => {
    const { night, asked, isSame } = world(kind)
    const first = await night()
    expect(first.proof).toMatchObject({ rows: 3_000, late: 0, gone: 0, differences: [] })
    expect(await isSame()).toBe(true)
    const second = await night()
    expect(second.proof).toMatchObject({ rows: 3_000, late: 0, gone: 0, differences: [] })
    expect(asked.length).toBeLessThanOrEqual(30 + 6)
  })

  test('gets charges that come months late, marks those that are gone, and takes the mark away', async () => {
    const { night, account, isSame, idAt, old, there } = world(kind)
    await night()
    const late = account.add(old, 'SETTLED', old)
    const gone = idAt(2_500)
    const entry = account.entries.get(gone)
    account.delete(gone)
    const second = await night()
    expect(second.proof).toMatchObject({ rows: 3_000, late: 1, gone: 1, differences: [] })
    expect((await there()).get(late)?.gone).toBeNull()
    expect((await there()).get(gone)?.gone).toMatch(/^2026-/)
    expect(await isSame()).toBe(true)
    if (entry !== undefined) {
      account.entries.set(gone, entry)
      account.order.splice(2_500, 0, gone)
    }
    expect((await night()).proof).toMatchObject({ rows: 3_001, late: 1, gone: 0 })
    expect(await isSame()).toBe(true)
  })

  test('finds final charges that were opened again, or failed after all', async () => {
    const { night, account, isSame, idAt, seconds } = world(kind)
    await night()
    const [one = '', other = ''] = [idAt(500), idAt(2_001)].filter((id) => {
      const entry = account.entries.get(id)
      return entry !== undefined && isFinal(entry)
    })
    account.set(one, { status: 'PENDING' }, seconds())
    account.set(other, { status: 'FAILED' }, seconds())
    expect((await night()).proof).toMatchObject({ differences: [] })
    expect(await isSame()).toBe(true)
  })

  test('reads nothing twice, and asks at most 110 times where 100 of 5,000 open ones have changed', async () => {
    const { night, account, asked, isSame, seconds } = world(kind, 20_000, 4)
    const first = await night()
    expect(first).toMatchObject({ rows: 20_000, rereads: { done: 5_000, gone: 0 } })
    expect(lists(asked)).toEqual({ all: 11, NEW: 1, PENDING: 3, SUSPENDED: 1, byId: 0 })
    expect(new Set(asked.map(String)).size).toBe(asked.length)
    const open = [...account.entries.values()].filter((entry) => !isFinal(entry))
    for (let i = 0; i < 100; i++) {
      account.set(open[i * 49]?.id ?? '', { status: i % 2 === 0 ? 'FAILED' : 'SETTLED' }, seconds())
    }
    const second = await night()
    expect(second.rereads).toEqual({ done: 5_000, gone: 0 })
    expect(second.proof).toMatchObject({ rows: 20_000, late: 0, gone: 0, differences: [] })
    expect(asked.length).toBeLessThanOrEqual(110)
    expect(new Set(asked.map(String)).size).toBe(asked.length)
    expect(await isSame()).toBe(true)
  })

  test('counts an open charge that is gone with the others', async () => {
    const { night, account, there } = world(kind)
    await night()
    const [open = ''] = [...account.entries].flatMap(([id, entry]) => (isFinal(entry) ? [] : [id]))
    account.delete(open)
    expect((await night()).proof).toMatchObject({ rows: 2_999, gone: 1, differences: [] })
    expect((await there()).get(open)?.gone).toMatch(/^2026-/)
    expect((await night()).proof).toMatchObject({ rows: 2_999, gone: 0, differences: [] })
  })

  test('reports a charge that it cannot write once a night, however often it is read', async () => {
    const { night, account, isSame, old } = world(kind)
    await night()
    const [open = ''] = [...account.entries].flatMap(([id, entry]) => (isFinal(entry) ? [] : [id]))
    account.set(open, { amount: Number.NaN }, old)
    const reported: Array<number> = []
    const onReject: SyncOptions['onReject'] = async (rows) => {
      reported.push(rows.length)
    }
    for (let i = 0; i < 2; i++) {
      expect(await night({ sweep: 'now', onReject })).toMatchObject({
        rejects: 1,
        proof: { differences: [] },
      })
    }
    expect(reported).toEqual([1, 1])
    account.set(open, { amount: 12 }, old)
    expect(await night({ sweep: 'now' })).toMatchObject({ rejects: 0, proof: { differences: [] } })
    expect(await isSame()).toBe(true)
  })

  test('finds opposite errors by a sweep', async () => {
    const { night, account, isSame, idAt, old } = world(kind)
    await night()
    account.delete(idAt(1_100))
    account.add(old - 100, 'SETTLED', old)
    account.set(idAt(100), { amount: 42 }, old)
    const swept = await night({ sweep: 'now' })
    expect(swept.proof).toMatchObject({ late: 1, gone: 1, differences: [] })
    expect(await isSame()).toBe(true)
  })
})

describe('a service that refuses deep pages', () => {
  it('is asked for them again after 30 days, and not before', async () => {
    let isShallow = true
    const { night, pass, asked } = world(table, 3_000, 100, (url) => {
      const first = Number(url.searchParams.get('page_num')) * 100
      return isShallow && url.searchParams.get('page_size') === '100' && first >= 200
        ? 400
        : undefined
    })
    const proof = async (): Promise<number> => {
      expect((await night()).proof).toMatchObject({ rows: 3_000, differences: [] })
      return asked.length
    }
    await proof()
    const shorter = await proof()
    expect(shorter).toBeGreaterThan(40)
    isShallow = false
    expect(await proof()).toBe(shorter)
    await pass(31 * DAY)
    expect(await proof()).toBeLessThanOrEqual(30 + 6)
  })
})

describe('a service that cannot be counted', () => {
  it('says for how many nights running, until it can', async () => {
    let isShut = true
    const { night } = world(table, 300, 100, (url) =>
      isShut && url.searchParams.get('status') === 'SETTLED' ? 400 : undefined,
    )
    const nights = async () => (await night()).proof?.unprovenNights
    expect(await nights()).toBe(1)
    expect(await nights()).toBe(2)
    expect(await nights()).toBe(3)
    isShut = false
    expect(await nights()).toBe(undefined)
    isShut = true
    expect(await nights()).toBe(1)
  })
})
