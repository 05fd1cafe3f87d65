import * as fc from 'fast-check'
import * as t from 'io-ts'
import { expect, it } from 'vitest'
import { causesUnder } from '../../src/decode/causes.js'
import { causes, explain } from '../../src/decode/index.js'
import { E } from '../../src/fp.js'
import { forAll } from '../support/forAll.js'

const errorsOf = (codec: t.Mixed, u: unknown): t.Errors => {
  const decoded = codec.decode(u)
  return E.isLeft(decoded) ? decoded.left : []
}

const Page = t.type({ items: t.array(t.type({ amount: t.number, currency: t.string })) })

it('says where, what was expected and what was there', () => {
  const u = { items: [{ amount: 1, currency: 'EUR' }, { amount: '12.50' }] }
  expect(explain(errorsOf(Page, u))).toBe(
    'items[1].amount should be number, but is text of 5 characters\n' +
      'items[1].currency should be string, but is missing',
  )
})

it('speaks of the value itself when that is refused', () => {
  expect(explain(errorsOf(Page, []))).toBe('the value should be object, but is list of 0')
})

it('shows the values of an enumeration, and one cause for a union of literals', () => {
  const Status = t.union([t.literal('NEW'), t.literal('SETTLED'), t.null])
  expect(causes(errorsOf(Status, 'OLD'))).toEqual([
    { path: '', expected: '"NEW" | "SETTLED" | null', actual: 'text of 3 characters' },
  ])
  expect(causes(errorsOf(t.keyof({ A: 1, B: 1 }), 1))).toEqual([
    { path: '', expected: '"A" | "B"', actual: 'number 1' },
  ])
})

it('puts the likeliest branch of a union first', () => {
  const Card = t.type({ kind: t.keyof({ card: 1 }), last4: t.string })
  const Bank = t.intersection([
    t.type({ kind: t.keyof({ bank: 1 }), account: t.type({ iban: t.string }) }),
    t.partial({ holder: t.string }),
  ])
  const u = { kind: 'bank', account: { iban: 7 } }
  expect(causes(errorsOf(t.union([t.null, Card, Bank]), u)).map(({ path }) => path)).toEqual([
    'account.iban',
    'kind',
    'last4',
    '',
  ])
})

it('says what an object should be that is refined, by its name', () => {
  const Empty = t.refinement(t.UnknownRecord, (o) => Object.keys(o).length === 0, 'an empty object')
  expect(explain(errorsOf(Empty, { a: 1 }))).toBe(
    'the value should be an empty object, but is object',
  )
})

it('names the tag of a tagged union', () => {
  const Event = t.union([
    t.strict({ type: t.literal('a'), data: t.number }),
    t.strict({ type: t.literal('b') }),
  ])
  expect(explain(errorsOf(t.array(Event), [{ type: 'c' }, { type: 'a', data: null }]))).toBe(
    '[0].type should be "a" | "b", but is text of 1 character\n[1].data should be number, but is null',
  )
})

it('names the tags of members that are unions, intersections or recursive', () => {
  const kind = <K extends string>(name: K) => t.type({ kind: t.literal(name) })
  const Optional = t.intersection([kind('b'), t.partial({ note: t.string })])
  const Event = t.union([
    t.union([kind('a'), Optional]),
    t.recursion('C', () => t.exact(kind('c'))),
    t.readonly(kind('d')),
  ])
  expect(explain(errorsOf(Event, { kind: 'z' }))).toBe(
    'kind should be "a" | "b" | "c" | "d", but is text of 1 character',
  )
})

it('names no tag of what is no object', () => {
  const Event = t.union([t.strict({ type: t.literal('a') }), t.strict({ type: t.literal('b') })])
  expect(causes(errorsOf(t.array(Event), [7])).map(({ path, actual }) => [path, actual])).toEqual([
    ['[0]', 'number 7'],
  ])
})

it('tells what is missing from what is undefined', () => {
  expect(explain(errorsOf(t.type({ a: t.number }), { a: undefined }))).toBe(
    'a should be number, but is undefined',
  )
})

it('says that a field is missing, whatever its codec is made of', () => {
  const Both = t.intersection([t.type({ b: t.string }), t.partial({ c: t.string })])
  const Either = t.union([t.intersection([Both, t.partial({ d: t.string })]), t.null])
  const Named = t.refinement(Either, () => true, 'either')
  for (const codec of [Both, Either, Named]) {
    const whole = t.type({ a: codec })
    expect(causes(errorsOf(whole, {})).map(({ actual }) => actual)).toContain('missing')
    expect(explain(errorsOf(whole, {}))).not.toContain('undefined')
    expect(explain(errorsOf(whole, { a: undefined }))).not.toContain('missing')
    expect(explain(errorsOf(codec, undefined))).not.toContain('missing')
  }
})

it('names a place within a place', () => {
  const under = (path: string, at: string): string | undefined => {
    const one = { path, expected: 'x', actual: 'y' }
    const [first, second] = causesUnder(at, [one, one]).map(({ path }) => path)
    expect(second).toBe(first)
    return first
  }
  expect(under('a', 'items[1]')).toBe('items[1].a')
  expect(under('[0].a', 'items[1]')).toBe('items[1][0].a')
  expect(under('', 'items[1]')).toBe('items[1]')
  expect(under('a', '')).toBe('a')
})

it('keeps the keys of a record to itself', () => {
  const Metadata = t.type({ metadata: t.record(t.string, t.string) })
  expect(explain(errorsOf(Metadata, { metadata: { '4242424242424242': 1 } }))).toBe(
    'metadata.* should be string, but is number 1',
  )
})

it('shows a key that a custom codec reports only where it holds no long number', () => {
  const reporting = (key: string) =>
    new t.Type(
      'Reporting',
      t.unknown.is,
      (_, context) => t.failure(1, [...context, { key, type: t.string, actual: 1 }]),
      t.identity,
    )
  const pathOf = (key: string) => causes(errorsOf(reporting(key), {}))[0].path
  expect([pathOf('acct_1234'), pathOf('acct_12345')]).toEqual(['acct_1234', '*'])
})

it('shows the keys of a record that its codec names', () => {
  for (const domain of [
    t.keyof({ a: null }),
    t.literal('a'),
    t.union([t.literal('a'), t.literal('b')]),
  ]) {
    expect(explain(errorsOf(t.record(domain, t.number), { a: 'x', b: 1 }))).toMatch(/^a should be /)
  }
})

it('shows a long number by its length, with decimals too', () => {
  expect(explain(errorsOf(t.string, 1e22))).toContain('number of 23 digits')

  expect(explain(errorsOf(t.string, 4242424242424242))).toBe(
    'the value should be string, but is number of 16 digits',
  )
  for (const amount of [4111111111111111.5, -411111111111.25]) {
    expect(explain(errorsOf(t.string, amount))).not.toContain('4111')
  }
  expect(explain(errorsOf(t.string, 41111111111.5))).toContain('number 41111111111.5')
  expect(explain(errorsOf(t.string, Number.NEGATIVE_INFINITY))).toContain('number -Infinity')
})

it('has a cause also where the codec that refused names no error', () => {
  const Silent = new t.Type('Silent', t.unknown.is, () => t.failures([]), t.identity)
  expect(causes(errorsOf(Silent, 1))).toEqual([
    { path: '', expected: 'a valid value', actual: 'unknown' },
  ])
  expect(explain(errorsOf(Silent, 1))).toBe('the value should be a valid value, but is unknown')
})

it('names two hundred thousand places within a union', () => {
  const Rows = t.union([t.array(t.number), t.string])
  const all = causes(errorsOf(Rows, Array<string>(200_000).fill('x')))
  expect(all).toHaveLength(200_001)
  expect(all[0].path).toBe('[0]')
})

it('does not read the whole of a deep value again for each of its unions', () => {
  let read = 0
  const Tree: t.Mixed = t.recursion('Tree', () => {
    const Node = t.type({ of: Tree })
    const get = (): string => {
      read++
      return 'InterfaceType'
    }
    Object.defineProperty(Node, '_tag', { get })
    return t.union([t.string, Node])
  })
  const deep = Array.from({ length: 300 }).reduce<unknown>((of) => ({ of }), 1)
  const errors = errorsOf(Tree, deep)
  read = 0
  expect(causes(errors)).toHaveLength(301)
  expect(read).toBeLessThan(1_000_000)
})

it('never throws and never tells a text', () => {
  const secret = 'sk_live_4242'
  const Value = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<unknown>(secret, 1, null, undefined, true, Number.NaN),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c', secret), tie('value'), { maxKeys: 4 }),
    ),
  })).value
  const Codec = t.union([
    t.type({
      a: t.array(t.union([t.number, t.type({ b: t.boolean })])),
      b: t.record(t.string, t.null),
    }),
    t.tuple([t.number, t.partial({ c: t.bigint })]),
    t.exact(t.type({ c: t.readonly(t.type({ a: t.literal('x') })) })),
    t.boolean,
  ])
  forAll(Value, (u) => {
    expect(JSON.stringify(causes(errorsOf(Codec, u)))).not.toContain(secret)
  })
})
