import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { BatchTransfer } from '../../src/codec/BatchTransfer.js'
import { E } from '../../src/fp.js'
import { newItem, openedBatch } from './batchSupport.js'

type Options = Parameters<typeof openedBatch>[0]

const DAY = 86_400_000

interface Seen {
  readonly at: number
  readonly status: unknown
  readonly funding: unknown
  readonly items: ReadonlyArray<unknown>
}

const paid = (id: string) => ({ request_id: 'payroll-1', funding_source: { id } })

/** Each change of a submitted batch, in ms after it was submitted. */
const course = async (
  references: ReadonlyArray<string>,
  options: Options = {},
  asked?: Record<string, unknown>,
  until = 6_000,
): Promise<ReadonlyArray<Seen>> => {
  const batch = await openedBatch({ bookEvery: 500, ...options }, asked)
  const items = references.map((reference, n) => newItem(`item-${n}`, { reference }))
  await batch.call('add_items', { items })
  await batch.call('submit')
  const seen: Array<Seen> = []
  for (let at = 0; at <= until; at += 250) {
    const body = Object((await batch.retrieve()).body)
    expect(E.isRight(BatchTransfer.decode(body))).toBe(true)
    const next: Seen = {
      at,
      status: body.status,
      funding: body.funding.status,
      items: (await batch.items()).map((row) => row.status),
    }
    seen.push(next)
    batch.clock.pass(250)
  }
  return seen.filter((one, n) => !isDeepStrictEqual({ ...one, at: seen[n - 1]?.at }, seen[n - 1]))
}

const line = ({ at, status, funding, items }: Seen): string =>
  `${at} ${status} ${funding} ${items.join(' ')}`

const lines = async (...args: Parameters<typeof course>): Promise<ReadonlyArray<string>> =>
  (await course(...args)).map(line)

describe('a batch that was submitted', () => {
  it('is paid for, and its items are booked one after the other', async () => {
    expect(await lines(['a', 'b'])).toEqual([
      '0 SCHEDULED SCHEDULED VALIDATED VALIDATED',
      '1000 SCHEDULED PROCESSING VALIDATED VALIDATED',
      '2000 BOOKING FUNDED BOOKING BOOKING',
      '2500 BOOKING FUNDED BOOKED BOOKING',
      '3000 BOOKED FUNDED BOOKED BOOKED',
    ])
  })

  it('is booked in part when items fail, and leaves out invalid ones', async () => {
    expect(await lines(['a', 'b_invalid', 'c_failed', 'd'], { fundAfter: 500 })).toEqual([
      '0 SCHEDULED SCHEDULED VALIDATED VALIDATION_FAILED VALIDATED VALIDATED',
      '500 SCHEDULED PROCESSING VALIDATED VALIDATION_FAILED VALIDATED VALIDATED',
      '1000 BOOKING FUNDED BOOKING VALIDATION_FAILED BOOKING BOOKING',
      '1500 BOOKING FUNDED BOOKED VALIDATION_FAILED BOOKING BOOKING',
      '2000 BOOKING FUNDED BOOKED VALIDATION_FAILED BOOKING_FAILED BOOKING',
      '2500 PARTIALLY_BOOKED FUNDED BOOKED VALIDATION_FAILED BOOKING_FAILED BOOKED',
    ])
  })

  it('fails when no item is booked', async () => {
    const seen = await lines(['a_failed'])
    expect(seen.at(-1)).toBe('2500 FAILED FUNDED BOOKING_FAILED')
  })

  it('fails when its money does not come', async () => {
    const failed = '2000 FAILED FAILED VALIDATED'
    expect((await lines(['a'], {}, paid('la_failed'))).at(-1)).toBe(failed)
    expect((await lines(['a'], { funding: 'failed' })).at(-1)).toBe(failed)
  })

  it('is overdue when its money comes late', async () => {
    expect(await lines(['a'], {}, paid('la_overdue'))).toEqual([
      '0 SCHEDULED SCHEDULED VALIDATED',
      '1000 SCHEDULED PROCESSING VALIDATED',
      '2000 OVERDUE PROCESSING VALIDATED',
      '3000 BOOKING FUNDED BOOKING',
      '3500 BOOKED FUNDED BOOKED',
    ])
  })

  it('stays booked when its money is taken back', async () => {
    expect((await lines(['a'], {}, paid('la_reversed'))).slice(-2)).toEqual([
      '2500 BOOKED FUNDED BOOKED',
      '3500 BOOKED REVERSED BOOKED',
    ])
  })

  it('can be cancelled by support', async () => {
    expect((await lines(['a'], { funding: 'cancelled' })).slice(-2)).toEqual([
      '2000 CANCELLATION_REQUESTED PROCESSING VALIDATED',
      '3000 CANCELLED PROCESSING VALIDATED',
    ])
  })

  it.each([
    ['recalled', 'APPROVAL_RECALLED'],
    ['rejected', 'APPROVAL_REJECTED'],
    ['blocked', 'APPROVAL_BLOCKED'],
  ] as const)('has to be approved, and is %s', async (approval, status) => {
    expect(await lines(['a'], { approval })).toEqual([
      '0 IN_APPROVAL SCHEDULED VALIDATED',
      `2000 ${status} SCHEDULED VALIDATED`,
    ])
  })

  it('has to be approved, and is', async () => {
    expect((await lines(['a'], { approval: 'approved', approveAfter: 500 })).slice(0, 3)).toEqual([
      '0 IN_APPROVAL SCHEDULED VALIDATED',
      '500 SCHEDULED SCHEDULED VALIDATED',
      '1500 SCHEDULED PROCESSING VALIDATED',
    ])
  })

  it('can be quoted while it waits for a decision', async () => {
    const { call, clock } = await openedBatch({ approval: 'undecided', tokenLife: 2 * DAY })
    await call('add_items', { items: [newItem('a')] })
    await call('submit')
    clock.pass(DAY)
    expect(await call('quote')).toMatchObject({
      status: 200,
      body: { status: 'IN_APPROVAL', updated_at: '2026-01-03T03:04:05+0000' },
    })
  })

  it('is of the day on which it was submitted, where it names none', async () => {
    const { call, retrieve, clock } = await openedBatch(
      { tokenLife: 9 * DAY },
      { request_id: 'payroll-1' },
    )
    await call('add_items', { items: [newItem('a')] })
    clock.pass(DAY)
    await call('submit')
    clock.pass(2 * DAY)
    expect((await retrieve()).body).toMatchObject({ transfer_date: '2026-01-03' })
  })

  it('waits for no day when transfer_date is empty', async () => {
    const asked = { request_id: 'payroll-1', transfer_date: '' }
    const { call, clock, retrieve } = await openedBatch({ fundAfter: 1_000 }, asked)
    await call('add_items', { items: [newItem('a')] })
    await call('submit')
    clock.pass(5_000)
    expect((await retrieve()).body).toMatchObject({ status: 'BOOKED' })
  })

  it('waits for its day', async () => {
    const asked = { request_id: 'payroll-1', transfer_date: '2026-01-03' }
    const options = { bookEvery: 1_000, tokenLife: 2 * DAY }
    const { call, clock, retrieve } = await openedBatch(options, asked)
    await call('add_items', { items: [newItem('a')] })
    await call('submit')
    const day = Date.UTC(2026, 0, 3)
    clock.pass(day - clock.now() - 1)
    const waiting = { status: 'SCHEDULED', funding: { status: 'FUNDED' } }
    expect((await retrieve()).body).toMatchObject(waiting)
    clock.pass(1)
    expect((await retrieve()).body).toMatchObject({
      status: 'BOOKING',
      transfer_date: '2026-01-03',
      updated_at: '2026-01-03T00:00:00+0000',
    })
    clock.pass(1_000)
    const booked = { status: 'BOOKED', updated_at: '2026-01-03T00:00:01+0000' }
    expect((await retrieve()).body).toMatchObject(booked)
  })

  it('is not overdue before its day', async () => {
    const asked = { request_id: 'payroll-1', transfer_date: '2026-01-03' }
    const options = { funding: 'overdue', tokenLife: 2 * DAY } as const
    const { call, clock, retrieve } = await openedBatch(options, asked)
    await call('add_items', { items: [newItem('a')] })
    await call('submit')
    const status = async (ms: number) => {
      clock.pass(ms)
      return Object((await retrieve()).body).status
    }
    expect(await status(Date.UTC(2026, 0, 3) - clock.now() - 1)).toBe('SCHEDULED')
    expect(await status(1)).toBe('OVERDUE')
    expect(await status(1_000)).toBe('BOOKING')
  })
})

it('an item that is booked has a transfer, one that is not has an error', async () => {
  const { call, clock, items } = await openedBatch({ bookEvery: 1_000 })
  await call('add_items', { items: [newItem('a'), newItem('b', { reference: 'b_failed' })] })
  await call('quote')
  await call('submit')
  clock.pass(4_000)
  const [a, b] = await items()
  expect(a).toEqual({
    id: expect.stringMatching(/^bti_/),
    request_id: 'a',
    status: 'BOOKED',
    transfer_id: expect.stringMatching(/^tfr_[0-9a-f]{12}$/),
    transfer_draft: null,
    errors: null,
    updated_at: '2026-01-02T03:04:08+0000',
  })
  expect(b).toMatchObject({
    status: 'BOOKING_FAILED',
    transfer_id: null,
    transfer_draft: { transfer_amount: 920 },
    errors: [{ code: 'booking_failed', source: 'beneficiary', params: {} }],
    updated_at: '2026-01-02T03:04:09+0000',
  })
})

describe('why funding failed', () => {
  const details = {
    code: 'insufficient_funds',
    iso_code: 'AM04',
    provider_failure_details: {
      code: 'R01',
      local_clearing_system: 'US_ACH',
      message: 'Insufficient funds',
    },
  }
  const source = { deposit_type: 'DIRECT_DEBIT', funding_source_id: 'la_failed', reference: null }

  it('is told in the shape of the API version', async () => {
    const { call, clock, retrieve } = await openedBatch({}, paid('la_failed'))
    await call('add_items', { items: [newItem('a')] })
    const funding = async (version: string) =>
      Object((await retrieve({ 'x-api-version': version })).body).funding
    const scheduled = { ...source, status: 'SCHEDULED' }
    expect(await funding('2026-06-29')).toEqual({ ...scheduled, failure_reason: '' })
    expect(await funding('2026-06-30')).toEqual(scheduled)
    await call('submit')
    clock.pass(2_000)
    const failed = { ...source, status: 'FAILED' }
    expect(await funding('2026-06-29')).toEqual({ ...failed, failure_reason: 'insufficient_funds' })
    expect(await funding('2026-06-30')).toEqual({ ...failed, failure_details: details })
    expect(Object((await retrieve()).body).funding).toEqual({ ...failed, failure_details: details })
  })

  it('is told in the version of the account when a call names none', async () => {
    const { retrieve } = await openedBatch({ apiVersion: '2025-06-30' })
    expect((await retrieve()).body).toMatchObject({ funding: { failure_reason: '' } })
    for (const version of ['latest', '2026-6-30', '2026-13-01', '2026-02-30']) {
      expect(await retrieve({ 'x-api-version': version })).toMatchObject({
        status: 400,
        body: { code: 'incorrect_version', source: 'x-api-version' },
      })
    }
  })
})
