/** The gate of a run: what is paid is within what was shown, or nothing is. */
import fc from 'fast-check'
import { delay, lastValueFrom, of, toArray } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { seeded } from '../../../bench/simulated/random.js'
import {
  type Approval,
  type Approve,
  type Fetch,
  InvalidOption,
  isWithin,
  type NewBatchItem,
  orThrow,
  type PaymentBatch,
  type PaySummary,
  paymentBatches,
} from '../../../src/index.js'
import { item } from '../../support/batch.js'
import { forAll } from '../../support/forAll.js'
import { runs } from '../../support/runs.js'
import { type Account, account, type Kill, ofTag, RUN, type RunOptions } from './account.js'
import {
  byCurrency,
  getsWithin,
  type LedgerQuote,
  type Platform,
  pairOf,
  paysWithin,
  platform,
  type Sums,
  sumsOf,
  type WrittenQuote,
} from './moneyGames.js'

/** Payments of three pairs; those to GBP say what the payer pays. */
const payment = (n: number): NewBatchItem => {
  const { transfer_amount: _, ...rest } = item(n)
  const amount = 100 + n
  if (n % 3 === 0) return { ...rest, transfer_amount: amount }
  if (n % 3 === 1) return { ...rest, transfer_currency: 'EUR', transfer_amount: amount }
  return { ...rest, transfer_currency: 'GBP', source_amount: amount }
}

const payments = (count: number) => Array.from({ length: count }, (_, n) => payment(n))

const submissions = ({ entries }: Account) => entries.filter(({ call }) => call === 'submit').length

const quotes = ({ entries }: Account) => entries.filter(({ call }) => call === 'quote').length

/** An account whose quotes are written by `change`; `round` counts the quotes of a batch from 1. */
const accountOf = (
  change: (quotes: ReadonlyArray<WrittenQuote>, round: number) => Partial<LedgerQuote>,
) => {
  let round = 0
  const on: Account = account({
    served: platform(
      () => on.timer.now(),
      (written) => change(written, ++round),
      () => {},
    ).fetch,
  })
  return on
}

const pay = async (on: Account, some: ReadonlyArray<NewBatchItem>, options: RunOptions = {}) => {
  const { events } = await on.inTime(on.start(some, { perBatch: 3, ...options }))
  const end = events.at(-1)
  const summaries = ofTag(events, 'Quoted').map(({ summary }) => summary)
  return {
    failure: end?._tag === 'Left' ? end.left : undefined,
    report: ofTag(events, 'Reported')[0]?.report,
    summaries,
    summary: summaries[0] as PaySummary,
  }
}

const no = (): boolean => false

/** Quotes a run, and returns its approval as another program has it. */
const shownBy = async (on: Account, some: ReadonlyArray<NewBatchItem>): Promise<Approval> =>
  JSON.parse(JSON.stringify((await pay(on, some, { approve: no })).summary.approval))

const usd = (amount: string): Approval => ({ max: [{ currency: 'USD', amount }] })

describe('a yes to a summary', () => {
  it('covers both sides of each pair, the hash and the number of items', async () => {
    const { summary } = await pay(account(), payments(6), { approve: no })
    expect(summary.approval).toEqual({
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      items: 6,
      max: [
        { currency: 'USD', amount: '203.61', pair: 'USD-USD' },
        { currency: 'USD', amount: '223.49', pair: 'USD-EUR' },
        { currency: 'USD', amount: '207.63', pair: 'USD-GBP' },
      ],
      atLeast: [
        { currency: 'USD', amount: '203.00', pair: 'USD-USD' },
        { currency: 'EUR', amount: '205.00', pair: 'USD-EUR' },
        { currency: 'GBP', amount: '161.46', pair: 'USD-GBP' },
      ],
    })
    expect(summary.uncounted).toEqual([])
  })

  it('pays hours later, in another program, what was shown', async () => {
    const on = account()
    const approved = await shownBy(on, payments(9))
    expect((await pay(on, payments(9), { approved })).report).toMatchObject({ isPaid: true })
    expect(submissions(on)).toBe(3)
  })

  it('is for all of a run, what it submitted before included', async () => {
    const on = account({ latency: 20 })
    const approved = await shownBy(on, payments(90))
    const kill = { at: 4, when: 'after', writes: true } as const
    await on.inTime(on.start(payments(90), { perBatch: 3, approved, kill }))
    expect(submissions(on)).toBeGreaterThan(0)
    expect(submissions(on)).toBeLessThan(30)
    const { report, summary } = await pay(on, payments(90), { approved })
    expect(report).toMatchObject({ isPaid: true })
    expect(summary.submittedBefore).toBeGreaterThan(0)
    expect(isWithin(approved, summary) && isWithin(summary.approval, summary)).toBe(true)
    expect(summary.approval.max).toHaveLength(approved.max.length)
    expect(new Set(summary.approval.max)).toEqual(new Set(approved.max))
  })

  it.each([
    ['the payer pays more', { amount_payer_pays: '999' }, /USD would be paid, above the limit/],
    ['less arrives', { amount_beneficiary_receives: '1' }, /would be received, below the limit of/],
    [
      'a fee in another currency is new',
      { fee_currency: 'CHF', fee_amount: '1' },
      /CHF would be paid, but max \(--max\) has no limit for it/,
    ],
  ])('is none where %s', async (_, worse, message) => {
    const on = accountOf((written, round) => ({
      quotes: round === 1 ? written : written.map((one) => ({ ...one, ...worse })),
    }))
    const approved = await shownBy(on, payments(3))
    await on.pass(3_600_000)
    const { failure } = await pay(on, payments(3), { approved })
    expect(failure).toMatchObject({ _tag: 'NotApproved', message: expect.stringMatching(message) })
    expect(failure?.message).toMatch(/^wages-2026-01: .*; no batch of wages-2026-01 is submitted$/)
    expect(submissions(on)).toBe(0)
    // whoever can be asked is asked
    const asked = await pay(on, payments(3), { approved, approve: () => true })
    expect(asked.report).toMatchObject({ isPaid: true })
  })

  it('is none to other items, or to another number of them', async () => {
    const approved = await shownBy(account(), payments(3))
    const other = account()
    const changed = payments(3).map((one) => ({ ...one, reference: 'other' }))
    const { failure } = await pay(other, changed, { approved })
    expect(failure).toMatchObject({
      _tag: 'NotApproved',
      message: `${RUN}: other payments were approved; no batch of wages-2026-01 is submitted`,
    })
    const fewer = await pay(account(), payments(3), { approved: { ...approved, items: 4 } })
    expect(fewer.failure?.message).toContain('3 items would be paid, but 4 were approved')
  })

  it('to one batch is none to another, nor is one to the whole run', async () => {
    const on = account()
    const batches = paymentBatches({ run: RUN, perBatch: 3 })(payments(6)).pipe(
      orThrow(String),
      toArray(),
    )
    const [first, second] = (await lastValueFrom(batches)) as [PaymentBatch, PaymentBatch]
    const { payBatch } = on.clientOf().batchTransfers
    let approved: Approval | undefined
    const approve: Approve = (summary) => {
      approved = summary.approval
      return false
    }
    await on.inTime(lastValueFrom(payBatch(first, { approve })))
    const yes = approved as Approval
    const other = await on.inTime(lastValueFrom(payBatch(second, { approved: yes })))
    expect(other).toMatchObject({ _tag: 'Left', left: { _tag: 'NotApproved' } })
    const ofRun = await shownBy(on, payments(6))
    const whole = await on.inTime(lastValueFrom(payBatch(first, { approved: ofRun })))
    expect(whole).toMatchObject({ _tag: 'Left', left: { _tag: 'NotApproved' } })
    expect(submissions(on)).toBe(0)
    const paid = await on.inTime(lastValueFrom(payBatch(first, { approved: yes })))
    expect(paid).toMatchObject({ _tag: 'Right', right: { isPaid: true } })
  })
})

describe('a quote', () => {
  it.each([
    ['holds', {}, 1, 0],
    ['holds, with the validity that is asked for', { validity: 'HR_4' }, 2, 1],
    ['has expired', {}, 2, 3_600_000],
  ] as const)('that %s is made %o, %i times', async (_, options, made, wait) => {
    const on = account()
    await pay(on, payments(3), { approve: no })
    await on.pass(wait)
    await pay(on, payments(3), { ...options, approve: no })
    await pay(on, payments(3), options)
    expect(quotes(on)).toBe(made)
    expect(submissions(on)).toBe(1)
  })

  it.each(['expires_at', 'last_quoted_at', 'validity'])('without %s is renewed', async (field) => {
    const on = account({
      served: (fetch) => async (url, init) => {
        const answer = await fetch(url, init)
        const body = await answer.text()
        const text = body.replace(new RegExp(`"${field}":"[^"]*"`, 'g'), `"${field}":null`)
        return new Response(/batch_transfers/.test(`${url}`) ? text : body, {
          status: answer.status,
        })
      },
    })
    const options = { validity: 'HR_1' } as const
    await pay(on, payments(3), { ...options, approve: no })
    expect((await pay(on, payments(3), options)).report).toMatchObject({ isPaid: true })
    expect(quotes(on)).toBe(2)
  })
})

describe('a quote that has expired while it was looked at', () => {
  it.each([
    ['is asked for again where it is worse', 1, [false, true]],
    ['is not asked for again where it is better', -1, [false]],
  ])('%s', async (_, more, asked) => {
    const on = accountOf((written, round) => ({
      quotes: written.map((one) => ({
        ...one,
        amount_payer_pays: String(Number(one.amount_payer_pays) + (round > 1 ? more : 0)),
      })),
    }))
    const waits = [600_000]
    const approve: Approve = () => of(true).pipe(delay(waits.shift() ?? 0, on.timer))
    const { report, summaries } = await pay(on, payments(3), { validity: 'MIN_1', approve })
    expect(summaries.map(({ isWorse }) => isWorse)).toEqual(asked)
    expect(report).toMatchObject({ isPaid: true })
    expect(submissions(on)).toBe(1)
  })
})

describe('another process', () => {
  const worse = (written: ReadonlyArray<WrittenQuote>, round: number): Partial<LedgerQuote> => ({
    quotes: written.map((one) => ({
      ...one,
      amount_payer_pays: String(Number(one.amount_payer_pays) + (round > 2 ? 100 : 0)),
    })),
  })
  /** Ids of batches, as another client sees them. */
  const batchesOf = async (on: Account, filter = {}): Promise<ReadonlyArray<string>> => {
    const list = on.clientOf().batchTransfers.list(filter).pipe(orThrow(String), toArray())
    return (await lastValueFrom(list)).map(({ id }) => id)
  }

  it('that quotes a batch anew has the run ask again, and submit nothing before', async () => {
    const on = accountOf(worse)
    const asked: Array<boolean> = []
    const approve: Approve = async ({ isWorse }) => {
      asked.push(isWorse)
      for (const id of isWorse ? [] : await batchesOf(on)) {
        await lastValueFrom(on.clientOf().batchTransfers.quote({ id }))
      }
      return !isWorse
    }
    const { report, summaries } = await pay(on, payments(6), { approve })
    expect(asked).toEqual([false, true])
    expect(report).toMatchObject({ isDeclined: true })
    expect(summaries[1]?.approval.max).not.toEqual(summaries[0]?.approval.max)
    expect(submissions(on)).toBe(0)
  })

  it('that submits a batch for more, stops the others until there is a new yes', async () => {
    const on = accountOf((written, round) => worse(written, round - 28))
    const asked: Array<number> = []
    const approve: Approve = async ({ submittedBefore }) => {
      asked.push(submittedBefore)
      if (asked.length > 1) return false
      const { quote, submit } = on.clientOf().batchTransfers
      const [id = ''] = await batchesOf(on, { request_id: `${RUN}-1` })
      await lastValueFrom(quote({ id }))
      await lastValueFrom(submit({ id }))
      return true
    }
    const { report } = await pay(on, payments(90), { approve })
    expect(report).toMatchObject({ isDeclined: true })
    expect(asked).toHaveLength(2)
    expect(submissions(on)).toBe(asked[1])
    expect(submissions(on)).toBeLessThan(30)
  })
})

describe('amounts', () => {
  const quoting = (amount: string) =>
    accountOf((written) => ({
      quotes: written.map((one) => ({ ...one, amount_payer_pays: amount })),
    }))

  it.each([
    ['3631.2500000000005', '3631.2500000000005', '3631.2500000000004'],
    ['3.63125e+0003', '3631.25', '3631.24999'],
    ['1E2', '100', '99.99'],
    [`3631.25${'0'.repeat(900)}`, '3631.25', '3631.24'],
    [`0.${'0'.repeat(900)}1`, `0.${'0'.repeat(900)}1`, '0'],
    [`${'9'.repeat(120)}.5`, `${'9'.repeat(120)}.5`, '9'.repeat(120)],
    ['-0', '0', undefined],
  ])('compare exactly: %s', async (amount, enough, tooLittle) => {
    const [one] = payments(1) as [NewBatchItem]
    if (tooLittle !== undefined) {
      const on = quoting(amount)
      const { failure } = await pay(on, [one], { approved: usd(tooLittle) })
      expect(failure).toMatchObject({ _tag: 'NotApproved' })
      expect(submissions(on)).toBe(0)
    }
    const { report } = await pay(quoting(amount), [one], { approved: usd(enough) })
    expect(report).toMatchObject({ isPaid: true })
  })
})

describe('a gate that cannot count is shut', () => {
  const first = `${RUN}-1`
  const changed =
    (fields: Partial<WrittenQuote>, pair = 'USD-EUR') =>
    (written: ReadonlyArray<WrittenQuote>): Partial<LedgerQuote> => ({
      quotes: written.map((one) => (pairOf(one) === pair ? { ...one, ...fields } : one)),
    })
  const number = 'should be a decimal number of up to 1000 characters'

  it.each<[string, (written: ReadonlyArray<WrittenQuote>) => Partial<LedgerQuote>]>([
    [`${first} has no quote`, () => ({ quotes: undefined })],
    [`${first} has no quote`, () => ({ quotes: [] })],
    [
      `${first} has no quote for USD-EUR`,
      (written) => ({ quotes: written.filter((one) => pairOf(one) !== 'USD-EUR') }),
    ],
    [`${first}: amount_payer_pays for USD-EUR is negative`, changed({ amount_payer_pays: '-1' })],
    [
      `${first}: amount_beneficiary_receives for USD-EUR is negative`,
      changed({ amount_beneficiary_receives: '-1e1' }),
    ],
    [
      `${first}: amount_payer_pays for USD-EUR ${number}`,
      changed({ amount_payer_pays: `1.${'0'.repeat(1_000)}` }),
    ],
    [`${first}: fee_amount for USD-EUR ${number}`, changed({ fee_amount: '0e10000' })],
  ])('%s', async (named, change) => {
    let asked = 0
    const approve = () => {
      asked++
      return true
    }
    for (const yes of [{ approve }, { approved: usd('1e300') }]) {
      const on = accountOf(change)
      const { failure, summary } = await pay(on, payments(3), yes)
      expect(failure).toMatchObject({ _tag: 'Uncounted', uncounted: [named] })
      expect(failure?.message).toBe(
        `${RUN}: the quotes cannot be added up: ${named}; no batch of wages-2026-01 is submitted`,
      )
      expect(summary.uncounted).toEqual([named])
      expect(isWithin(usd('1e300'), summary)).toBe(false)
      expect(isWithin(summary.approval, summary)).toBe(false)
      expect(submissions(on)).toBe(0)
    }
    expect(asked).toBe(0)
  })

  it('takes a negative fee for a rebate, which makes no room for other payments', async () => {
    const on = accountOf(changed({ fee_amount: '-5', fee_currency: 'CHF' }))
    const { summary, report } = await pay(on, payments(3))
    expect(report).toMatchObject({ isPaid: true })
    expect(summary.approval.max.map(({ currency }) => currency)).toEqual(['USD', 'USD', 'USD'])
    expect(summary.totals[1]).toMatchObject({ fee: '-5.00', feeCurrency: 'CHF' })
  })

  it('is shut as well where the quote of a batch that is submitted is gone', async () => {
    let isGone = false
    const on = account({
      served: (fetch) => async (url, init) => {
        const answer = await fetch(url, init)
        if (!isGone || !/batch_transfers/.test(`${url}`)) return answer
        const text = (await answer.text()).replace(
          /("request_id":"wages-2026-01-1".*?"quote_summary":)\{.*?\]\}/,
          '$1null',
        )
        return new Response(text, { status: answer.status })
      },
      faults: ({ route, nth }) =>
        route.endsWith('/submit') && nth === 2 ? 'reset-before' : undefined,
    })
    const begun = await pay(on, payments(6))
    expect(begun.failure).toMatchObject({ _tag: 'Ambiguous' })
    expect(submissions(on)).toBe(1)
    isGone = true
    const { failure } = await pay(on, payments(6), { approved: usd('100000') })
    expect(failure?.message).toBe(
      `${RUN}: the quotes cannot be added up: ${first} has no quote; ${first} is BOOKED with 3 items`,
    )
    isGone = false
    expect((await pay(on, payments(6))).report).toMatchObject({ isPaid: true })
  })
})

describe('isWithin', () => {
  const amount = fc.nat(1_000)
  const pair = fc.constantFrom('USD-EUR', 'USD-GBP', 'CHF-EUR')
  const total = fc.record({ pair, pays: amount, gets: amount })
  const summaryOf = (totals: ReadonlyArray<{ pair: string; pays: number; gets: number }>) => ({
    approval: {
      items: 1,
      max: totals.map((one) => ({
        pair: one.pair,
        currency: one.pair.slice(0, 3),
        amount: String(one.pays),
      })),
      atLeast: totals.map((one) => ({
        pair: one.pair,
        currency: one.pair.slice(4),
        amount: String(one.gets),
      })),
    },
    uncounted: [],
  })
  const totals = fc.uniqueArray(total, { selector: (one) => one.pair, minLength: 1 })

  it('holds for what was shown, and for what is better in each pair; for nothing worse', () => {
    fc.assert(
      fc.property(
        totals,
        fc.integer({ min: -3, max: 3 }),
        fc.integer({ min: -3, max: 3 }),
        (all, more, less) => {
          const moved = all.map((one, n) =>
            n === 0 ? { ...one, pays: one.pays + more, gets: one.gets - less } : one,
          )
          const isBetter = more <= 0 && less <= 0
          fc.pre(moved.every(({ pays, gets }) => pays >= 0 && gets >= 0))
          expect(isWithin(summaryOf(all).approval, summaryOf(moved))).toBe(isBetter)
        },
      ),
    )
  })

  it('adds up all pairs of a currency for a bound without a pair', () => {
    forAll(totals, amount, (all, most) => {
      const usdPaid = all.filter((one) => one.pair.startsWith('USD'))
      const others = [{ currency: 'CHF', amount: '1000' }]
      const isEnough = usdPaid.reduce((sum, { pays }) => sum + pays, 0) <= most
      const bounds = { max: [{ currency: 'USD', amount: String(most) }, ...others] }
      expect(isWithin(bounds, summaryOf(all))).toBe(isEnough)
    })
  })

  it('throws for an approval that is none', () => {
    const { approval } = summaryOf([])
    expect(() => isWithin({} as never, { approval, uncounted: [] })).toThrow(InvalidOption)
  })
})

describe('games', () => {
  const GAMES = runs(100)

  it(`never pay more than was shown, and hold no honest run back (${GAMES})`, async () => {
    const ends = new Map<string, number>()
    for (let seed = 1; seed <= GAMES; seed++) {
      const end = await game(seed)
      ends.set(end, (ends.get(end) ?? 0) + 1)
    }
    for (const end of ['paid', 'beyond', 'uncounted', 'declined'])
      expect(ends.get(end), [...ends].join(' ')).toBeGreaterThan(GAMES / 50)
  })
})

/** Notations of one amount in cents. */
const notations = (cents: bigint): ReadonlyArray<string> => {
  const text = `${cents / 100n}.${`${cents % 100n}`.padStart(2, '0')}`
  return [
    text,
    `${cents}e-2`,
    `${cents}00E-0004`,
    `${text}${'0'.repeat(130)}`,
    `${text}0000000005`,
    `0.${`${cents}`.padStart(20, '0')}e+0018`,
  ]
}

/** Plays one run, killed and run again, against a platform whose quotes move; returns how it ended. */
const game = async (seed: number): Promise<string> => {
  const random = seeded(seed)
  const below = (n: number): number => Math.floor(random() * n)
  const pick = <A>(some: ReadonlyArray<A>): A => some[below(some.length)] as A
  const cents = (amount: string, factor: number): bigint =>
    BigInt(Math.round(Number(amount) * 100 * factor))

  const moves = random() < 0.5
  const odd = random() < 0.3 ? 0.15 : 0
  const change = (written: ReadonlyArray<WrittenQuote>): Partial<LedgerQuote> => {
    const moved = written.map((one): WrittenQuote => {
      const worse = moves ? 0.99 + below(3) / 100 : 1
      const isFee = random() < 0.2
      return {
        ...one,
        amount_payer_pays: pick(notations(cents(one.amount_payer_pays, worse))),
        amount_beneficiary_receives: pick(
          notations(
            cents(one.amount_beneficiary_receives, pairOf(one) === 'USD-GBP' ? 2 - worse : 1),
          ),
        ),
        ...(isFee ? { fee_currency: 'CHF', fee_amount: pick(['1.5', '-3', '15e-1']) } : {}),
      }
    })
    const hasTimes = random() > 0.1
    if (random() >= odd) return { quotes: moved, hasTimes }
    const [first, ...others] = moved
    const wrong = (fields: Partial<WrittenQuote>) =>
      first === undefined ? [] : [{ ...first, ...fields }, ...others]
    return {
      quotes: pick([
        undefined,
        [],
        others,
        wrong({ amount_payer_pays: '-1.00' }),
        wrong({ amount_beneficiary_receives: '-0.01' }),
        wrong({ amount_payer_pays: `1.${'0'.repeat(1_000)}` }),
      ]),
      hasTimes,
    }
  }

  /** Totals of the whole run that were approved. */
  let cover: Sums | undefined
  let isWithinCover: (now: Sums) => boolean = () => false
  const faults: Array<string> = []
  const charges = (one: Platform): Sums | undefined => sumsOf([...one.charged.values()])
  const onCharge = (one: Platform, id: string): void => {
    const sum = charges(one)
    if (sum === undefined) faults.push(`${id} was submitted, and cannot be counted`)
    else if (!isWithinCover(sum)) faults.push(`${id} was submitted beyond what was shown`)
  }
  const service: Platform = platform(() => on.timer.now(), change, onCharge)
  const on: Account = account({
    served: service.fetch,
    quoteLife: pick([0, 0, 120_000]),
    latency: pick([0, 20]),
  })
  /** Totals of all batches, as charged or as quoted now. */
  const present = (): Sums | undefined =>
    sumsOf(
      Array.from(service.quotes.keys(), (id) =>
        service.charged.has(id) ? service.charged.get(id) : service.quotes.get(id),
      ),
    )
  const show = (): void => {
    cover = present()
    const all = cover
    isWithinCover = (now) => all !== undefined && paysWithin(now, all)
  }

  const some = payments(2 + below(9))
  const options: RunOptions = {
    perBatch: 3,
    ...(random() < 0.3 ? { validity: pick(['MIN_1', 'MIN_15']) } : {}),
  }
  let lastAnswer = true
  const approve: Approve = () => {
    show()
    lastAnswer = random() > 0.1
    return of(lastAnswer).pipe(delay(pick([0, 5_000, 600_000, 2_400_000]), on.timer))
  }
  const mode = pick(['approve', 'approved', 'max'] as const)
  let yes: RunOptions = { approve }
  if (mode !== 'approve') {
    const { summary, failure } = await pay(on, some, { ...options, approve: no })
    if (failure?._tag === 'Uncounted')
      return sumsOf([...service.quotes.values()]) === undefined ? 'uncounted' : expect.unreachable()
    show()
    if (mode === 'approved') yes = { approved: JSON.parse(JSON.stringify(summary.approval)) }
    else {
      const bounds = byCurrency(cover ?? new Map())
      isWithinCover = (now) => paysWithin(byCurrency(now), bounds)
      const max = [...bounds]
        .filter(([key]) => key.startsWith('pays'))
        .map(([key, units]) => ({ currency: key.slice(5), amount: `${units}e-1500` }))
      yes = { approved: { max } }
    }
    await on.pass(pick([0, 60_000, 7_200_000]))
  }
  const lossy =
    (fetch: Fetch): Fetch =>
    async (url, init) => {
      if (!/\/submit$/.test(url) || random() < 0.7) return fetch(url, init)
      throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } })
    }
  for (let lives = below(3); lives > 0; lives--) {
    const when = pick(['before', 'after'] as const)
    const kill: Kill = { at: 1 + below(12), when, writes: true }
    await on.inTime(on.start(some, { ...options, ...yes, kill, around: lossy }))
    await on.pass(pick([0, 0, 120_000, 7_200_000]))
  }
  const { report, failure } = await pay(on, some, { ...options, ...yes })

  expect(faults, `game ${seed}`).toEqual([])
  expect(service.thrownAway, `game ${seed}`).toEqual([])
  expect(
    [...on.paid.values()].every((times) => times === 1),
    `game ${seed}`,
  ).toBe(true)
  const now = present()
  const isBelow =
    mode === 'max' || cover === undefined || now === undefined || getsWithin(now, cover)
  if (report?.isPaid === true) {
    expect(isBelow, `game ${seed}: they received less than was shown`).toBe(true)
    return 'paid'
  }
  const why = failure?._tag ?? (report?.isDeclined ? 'declined' : 'not paid')
  const isJust =
    (why === 'Uncounted' && now === undefined) ||
    (why === 'NotApproved' && now !== undefined && !(isWithinCover(now) && isBelow)) ||
    (why === 'declined' && !lastAnswer) ||
    why === 'QuoteTooShort'
  expect(isJust, `game ${seed}: ${why} ${failure?.message}`).toBe(true)
  return why === 'NotApproved' ? 'beyond' : why.toLowerCase()
}
