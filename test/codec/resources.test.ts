/** Promises of the codecs of resources beyond the laws and the examples of the calls. */
import { describe, expect, expectTypeOf, it } from 'vitest'
import { BatchTransfer, type NewBatchTransfer } from '../../src/codec/BatchTransfer.js'
import { fromDate, Instant, toDate } from '../../src/codec/Instant.js'
import type { NewBatchItem } from '../../src/codec/NewBatchItem.js'
import {
  ByCardNumber,
  IndustryCategories,
  type IndustryCategory,
  industriesUnder,
  industryKindOf,
} from '../../src/codec/reference.js'
import type { NewWebhook } from '../../src/codec/Webhook.js'
import { causes } from '../../src/decode/index.js'
import { E, pipe } from '../../src/fp.js'

describe('a batch', () => {
  const batch = {
    id: 'b',
    request_id: 'r',
    short_reference_id: 's',
    status: 'PAUSED_BY_A_LATER_VERSION',
    total_item_count: 1,
    valid_item_count: 1,
    updated_at: '2026-01-01T00:00:00+0000',
    added_later: { by: 'the service' },
  }

  it('may have states and fields that were added later', () => {
    expect(BatchTransfer.decode(batch)).toEqual(E.right(batch))
  })

  it.each([
    { failure_reason: '' },
    { failure_reason: 'insufficient funds' },
    { failure_details: { code: 'x', iso_code: 'AM04', provider_failure_details: null } },
    { failure_details: null, funding_source_id: null },
    { status: 'REVERSED', deposit_type: 'INSTANT_DEBIT', reference: 'r' },
    {},
  ])('may have funding %j', (funding) => {
    const funded = { ...batch, funding }
    expect(BatchTransfer.decode(funded)).toEqual(E.right(funded))
  })

  it.each([
    ['id', undefined],
    ['status', null],
    ['total_item_count', '1'],
    ['total_item_count', 1.5],
    ['valid_item_count', -1],
    ['updated_at', 'yesterday'],
    ['funding.status', 1],
    ['funding.failure_details.provider_failure_details.message', []],
    ['quote_summary.quotes[0].fee_amount', '1'],
  ])('is refused when %s is %j', (path, value) => {
    const [top = '', ...steps] = path.split('.')
    const below = steps.reduceRight<unknown>(
      (u, step) => (step.endsWith('[0]') ? { [step.slice(0, -3)]: [u] } : { [step]: u }),
      value,
    )
    const decoded = BatchTransfer.decode({ ...batch, [top]: below })
    const paths = pipe(
      decoded,
      E.matchW(causes, () => []),
    ).map((cause) => cause.path)
    expect(paths).toContain(path)
  })
})

describe('an industry', () => {
  const code: IndustryCategory = { type: 'code', name: null, value: '1', answer: 'Yes' }
  const tree = [
    { type: 'List', values: [{ type: 'QUESTION', question: '?', values: [code] }] },
    { type: 'INDUSTRY_CATEGORY', sub_items: [{ type: 'industry_sub_category', sub_items: null }] },
    { type: 'SOMETHING_NEW', values: [], anything: 1 },
  ]

  it('is kept, whatever its shape', () => {
    expect(IndustryCategories.decode(tree)).toEqual(E.right(tree))
  })

  it('is told by its type in any letter case', () => {
    expect(tree.map(industryKindOf)).toEqual(['list', 'category', undefined])
    expect(industryKindOf({ type: 'toString' })).toBeUndefined()
    expect(
      ['CODE', 'question', 'Industry_Sub_Category', 'industry_category_level3'].map((type) =>
        industryKindOf({ type }),
      ),
    ).toEqual(['code', 'question', 'sub-category', 'level 3'])
  })

  it('has what is below it, in either shape', () => {
    const [list, category] = tree
    expect(industriesUnder(list ?? code)).toHaveLength(1)
    expect(industriesUnder(category ?? code)).toEqual([
      { type: 'industry_sub_category', sub_items: null },
    ])
    expect(industriesUnder(code)).toEqual([])
  })

  it('is refused where a node is none', () => {
    const decoded = IndustryCategories.decode([{ type: 'LIST', values: [{ name: 'no type' }] }])
    const [cause] = pipe(
      decoded,
      E.matchW(causes, () => []),
    )
    expect(cause).toEqual({ path: '[0].values[0].type', expected: 'string', actual: 'missing' })
  })
})

describe('a time', () => {
  it.each([
    ['2026-01-10T08:30:00+0000', '2026-01-10T08:30:00.000Z'],
    ['2026-01-10T08:30:00+08:00', '2026-01-10T00:30:00.000Z'],
    ['2026-01-10T08:30:00-0330', '2026-01-10T12:00:00.000Z'],
    ['2026-01-10T08:30:00Z', '2026-01-10T08:30:00.000Z'],
    ['2026-01-10T08:30:00.123456+0000', '2026-01-10T08:30:00.123Z'],
    ['2026-01-10T08:30:60Z', '2026-01-10T08:30:59.000Z'],
    ['2026-01-10', '2026-01-10T00:00:00.000Z'],
  ])('%s is kept, and read as %s', (text, iso) => {
    const decoded = Instant.decode(text)
    expect(decoded).toEqual(E.right(text))
    expect(pipe(decoded, E.map(toDate))).toEqual(E.right(new Date(iso)))
  })

  it.each([
    '',
    '10.01.2026',
    '2026-1-10',
    '2026-01-10 08:30:00Z',
    '2026-01-10T08:30',
    '2026-13-01',
    7,
  ])('%j is none', (u) => expect(Instant.is(u)).toBe(false))

  it('is sent as the examples of the interface have it', () => {
    expect(fromDate(new Date('2026-01-10T08:30:00.999Z'))).toBe('2026-01-10T08:30:00+0000')
  })
})

describe('a card number', () => {
  it('is sent without spaces and hyphens', () => {
    expect(ByCardNumber.decode({ pan: '4111-1111 1111 1111' })).toEqual(
      E.right({ pan: '4111111111111111' }),
    )
    // unchecked parameters are written without being read
    expect(ByCardNumber.encode({ pan: '4111 11' })).toEqual({ pan: '411111' })
  })

  it.each(['4242424242424242424242', '4242-4242', '4242424242424242x', 4242424242424242])(
    'is not repeated when it is refused',
    (pan) => {
      const decoded = ByCardNumber.decode({ pan })
      const told = pipe(
        decoded,
        E.matchW(causes, () => []),
      )
      expect(told).toHaveLength(1)
      expect(JSON.stringify(told)).not.toContain('4242')
    },
  )
})

describe('types', () => {
  it('say what has to be given', () => {
    const needed = {
      reason: 'r',
      reference: 'r',
      request_id: 'r',
      source_currency: 'USD',
      transfer_currency: 'EUR',
      transfer_method: 'LOCAL',
    } as const
    expectTypeOf(needed).toExtend<NewBatchItem>()
    expectTypeOf<Omit<typeof needed, 'reference'>>().not.toExtend<NewBatchItem>()
    expectTypeOf<Record<never, never>>().toExtend<NewBatchTransfer>()
    expectTypeOf<{
      url: string
      version: string
      events: ['account.active', 'a.b']
    }>().toExtend<NewWebhook>()
    expectTypeOf<{ url: string; version: string }>().not.toExtend<NewWebhook>()
  })
})
