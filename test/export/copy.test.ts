/** Proofs of copies that were made before: tables of a sync, and files of an export. */
import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { lastValueFrom, toArray } from 'rxjs'
import { beforeAll, describe, expect, it } from 'vitest'
import { exportTo, type ProveCopyOptions, proveCopy, sync } from '../../src/export/index.js'
import { E } from '../../src/fp.js'
import { Account, clientOf, clock, START } from '../changes/play.js'
import { DAY } from '../changes/rows.js'
import { folder } from '../cli/support.js'
import { sample } from '../support/runs.js'

const file = await folder()

beforeAll(async () => {
  await import('../../src/export/sql/sqlite.js') // loading is no work of virtual time
})

/** An account of a year, one charge in a hundred open. */
const world = (rows = 3_000) => {
  const time = clock()
  const account = new Account()
  for (let i = 0; i < rows; i++) {
    const created = START - 300 * DAY + Math.floor((i * 290 * DAY) / rows)
    account.add(created, i % 100 === 7 ? 'SUSPENDED' : i % 20 === 3 ? 'FAILED' : 'SETTLED', created)
  }
  const { client, asked } = clientOf({ clock: time, account, takes: () => 0.01 })
  const { timer } = time
  const synced = (to: string, options: object = {}) =>
    time.run(lastValueFrom(sync(client.charges, { to, timer, sweep: 'off', ...options })))
  const exported = (out: string, filter: object = {}, options: object = {}) =>
    time.run(lastValueFrom(exportTo(client.charges.snapshot(filter), { out, timer, ...options })))
  const proof = async (copy: string, options: Partial<ProveCopyOptions> = {}) => {
    asked.length = 0
    const all = await time.run(
      lastValueFrom(proveCopy(client.charges, { copy, timer, ...options }).pipe(toArray())),
    )
    expect(all).toHaveLength(1)
    const [one] = all
    if (one === undefined || E.isLeft(one)) throw one?.left
    return one.right
  }
  const idAt = (i: number): string => account.order[i] ?? ''
  const old = START - 200 * DAY
  return { ...time, account, client, asked, synced, exported, proof, idAt, old }
}

/** Makes a copy of an account in each way. */
const copies: ReadonlyArray<{
  readonly name: string
  readonly make: (of: ReturnType<typeof world>, name: string) => Promise<string>
}> = [
  {
    name: 'a table',
    make: async ({ synced }, name) => {
      await synced(file(`${name}.sqlite`))
      return file(`${name}.sqlite`)
    },
  },
  {
    name: 'a folder of a sync',
    make: async ({ synced }, name) => {
      await synced(file(`${name}/`), { sweep: undefined })
      return file(name)
    },
  },
  ...['ndjson', 'csv.gz', 'parquet'].map((extension) => ({
    name: `a file of ${extension}`,
    make: async ({ exported }: ReturnType<typeof world>, name: string) => {
      await exported(file(`${name}.${extension}`))
      return file(`${name}.${extension}`)
    },
  })),
  {
    name: 'a manifest',
    make: async ({ exported }, name) => {
      await exported(file(`${name}.ndjson`))
      return file(`${name}.ndjson.manifest.json`)
    },
  },
]

describe.each(sample(2, copies))('$name', ({ name, make }) => {
  const called = name.replaceAll(' ', '-')

  it('is proven with at most 30 requests, later as well', async () => {
    const of = world()
    const copy = await make(of, `${called}-same`)
    await of.pass(DAY)
    const first = await of.proof(copy)
    expect(first).toMatchObject({ differences: [], late: 0, gone: 0 })
    expect(first.rows).toBe(of.account.order.length)
    expect(of.asked.length).toBeLessThanOrEqual(30)
    expect(first.settled).toBeUndefined()
    // ten that are open settle, and new ones come
    for (let i = 0; i < 10; i++) of.account.set(of.idAt(100 * i + 7), { status: 'SETTLED' }, START)
    of.account.add(of.seconds(), 'NEW', of.seconds())
    await of.pass(DAY)
    const second = await of.proof(copy)
    expect(second).toMatchObject({ differences: [], rows: first.rows, settled: 10 })
  })

  it('differs in the stretches that lack a charge, have one too many, or have another status', async () => {
    const of = world()
    const copy = await make(of, `${called}-different`)
    await of.pass(DAY)
    of.account.add(of.old, 'SUSPENDED', of.old)
    const [late] = (await of.proof(copy)).differences
    expect(late).toMatchObject({ here: (late?.there ?? 0) - 1 })
    expect(late?.status).toBeUndefined()
    expect(late?.from).toBeLessThanOrEqual(of.old)
    expect(late?.to).toBeGreaterThanOrEqual(of.old)
    of.account.set(of.idAt(2_990), { status: 'SUSPENDED' }, START)
    const [, opened] = (await of.proof(copy)).differences
    expect(opened).toMatchObject({ status: 'SETTLED', here: (opened?.there ?? 0) + 1 })
  })
})

describe('a proof of a copy', () => {
  it('writes nothing', async () => {
    const of = world()
    const to = file('unwritten.sqlite')
    await of.synced(to)
    const content = (): unknown => {
      const db = new DatabaseSync(to, { readOnly: true })
      const found = [db.prepare('SELECT * FROM payments_rx_state').all()]
      found.push(db.prepare('SELECT * FROM charges ORDER BY id').all())
      db.close()
      return found
    }
    const before = content()
    of.account.add(of.old, 'SETTLED', of.old)
    of.account.delete(of.idAt(5))
    expect((await of.proof(to)).differences.length).toBeGreaterThan(0)
    expect(content()).toEqual(before)
  })

  it('counts an export of one status and of a time by these', async () => {
    const of = world()
    const out = file('narrow.ndjson')
    const filter = { status: 'SETTLED', from_created_at: '2025-06-01', to_created_at: '2025-06-30' }
    await of.exported(out, filter)
    expect(await of.proof(out)).toMatchObject({ differences: [] })
    of.account.add(START - 100 * DAY, 'SETTLED', of.old)
    of.account.add(Date.UTC(2025, 5, 10) / 1_000, 'FAILED', of.old)
    expect(await of.proof(out)).toMatchObject({ differences: [] })
    of.account.add(Date.UTC(2025, 5, 10) / 1_000, 'SETTLED', of.old)
    expect((await of.proof(out)).differences).toHaveLength(1)
  })

  it('counts rows that could not be written as there', async () => {
    const of = world(300)
    of.account.set(of.idAt(20), { amount: Number.NaN }, START)
    const out = file('rejects.ndjson')
    await of.exported(out)
    expect(await of.proof(out)).toMatchObject({ differences: [], rows: 300 })
    await of.synced(file('rejects.sqlite'))
    expect(await of.proof(file('rejects.sqlite'))).toMatchObject({ differences: [], rows: 300 })
  })

  const refusals: ReadonlyArray<{
    readonly what: string
    readonly name: string
    readonly filter?: object
    readonly options?: object
    readonly _tag: string
    readonly message: RegExp
  }> = [
    {
      what: 'an export of another account',
      name: 'other.ndjson',
      options: { account: 'another' },
      _tag: 'SpecMismatch',
      message: /belongs to another account/,
    },
    {
      what: 'an export of one currency',
      name: 'usd.ndjson',
      filter: { currency: 'USD' },
      _tag: 'UnusableDestination',
      message: /filtered by currency/,
    },
    {
      what: 'an export without statuses',
      name: 'columns.csv',
      options: { columns: ['id', 'created_at'] },
      _tag: 'UnusableDestination',
      message: /lacks the column status/,
    },
    {
      what: 'an export of some rows',
      name: 'filtered.ndjson',
      options: { filter: () => true },
      _tag: 'UnusableDestination',
      message: /were filtered/,
    },
  ]

  it.each(refusals)('refuses $what', async ({ name, filter, options, _tag, message }) => {
    const of = world(50)
    await of.exported(file(name), filter, options)
    const refused = { _tag, message: expect.stringMatching(message) }
    await expect(of.proof(file(name))).rejects.toMatchObject(refused)
  })

  it('refuses a file without a manifest, and a database that is not there', async () => {
    const of = world(1)
    await expect(of.proof(file('none.ndjson'))).rejects.toMatchObject({ _tag: 'NoManifest' })
    const none = of.proof(file('none.sqlite'))
    await expect(none).rejects.toMatchObject({ _tag: 'UnusableDestination' })
    expect(existsSync(file('none.sqlite'))).toBe(false)
  })

  it('ends with the failure of the service', async () => {
    const of = world(50)
    const out = file('down.ndjson')
    await of.exported(out)
    const { client } = clientOf({ clock: of, account: of.account, before: () => 403 })
    const [event] = await of.run(
      lastValueFrom(proveCopy(client.charges, { copy: out, timer: of.timer }).pipe(toArray())),
    )
    expect(event).toMatchObject(E.left({ _tag: 'Refused', status: 403 }))
  })
})
