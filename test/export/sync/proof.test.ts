/** Tables that prove themselves: what is late, gone or changed against the rules is found, at a few requests a night. */
import { DatabaseSync } from 'node:sqlite'
import { lastValueFrom, toArray } from 'rxjs'
import { beforeAll, describe, expect, it } from 'vitest'
import { Charge } from '../../../src/codec/Charge.js'
import { fieldsOf } from '../../../src/decode/unknown.js'
import { readRows, type SyncOptions, sync, verify } from '../../../src/export/index.js'
import { E } from '../../../src/fp.js'
import { Account, clientOf, clock, isFinal, START } from '../../changes/play.js'
import { DAY } from '../../changes/rows.js'
import { folder } from '../../cli/support.js'

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

/** An account of a year, one charge an hour: a few of them open; and a table of it. */
const world = (kind: Kind, rows = 3_000) => {
  const time = clock(START, kind.ending === '/')
  const account = new Account()
  for (let i = 0; i < rows; i++) {
    const created = START - 300 * DAY + Math.floor((i * 290 * DAY) / rows)
    account.add(created, i % 100 === 7 ? 'SUSPENDED' : i % 20 === 3 ? 'FAILED' : 'SETTLED', created)
  }
  const { client, asked } = clientOf({ clock: time, account, takes: () => 0.01 })
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
  it('is proven in the first night, and in a quiet one with at most 30 requests for it', async () => {
    const { night, asked, isSame } = world(kind)
    const first = await night()
    expect(first.proof).toMatchObject({ rows: 3_000, late: 0, gone: 0, differences: [] })
    expect(await isSame()).toBe(true)
    const second = await night()
    expect(second.proof).toMatchObject({ rows: 3_000, late: 0, gone: 0, differences: [] })
    expect(asked.length).toBeLessThanOrEqual(30 + 6)
  })

  it('gets charges that come months late, marks those that are gone, and takes the mark away', async () => {
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

  it('finds final charges that were opened again, or failed after all', async () => {
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

  it('reads the open ones by lists, and those that left by few requests', async () => {
    const { night, account, asked, isSame, seconds } = world(kind, 20_000)
    await night()
    const open = [...account.entries.values()].filter((entry) => !isFinal(entry))
    expect(open).toHaveLength(200)
    for (const { id } of open.slice(0, 100)) account.set(id, { status: 'FAILED' }, seconds())
    await night()
    expect(asked.length).toBeLessThanOrEqual(110 + 30)
    expect(await isSame()).toBe(true)
  })

  it('finds opposite errors by a sweep', async () => {
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
