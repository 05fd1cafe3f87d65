/** A row that is nested deeper than the stack goes is put aside; nothing else is, and nothing ends. */
import fc from 'fast-check'
import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { serializable, truncated } from '../../../src/export/column/json.js'
import { formatNames } from '../../../src/export/format/Format.js'
import { formatOf } from '../../../src/export/index.js'
import { forAll } from '../../support/forAll.js'

/** So many levels of lists, or objects. */
const nested = (levels: number, wrap: (u: unknown) => object = (u) => [u]): object =>
  Array.from({ length: levels - 1 }).reduce<object>((u) => wrap(u), wrap(1))

const inObjects = (u: unknown): object => ({ a: u })

describe.each([
  ['lists', undefined],
  ['objects', inObjects],
])('a row with %s in one another', (_, wrap) => {
  it.each(formatNames)('%s: fits up to 500 levels', (format) => {
    const made = formatOf(t.type({ id: t.string, more: t.unknown }))({ format })
    const { check } = made
    expect(check({ id: 'a', more: nested(499, wrap) })).toBe(undefined)
    const expected = 'JSON of at most 500 levels without a bigint'
    const message = `more should be ${expected}`
    for (const levels of [500, 20_000]) {
      expect(check({ id: 'a', more: nested(levels, wrap) })).toMatchObject({ message })
    }
  })

  it('is shown by its first levels', () => {
    expect(JSON.stringify(truncated(nested(20_000, wrap)))).toContain('[...]')
  })
})

describe('a row with a bigint in it', () => {
  it.each(formatNames)('%s: does not fit, and is named', (format) => {
    const made = formatOf(t.type({ id: t.string, more: t.unknown }))({ format })
    const message = 'more should be JSON of at most 500 levels without a bigint'
    for (const more of [12n, [{ a: 12n }]]) {
      expect(made.check({ id: 'a', more })).toMatchObject({ message })
    }
  })

  it('is shown with its digits', () => {
    expect(JSON.stringify(truncated({ id: 'a', more: [12n] }))).toBe('{"id":"a","more":["12"]}')
  })
})

it.each([undefined, 12n, () => 1, Symbol('a')])('is no row: %s', (row) => {
  const message = 'the row should be JSON of at most 500 levels without a bigint'
  expect(serializable()(row)).toMatchObject({ field: '', message })
})

it('is left as it is, if it is not', () => {
  forAll(fc.jsonValue({ maxDepth: 20 }), (u) => {
    expect(serializable()(u)).toBe(undefined)
    expect(truncated(u)).toBe(u)
  })
})
