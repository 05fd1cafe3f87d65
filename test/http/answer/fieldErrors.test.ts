/** Which fields a failure blames, in any shape that `details` may have. */
import { describe, expect, it } from 'vitest'
import { E } from '../../../src/fp.js'
import { type Failure, fieldErrors } from '../../../src/index.js'
import { item } from '../../support/batch.js'
import { CREATE, lab, NEW_CHARGE } from '../../support/lab.js'

/** The failure of a charge that is refused with this body. */
const failure = (body: Readonly<Record<string, unknown>>): Failure => {
  const all = lab({ play: () => ({ status: 400, body: { code: 'bad', message: 'no', ...body } }) })
  const [out] = all.run(all.client.charges.create(NEW_CHARGE))
  if (out === undefined || E.isRight(out.value)) throw new Error('should have failed')
  return out.value.left
}

const amount = { field: 'amount', code: '001', message: 'missing' }

describe('fieldErrors', () => {
  it.each<readonly [string, unknown, ReadonlyArray<unknown>]>([
    ['a list of errors', [{ source: 'amount', code: '001', message: 'missing' }], [amount]],
    [
      'a list of pairs',
      [{ code: '001', message: 'missing' }],
      [{ code: '001', message: 'missing' }],
    ],
    ['plain text', 'amount is missing', [{ message: 'amount is missing' }]],
    ['texts', ['one', 'two'], [{ message: 'one' }, { message: 'two' }]],
    [
      'an object that holds a list of errors',
      { errors: [{ source: 'amount', code: '001', message: 'missing' }, 'other'] },
      [amount, { message: 'other' }],
    ],
    ['one error', { field: 'amount', code: 1 }, [{ field: 'amount', code: '1' }]],
    [
      'an object by the names of fields',
      { amount: ['missing', { code: '2' }], 'bank.iban': 'too short' },
      [
        { field: 'amount', message: 'missing' },
        { field: 'amount', code: '2' },
        { field: 'bank.iban', message: 'too short' },
      ],
    ],
    ['an empty object', {}, []],
    ['nothing that tells anything', [null, true, [], ''], []],
  ])('reads %s', (_, details, expected) => {
    expect(fieldErrors(failure({ details }))).toEqual(expected)
  })

  it('reads what older versions have in their place', () => {
    const errors = [{ source: 'amount', code: '001', message: 'missing' }]
    expect(fieldErrors(failure({ errors }))).toEqual([amount])
    expect(fieldErrors(failure({ params: { amount: 'missing' } }))).toEqual([
      { field: 'amount', message: 'missing' },
    ])
  })

  it('falls back to the field that the answer as a whole blames', () => {
    expect(fieldErrors(failure({ source: 'amount' }))).toMatchObject([
      { field: 'amount', code: 'bad', message: expect.stringContaining('no') },
    ])
    expect(fieldErrors(failure({}))).toEqual([])
  })

  it('has what was found before anything was sent', () => {
    const all = lab()
    const [out] = all.run(all.client.charges.create({ ...NEW_CHARGE, reference: '' }))
    expect(out && E.isLeft(out.value) && fieldErrors(out.value.left)).toMatchObject([
      { field: 'reference', message: expect.stringContaining('should be') },
    ])
  })

  describe('for an item', () => {
    const bank_details = {
      account_currency: 'EUR',
      account_name: 'A',
      bank_country_code: 'DE',
      iban: 'DE00',
    }
    const { iban: _, ...without } = bank_details

    const blamed = (wrong: Readonly<Record<string, unknown>>) => {
      const { client, run } = lab()
      const { beneficiary_id: _, ...rest } = item(0)
      const [out] = run(client.batchTransfers.addItems({ id: 'b', items: [{ ...rest, ...wrong }] }))
      if (out === undefined || E.isRight(out.value)) throw new Error('should have failed')
      return fieldErrors(out.value.left)
    }

    it('names what its beneficiary lacks, and contradicts itself nowhere', () => {
      const told = blamed({ beneficiary: { entity_type: 'PERSONAL', bank_details: without } })
      expect(told).toEqual([
        {
          field: 'items[0].beneficiary.bank_details.account_number',
          message: 'should be non-empty when iban is missing or empty, but is missing',
        },
        { field: 'items[0].beneficiary', message: 'should be an empty object, but is object' },
      ])
    })

    it.each<readonly [string, Readonly<Record<string, unknown>>, string]>([
      [
        'application_fee_options',
        { application_fee_options: {} },
        'should be a list of fee options, but is object',
      ],
      [
        'beneficiary',
        { beneficiary: 'x' },
        'should be object | an empty object, but is text of 1 character',
      ],
    ])('says in words what %s should be', (field, wrong, message) => {
      expect(blamed(wrong)).toEqual([{ field: `items[0].${field}`, message }])
    })
  })

  it('looks into the cause of what is unclear or cut short', () => {
    const cause = failure({ details: 'why' })
    const common = { endpoint: CREATE, attempts: 1, message: 'no' }
    expect(fieldErrors({ ...common, _tag: 'Ambiguous', tried: [], cause })).toEqual([
      { message: 'why' },
    ])
    const position = { page_num: 1 }
    expect(fieldErrors({ ...common, _tag: 'Truncated', position, pages: 1, cause })).toHaveLength(1)
    expect(fieldErrors({ ...common, _tag: 'Truncated', position, pages: 1 })).toEqual([])
    expect(fieldErrors({ ...common, _tag: 'Throttled', code: 'x' })).toEqual([])
  })
})
