import * as t from 'io-ts'
import { describe, expect, it, vi } from 'vitest'
import { type DriftFact, drift, InvalidOption, open } from '../../src/decode/index.js'

const Charge = t.intersection([
  t.type({ id: t.string, status: open('NEW', 'SETTLED') }),
  t.partial({ fee: t.number }),
])
const Page = t.type({ items: t.array(Charge) })

const seen = (codec: t.Mixed, ...values: ReadonlyArray<unknown>): ReadonlyArray<DriftFact> => {
  const collector = drift()
  const watch = collector.watch('GET /charges', codec)
  for (const u of values) watch(u)
  return collector.facts()
}

it('sees nothing in what is described', () => {
  expect(seen(Page, { items: [{ id: 'a', status: 'NEW', fee: 1 }] })).toEqual([])
})

it('counts an unknown field once, with the type of its first value', () => {
  const items = [
    { id: 'a', status: 'NEW', fee: 1, tags: ['x'] },
    { id: 'b', status: 'NEW', fee: 1, tags: [] },
  ]
  expect(seen(Page, { items }, { items })).toEqual([
    {
      endpoint: 'GET /charges',
      path: 'items[].tags',
      kind: 'unknown field',
      example: 'list of 1',
      count: 4,
    },
  ])
})

it('counts an unknown field once, whatever its later values are', () => {
  expect(seen(t.type({}), { a: 1 }, { a: 'x' }, { b: 1, a: null })).toMatchObject([
    { path: 'a', example: 'number', count: 3 },
    { path: 'b', count: 1 },
  ])
})

it('names the unknown values of an open enumeration, if they read like the known ones', () => {
  const items = ['EXPIRED', 'EXPIRED', 'HELD', 'a secret 4242', 'ID_12345', 'X'.repeat(41)].map(
    (status) => ({ id: 'a', status, fee: 1 }),
  )
  const facts = seen(Page, { items })
  expect(facts.map(({ path, kind, example, count }) => [path, kind, example, count])).toEqual([
    ['items[].status', 'unknown value', 'EXPIRED', 2],
    ['items[].status', 'unknown value', 'HELD', 1],
    ['items[].status', 'unknown value', 'text of 13 characters', 1],
    ['items[].status', 'unknown value', 'text of 8 characters', 1],
    ['items[].status', 'unknown value', 'text of 41 characters', 1],
  ])
})

it('sees an optional field that was missing until now', () => {
  const without = { id: 'a', status: 'NEW' }
  const withFee = { ...without, fee: 12.5 }
  expect(seen(Charge, withFee, withFee)).toEqual([])
  expect(seen(Charge, without, withFee, withFee)).toMatchObject([
    { path: 'fee', kind: 'optional field', example: 'number', count: 2 },
  ])
})

it('sees a second shape, but neither null nor the members of an enumeration', () => {
  const Node = t.type({
    of: t.union([
      t.type({ values: t.UnknownArray }),
      t.type({ sub_items: t.UnknownArray }),
      t.null,
    ]),
    size: t.union([t.literal('S'), t.literal('L')]),
  })
  const facts = seen(
    Node,
    { of: null, size: 'S' },
    { of: { values: [] }, size: 'L' },
    { of: { sub_items: [] }, size: 'S' },
  )
  expect(facts).toMatchObject([{ path: 'of', kind: 'second shape', example: 'object', count: 1 }])
})

it('looks into records, tuples, recursion and what is stripped', () => {
  const Tree: t.Mixed = t.recursion(
    'Tree',
    (): t.Mixed => t.exact(t.partial({ children: t.readonlyArray(Tree) })),
  )
  const tree = { children: [{ children: [{ x: 1 }], x: 1 }] }
  const All = t.strict({
    tree: t.readonly(Tree),
    record: t.record(t.string, t.type({})),
    pair: t.tuple([t.string, t.type({})]),
  })
  const facts = seen(All, { tree, record: { secret: { y: 1 } }, pair: ['a', { z: null }] })
  expect(facts.map(({ path, count }) => [path, count])).toEqual([
    ['tree.x', 2],
    ['record.*.y', 1],
    ['pair[1].z', 1],
  ])
})

it('calls no field unknown that another member of an intersection may take', () => {
  const Both = t.intersection([
    t.type({ a: t.type({}) }),
    t.union([t.type({ b: t.string }), t.record(t.string, t.unknown)]),
  ])
  expect(seen(Both, { a: { c: 1 }, b: 'b' }).map(({ path }) => path)).toEqual(['a.c'])
})

it('takes the fields of an object that several members of an intersection describe together', () => {
  const Base = t.type({ a: t.type({ x: t.string, more: t.partial({ y: t.string }) }) })
  const Extended = t.intersection([
    Base,
    t.partial({ a: t.type({ z: t.string, more: t.partial({ q: t.string }) }) }),
  ])
  const a = { x: '', z: '', more: { y: '', q: '' } }
  expect(seen(Extended, { a })).toEqual([])
  expect(seen(t.strict({ in: Extended }), { in: { a: { ...a, w: 1 } } })).toMatchObject([
    { path: 'in.a.w', kind: 'unknown field', count: 1 },
  ])
  const Open = t.intersection([Base, t.type({ a: t.record(t.string, t.unknown) })])
  expect(seen(Open, { a: { ...a, more: { y: '' } } })).toEqual([])
})

it('keeps a name that may be content to itself', () => {
  expect(seen(t.type({}), { '4242424242424242': 1, 'two words': 1 })).toMatchObject([
    { path: '*', count: 2 },
  ])
})

it('tells each fact once, when it is first seen', () => {
  const onFact = vi.fn()
  const watch = drift({ onFact }).watch('GET /charges', Charge)
  for (let i = 0; i < 3; i++) watch({ id: 'a', status: 'ODD', fee: 1 })
  expect(onFact.mock.calls).toEqual([
    [{ endpoint: 'GET /charges', path: 'status', kind: 'unknown value', example: 'ODD', count: 1 }],
  ])
})

it('cannot be filled with names', () => {
  const collector = drift({ maxFacts: 10 })
  const watch = collector.watch('GET /charges', t.type({}))
  for (let i = 0; i < 100; i++) watch({ [`a${i}`]: 1 })
  expect(collector.facts()).toHaveLength(10)
})

it.each([
  ['maxFacts', { maxFacts: 0 }],
  ['onFact', { onFact: 'log' }],
  ['onfact', { onfact: () => {} }],
])('takes no such %s', (option, given) => {
  const called = (): unknown => Reflect.apply(drift, undefined, [given])
  expect(called).toThrow(InvalidOption)
  expect(called).toThrow(`${option} should be`)
})

it('keeps 1,000 facts unless it is told otherwise', () => {
  const many = Object.fromEntries(Array.from({ length: 1_100 }, (_, n) => [`a${n}`, 1]))
  expect(seen(t.type({}), many)).toHaveLength(1_000)
})

describe('never throws', () => {
  it.each([
    ['a value of another type', 1],
    ['null', null],
    [
      'a getter that throws',
      {
        get id() {
          throw new Error('no')
        },
      },
    ],
    ['very deep input', JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`)],
  ])('on %s', (_, u) => {
    const Deep: t.Mixed = t.recursion('Deep', (): t.Mixed => t.partial({ a: Deep, id: open('a') }))
    expect(() => seen(Deep, u)).not.toThrow()
  })
})
