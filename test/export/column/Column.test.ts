import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import type { Codec } from '../../../src/codec/Codec.js'
import { BatchItem, BatchTransfer, Charge, Webhook } from '../../../src/codec/index.js'
import { formatOf, knownColumns } from '../../../src/export/index.js'
import { InvalidOption } from '../../../src/options/index.js'
import { Row } from '../rows.js'

const said = <A>(codec: Codec<A>): ReadonlyArray<string> =>
  knownColumns(codec).map(({ name, type }) => `${name}: ${type}`)

describe('the columns of a codec', () => {
  it('are those of its fields', () => {
    expect(said(Charge)).toEqual([
      'id: text',
      'amount: decimal',
      'currency: text',
      'reason: text',
      'reference: text',
      'request_id: text',
      'source: text',
      'fee: decimal',
      'short_reference_id: text',
      'status: text',
      'created_at: time',
      'updated_at: time',
    ])
  })

  it('are dotted for objects in objects, and JSON for lists and open objects', () => {
    expect(said(BatchTransfer)).toEqual(
      expect.arrayContaining([
        'metadata: json',
        'transfer_date: text',
        'funding.failure_details.provider_failure_details.code: text',
        'quote_summary.expires_at: time',
        'quote_summary.quotes: json',
      ]),
    )
    expect(said(Webhook)).toEqual(expect.arrayContaining(['events: json', 'secret: text']))
    expect(said(BatchItem)).toEqual(
      expect.arrayContaining(['errors: json', 'transfer_draft.beneficiary: json']),
    )
  })

  it('are known for any codec', () => {
    interface Tree {
      readonly name: string
      readonly below: Tree | null
    }
    const Tree: t.Type<Tree> = t.recursion('Tree', () =>
      t.type({ name: t.string, below: t.union([Tree, t.null]) }),
    )
    const codec = t.exact(
      t.intersection([
        t.readonly(
          t.type({
            tree: Tree,
            whole: t.Int,
            yes: t.literal(true),
            kind: t.union([t.literal('a'), t.literal('b')]),
            mixed: t.union([t.string, t.number]),
            pair: t.tuple([t.string, t.number]),
          }),
        ),
        t.partial({ inner: t.type({ a: t.number }) }),
        t.type({ inner: t.partial({ b: t.string }) }),
      ]),
    )
    expect(said(codec)).toEqual([
      'tree.name: text',
      'tree.below: json',
      'whole: integer',
      'yes: boolean',
      'kind: text',
      'mixed: json',
      'pair: json',
      'inner.a: decimal',
      'inner.b: text',
    ])
  })
})

describe('columns that are chosen', () => {
  it.each([
    [['id', 'nothing'], 'any of id, amount, '],
    [['tags.0'], 'there is no tags.0'],
    [[':text'], 'there is no column with an empty name'],
    [['id', ''], 'there is no column with an empty name'],
    [[':'], 'NAME:TYPE for another field'],
    [['id', 'id:json'], 'id is named twice'],
    [['id:number'], 'of the types text, time, '],
    [[], 'at least one column'],
  ])('are refused: %j', (columns, message) => {
    expect(() => formatOf(Row)({ format: 'csv', columns })).toThrow(InvalidOption)
    expect(() => formatOf(Row)({ format: 'csv', columns })).toThrow(message)
  })
})
