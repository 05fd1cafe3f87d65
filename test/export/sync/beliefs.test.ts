/** Statements of a service are believed within bounds, in every place: absences, times of creation, clocks, statuses, ends. */
import { isDeepStrictEqual } from 'node:util'
import { firstValueFrom, lastValueFrom, Subject, take, toArray } from 'rxjs'
import { beforeAll, describe, expect, it } from 'vitest'
import { BatchTransfer } from '../../../src/codec/BatchTransfer.js'
import { Charge } from '../../../src/codec/Charge.js'
import type { Codec } from '../../../src/codec/Codec.js'
import { fieldsOf } from '../../../src/decode/unknown.js'
import {
  type Destination,
  type ExportSource,
  follow,
  readRows,
  type SyncOptions,
  sync,
} from '../../../src/export/index.js'
import { E, withoutUndefined } from '../../../src/fp.js'
import { Account, clientOf, clockOfFiles, iso, START, secondsOf } from '../../changes/play.js'
import { DAY } from '../../changes/rows.js'
import { memoryStore } from '../../store/memoryStore.js'
import { sample } from '../../support/runs.js'
import { batchesOf } from './batches.js'
import { databases, folder, present } from './databases.js'

const file = folder()
let made = 0

type Found = Readonly<Record<string, unknown>>

/** A place, and how its rows are read. */
interface Place {
  readonly name: string
  readonly isThere: boolean
  readonly make: () => Promise<string>
  readonly options: Partial<SyncOptions>
  readonly read: (to: string) => Promise<ReadonlyArray<Found>>
  readonly readBatches: (to: string) => Promise<ReadonlyArray<Found>>
}

const rowsIn =
  <A>(codec: Codec<A>): Place['read'] =>
  async (to) => {
    const rows = await lastValueFrom(readRows(to, { codec }).pipe(toArray()))
    return rows.map((row) => (E.isRight(row) ? fieldsOf(row.right) : { id: 'unreadable' }))
  }

const folderOf = (format: 'ndjson' | 'parquet'): Place => ({
  ...{ name: `a folder of ${format}`, isThere: true, options: { format } },
  make: async () => `${file(String(++made))}/`,
  read: rowsIn(Charge),
  readBatches: rowsIn(BatchTransfer),
})

const [sqlite, postgres] = databases().map(
  ({ name, isThere, make, sql }): Place => ({
    ...{ name, isThere, make, options: {} },
    read: (to) => sql(to, 'select * from charges'),
    readBatches: (to) => sql(to, 'select * from batch_transfers'),
  }),
)

const places = [sqlite, folderOf('ndjson'), postgres, folderOf('parquet')].flatMap(
  (place) => place ?? [],
)

const tables = [sqlite, postgres].flatMap((place) => place ?? [])

beforeAll(async () => {
  await import('../../../src/export/sql/sqlite.js') // loading is no work of virtual time
})

/** An account with one charge an hour, every thirtieth of them open, and a service that can lose all of them. */
const world = (rows: number) => {
  const time = clockOfFiles()
  const account = new Account()
  for (let i = 0; i < rows; i++) {
    const created = START - (rows + 2 - i) * 3_600
    account.add(created, i % 30 === 7 ? 'PENDING' : 'SETTLED', created)
  }
  const full = new Map(account.entries)
  const order = [...account.order]
  const lose = (isLost: (i: number) => boolean): void => {
    for (const [i, id] of order.entries()) if (isLost(i)) account.delete(id)
  }
  const restore = (): void => {
    for (const [id, entry] of full) account.entries.set(id, entry)
    account.order.splice(0, account.order.length, ...order)
  }
  let date: number | undefined
  const { client, asked } = clientOf({
    ...{ clock: time, account, takes: () => 0.01 },
    date: () => time.seconds() + (date ?? 0),
  })
  const shift = (seconds: number): void => {
    date = seconds
  }
  const nightOf =
    (place: Place, to: string) =>
    async (options: Partial<SyncOptions> = {}) => {
      await time.pass(DAY)
      asked.length = 0
      const syncing = sync(client.charges, { to, timer: time.timer, ...place.options, ...options })
      const events = await time.run(lastValueFrom(syncing.pipe(toArray())))
      const progress = events.findLast(E.isRight)?.right
      const failure = events.findLast(E.isLeft)?.left
      const gone = (await place.read(to)).filter(
        ({ _gone_at }) => (_gone_at ?? null) !== null,
      ).length
      return { progress, failure, gone }
    }
  return { ...time, account, client, asked, lose, restore, shift, nightOf }
}

describe.each(sample(2, places))('$name', (place) => {
  const test = it.skipIf(!place.isThere)

  test.each([
    ['every row', 60, () => true],
    ['more than 20 rows and 5 %', 300, (i: number) => i % 10 === 0],
  ] as const)('is not emptied where %s is gone, unless allowed', async (_, rows, isLost) => {
    const { nightOf, lose, restore, account, seconds } = world(rows)
    const night = nightOf(place, await place.make())
    await night()
    lose(isLost)
    const lost = rows - account.entries.size
    const doubted = await night({ sweep: 'now' })
    expect(doubted).toMatchObject({
      gone: 0,
      failure: { _tag: 'RowsGone', rows: lost, oldest: iso(START - (rows + 2) * 3_600) },
      progress: { ended: true },
    })
    expect(doubted.progress?.proof?.differences).not.toEqual([])
    expect(doubted.failure?.message).toContain(`--allow-gone ${lost}`)
    expect((await night({ sweep: 'now', allowGone: lost - 1 })).gone).toBe(0)
    restore()
    account.add(seconds(), 'SETTLED', seconds())
    expect(await night()).toMatchObject({ gone: 0, failure: undefined })
    lose(isLost)
    expect(await night({ sweep: 'now', allowGone: lost })).toMatchObject({
      ...{ gone: lost, failure: undefined },
      progress: { proof: { gone: lost, differences: [] } },
    })
  })

  test('looks for open rows that are gone together by one page, and then by id', async () => {
    const { nightOf, lose, asked } = world(300)
    const night = nightOf(place, await place.make())
    await night()
    lose((i) => i % 30 === 7)
    expect(await night({ sweep: 'off' })).toMatchObject({ gone: 10, failure: undefined })
    const pages = asked.filter(
      ({ searchParams }) => searchParams.get('page_size') === '2000' && !searchParams.has('status'),
    )
    expect(pages).toHaveLength(2) // the newest rows, and those that were open
  })

  test('marks one row, and 20 of many, as gone', async () => {
    const { nightOf, lose } = world(60)
    const night = nightOf(place, await place.make())
    await night()
    lose((i) => i === 30)
    expect(await night()).toMatchObject({ gone: 1, failure: undefined })
    lose((i) => i >= 31 && i <= 49)
    expect(await night()).toMatchObject({ gone: 20, failure: undefined })
  })

  test('has each row once where its time of creation is shown finer, or corrected', async () => {
    const { nightOf, account } = world(300)
    const to = await place.make()
    const night = nightOf(place, to)
    await night()
    const show = (id: string, created_at: string): void => {
      const entry = account.entries.get(id)
      if (entry !== undefined) account.entries.set(id, { ...entry, created_at })
    }
    for (const id of account.order) {
      show(id, (account.entries.get(id)?.created_at ?? '').replace('+0000', '.250+0000'))
    }
    expect((await night({ lookback: 400 * DAY * 1_000 })).progress?.proof?.differences).toEqual([])
    expect(await place.read(to)).toHaveLength(300)
    const [first = '', second = '', third = ''] = [
      account.order[40],
      account.order[150],
      account.order[299],
    ]
    for (const [id, by] of [
      [first, 5],
      [second, 90 * 3_600],
      [third, -200 * 3_600],
    ] as const) {
      const created = secondsOf((account.entries.get(id)?.created_at ?? '').replace('.250', ''))
      show(id, iso(created + by))
      account.order.splice(account.order.indexOf(id), 1)
      let i = account.order.length
      const at = iso(created + by)
      while (i > 0 && (account.entries.get(account.order[i - 1] ?? '')?.created_at ?? '') > at) i--
      account.order.splice(i, 0, id)
    }
    const moved = await night()
    expect(moved).toMatchObject({ gone: 0, failure: undefined })
    expect(moved.progress?.proof?.differences).toEqual([])
    const found = await place.read(to)
    expect(new Set(found.map(({ id }) => id)).size).toBe(300)
    expect(found).toHaveLength(300)
    expect((await night()).progress?.proof).toMatchObject({ rows: 300, late: 0, gone: 0 })
  })

  test('gets the right version of a row whose time of change was in the future, and has passed since', async () => {
    const { nightOf, account, seconds } = world(60)
    const to = await place.make()
    const night = nightOf(place, to)
    const id = account.order[7] ?? ''
    const statusThere = async () => (await place.read(to)).find((row) => row.id === id)?.status
    account.set(id, { status: 'SUSPENDED' }, seconds() + 1.5 * DAY)
    await night()
    expect(await statusThere()).toBe('SUSPENDED')
    account.set(id, { status: 'SETTLED' }, seconds())
    await night({ sweep: 'off' })
    expect(await statusThere()).toBe('SETTLED')
  })

  test('is caught up where the clock of the service is far behind', async () => {
    const { nightOf, shift, account, seconds } = world(60)
    const to = await place.make()
    const night = nightOf(place, to)
    await night()
    shift(-30 * DAY)
    account.add(seconds(), 'SETTLED', seconds())
    expect(await night()).toMatchObject({ failure: undefined, progress: { ended: true } })
    shift(0)
    await night()
    expect(await place.read(to)).toHaveLength(61)
  })
})

/** A stream, or a table that follows, and how a row is shown there. */
interface Following {
  readonly failures: () => ReadonlyArray<{ readonly _tag: string }>
  readonly status: (id: string) => Promise<unknown>
  /** Resolves after so many polls, of which the first may have begun. */
  readonly polls: (n: number) => Promise<void>
  readonly end: () => Promise<void>
}

type World = ReturnType<typeof world>

/** A kind of follower, and how one begins. */
interface Follower {
  readonly name: string
  readonly isThere: boolean
  readonly begin: (of: World, allowGone?: number) => Promise<Following>
}

const changing: Follower = {
  ...{ name: 'changes()', isThere: true },
  begin: async ({ client, pass }, allowGone) => {
    const seen = new Map<string, string>()
    const failures: Array<{ readonly _tag: string }> = []
    const store = memoryStore()
    const options = { since: iso(START - 400 * DAY), store, ...withoutUndefined({ allowGone }) }
    const following = client.charges.changes(options).subscribe((event) => {
      if (E.isLeft(event)) failures.push(event.left)
      else seen.set(event.right.value.id, event.right.value.status)
    })
    await pass(5)
    return {
      failures: () => failures,
      status: async (id) => seen.get(id),
      polls: (n) => pass(10 * n),
      end: async () => following.unsubscribe(),
    }
  },
}

const followingIn = (place: Place): Follower => ({
  ...{ name: `a table of ${place.name} that follows`, isThere: place.isThere },
  begin: async ({ client, pass, run, timer }, allowGone) => {
    const failures: Array<{ readonly _tag: string }> = []
    const stop = new Subject<void>()
    const to = await place.make()
    const options = { to, stop, timer, ...withoutUndefined({ allowGone }) }
    const polled = new Subject<void>()
    const proven = new Subject<void>()
    follow(client.charges, options).subscribe((event) => {
      if (E.isLeft(event)) failures.push(event.left)
      const isOver = E.isLeft(event)
        ? event.left._tag !== 'RowsGone'
        : event.right.upTo !== undefined
      if (isOver) polled.next()
      if (E.isRight(event) && event.right.proof !== undefined) proven.next()
    })
    const polls = (n: number) => run(lastValueFrom(polled.pipe(take(n))))
    await run(firstValueFrom(proven)) // after the first poll
    return {
      failures: () => failures,
      status: async (id) => {
        const row = (await place.read(to)).find((one) => one.id === id)
        return row?._gone_at === null ? row.status : 'gone'
      },
      polls,
      end: async () => {
        stop.next()
        await pass(5)
      },
    }
  },
})

const followers = [changing, ...tables.map(followingIn)]

describe.each(followers)('$name', ({ isThere, begin }) => {
  const test = it.skipIf(!isThere)

  test('tells once that every row is gone, and goes on as before once they are there again', async () => {
    const of = world(900) // 30 of them open
    const { lose, restore, account, seconds, asked } = of
    const { failures, status, polls, end } = await begin(of)
    const [, , , , , , , open = '', , other = ''] = account.order
    lose(() => true)
    await polls(6)
    const { length } = asked
    await polls(6)
    expect(asked.length - length).toBeLessThanOrEqual(6 * 6)
    expect(failures()).toMatchObject([{ _tag: 'RowsGone', rows: 30 }])
    restore()
    account.set(open, { status: 'FAILED' }, seconds())
    await polls(6)
    expect(failures()).toHaveLength(1)
    expect(await status(open)).toBe('FAILED')
    expect(await status(other)).toBe('SETTLED')
    await end()
  })

  test('takes one open row as gone, and then as many as are allowed', async () => {
    const of = world(900)
    const { lose } = of
    const { failures, polls, end } = await begin(of, 29)
    lose((i) => i === 7)
    await polls(3)
    lose(() => true)
    await polls(6)
    expect(failures()).toEqual([])
    await end()
  })

  test('is not held up by an update that was in the future', async () => {
    const of = world(60)
    const { account, seconds } = of
    const { status, polls, end } = await begin(of)
    for (const ahead of [50, 3_600, 400 * DAY]) {
      const before = seconds()
      account.set(account.order[7] ?? '', { status: 'SUSPENDED' }, before + ahead)
      await polls(2)
      expect(await status(account.order[7] ?? '')).toBe('SUSPENDED')
      await polls(ahead === 50 ? 6 : 1)
      account.set(account.order[7] ?? '', { status: 'PENDING' }, before)
      await polls(2)
      expect(await status(account.order[7] ?? '')).toBe('PENDING')
    }
    await end()
  })

  test('asks for a status only as long as a row has it', async () => {
    const of = world(60)
    const { account, seconds, asked } = of
    const { status, polls, end } = await begin(of)
    const odd = Array.from({ length: 40 }, (_, i) => account.add(seconds(), `HOLD_${i}`, seconds()))
    await polls(3)
    for (const id of odd) account.set(id, { status: 'SETTLED' }, seconds())
    await polls(3)
    expect(await status(odd[39] ?? '')).toBe('SETTLED')
    asked.length = 0
    await polls(6)
    expect(asked.length).toBeLessThanOrEqual(6 * 5)
    await end()
  })

  test('tells that a list does not end', async () => {
    const of = world(60)
    const { account } = of
    const { failures, polls, end } = await begin(of)
    account.isEndless = true
    await polls(3)
    expect(failures()[0]).toMatchObject({ _tag: 'Truncated', guard: 'OnlyEmpty' })
    await end()
  })
})

describe('a list that is read whole', () => {
  const batchNames = (from: number, to: number): ReadonlyArray<string> =>
    Array.from({ length: to - from }, (_, i) => `b${String(from + i).padStart(3, '0')}`)

  const account = () => {
    const of = batchesOf()
    const put = (names: ReadonlyArray<string>): void => {
      of.batches.clear()
      for (const name of names) of.put(name, 'DRAFT', 1, [])
    }
    put(batchNames(0, 60))
    return { ...of, put }
  }

  it('tells its changes once each, and once that too many rows are gone', async () => {
    const { payments, put, pass, batches } = account()
    const told: Array<string> = []
    const following = payments.batchTransfers.changes().subscribe((event) => {
      told.push(E.isLeft(event) ? event.left._tag : `${event.right.kind} ${event.right.value.id}`)
    })
    await pass(5_000)
    expect(told).toEqual(batchNames(0, 60).map((name) => `added ${name}`))
    put(batchNames(0, 2))
    await pass(30_000)
    expect(told.slice(60)).toEqual(['RowsGone'])
    put(batchNames(0, 61))
    batches.set('b007', {
      ...batches.get('b007'),
      id: 'b007',
      status: 'BOOKED',
      updated: 2,
      items: [],
    })
    await pass(30_000)
    expect(told.slice(61)).toEqual(['changed b007', 'added b060'])
    following.unsubscribe()
  })

  type Played = ReturnType<typeof account>

  /** Follows a list, and what its polls tell. */
  const following = async <A>(
    { timer, pass, run }: Played,
    list: ExportSource<A>,
    options: Pick<SyncOptions<A>, 'to' | 'table' | 'allowGone'>,
  ) => {
    const failures: Array<unknown> = []
    const stop = new Subject<void>()
    const shown = new Subject<void>() // once at the start, and after each poll
    const polls = (n: number) => run(lastValueFrom(shown.pipe(take(n))))
    follow(list, { stop, timer, ...options }).subscribe((event) => {
      if (E.isLeft(event)) failures.push(event.left)
      else shown.next()
    })
    await polls(1)
    const until = async (isSo: () => boolean | Promise<boolean>) => {
      for (let n = 0; !(await isSo()); n++) {
        expect(n).toBeLessThan(100)
        await polls(1)
      }
    }
    const end = async () => {
      stop.next()
      await pass(5_000)
    }
    return { failures, polls, until, end }
  }

  it.each(present(tables))(
    'is not replaced in $name by another account',
    async ({ make, read }) => {
      const played = account()
      const { payments, put } = played
      const to = await make()
      const begin = (allowGone?: number) =>
        following(played, payments.batchTransfers.list(), {
          ...{ to, table: 'charges' },
          ...withoutUndefined({ allowGone }),
        })
      const idsThere = async () => (await read(to)).map(({ id }) => id).sort()
      const has = (names: ReadonlyArray<string>) => async () =>
        isDeepStrictEqual(await idsThere(), names)
      const first = await begin()
      await first.until(has(batchNames(0, 60)))
      put(batchNames(100, 160))
      await first.until(() => first.failures.length > 0)
      await first.polls(3)
      expect(first.failures).toMatchObject([{ _tag: 'RowsGone', rows: 60 }])
      expect(await idsThere()).toEqual(batchNames(0, 60))
      put(batchNames(0, 59))
      await first.until(has(batchNames(0, 59)))
      await first.end()
      for (const [names, rows] of [
        [batchNames(0, 9), 50],
        [batchNames(100, 159), 59],
      ] as const) {
        put(names)
        const second = await begin() // which knows only the rows of the table
        await second.until(() => second.failures.length > 0)
        expect(second.failures).toMatchObject([{ _tag: 'RowsGone', rows }])
        expect(await idsThere()).toEqual(batchNames(0, 59))
        await second.end()
      }
      const third = await begin(59)
      await third.until(has(batchNames(100, 159)))
      expect(third.failures).toEqual([])
      await third.end()
      const exchanged = batchNames(101, 160)
      put(exchanged)
      const fourth = await begin()
      await fourth.until(has(exchanged))
      expect(fourth.failures).toEqual([])
      await fourth.end()
    },
  )

  it.each(present(places))(
    'is not replaced in $name by a sync of another account with as many rows, unless allowed',
    async ({ make, readBatches, options }) => {
      const { payments, put, timer, run } = account()
      const to = await make()
      const night = async (names: ReadonlyArray<string>, allowGone?: number) => {
        put(names)
        const given = { to, timer, ...options, ...withoutUndefined({ allowGone }) }
        const syncing = sync(payments.batchTransfers.list(), given)
        const events = await run(lastValueFrom(syncing.pipe(toArray())))
        const ids = (await readBatches(to)).map(({ id }) => id).sort()
        return { failure: events.findLast(E.isLeft)?.left, ids }
      }
      const [ours, others] = [batchNames(0, 60), batchNames(100, 160)]
      expect(await night(ours)).toEqual({ failure: undefined, ids: ours })
      for (const [names, rows, allowed] of [
        [others, 60, undefined],
        [others, 60, 59],
        [batchNames(21, 81), 21, undefined],
      ] as const) {
        const { failure, ids } = await night(names, allowed)
        expect(failure).toMatchObject({ _tag: 'RowsGone', rows })
        expect(ids).toEqual(ours)
      }
      const exchanged = batchNames(1, 61)
      expect(await night(exchanged)).toEqual({ failure: undefined, ids: exchanged })
      expect(await night(others, 60)).toEqual({ failure: undefined, ids: others })
    },
  )

  it('is judged by the number of its rows if they have no ids', async () => {
    const played = account()
    const { payments, put, batches, timer, run } = played
    const list = payments.batchTransfers.list()
    const without = ({
      drain,
    }: Pick<typeof list, 'drain'>): Pick<ExportSource<unknown>, 'drain'> => ({
      drain: (project) =>
        drain((page) => {
          if (E.isLeft(page)) return project(page)
          const raw = page.right.raw.map((row) => ({ ...fieldsOf(row), id: undefined }))
          return project(E.right({ ...page.right, raw, items: raw.map(E.right) }))
        }),
    })
    const rates: ExportSource<unknown> = {
      describe: list.describe,
      ...without(list),
      from: (position) => without(list.from(position)),
    }
    const { to, texts } = listOfOnes()
    const night = async () => {
      const events = await run(lastValueFrom(sync(rates, { to, timer }).pipe(toArray())))
      return events.findLast(E.isLeft)?.left
    }
    const change = (status: string) => {
      for (const [id, batch] of batches) batches.set(id, { ...batch, status })
    }
    const have = (rows: number, status: string) => () =>
      texts().length === rows && texts().every((text) => text.includes(status))
    expect(await night()).toBeUndefined()
    change('SECOND')
    expect(await night()).toBeUndefined()
    expect(have(60, 'SECOND')()).toBe(true)
    change('THIRD')
    const first = await following(played, rates, { to })
    await first.until(have(60, 'THIRD'))
    change('FOURTH')
    await first.until(have(60, 'FOURTH'))
    expect(first.failures).toEqual([])
    put(batchNames(0, 2))
    await first.until(() => first.failures.length > 0)
    expect(first.failures).toMatchObject([{ _tag: 'RowsGone', rows: 58 }])
    await first.end()
    expect(await night()).toMatchObject({ _tag: 'RowsGone', rows: 58 })
    expect(have(60, 'FOURTH')()).toBe(true)
  })
})

/** A destination of one's own, whose rows have no ids. */
const listOfOnes = () => {
  const store = memoryStore()
  let texts: ReadonlyArray<string> = []
  let next: ReadonlyArray<string> = []
  const to: Destination<unknown> = {
    ...{ name: 'own', store, commitEvery: 0, rows: 'byId', check: () => undefined },
    rowsThere: async () => texts.map(() => ''),
    resume: async () => {
      next = []
    },
    write: async (rows) => {
      next = [...next, ...rows.map((row) => JSON.stringify(row))]
    },
    commit: async () => ({}),
    finish: async () => {
      const all = next
      next = []
      return {
        settle: async () => {
          texts = all
        },
      }
    },
    ...{ reject: async () => {}, close: async () => {} },
  }
  return { to, texts: () => texts }
}
