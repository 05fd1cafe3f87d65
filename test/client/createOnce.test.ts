import { firstValueFrom } from 'rxjs'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { E } from '../../src/fp.js'
import { type Charge, type Failure, type NewCharge, wasRecovered } from '../../src/index.js'
import { createSandbox } from '../../src/sandbox/index.js'
import type { ObservableEither } from '../../src/stream/either/ObservableEither.js'
import { virtualTime } from '../support/idleClock.js'
import { CHARGE, CREATE, LIST, lab, NEW_CHARGE, problem, type Reply } from '../support/lab.js'
import { sandboxClient } from '../support/sandboxClient.js'

const KEPT = { ...NEW_CHARGE, request_id: 'order-1' }
const LA_1 = { funding_source: { id: 'la_1' } }
const MADE = { ...CHARGE, request_id: 'order-1', status: 'SETTLED' }
const listed = (...items: ReadonlyArray<unknown>): Reply => ({ body: { has_more: false, items } })

/** A create that is answered so, and what the list then shows. */
const creating = (create: Reply, list: Reply, codes?: { duplicate: ReadonlyArray<string> }) => {
  const all = lab({
    play: ({ route }) => (route === CREATE ? create : list),
    ...(codes && { codes }),
  })
  const out = all.run(all.client.charges.createOnce(KEPT))
  expect(out).toHaveLength(1)
  return { ...all, value: out[0]?.value }
}

const isRecovered = (ea: E.Either<Failure, unknown> | undefined): boolean =>
  ea !== undefined && E.isRight(ea) && wasRecovered(ea.right)

describe('a create for a job that runs again', () => {
  it('makes it the first time, and asks for nothing else', () => {
    const { value, calls } = creating({ status: 201, body: MADE }, listed())
    expect(value).toEqual(E.right(MADE))
    expect(isRecovered(value)).toBe(false)
    expect(calls().map(({ route, body }) => [route, body.request_id])).toEqual([
      [CREATE, 'order-1'],
    ])
  })

  it.each(['request_id_duplicate', 'duplicate_request', 'already_exists'])(
    'emits what is there as it stands now, after %s',
    (code) => {
      const { value, calls, events } = creating(problem(400, code), listed(MADE))
      expect(value).toEqual(E.right(MADE))
      expect(isRecovered(value)).toBe(true)
      expect(calls().map(({ route }) => route)).toEqual([CREATE, LIST])
      expect(calls()[1]?.query.get('request_id')).toBe('order-1')
      expect(events.filter(({ _tag }) => _tag === 'Recovered')).toEqual([
        { _tag: 'Recovered', call: 1, endpoint: CREATE, requestId: 'order-1' },
      ])
    },
  )

  it.each<readonly [string, Reply, string]>([
    ['is not listed', listed({ ...MADE, request_id: 'other' }), 'request_id: not found'],
    [
      'may be on a later page',
      { body: { has_more: true, items: [{ ...MADE, request_id: 'other' }] } },
      'not on the first page',
    ],
    [
      'is there twice',
      listed(MADE, { ...MADE, id: 'chg_2' }),
      'found 2 with this request_id instead of one',
    ],
    ['has two amounts', listed({ ...MADE, amount: 10 }, MADE), 'found 2 with this request_id'],
    [
      'is of another currency',
      listed({ ...MADE, currency: 'EUR' }),
      'a different one with this request_id: currency is EUR, but USD was sent',
    ],
    [
      'belongs to another account',
      listed({ ...MADE, source: 'acct_2' }),
      'a different one with this request_id: source is acct_2, but acct_1 was sent',
    ],
    [
      'belongs to another account, whose id may be anything',
      listed({ ...MADE, source: 'DE89 3704 0044' }),
      'a different one with this request_id: source is text of 14 characters, but acct_1 was sent',
    ],
    [
      'is another one',
      listed({ ...MADE, amount: 10 }),
      'a different one with this request_id: amount is 10, but 9.99 was sent',
    ],
    ['is unreadable', listed({ ...MADE, amount: {} }), 'items[0].amount should be a finite number'],
    ['cannot be asked for', problem(403, 'forbidden'), 'the look-up failed: '],
  ])('is ambiguous, and says why, when it %s', (_, list, why) => {
    const { value, events } = creating(problem(400, 'request_id_duplicate'), list)
    expect(value).toMatchObject(
      E.left({
        _tag: 'Ambiguous',
        endpoint: CREATE,
        requestId: 'order-1',
        tried: ['sent once', expect.stringContaining(why)],
        cause: { _tag: 'Refused', code: 'request_id_duplicate' },
        message: expect.stringContaining(why),
      }),
    )
    expect(events.filter(({ _tag }) => _tag === 'Recovered')).toEqual([])
  })

  it('names the fields in which what is there differs', () => {
    const { value } = creating(
      problem(400, 'request_id_duplicate'),
      listed({ ...MADE, amount: 10, source: 'acct_2', reference: 'Order 2' }),
    )
    expect(value).toMatchObject(
      E.left({
        _tag: 'Ambiguous',
        differences: [
          { path: 'amount', sent: '9.99', found: '10' },
          { path: 'source', sent: 'acct_1', found: 'acct_2' },
        ],
      }),
    )
  })

  it('asks for one page of what is there, also where the list goes on', () => {
    const { calls } = creating(problem(400, 'request_id_duplicate'), {
      body: { has_more: true, items: [MADE] },
    })
    expect(calls().map(({ route }) => route)).toEqual([CREATE, LIST])
  })

  it('is known by what was written, such as an amount that writes itself', () => {
    const { client, run } = lab({
      play: ({ route }) =>
        route === CREATE ? problem(400, 'request_id_duplicate') : listed({ ...MADE, amount: 12.5 }),
    })
    const { createOnce } = client.with({ check: false }).charges
    const written = { ...KEPT, amount: { toJSON: () => '12.50' } }
    const call: ObservableEither<Failure, Charge> = Reflect.apply(createOnce, undefined, [written])
    const [out] = run(call)
    expect(isRecovered(out?.value)).toBe(true)
  })

  it('is known by what was sent, whatever becomes of its object', () => {
    const { client, run, timer, calls } = lab({
      play: ({ route }) => (route === CREATE ? problem(400, 'request_id_duplicate') : listed(MADE)),
    })
    const params = { ...KEPT, request_id: 'order-0' }
    const once = client.charges.createOnce(params)
    params.request_id = 'order-1' // before it is asked for
    timer.schedule(() => Object.assign(params, { amount: '1', request_id: 'order-2' }), 1)
    expect(run(once).map(({ value }) => value)).toEqual([E.right(MADE)])
    expect(calls()[0]?.body.request_id).toBe('order-1')
    expect(calls()[1]?.query.get('request_id')).toBe('order-1')
  })

  it('is refused for any other reason without a look', () => {
    const { value, calls } = creating(problem(400, 'insufficient_fund'), listed(MADE))
    expect(value).toMatchObject(E.left({ _tag: 'Refused', code: 'insufficient_fund' }))
    expect(calls()).toHaveLength(1)
  })

  it('goes by the codes that the client was given', () => {
    const codes = { duplicate: ['seen_before'] }
    const own = creating(problem(400, 'seen_before'), listed(MADE), codes)
    expect(isRecovered(own.value)).toBe(true)
    const other = creating(problem(400, 'request_id_duplicate'), listed(MADE), codes)
    expect(other.value).toMatchObject(E.left({ code: 'request_id_duplicate' }))
  })

  it.each([undefined, null, 7, ''])('sends nothing without a request_id of its own: %s', (id) => {
    const all = lab({ check: false })
    const params = { ...NEW_CHARGE, request_id: id as unknown as string }
    expect(all.run(all.client.charges.createOnce(params))[0]?.value).toMatchObject(
      E.left({
        _tag: 'InvalidRequest',
        endpoint: CREATE,
        field: 'request_id',
        expected: 'a string that stays the same when the job runs again',
      }),
    )
    expect(all.sent).toEqual([])
  })

  it('says so without an argument, too', () => {
    const all = lab({})
    const createOnce: unknown = all.client.charges.createOnce
    const called = (createOnce as () => ReturnType<typeof all.client.charges.createOnce>)()
    expect(all.run(called)[0]?.value).toMatchObject(
      E.left({ _tag: 'InvalidRequest', field: 'request_id' }),
    )
  })

  it('sends anew with each subscription, and nothing before', () => {
    const all = lab({
      play: ({ route }, nth) =>
        route === LIST
          ? listed(MADE)
          : nth === 1
            ? { status: 201, body: MADE }
            : problem(400, 'request_id_duplicate'),
    })
    const charge = all.client.charges.createOnce(KEPT)
    expect(all.sent).toEqual([])
    expect(isRecovered(all.run(charge)[0]?.value)).toBe(false)
    expect(isRecovered(all.run(charge)[0]?.value)).toBe(true)
  })

  it('has charges and batches, and asks for a request_id by its type', () => {
    const { client } = lab({})
    expectTypeOf(client.charges.createOnce).parameter(0).toExtend<NewCharge>()
    expectTypeOf<NewCharge>().not.toExtend<Parameters<typeof client.charges.createOnce>[0]>()
    expectTypeOf(client.charges.createOnce(KEPT)).toExtend<ObservableEither<Failure, Charge>>()
    expectTypeOf(client.charges.createOnce(KEPT)).toEqualTypeOf(client.charges.create(KEPT))
    expectTypeOf(client.batchTransfers.createOnce({ request_id: 'wages' })).toEqualTypeOf(
      client.batchTransfers.create({ request_id: 'wages' }),
    )
  })

  it('on a service: the second run has the batch and the charge of the first, whatever became of them', async () => {
    const { fetch } = createSandbox()
    const run = async () => {
      const { batchTransfers, charges } = sandboxClient(fetch)
      const batch = await firstValueFrom(
        batchTransfers.createOnce({ request_id: 'wages-2026-01', name: 'January' }),
      )
      const charge = await firstValueFrom(charges.createOnce(KEPT))
      const idOf = E.match(
        ({ message }: Failure) => message,
        ({ id }: { readonly id: string }) => id,
      )
      return [idOf(batch), idOf(charge)]
    }
    const first = await run()
    expect(first).toEqual([expect.stringMatching(/^bat_/), expect.stringMatching(/^chg_/)])
    expect(await run()).toEqual(first)
  })

  it.each<readonly [string | undefined, string | undefined, boolean]>([
    ['January', 'January', true],
    ['January', undefined, false],
    ['January', 'February', false],
    ['01', '1', false],
    [undefined, 'January', true],
  ])('a batch named %s, where there is one named %s: %j', async (asked, made, same) => {
    const { fetch } = createSandbox()
    const { batchTransfers } = sandboxClient(fetch)
    const create = (name: string | undefined) =>
      firstValueFrom(
        batchTransfers.createOnce({ request_id: 'wages', ...(name === undefined ? {} : { name }) }),
      )
    expect(E.isRight(await create(made))).toBe(true)
    const again = await create(asked)
    expect(E.isRight(again)).toBe(same)
    if (E.isLeft(again))
      expect(again.left.message).toContain('a different one with this request_id: name')
  })

  it.each<readonly [object, object, ReadonlyArray<object> | undefined]>([
    [{ transfer_date: '2027-01-04' }, { transfer_date: '2027-01-04T09:00:00Z' }, undefined],
    [{ transfer_date: '2027-01-04' }, {}, undefined],
    [
      { transfer_date: '2027-01-04' },
      { transfer_date: '2027-01-05' },
      [{ path: 'transfer_date', sent: '2027-01-05', found: '2027-01-04' }],
    ],
    [{}, { funding_source: { reference: 'wages' }, remarks: 'x', metadata: { run: 2 } }, undefined],
    [
      {},
      { funding_source: { id: 'la_2' } },
      [
        { path: 'funding.funding_source_id', sent: 'la_2', found: 'null' },
        { path: 'funding.deposit_type', sent: 'DIRECT_DEBIT', found: 'null' },
      ],
    ],
    [LA_1, {}, [{ path: 'funding.funding_source_id', sent: 'null', found: 'la_1' }]],
    [LA_1, { funding_source: { id: 'la_1', deposit_type: 'DIRECT_DEBIT' } }, undefined],
    [
      { funding_source: { id: 'la_1', deposit_type: 'FASTER_DIRECT_DEBIT' } },
      { funding_source: { id: 'la_2' } },
      [
        { path: 'funding.funding_source_id', sent: 'la_2', found: 'la_1' },
        { path: 'funding.deposit_type', sent: 'DIRECT_DEBIT', found: 'FASTER_DIRECT_DEBIT' },
      ],
    ],
  ])('a batch made as %j, and asked for as %j', async (made, asked, differences) => {
    const { timer, run } = virtualTime(Date.UTC(2026, 5, 1))
    const sandbox = createSandbox({ timer })
    const { batchTransfers } = sandboxClient(sandbox.fetch, { timer })
    const create = (batch: object) =>
      run(firstValueFrom(batchTransfers.createOnce({ request_id: 'wages', ...batch })))
    expect(E.isRight(await create(made))).toBe(true)
    const again = await create(asked)
    expect(
      E.isLeft(again) && again.left._tag === 'Ambiguous' ? again.left.differences : undefined,
    ).toEqual(differences)
    expect(E.isRight(again)).toBe(differences === undefined)
  })
})
