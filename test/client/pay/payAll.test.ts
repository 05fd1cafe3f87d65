/** A run of payments: what it emits, what it refuses, and what it asks before money moves. */
import { Readable } from 'node:stream'
import { delay, EMPTY, lastValueFrom, of, toArray } from 'rxjs'
import { describe, expect, it } from 'vitest'
import {
  InvalidOption,
  type NewBatchItem,
  orThrow,
  type PaymentBatch,
  type PaySummary,
  paymentBatches,
  toError,
} from '../../../src/index.js'
import { item } from '../../support/batch.js'
import { type Account, account, ofTag, RUN, type RunOptions } from './account.js'

const items = (count: number): ReadonlyArray<NewBatchItem> =>
  Array.from({ length: count }, (_, n) => item(n))

const ids = (some: ReadonlyArray<NewBatchItem>) => some.map(({ request_id }) => request_id).sort()

const pay = async (on: Account, some: ReadonlyArray<NewBatchItem>, options: RunOptions = {}) => {
  const { events, sent } = await on.inTime(on.start(some, { perBatch: 100, ...options }))
  const end = events.at(-1)
  return {
    events,
    sent,
    failure: end?._tag === 'Left' ? end.left : undefined,
    report: ofTag(events, 'Reported')[0]?.report,
    tags: events.map((event) => (event._tag === 'Right' ? event.right._tag : event._tag)),
  }
}

const yes = (): boolean => true

const submissions = ({ entries }: Account) => entries.filter(({ call }) => call === 'submit').length

describe('payAll', () => {
  it('checks, fills, quotes, asks, submits and waits, and reports each item', async () => {
    const on = account()
    const { events, tags, report } = await pay(on, items(2_050), { perBatch: 1_000 })
    expect([...new Set(tags)]).toEqual([
      'Checked',
      'Filled',
      'Quoted',
      'Submitted',
      'Settled',
      'Reported',
    ])
    expect([...on.paid.keys()].sort()).toEqual(ids(items(2_050)))
    expect(report).toMatchObject({ run: RUN, isPaid: true, items: 2_050, booked: 2_050 })
    const outcomes = ofTag(events, 'Settled').flatMap((settled) => settled.outcomes)
    expect(new Set(outcomes.map(({ state }) => state))).toEqual(new Set(['booked']))
    expect(outcomes.map(({ requestId }) => requestId).sort()).toEqual(ids(items(2_050)))
  })

  it('keeps its place in the metadata of the batches, beside that of the caller', async () => {
    const on = account()
    const { report } = await pay(on, items(150), { batch: { metadata: { team: 'payroll' } } })
    expect(report?.batches).toMatchObject([
      { request_id: `${RUN}-1`, metadata: { index: '1', count: '2', team: 'payroll' } },
      { request_id: `${RUN}-2`, metadata: { index: '2', count: '2', team: 'payroll' } },
    ])
  })

  it('asks nothing more when all was submitted before, and reports it again', async () => {
    const on = account()
    await pay(on, items(150))
    const { report, tags } = await pay(on, items(150), { approve: () => false })
    expect(tags).not.toContain('Quoted')
    expect(report).toMatchObject({ isPaid: true, booked: 150 })
    expect(submissions(on)).toBe(2)
  })

  it.each([
    ['a function of an iterable', () => () => items(120)],
    [
      'a function of an async iterable',
      () =>
        async function* () {
          yield* items(120)
        },
    ],
    ['a set', () => new Set(items(120))],
    ['values of Either', () => items(120).map((right) => ({ _tag: 'Right' as const, right }))],
  ])('takes %s', async (_, make) => {
    const on = account()
    const { events } = await on.inTime(on.start(make(), { perBatch: 100 }))
    expect(ofTag(events, 'Reported')).toMatchObject([{ report: { booked: 120 } }])
  })

  it.each([
    ['a generator, which can be read once', () => items(3).values()],
    ['no items', () => undefined],
    ['a function that gives a promise', () => async () => items(3)],
    ['a stream of Node', () => Readable.from(items(3))],
    ['a web stream', () => new Response('{}').body],
  ])('refuses %s', (_, make) => {
    const { batchTransfers } = account().clientOf()
    const operator = batchTransfers.payAll({ run: 'r', approve: () => true })
    expect(() => operator(make() as never)).toThrow(/^payAll: items should be readable twice/)
  })

  it.each([
    [{ run: 'a:b', approve: yes }, 'run'],
    [{ run: 'x'.repeat(41), approve: yes }, 'run'],
    [{ run: 'r' }, 'approve'],
    [{ run: 'r', approved: {} }, 'approved.max'],
    [
      { run: 'r', approved: { max: [{ currency: 'USD', amount: '-1' }] } },
      'approved.max[0].amount',
    ],
    [{ run: 'r', approved: { max: [], at_least: [] } }, 'approved.at_least'],
    [{ run: 'r', approve: yes, perBatch: 1_001 }, 'perBatch'],
    [{ run: 'r', approve: yes, batch: { metadata: { hash: 'mine' } } }, 'batch.metadata'],
  ])('refuses the options %j', (options, option) => {
    const { payAll } = account().clientOf().batchTransfers
    const make = () => payAll(options as never)
    expect(make).toThrow(InvalidOption)
    expect(make).toThrow(`payAll: ${option} should be`)
  })

  it('ends with the failure of items that cannot be read, and sends nothing', async () => {
    const on = account()
    const broken = [{ _tag: 'Left' as const, left: { _tag: 'ReadFailed' as const } }]
    const { events, sent } = await on.inTime(on.start(broken))
    expect(events).toEqual([{ _tag: 'Left', left: { _tag: 'ReadFailed' } }])
    expect(sent).toBe(0)
  })

  it('submits nothing if the items are others when they are read again', async () => {
    const on = account()
    let reads = 0
    const changing = () =>
      items(150).map((one) => ({ ...one, transfer_amount: 100 + (reads > 1 ? 1 : 0) }))
    const counted = () => {
      reads++
      return changing()
    }
    const { events } = await on.inTime(on.start(counted, { perBatch: 100 }))
    expect(events.at(-1)).toMatchObject({ _tag: 'Left', left: { _tag: 'ItemsChanged' } })
    expect(submissions(on)).toBe(0)
  })
})

describe('invalid items', () => {
  const wrong = { ...item(3), transfer_currency: 'dollars' } as NewBatchItem
  const refused = { ...item(4), reference: 'Pay 4_invalid' } // by the platform

  it('for the codec are reported one by one, and nothing is sent', async () => {
    const on = account()
    const { events, sent, failure } = await pay(on, [item(1), wrong, { ...wrong, request_id: '' }])
    expect(sent).toBe(0)
    expect(ofTag(events, 'Invalid')).toMatchObject([
      {
        item: {
          index: 1,
          requestId: 'item-3',
          reasons: [expect.stringMatching(/transfer_currency/)],
        },
      },
      { item: { index: 2, reasons: [expect.stringMatching(/request_id/)] } },
    ])
    expect(failure).toMatchObject({ _tag: 'InvalidItems', count: 2 })
  })

  it('are those with a misspelt field, too, before there is a batch', async () => {
    const on = account()
    const { events, failure, sent } = await pay(on, [
      item(1),
      { ...item(2), remark: 'x' } as NewBatchItem,
    ])
    expect(failure).toMatchObject({ _tag: 'InvalidItems', count: 1 })
    expect(ofTag(events, 'Invalid')).toMatchObject([
      {
        item: {
          index: 1,
          reasons: [expect.stringMatching(/^remark should be omitted \(did you mean remarks\?\)/)],
        },
      },
    ])
    expect(sent).toBe(0)
  })

  it('are told by the field that is wrong, not by the whole that it is in', async () => {
    const bank = {
      account_currency: 'euro',
      account_name: 'A',
      bank_country_code: 'DE',
      iban: 'DE1',
    }
    const { beneficiary_id: _, ...rest } = item(1)
    const beneficiary = { entity_type: 'PERSONAL', bank_details: bank }
    const { failure } = await pay(account(), [{ ...rest, beneficiary }])
    expect(failure).toMatchObject({
      first: [
        {
          reasons: [
            expect.stringMatching(/^beneficiary\.bank_details\.account_currency should be /),
          ],
        },
      ],
    })
    expect(failure).toMatchObject({ first: [{ reasons: { length: 1 } }] })
  })

  it('for the platform are reported with their reasons, and nothing is submitted', async () => {
    const on = account()
    const { events, failure } = await pay(on, [item(1), refused, item(2)])
    expect(ofTag(events, 'Invalid')).toMatchObject([
      { item: { index: 1, requestId: 'item-4', reasons: ['reference: invalid_argument'] } },
    ])
    expect(failure).toMatchObject({ _tag: 'InvalidItems', count: 1 })
    expect(submissions(on)).toBe(0)
  })

  it('are left out with withoutInvalid, and reported', async () => {
    const on = account()
    const some = [item(1), wrong, refused, ...items(200).slice(5)]
    const { events, report } = await pay(on, some, { withoutInvalid: true })
    expect(report).toMatchObject({ isPaid: false, items: 198, booked: 196, leftOut: 2, failed: 0 })
    expect(ofTag(events, 'Invalid').map((one) => one.item.index)).toEqual([1, 2])
    const outcomes = ofTag(events, 'Settled').flatMap((settled) => settled.outcomes)
    expect(outcomes.filter(({ state }) => state === 'left out')).toMatchObject([
      { requestId: 'item-4', batch: `${RUN}-1`, reason: 'reference: invalid_argument' },
    ])
    expect(on.paid.has('item-3')).toBe(false)
    // the drafts have lost them, and a second run knows
    const again = await pay(on, some, { withoutInvalid: true })
    expect(again.report).toMatchObject({ booked: 196, leftOut: 2 })
  })

  it('are not taken for those that a list does not show yet', async () => {
    const on = account({ itemsDelay: 60_000 })
    const { failure } = await pay(on, [refused, ...items(4)], { withoutInvalid: true })
    expect(failure).toMatchObject({ _tag: 'TimedOut', phase: 'state' })
    expect(submissions(on)).toBe(0)
    await on.pass(60_000)
    const { report } = await pay(on, [refused, ...items(4)], { withoutInvalid: true })
    expect(report).toMatchObject({ booked: 4, leftOut: 1, unknown: 0 })
  })

  it.each([0, 35, 70, 140])('are left out by two runs at once, %i ms apart', async (apart) => {
    const on = account({ latency: 30, jitter: 20 })
    const some = [
      item(1),
      refused,
      ...items(300).slice(5),
      { ...item(301), reference: 'x_invalid' },
    ]
    const options = { perBatch: 150, withoutInvalid: true }
    const second = lastValueFrom(of(0).pipe(delay(apart, on.timer))).then(() =>
      on.start(some, options),
    )
    const runs = await on.inTime(Promise.all([on.start(some, options), second]))
    for (const { events } of runs) {
      expect(ofTag(events, 'Reported')).toMatchObject([{ report: { booked: 296, leftOut: 2 } }])
    }
    expect(new Set(on.paid.values())).toEqual(new Set([1]))
  })

  it('may be all of a batch', async () => {
    const on = account()
    const some = [refused, item(5)]
    const { report } = await pay(on, some, { perBatch: 1, withoutInvalid: true })
    expect(report).toMatchObject({ booked: 1, leftOut: 1 })
    expect(submissions(on)).toBe(1)
  })

  it.each([false, true])('sharing a request_id are never paid: %s', async (withoutInvalid) => {
    const on = account()
    const some = [...items(150), { ...item(7), transfer_amount: 7 }]
    const { sent, failure } = await pay(on, some, { withoutInvalid })
    expect(sent).toBe(0)
    expect(failure).toMatchObject({
      _tag: 'InvalidItems',
      first: [
        { index: 150, requestId: 'item-7', reasons: ['request_id is the same as in item 8'] },
      ],
    })
  })

  it('source and transfer amounts do not mix in one currency pair', async () => {
    const on = account()
    const { transfer_amount: _, ...rest } = item(2)
    const { failure } = await pay(on, [
      item(1),
      { ...rest, source_amount: 5 },
      { ...rest, request_id: 'euro', transfer_currency: 'EUR', source_amount: 5 },
      { ...rest, request_id: 'nothing' },
    ])
    expect(failure).toMatchObject({
      first: [
        {
          index: 1,
          reasons: [
            expect.stringMatching(
              /^transfer_amount should be given instead of source_amount, as in item 1/,
            ),
          ],
        },
        {
          index: 3,
          reasons: [expect.stringMatching(/^source_amount or transfer_amount should be given/)],
        },
      ],
    })
  })
})

describe('another run of the same name', () => {
  const changed: ReadonlyArray<readonly [string, ReadonlyArray<NewBatchItem>, RunOptions]> = [
    ['one more item', [...items(150), item(999)], {}],
    ['one item fewer', items(149), {}],
    ['another order', items(150).toReversed(), {}],
    ['another amount', items(150).with(149, { ...item(149), transfer_amount: 7 }), {}],
    ['other batches', items(150), { perBatch: 50 }],
    ['another funding source', items(150), { batch: { funding_source: { id: 'la_2' } } }],
  ]

  it.each(changed)('with %s is refused, and nothing is sent', async (_, others, options) => {
    const on = account()
    await pay(on, items(150), { approve: () => false })
    const before = on.entries.length
    const { failure } = await pay(on, others, options)
    const path = options.batch === undefined ? 'metadata.hash' : 'funding.funding_source_id'
    expect(failure).toMatchObject({ _tag: 'OtherRun', requestId: `${RUN}-1` })
    expect(failure).toMatchObject({
      differences: expect.arrayContaining([expect.objectContaining({ path })]),
    })
    expect(on.entries).toHaveLength(before)
    expect((await pay(on, items(150))).report).toMatchObject({ isPaid: true })
  })
})

describe('the hashes of a run', () => {
  const hashesOf = async (some: ReadonlyArray<NewBatchItem>, run = RUN) => {
    const [batch] = await lastValueFrom(
      paymentBatches({ run })(some).pipe(orThrow(toError), toArray()),
    )
    return { hash: batch?.hash, set: batch?.set }
  }

  it('take amounts as values, in any notation', async () => {
    const notations = [12.5, '12.5', '12.50', '0012.500']
    const hashes = notations.map((amount) => hashesOf([{ ...item(1), transfer_amount: amount }]))
    expect(new Set((await Promise.all(hashes)).map(({ hash }) => hash)).size).toBe(1)
    const [other, first] = await Promise.all([
      hashesOf([{ ...item(1), transfer_amount: '12.05' }]),
      hashes[0],
    ])
    expect(other).not.toEqual(first)
    expect(other?.set).not.toBe(first?.set)
  })

  it('let a run go on after its amounts were saved otherwise', async () => {
    const on = account()
    await pay(on, items(5), { approve: () => false })
    const resaved = items(5).map((one) => ({ ...one, transfer_amount: '100.00' }))
    expect((await pay(on, resaved)).report).toMatchObject({ isPaid: true, booked: 5 })
    expect((await pay(on, items(5))).report).toMatchObject({ isPaid: true, booked: 5 })
    expect(submissions(on)).toBe(1)
  })

  it('are the same as a set in any order, under any name, and with any ids made by pay', async () => {
    const generated = (run: string, some: ReadonlyArray<NewBatchItem>) =>
      some.map((one, n) => ({ ...one, request_id: `${run}-${n + 1}` }))
    const first = await hashesOf(generated(RUN, items(5)))
    const sorted = await hashesOf(generated('other', items(5).toReversed()), 'other')
    expect(sorted.set).toBe(first.set)
    expect(sorted.hash).not.toBe(first.hash)
    expect((await hashesOf(items(5))).set).not.toBe(first.set)
    expect((await hashesOf([...items(5), item(0)].slice(1))).set).toBe(
      (await hashesOf(items(5))).set,
    )
    expect((await hashesOf(generated(RUN, items(6)))).set).not.toBe(first.set)
  })
})

describe('approve', () => {
  it('gets totals, fees and rates by currency pair, and the earliest expiry', async () => {
    const on = account()
    const { transfer_amount: _, ...rest } = item(0)
    const some = [
      ...Array.from({ length: 110 }, (_, n) => ({ ...item(n), transfer_amount: 0.1 })),
      { ...rest, request_id: 'e-1', transfer_currency: 'EUR', source_amount: 10.15 },
      { ...rest, request_id: 'e-2', transfer_currency: 'EUR', source_amount: 20.3 },
    ]
    const summaries: Array<PaySummary> = []
    await pay(on, some, {
      approve: (summary) => {
        summaries.push(summary)
        return false
      },
    })
    expect(summaries).toMatchObject([
      { run: RUN, items: 112, batches: 2, leftOut: 0, submittedBefore: 0, isWorse: false },
    ])
    expect(summaries[0]?.expiresAt).toEqual(new Date('2026-01-01T00:30:00Z'))
    expect(summaries[0]?.totals).toMatchObject([
      { sourceCurrency: 'USD', transferCurrency: 'USD', beneficiariesReceive: '11.00', rates: [] },
      { sourceCurrency: 'USD', transferCurrency: 'EUR', fee: '0.09', payerPays: '30.54' },
    ])
  })

  it('says no: nothing is submitted, and the drafts stay for a later yes', async () => {
    const on = account()
    const { report, tags } = await pay(on, items(150), { approve: () => false })
    expect(report).toMatchObject({ isDeclined: true, isPaid: false, booked: 0 })
    expect(tags).not.toContain('Submitted')
    expect(report?.batches.map(({ status }) => status)).toEqual(['DRAFTING', 'DRAFTING'])
    expect((await pay(on, items(150))).report).toMatchObject({ isPaid: true })
  })

  it('may take its time; quotes that expire meanwhile are made anew', async () => {
    const on = account()
    const { report } = await pay(on, items(150), {
      validity: 'MIN_1',
      approve: () => of(true).pipe(delay(600_000, on.timer)),
    })
    expect(report).toMatchObject({ isPaid: true })
    expect(on.entries.filter(({ call }) => call === 'quote')).toHaveLength(4)
    expect(submissions(on)).toBe(2)
  })

  it.each(['no', { ok: false }, 1])('takes %j, which is not true, for a no', async (answer) => {
    const on = account()
    const { report } = await pay(on, items(5), { approve: async () => answer as never })
    expect(report).toMatchObject({ isDeclined: true })
    expect(submissions(on)).toBe(0)
  })

  it.each<readonly [string, () => unknown]>([
    ['nothing', () => undefined],
    ['a promise of nothing', async () => undefined],
    ['a stream without a value', () => EMPTY],
  ])('is an invalid option if it gives %s, before anything is submitted', async (_, approve) => {
    const on = account()
    await expect(pay(on, items(5), { approve: approve as never })).rejects.toThrow(
      /^approve should be a function that returns true or false/,
    )
    expect(submissions(on)).toBe(0)
  })

  it('ends when quotes expire at once', async () => {
    const on = account({ quoteLife: 1, latency: 1_000 })
    const { failure } = await pay(on, items(50))
    expect(failure).toMatchObject({ _tag: 'QuoteTooShort', requestId: `${RUN}-1` })
    expect(submissions(on)).toBe(0)
  })
})

describe('the end', () => {
  it('reports items that were not booked, and why', async () => {
    const on = account()
    const { events, report } = await pay(on, [item(1), { ...item(2), reference: 'Pay 2_failed' }])
    expect(report).toMatchObject({ isPaid: false, booked: 1, failed: 1 })
    expect(ofTag(events, 'Settled')[0]?.outcomes).toMatchObject([
      { requestId: 'item-1', state: 'booked', transferId: expect.stringMatching(/^tfr_/) },
      { requestId: 'item-2', state: 'failed', reason: 'beneficiary: booking_failed' },
    ])
  })

  it.each([
    [{ funding: 'failed' }, /FAILED \(insufficient_funds\)/],
    [{ funding: 'cancelled' }, /CANCELLED/],
    [{ approval: 'rejected' }, /APPROVAL_REJECTED/],
  ] as const)('reports batches that are never booked: %j', async (options, reason) => {
    const { events, report } = await pay(account(options), items(150))
    expect(report).toMatchObject({ isPaid: false, booked: 0, failed: 150 })
    const [first] = ofTag(events, 'Settled').flatMap((settled) => settled.outcomes)
    expect(first?.reason).toMatch(reason)
  })

  it('is not known of items that their list does not show', async () => {
    const { events, report } = await pay(account({ itemsDelay: 60_000 }), items(5))
    expect(report).toMatchObject({ isPaid: false, booked: 1, unknown: 4, leftOut: 0, failed: 0 })
    expect(ofTag(events, 'Settled')[0]?.outcomes).toHaveLength(5)
  })

  it('waits for an approval in the web app, up to its limit', async () => {
    const on = account({ approval: 'approved', approveAfter: 900_000 })
    const { failure } = await pay(on, items(50), { limit: 600_000 })
    expect(failure).toMatchObject({ _tag: 'TimedOut', phase: 'state' })
    expect(failure).toMatchObject({ message: expect.stringMatching(/ after 600000 ms$/) })
    expect((await pay(on, items(50))).report).toMatchObject({ isPaid: true })
    expect(submissions(on)).toBe(1)
  })

  it('says how many batches are not final at its limit', async () => {
    const on = account({ approval: 'approved', approveAfter: 900_000 })
    const { failure } = await pay(on, items(30), { perBatch: 10, limit: 600_000 })
    expect(failure).toMatchObject({
      _tag: 'TimedOut',
      message: expect.stringContaining('; not final either: 2 more'),
    })
  })

  it('reads lists of states where these are fewer requests than batches', async () => {
    const on = account({ fundAfter: 60_000 })
    const { report } = await pay(on, items(60), { perBatch: 1 })
    expect(report).toMatchObject({ booked: 60 })
    const polls = on.sandbox.stats().endpoints['GET /api/v1/batch_transfers']?.requests ?? 0
    const reads = on.sandbox.stats().endpoints['GET /api/v1/batch_transfers/{id}']?.requests ?? 0
    expect(polls).toBeGreaterThan(20)
    expect(reads).toBeLessThan(60 * 5) // before and after items, before the submission, at the end
  })

  it('goes on with other batches when one cannot be submitted, and then fails', async () => {
    const on = account({
      faults: ({ route, nth }) =>
        route.endsWith('/submit') && nth === 1 ? 'reset-before' : undefined,
    })
    const { failure, tags } = await pay(on, items(150))
    expect(failure).toMatchObject({ _tag: 'Ambiguous' })
    expect(tags).toContain('Settled')
    expect((await pay(on, items(150))).report).toMatchObject({ isPaid: true })
    expect(submissions(on)).toBe(2)
  })

  it('finds by reading that a submission without an answer has arrived', async () => {
    const on = account({
      faults: ({ route, nth }) =>
        route.endsWith('/submit') && nth === 1 ? 'reset-after' : undefined,
    })
    const { report } = await pay(on, items(150))
    expect(report).toMatchObject({ isPaid: true })
  })
})

describe('payBatch', () => {
  const batchesOf = (some: ReadonlyArray<NewBatchItem>): Promise<ReadonlyArray<PaymentBatch>> =>
    lastValueFrom(
      paymentBatches({ run: RUN, perBatch: 100 })(some).pipe(orThrow(String), toArray()),
    )

  /** A job of a queue, in a process of its own: its batch went through JSON. */
  const job = (on: Account, batch: PaymentBatch) =>
    lastValueFrom(
      on.clientOf().batchTransfers.payBatch(JSON.parse(JSON.stringify(batch)), { approved }),
    )
  const approved = { max: [{ currency: 'USD', amount: '1000000' }] }

  it('pays the batches of a run once, each twice at the same time', async () => {
    const on = account({ latency: 20, jitter: 20 })
    const batches = await batchesOf(items(250))
    expect(batches.map((one) => one.items.length)).toEqual([100, 100, 50])
    const jobs = [...batches, ...batches].map((batch) => job(on, batch))
    const reports = await on.inTime(Promise.all(jobs))
    expect(reports).toMatchObject(
      [100, 100, 50, 100, 100, 50].map((booked) => ({
        _tag: 'Right',
        right: { isPaid: true, booked, outcomes: { length: booked } },
      })),
    )
    expect([...on.paid.keys()].sort()).toEqual(ids(items(250)))
    expect(new Set(on.paid.values())).toEqual(new Set([1]))
  })

  it('belongs to the same run as payAll', async () => {
    const on = account()
    for (const batch of await batchesOf(items(150))) await on.inTime(job(on, batch))
    expect((await pay(on, items(150))).report).toMatchObject({ isPaid: true, booked: 150 })
    expect(submissions(on)).toBe(2)
  })

  it('submits nothing while an item is invalid', async () => {
    const on = account()
    const [batch] = await batchesOf([item(1), { ...item(2), reference: 'Pay 2_invalid' }])
    const outcome = await on.inTime(job(on, batch as PaymentBatch))
    expect(outcome).toMatchObject({ _tag: 'Left', left: { _tag: 'InvalidItems', count: 1 } })
    expect(submissions(on)).toBe(0)
  })

  it('refuses a batch that is none', () => {
    const { payBatch } = account().clientOf().batchTransfers
    const batch = { run: 'r', index: 1, count: 1, hash: 'x', set: 'x', items: items(1) }
    expect(() => payBatch(batch, { approved })).toThrow(
      'payBatch: hash should be a hash of 64 hex digits',
    )
  })
})

describe('discardRun', () => {
  const discard = async (on: Account) =>
    on.inTime(
      lastValueFrom(on.clientOf().batchTransfers.discardRun({ run: RUN }).pipe(orThrow(String))),
    )

  it('deletes the drafts of a run, the first at last', async () => {
    const on = account()
    await pay(on, items(250), { approve: () => false })
    expect(await discard(on)).toEqual({ deleted: 3, submitted: 0 })
    const created = on.entries.filter(({ call }) => call === 'create').map(({ batch }) => batch)
    const deleted = on.entries.filter(({ call }) => call === 'delete').map(({ batch }) => batch)
    expect(deleted.at(-1)).toBe(created[0])
    expect(await discard(on)).toEqual({ deleted: 0, submitted: 0 })
  })

  it('leaves a name that cannot be used again, as the failure of a later run says', async () => {
    const on = account()
    await pay(on, items(5), { approve: () => false })
    await on.inTime(lastValueFrom(on.clientOf().batchTransfers.discardRun({ run: RUN })))
    const { failure } = await pay(on, items(5))
    expect(failure).toMatchObject({
      _tag: 'Ambiguous',
      message: expect.stringContaining(
        `; if the drafts of ${RUN} were discarded, pay under another name`,
      ),
    })
  })

  it('leaves what was submitted', async () => {
    const on = account()
    await pay(on, items(250))
    expect(await discard(on)).toEqual({ deleted: 0, submitted: 3 })
    expect(on.entries.filter(({ call }) => call === 'delete')).toEqual([])
  })
})

it('an error of a run is an error with its failure', async () => {
  const on = account()
  const failed = on.clientOf().batchTransfers.payAll({ run: RUN, approve: () => true })([
    { ...item(1), request_id: '' },
  ])
  const thrown = on.inTime(lastValueFrom(failed.pipe(orThrow(toError))))
  await expect(thrown).rejects.toMatchObject({ failure: { _tag: 'InvalidItems' } })
  await expect(thrown).rejects.toThrow(
    /^wages-2026-01: 1 item is invalid, nothing was sent: item 1: request_id/,
  )
})
