/** A run that cannot go on says what the platform holds under its name, and never advises to pay twice. */
import { lastValueFrom, toArray } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { seeded } from '../../../bench/simulated/random.js'
import {
  type Fetch,
  type NewBatchItem,
  orThrow,
  paymentBatches,
  toError,
} from '../../../src/index.js'
import { item } from '../../support/batch.js'
import { isWhole, runs } from '../../support/runs.js'
import { type Account, account, ofTag, RUN, type RunOptions } from './account.js'

// rows of a file

interface Row {
  readonly person: number
  readonly amount: number | string
  /** A `request_id` of its own; without, it gets one from the run and its place. */
  readonly id?: string
}

const rowsFor = (count: number, hasIds: boolean): ReadonlyArray<Row> =>
  Array.from({ length: count }, (_, person) => ({
    person,
    amount: 100 + person,
    ...(hasIds ? { id: `wage-${person}` } : {}),
  }))

const itemsOf = (rows: ReadonlyArray<Row>, run = RUN): ReadonlyArray<NewBatchItem> =>
  rows.map(({ person, amount, id }, place) => ({
    ...item(person),
    transfer_amount: amount,
    request_id: id ?? `${run}-${place + 1}`,
  }))

const PER_BATCH = 3

const pay = async (on: Account, rows: ReadonlyArray<Row>, options: RunOptions = {}) => {
  const { events } = await on.inTime(
    on.start(itemsOf(rows, options.run), { perBatch: PER_BATCH, ...options }),
  )
  const end = events.at(-1)
  const failure = end?._tag === 'Left' ? end.left : undefined
  return {
    events,
    failure,
    message: failure?.message ?? '',
    held: ofTag(events, 'BatchesFound')[0],
    report: ofTag(events, 'Reported')[0]?.report,
  }
}

const discard = async (on: Account) =>
  on.inTime(lastValueFrom(on.clientOf().batchTransfers.discardRun({ run: RUN })))

const no: RunOptions = { approve: () => false }

describe.each([
  ['with request_ids of their own', true],
  ['with request_ids of their places', false],
])('other payments, %s', (_, hasIds) => {
  const rows = rowsFor(5, hasIds)
  const booked = `${RUN}-1 is BOOKED with 3 items, ${RUN}-2 is BOOKED with 2 items: do not pay these again`

  it('in another order are said to be the same', async () => {
    const on = account()
    await pay(on, rows)
    const { failure, message } = await pay(on, rows.toReversed())
    expect(failure).toMatchObject({ _tag: 'OtherRun', unpaid: [] })
    expect(message).toBe(
      `${RUN}: batch ${RUN}-1 holds other payments (the same payments in another order); ${booked}`,
    )
  })

  it.each([
    ['at the end', (more: Row) => [...rows, more], 5],
    ['at the beginning', (more: Row) => [more, ...rows], 0],
  ])('that are more, %s: only these may be paid under another name', async (_, add, place) => {
    const on = account()
    await pay(on, rows)
    const more = { person: 9, amount: 50, ...(hasIds ? { id: 'wage-9' } : {}) }
    const { failure, message } = await pay(on, add(more))
    expect(failure).toMatchObject({ _tag: 'OtherRun', unpaid: [place] })
    expect(message).toBe(
      `${RUN}: batch ${RUN}-1 holds other payments (the same payments and 1 more: item ${place + 1}); ${booked}; only item ${place + 1} is in none of its batches: pay only that item under another name`,
    )
  })

  const mended = rows.with(3, { ...(rows[3] as Row), amount: 120 })

  it('of which one was changed say which, and what to do with drafts', async () => {
    const on = account()
    await pay(on, rows, no)
    const { failure, message } = await pay(on, mended)
    expect(failure).toMatchObject({ _tag: 'OtherRun', unpaid: [] })
    expect(message).toContain('(1 of 5 differs: item 4: transfer_amount is 103, not 120); ')
    expect(message).toMatch(
      /; no batch of wages-2026-01 is submitted; discard its drafts, then pay these under another name$/,
    )
  })

  it('of which one was changed are not to be paid again, once booked', async () => {
    const on = account()
    await pay(on, rows)
    const { failure, message } = await pay(on, mended)
    expect(failure).toMatchObject({ _tag: 'OtherRun', unpaid: [] })
    expect(message).toContain('the request_ids are the same, but at least one amount')
    expect(message).toMatch(/: do not pay these again$/)
  })
})

it('other fields of a batch are named, with its state', async () => {
  const on = account()
  await pay(on, rowsFor(2, true), { batch: { name: 'January' } })
  const { failure, message } = await pay(on, rowsFor(2, true), { batch: { name: 'February' } })
  expect(failure).toMatchObject({ _tag: 'OtherRun', differences: [{ path: 'name' }] })
  expect(message).toMatch(/\(name is .*\); wages-2026-01-1 is BOOKED with 2 items: do not pay/)
})

it('a batch that no run made is told from one', async () => {
  const on = account()
  const { create } = on.clientOf().batchTransfers
  await on.inTime(lastValueFrom(create({ request_id: `${RUN}-1`, name: 'of another program' })))
  const { message } = await pay(on, rowsFor(2, true))
  expect(message).toMatch(
    /not created by a run\); no batch of .* is submitted; pay these under another/,
  )
})

describe('what is submitted', () => {
  const refusing =
    (from: number): NonNullable<RunOptions['around']> =>
    (fetch: Fetch): Fetch => {
      let sent = 0
      const json = JSON.stringify({ code: 'forbidden', message: 'no' })
      return async (url, init) =>
        /login/.test(url) || ++sent < from ? fetch(url, init) : new Response(json, { status: 403 })
    }

  it('is not known where the platform does not let us look', async () => {
    const on = account()
    await pay(on, rowsFor(5, true))
    const { failure, held } = await pay(on, rowsFor(5, true), { around: refusing(1) })
    expect(failure).toMatchObject({ _tag: 'Refused', status: 403 })
    expect(held).toMatchObject({ batches: [], isWhole: false })
  })

  it('is read again after a failure that does not pass', async () => {
    const invalid = [...rowsFor(4, true), { person: 4, amount: 1, id: 'x' }]
    const on = account()
    const items = itemsOf(invalid).map((one, n) =>
      n === 4 ? { ...one, reference: 'a_invalid' } : one,
    )
    const { events } = await on.inTime(on.start(items, { perBatch: PER_BATCH }))
    expect(ofTag(events, 'BatchesFound')).toMatchObject([
      { isWhole: true, batches: [{ status: 'DRAFTING' }, { status: 'DRAFTING' }] },
    ])
    expect(events.at(-1)).toMatchObject({
      left: { message: expect.stringMatching(/; no batch of wages-2026-01 is submitted$/) },
    })
  })
})

describe('nothing to pay', () => {
  it('is a failure that says whose name it is', async () => {
    const on = account()
    const fresh = await pay(on, [])
    expect(fresh.failure).toMatchObject({ _tag: 'NothingToPay', leftOut: 0 })
    expect(fresh.message).toBe(
      `${RUN}: there is nothing to pay: no items were given; no batch of ${RUN} is submitted`,
    )
    await pay(on, rowsFor(3, true))
    const { message } = await pay(on, [])
    expect(message).toMatch(/no items were given; wages-2026-01-1 is BOOKED with 3 items$/)
  })

  it.each([
    ['our codec', { transfer_currency: 'dollars' }],
    ['the platform', { reference: 'a_invalid' }],
  ])('is all rows left out, too, as invalid by %s', async (_, change) => {
    const on = account()
    const items = itemsOf(rowsFor(2, true)).map((one) => ({ ...one, ...change }))
    const run = on.start(items as ReadonlyArray<NewBatchItem>, { withoutInvalid: true })
    expect((await on.inTime(run)).events.at(-1)).toMatchObject({
      left: { _tag: 'NothingToPay', leftOut: 2 },
    })
  })

  it('is allowed where that is said, and is not called paid', async () => {
    const on = account()
    const { report } = await pay(on, [], { allowEmpty: true })
    expect(report).toMatchObject({ items: 0, booked: 0, isPaid: false })
    await pay(on, rowsFor(3, true))
    const { failure, message } = await pay(on, [], { allowEmpty: true })
    expect(failure).toMatchObject({ _tag: 'OtherRun' })
    expect(message).toContain(`${RUN}-1 is BOOKED with 3 items: do not pay these again`)
  })

  it('is a failure of batches for jobs, too', async () => {
    const batches = (allowEmpty: boolean) =>
      lastValueFrom(paymentBatches({ run: RUN, allowEmpty })([]).pipe(orThrow(toError), toArray()))
    await expect(batches(false)).rejects.toThrow('there is nothing to pay')
    expect(await batches(true)).toEqual([])
  })
})

describe('discardRun', () => {
  const hash = 'a'.repeat(64)
  const draft = async (on: Account, at: number, metadata: Record<string, string> | undefined) =>
    on.inTime(
      lastValueFrom(
        on.clientOf().batchTransfers.create({
          request_id: `${RUN}-${at}`,
          ...(metadata === undefined ? {} : { metadata }),
        }),
      ),
    )

  it.each([
    ['no metadata', undefined, 'metadata.index'],
    ['another place', { index: '2', count: '1', hash }, 'metadata.index'],
    ['no hash', { index: '1', count: '1' }, 'metadata.hash'],
    ['a count of 1e300', { index: '1', count: '1e300', hash }, 'metadata.count'],
    ['a count above 10,000', { index: '1', count: '10001', hash }, 'metadata.count'],
    ['a count of 0', { index: '1', count: '0', hash }, 'metadata.count'],
    ['a count that is no whole number', { index: '1', count: '1.5', hash }, 'metadata.count'],
  ])('deletes no draft that has %s', async (_, metadata, path) => {
    const on = account()
    await draft(on, 1, metadata)
    expect(await discard(on)).toMatchObject({
      left: {
        _tag: 'OtherRun',
        requestId: `${RUN}-1`,
        differences: expect.arrayContaining([expect.objectContaining({ path })]),
      },
    })
    expect(on.entries.filter(({ call }) => call === 'delete')).toEqual([])
  })

  it('deletes none where two hashes are under one name', async () => {
    const on = account()
    await draft(on, 1, { index: '1', count: '2', hash })
    await draft(on, 2, { index: '2', count: '2', hash: 'b'.repeat(64) })
    expect(await discard(on)).toMatchObject({ left: { requestId: `${RUN}-2` } })
    expect(on.entries.filter(({ call }) => call === 'delete')).toEqual([])
  })
})

// a game

/** Changes that people make to a file, and what they leave behind. */
const CHANGES: Readonly<
  Record<
    string,
    (rows: ReadonlyArray<Row>, random: () => number, hasIds: boolean) => ReadonlyArray<Row>
  >
> = {
  none: (rows) => rows,
  sorted: (rows, random) =>
    rows
      .map((row) => [random(), row] as const)
      .sort(([a], [b]) => a - b)
      .map(([, row]) => row),
  resaved: (rows) => rows.map((row) => ({ ...row, amount: `${row.amount}.00` })),
  mended: (rows, random) =>
    rows.map((row, n) => (n === Math.floor(random() * rows.length) ? { ...row, amount: 7 } : row)),
  longer: (rows, random, hasIds) =>
    rows.toSpliced(
      Math.floor(random() * (rows.length + 1)),
      0,
      ...[1, 2].map((n) => {
        const person = 10 * (1 + rows.length) + n
        return { person, amount: 100 + n, ...(hasIds ? { id: `new-${person}` } : {}) }
      }),
    ),
  shorter: (rows, random) => rows.toSpliced(Math.floor(random() * rows.length), 1),
  renumbered: (rows, _, hasIds) =>
    hasIds ? rows.map((row, n) => ({ ...row, id: `other-${n}` })) : rows,
  empty: () => [],
}

it('never says falsely that nothing was submitted, and following its advice pays no item twice', async () => {
  const random = seeded(63)
  const told = { nothing: 0, submitted: 0, advice: 0, rest: 0, paid: 0 }
  for (let game = 0; game < runs(100); game++) {
    const on = account()
    const hasIds = random() < 0.5
    const first = rowsFor(1 + Math.floor(random() * 7), hasIds)
    const begun = random()
    await pay(
      on,
      first,
      begun < 0.2
        ? no
        : begun < 0.6
          ? { kill: { at: 1 + Math.floor(random() * 25), when: 'after' } }
          : {},
    )
    const isDiscarded = random() < 0.15
    if (isDiscarded) await discard(on)

    let rows = first
    const names = Object.keys(CHANGES)
    for (let change = 0; change < 1 + random() * 2; change++) {
      rows =
        CHANGES[names[Math.floor(random() * names.length)] ?? '']?.(rows, random, hasIds) ?? rows
    }
    const isSubmitted = () => on.entries.some(({ call }) => call === 'submit')
    const persons = new Map(itemsOf(first).map((one, n) => [one.request_id, first[n]?.person]))
    const { failure, message, held, report } = await pay(
      on,
      rows,
      random() < 0.1 ? { batch: { name: 'other' } } : {},
    )
    const where = JSON.stringify({ game, hasIds, first, rows, message })

    if (message.includes(`no batch of ${RUN} is submitted`)) {
      expect(isSubmitted(), where).toBe(false)
      told.nothing++
    }
    const isSafe =
      held?.isWhole === true && held.batches.every(({ status }) => status === 'DRAFTING')
    if (failure !== undefined && 'run' in failure)
      expect(isSafe ? isSubmitted() : false, where).toBe(false)
    if (held?.isWhole === true && !isSafe) told.submitted++

    const unpaid = failure !== undefined && 'unpaid' in failure ? failure.unpaid : []
    const isWhole =
      message.endsWith('pay these under another name') ||
      (isDiscarded && message.endsWith('were discarded, pay under another name'))
    const rest = isWhole ? rows : rows.filter((_, place) => unpaid.includes(place))
    if (rest.length > 0) {
      if (message.includes('discard its drafts')) await discard(on)
      for (const [n, one] of itemsOf(rest, 'rest').entries())
        persons.set(one.request_id, rest[n]?.person)
      await pay(on, rest, { run: 'rest' })
      if (isWhole) told.advice++
      else told.rest++
    }
    if (report?.isPaid === true) told.paid++
    const counts = new Map<number | undefined, number>()
    for (const [id, times] of on.paid) {
      const person = persons.get(id)
      counts.set(person, times + (counts.get(person) ?? 0))
    }
    if (failure !== undefined)
      expect(
        [...counts.values()].filter((n) => n > 1),
        where,
      ).toEqual([])
  }
  for (const times of Object.values(told)) expect(times).toBeGreaterThan(isWhole ? 3 : 0)
})
